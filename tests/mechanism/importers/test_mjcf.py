"""MJCF through MuJoCo's parser: the mechanism moves as MuJoCo says, and what cannot be had is refused by name."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism import JointRate, LoopKind, Mechanism, ModelError
from kanegen.codegen.mechanism.findings import Severity
from kanegen.codegen.mechanism.importers import read_file
from kanegen.codegen.mechanism.importers.mjcf import from_mjcf
from kanegen.codegen.mechanism.poses import frame_poses
from kanegen.codegen.mechanism.records import JointLimits, Mimic
from kanegen.codegen.mechanism.reduction import without_friction
from kanegen.codegen.peers import mujoco_engine
from kanegen.codegen.peers.tree_peer import TreePeer

from .mjcf_models import (
    BALL,
    BALLS,
    BOX,
    CHAIN,
    COUPLED,
    DRIVEN,
    FLOATING,
    FOUR_BAR,
    INERTIAL,
    REFERENCES,
    SPRUNG,
    TREES,
    mujoco,
)

pytestmark = pytest.mark.needs("mujoco")

AGREEMENT = 1e-13
"""A few hundred roundings of 1.1e-16 on either side of small mechanisms, relative to the largest component."""


def random_state(mechanism: Mechanism, random: np.random.Generator) -> tuple[np.ndarray, ...]:
    q = random.uniform(-1.5, 1.5, len(mechanism.coordinates))
    for first in mechanism.quaternions:
        q[first : first + 4] /= np.linalg.norm(q[first : first + 4])
    return q, *random.standard_normal((3, mechanism.dof))


def assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    assert np.abs(found - expected).max() <= AGREEMENT * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("name", TREES)
def test_the_mechanism_moves_as_mujoco_says(name: str) -> None:
    """MuJoCo on its own file against Pinocchio on the records of the mechanism."""
    pytest.importorskip("pinocchio", reason="Pinocchio computes with the records")
    from kanegen.codegen.peers import pinocchio_engine

    mechanism = without_friction(from_mjcf(TREES[name]))
    theirs = TreePeer(mechanism, mujoco_engine.of_mjcf(mechanism, TREES[name]))
    records = TreePeer(mechanism, pinocchio_engine.of_mechanism(mechanism))
    assert {*theirs.frames} <= {*records.frames}
    random = np.random.default_rng(12)
    for _ in range(5):
        q, v, a, tau = random_state(mechanism, random)
        forces = records.inverse_dynamics(q, v, a)
        assert_same(theirs.inverse_dynamics(q, v, a), forces)
        assert_same(theirs.mass_matrix(q), records.mass_matrix(q))
        assert_same(theirs.gravity_forces(q), records.gravity_forces(q))
        assert_same(theirs.kinetic_energy(q, v), records.kinetic_energy(q, v))
        assert_same(theirs.momentum(q, v), records.momentum(q, v))
        condition = np.linalg.cond(records.mass_matrix(q))
        found, expected = (peer.forward_dynamics(q, v, tau) for peer in (theirs, records))
        assert np.abs(found - expected).max() <= AGREEMENT * condition * np.abs(expected).max()
        for frame in theirs.frames:
            assert_same(theirs.frame_pose(q, frame), records.frame_pose(q, frame))
            assert_same(theirs.frame_jacobian(q, frame), records.frame_jacobian(q, frame))


def test_names_and_order_are_those_of_the_file() -> None:
    chain = from_mjcf(CHAIN)
    assert (chain.name, chain.coordinates) == ("m", ("j1", "j2", "j3"))
    assert [frame.name for frame in chain.frames] == ["a", "b", "c", "tool"]
    assert chain.gravity == (1, -2, -9)
    assert chain.home == ()


def test_coordinates_are_those_of_mujoco() -> None:
    """``ref`` keeps its meaning: home is where the file places the bodies."""
    mechanism = from_mjcf(REFERENCES)
    assert [float(x) for x in mechanism.home] == pytest.approx([np.pi / 6, 0.2, np.radians(-100)], rel=1e-15)
    poses = frame_poses(mechanism, [float(x) for x in mechanism.home])
    assert poses["b"][:3, 3] == pytest.approx([0.3, 0, 0], abs=1e-15)
    assert poses["c"][:3, 3] == pytest.approx([0.4, 0, 0], abs=1e-15)
    rests = {spring.name: float(spring.rest) for spring in mechanism.springs}  # type: ignore[arg-type]
    assert rests == pytest.approx({"j1_spring": np.radians(-20), "j2_spring": 0.0})


def test_quaternions_change_their_order() -> None:
    mechanism = from_mjcf(FLOATING)
    home = dict(zip(mechanism.coordinates, map(float, mechanism.home), strict=True))
    assert [home[f"root_{axis}"] for axis in "xyz"] == [1, 2, 3]
    half = np.radians([20, 25, 30])  # intrinsic x, y, z
    (cx, cy, cz), (sx, sy, sz) = np.cos(half), np.sin(half)
    # the product (cx + sx i)(cy + sy j)(cz + sz k) written out
    expected = {
        "root_qw": cx * cy * cz - sx * sy * sz,
        "root_qx": sx * cy * cz + cx * sy * sz,
        "root_qy": cx * sy * cz - sx * cy * sz,
        "root_qz": cx * cy * sz + sx * sy * cz,
    }
    assert {name: home[name] for name in expected} == pytest.approx(expected, rel=1e-14)


def test_equalities_between_joints_become_mimics() -> None:
    """y - y0 = c0 + c1 (x - x0); a joint that an equality holds is no joint any more."""
    mechanism = from_mjcf(COUPLED)
    assert mechanism.coordinates == ("j1",)
    mimics = {mimic.joint: mimic for mimic in mechanism.mimics}
    assert {name: (m.leader, m.multiplier) for name, m in mimics.items()} == {
        "j2": ("j1", -2),
        "j3": ("j2", Fraction(1, 2)),
    }
    assert float(mimics["j2"].offset) == pytest.approx(np.radians(-20) + 0.1 + 2 * np.radians(10))  # type: ignore[arg-type]
    assert isinstance(mimics["j3"], Mimic)
    assert "j4" not in [joint.name for joint in mechanism.joints]


def test_resistance_and_limits_are_recorded() -> None:
    mechanism = from_mjcf(DRIVEN)
    j1, j2 = mechanism.joint("j1"), mechanism.joint("j2")
    assert (j1.damping, j1.friction, j1.rotor_inertia) == (Fraction(1, 2), Fraction(1, 5), Fraction(1, 10))
    assert j1.limits is not None
    assert float(j1.limits.lower or 0) == pytest.approx(np.radians(-30))
    assert float(j1.limits.upper or 0) == pytest.approx(np.radians(60))
    assert (j1.limits.velocity, j1.limits.effort) == (None, 7)
    assert (j2.limits, j2.rotor_inertia) == (None, Fraction(3, 10))
    assert isinstance(j1.limits, JointLimits)


def test_ball_joints_keep_armature_and_damping() -> None:
    mechanism = from_mjcf(
        BALLS.replace('armature="0.07"', 'armature="0.07" damping="0.3" frictionloss="0.1"')
    )
    parts = [mechanism.joint(f"ball_w{axis}") for axis in "xyz"]
    assert {(j.rotor_inertia, j.damping, j.friction) for j in parts} == {
        (Fraction(7, 100), Fraction(3, 10), Fraction(1, 10))
    }


def test_straight_tendons_become_springs() -> None:
    springs = {spring.name: spring for spring in from_mjcf(SPRUNG).springs}
    assert set(springs) == {"t1", "t2"}
    assert (springs["t1"].stiffness, springs["t1"].damping, springs["t1"].rest) == (40, 3, Fraction(7, 10))


def test_armature_of_actuators_counts_with_its_gear() -> None:
    """tau = gear force, so that a rotor of inertia I resists with gear^2 I, and its damping likewise."""
    motors = '<motor joint="j1" gear="5" armature="0.01" damping="0.02"/><motor joint="j1" gear="2" armature="0.1"/>'
    text = mujoco(
        f'<body><joint name="j1" axis="0 1 0" armature="0.1"/>{BOX}</body>', f"<actuator>{motors}</actuator>"
    )
    try:
        mechanism = from_mjcf(text)
    except ModelError as error:
        pytest.skip(f"this release of MuJoCo has no armature of actuators: {error}")
    joint = mechanism.joint("j1")
    assert float(joint.rotor_inertia) == pytest.approx(0.1 + 25 * 0.01 + 4 * 0.1)  # type: ignore[arg-type]
    assert float(joint.damping) == pytest.approx(25 * 0.02)  # type: ignore[arg-type]
    theirs = mujoco_engine.of_mjcf(without_friction(mechanism), text)
    ours = float(joint.rotor_inertia)  # type: ignore[arg-type]
    bare = mujoco_engine.of_mjcf(
        without_friction(mechanism), text.replace(motors, "").replace('armature="0.1"', "")
    )
    at = np.zeros(1)
    assert theirs.mass_matrix(at)[0, 0] - bare.mass_matrix(at)[0, 0] == pytest.approx(ours, rel=1e-14)


def test_loops_close_where_the_file_closes_them() -> None:
    mechanism = from_mjcf(FOUR_BAR)
    assert [(loop.name, loop.kind) for loop in mechanism.loops] == [("pin", LoopKind.SPHERICAL)]
    assert mechanism.speeds == (JointRate("rocker"),)  # the joint with an actuator is the independent one
    poses = frame_poses(mechanism, [0.0, 0.0, 0.0])
    assert poses["pin_first"] == pytest.approx(poses["pin_second"], abs=1e-15)
    robot = kanegen.load(mechanism, kernels=["mass_matrix", "constraint_residual"], interpreted=True)
    assert robot.constraint_residual(robot.home) == pytest.approx(np.zeros(3), abs=1e-15)
    # crank and rocker turn alike and the coupler only moves along: 2 (0.01 + 1 0.1^2) + 1 0.2^2
    assert robot.mass_matrix(robot.home) == pytest.approx(np.array([[0.08]]), rel=1e-14)
    assert robot.constraints is not None
    assert robot.constraints.redundant == ("pin y",)


WELDED = mujoco(
    f"""<site name="t" pos="0.3 0.1 0.35" euler="0 10 0"/><body name="a" euler="0 10 0"><joint name="j1" axis="0 1 0"/>{BOX}
    <body name="b" pos="0.3 0.1 0.4" euler="10 0 20"><joint name="j2" axis="1 0 0"/>{BALL}<site name="s"/></body></body>""",
    "<equality><weld name='w' {}/></equality>",
)


def test_welds_hold_the_pose_of_the_file() -> None:
    mechanism = from_mjcf(WELDED.replace("{}", 'body1="b" body2="a"'))
    assert [(loop.name, loop.kind) for loop in mechanism.loops] == [("w", LoopKind.FIXED)]
    assert mechanism.speeds == (JointRate("j1"),)
    poses = frame_poses(mechanism, [0.0, 0.0])
    assert poses["w_first"] == pytest.approx(poses["w_second"], abs=1e-15)
    with pytest.raises(ModelError, match="equalities: leave no freedom"):  # to the world
        from_mjcf(WELDED.replace("{}", 'body1="b"'))


def test_equalities_between_sites_use_their_frames() -> None:
    text = WELDED.replace("weld name='w' {}", 'connect name="c" site1="s" site2="t"')
    (loop,) = from_mjcf(text.replace('pos="0.3 0.1 0.35" euler="0 10 0"', "")).loops
    assert (loop.kind, loop.first, loop.second) == (LoopKind.SPHERICAL, "s", "t")


def test_free_bodies_on_request() -> None:
    text = mujoco(f'<body name="a" pos="0 0 2">{BOX}<body name="b"><joint axis="0 1 0"/>{BALL}</body></body>')
    mechanism = from_mjcf(text, floating_base=True)
    assert mechanism.dof == 7
    assert mechanism.rates[:3] == ("a_free_vx", "a_free_vy", "a_free_vz")
    assert dict(zip(mechanism.coordinates, mechanism.home, strict=True))["a_free_z"] == 2
    alone = FLOATING.replace(f'<body name="pendulum"><joint name="p" axis="1 0 0"/>{BALL}</body>', "")
    assert from_mjcf(alone, floating_base=True) == from_mjcf(alone)  # it floats already
    with pytest.raises(ModelError, match="worldbody: a floating base is asked for, but no single body"):
        from_mjcf(CHAIN, floating_base=True)


def test_elements_without_names_and_with_ours() -> None:
    text = mujoco(
        f"""<body name="base">{BOX}<body><joint/><joint axis="1 0 0"/>{BALL}<site name="base"/>
        <body name="body2"><joint/>{BALL}<site name="body2"/></body></body></body>"""
    )
    mechanism = from_mjcf(text)
    assert [body.name for body in mechanism.bodies if not body.carrier] == ["base_body", "body2_2", "body2"]
    assert mechanism.coordinates == ("body2_2_joint1", "body2_2_joint2", "body2_joint")
    assert [f.name for f in mechanism.frames] == ["base_body", "body2_2", "body2", "base_site", "body2_site"]


REFUSED = {
    'option density="1"': (
        mujoco(f"<body><joint/>{BOX}</body>", options='density="1"'),
        "option: the bodies move in a fluid",
    ),
    "gravcomp": (
        mujoco(f'<body name="a" gravcomp="1"><joint/>{BOX}</body>'),
        "body 'a': gravcomp 1 holds it up",
    ),
    "ball spring": (
        mujoco(f'<body><joint name="b" type="ball" stiffness="1"/>{BOX}</body>'),
        "joint 'b': is a ball or free joint with a spring",
    ),
    "cubic equality": (
        COUPLED.replace('polycoef="0.1 -2 0 0 0"', 'name="e" polycoef="0 1 0.5 0 0"'),
        "equality 'e': its polycoef 0 1 0.5 0 0 is not linear",
    ),
    "tendon equality": (
        SPRUNG.replace(
            "</mujoco>", '<equality><tendon name="e" tendon1="t1" tendon2="t3"/></equality></mujoco>'
        ),
        "equality 'e': is of the kind tendon",
    ),
    "wrapping": (
        SPRUNG.replace(
            '<site name="wall" pos="0 0 2"/>', '<site name="wall"/><geom name="g" size="0.1"/>'
        ).replace(
            '<spatial name="t3"><site site="p"/>',
            '<spatial name="t3" stiffness="1"><site site="p"/><geom geom="g"/>',
        ),
        "tendon 't3': has stiffness and wraps around a geom",
    ),
    "pulley": (
        SPRUNG.replace(
            '<spatial name="t3">',
            '<spatial name="t3" damping="1"><site site="p"/><site site="wall"/><pulley divisor="2"/>',
        ),
        "tendon 't3': has damping and runs over a pulley",
    ),
    "tendon friction": (
        SPRUNG.replace('name="t3"', 'name="t3" frictionloss="1"'),
        "tendon 't3': has Coulomb friction",
    ),
    "tendon armature": (SPRUNG.replace('name="t3"', 'name="t3" armature="1"'), "tendon 't3': has armature"),
    "syntax": (
        "<mujoco><worldbody>\n<body><joint axis='0,3 0 0'/></body></worldbody></mujoco>",
        "MJCF:2: element 'joint'",
    ),
    "no mass": (mujoco("<body><joint/></body>"), "mass and inertia of moving bodies must be larger"),
    "fragment": ("<mujocoinclude/>", "is a fragment"),
    "nothing moves": (mujoco(f"<body>{BOX}</body>"), "nothing in it can move"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_changes_the_motion_and_cannot_be_had_is_refused_by_name(case: str) -> None:
    text, message = REFUSED[case]
    with pytest.raises(ModelError) as refusal:
        from_mjcf(text)
    assert message in str(refusal.value)


def test_what_is_switched_off_does_not_count() -> None:
    """Flags of the option element."""
    flags = '<flag gravity="disable" spring="disable" damper="disable" equality="disable" frictionloss="disable"/>'
    for text in (REFERENCES, COUPLED, SPRUNG, DRIVEN):
        mechanism = from_mjcf(text.replace("<option />", f"<option>{flags}</option>"))
        assert (mechanism.gravity, mechanism.springs, mechanism.mimics) == ((0, 0, 0), (), ())
        assert all(joint.damping == 0 and joint.friction == 0 for joint in mechanism.joints)
    assert from_mjcf(COUPLED.replace("<option />", f"<option>{flags}</option>")).dof == 4


def test_one_flag_switches_off_all_constraints() -> None:
    """Dry friction is one of MuJoCo's, as equalities are."""
    flag = '<option><flag constraint="disable"/></option>'
    mechanism = from_mjcf(COUPLED.replace("<option />", flag))
    assert mechanism.mimics == ()
    text = mujoco(f'<body><joint frictionloss="0.4" damping="0.3"/>{BOX}</body>')
    frictions = [
        [float(joint.friction) for joint in from_mjcf(given).joints]
        for given in (text, text.replace("<option />", flag))
    ]
    assert frictions == [[0.4], [0.0]]


def test_a_range_of_a_ball_joint_is_told() -> None:
    """The angle by which it turns is no coordinate."""
    text = mujoco(f'<body><joint name="ball" type="ball" range="0 60"/>{BOX}</body>')
    with pytest.warns(kanegen.ModelWarning, match="joint 'ball': its range is not kept"):
        from_mjcf(text)
    from_mjcf(text.replace("<option />", '<option><flag limit="disable"/></option>'))


def test_findings_say_what_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "driven.xml"
    path.write_text(DRIVEN)
    findings = read_file(path).findings
    assert {finding.where for finding in findings} == {"geoms", "actuators", "joint 'j1'"}
    assert "from -5 to 7, and here up to 7 either way" in next(f.what for f in findings if "j1" in f.where)
    assert all(f.severity is Severity.NOTE and f.file == str(path) for f in findings)


def test_files_name_themselves_in_errors(tmp_path: Path) -> None:
    path = tmp_path / "broken.xml"
    path.write_text("<mujoco><worldbody>\n\n<body><joint typ='hinge'/></body></worldbody></mujoco>")
    with pytest.raises(ModelError) as refusal:
        read_file(path)
    assert str(refusal.value).startswith(f"{path}:3: ")
    path.write_text(mujoco(f'<body name="a" gravcomp="1"><joint/>{BOX}</body>'))
    with pytest.raises(ModelError) as refusal:
        read_file(path)
    assert str(refusal.value).startswith(f"{path}: body 'a'")


def test_meshes_that_are_missing_do_no_harm_where_inertias_are_given(tmp_path: Path) -> None:
    assets = (
        '<asset><mesh name="m" file="no.stl"/><texture name="t" type="2d" file="no.png"/>'
        '<material name="paint" texture="t"/></asset>'
    )
    shape = '<geom type="mesh" mesh="m" material="paint"/><site name="s" material="paint"/>'
    path = tmp_path / "arm.xml"
    world = f'<body name="a"><joint name="j" axis="0 1 0"/>{INERTIAL}{shape}</body>'
    path.write_text(mujoco(world, assets))
    imported = read_file(path)
    assert imported.mechanism == from_mjcf(mujoco(world.replace(shape, '<site name="s"/>')))
    assert "left out" in next(f for f in imported.findings if f.where == "files of meshes").what
    path.write_text(mujoco(world.replace(INERTIAL, ""), assets))
    with pytest.raises(ModelError, match=r"no\.stl.*inertia of body 'a' is to come from that shape"):
        read_file(path)


def test_includes_and_defaults_are_mujocos_business(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text(
        f'<mujocoinclude><body name="a"><joint name="j"/>{INERTIAL}</body></mujocoinclude>'
    )
    path = tmp_path / "whole.xml"
    path.write_text(
        '<mujoco model="m"><default><joint axis="1 0 0" damping="2"/></default>'
        '<worldbody><include file="part.xml"/></worldbody></mujoco>'
    )
    joint = read_file(path).mechanism.joint("j")
    assert (joint.axis, joint.damping) == ((1, 0, 0), 2)


def test_without_mujoco_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ModelError) as refusal:
        from_mjcf(CHAIN)
    assert "Install it: pip install 'mujoco" in str(refusal.value)
