"""Models in files (CASES 1 to 18): the right value, or the true reason for which there is none.

Masses and inertias (cases 8, 9 and 12) are in ``test_links``; joints with several coordinates (14) in ``test_rotations``;
what files bring along beside a model (11, 13, 16 and 17) in ``test_hostile_files``.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import kanegen
from kanegen.codegen import cli
from kanegen.codegen.mechanism import ModelError
from kanegen.errors import KanegenError
from tests.mechanism.importers.documents import joint, link, pendulum, robot

from .files import LoadText, inertial

Array = NDArray[np.float64]
KERNELS = ("inverse_dynamics", "mass_matrix")
TOLERANCE = 1e-12
"""Some hundred roundings of numbers of order one."""


@pytest.fixture
def mass_of(load_text: LoadText) -> Callable[..., float]:
    """The only entry of the mass matrix of a pendulum."""

    def entry(inside: str, kind: str = "continuous", body: str = "") -> float:
        text = pendulum(inside, kind=kind, body=body or inertial())
        return float(load_text(text, "mass_matrix").mass_matrix([0.4])[0, 0])

    return entry


def test_a_turned_inertial_frame(mass_of: Callable[..., float]) -> None:
    """Case 1: diag(1, 2, 2.5) with its frame turned by 90 degrees about z, and the axis x: the 2 is about x."""
    for yaw in ("1.5707963267948966", "1.57079632679"):
        turned = inertial(origin=f'<origin rpy="0 0 {yaw}"/>')
        assert mass_of('<axis xyz="1 0 0"/>', body=turned) == 2.0


@pytest.mark.parametrize(
    ("axis", "expected"), [("0 0 2", 2.5), ("0 0 1", 2.5), ("0 -3 0", 2.0), ("-1 0 0", 1.0)]
)
def test_axes_of_any_length_and_sign(mass_of: Callable[..., float], axis: str, expected: float) -> None:
    """Cases 2 and 3."""
    assert mass_of(f'<axis xyz="{axis}"/>') == expected
    assert mass_of(f'<axis xyz="{axis}"/>', kind="prismatic") == 1.0


def test_a_long_axis_is_noted(load_text: LoadText, caplog: pytest.LogCaptureFixture) -> None:
    """Case 2: on import, with line, element and length; a unit vector is not worth a word."""
    for axis, notes in (("0 0 2", 1), ("0 0 1", 0), ("0 0.6 -0.8", 0)):
        caplog.clear()
        with caplog.at_level(logging.INFO, "kanegen.codegen.mechanism.findings"):
            load_text(pendulum(f'<axis xyz="{axis}"/>'), "mass_matrix")
        said = [record for record in caplog.records if "axis" in record.getMessage()]
        assert len(said) == notes
        for record in said:
            assert ":4: joint 'j', <axis> xyz: has the length 2 and was normalised" in record.getMessage()


def test_the_opposite_axis_is_the_opposite_coordinate(load_text: LoadText) -> None:
    """Case 3: and limits keep their numbers."""
    limit = '<limit lower="-1" upper="2" velocity="1" effort="1"/>'
    offset = inertial(origin='<origin xyz="0 0.3 0.1"/>')
    a, b = (
        load_text(
            pendulum(f'<axis xyz="{x} 0 0"/>{limit}', kind="revolute", body=offset),
            "inverse_dynamics",
            "frame_pose_b",
        )
        for x in (1, -1)
    )
    assert a.joint_limits == b.joint_limits
    assert (b.joint_limits["j"].lower, b.joint_limits["j"].upper) == (-1.0, 2.0)
    q, v, acceleration = np.random.default_rng(0).uniform(-1, 1, (3, 20, 1))
    assert_allclose(a.frame_pose(q, "b"), b.frame_pose(-q, "b"), atol=TOLERANCE)
    assert_allclose(
        a.inverse_dynamics(q, v, acceleration), -b.inverse_dynamics(-q, -v, -acceleration), atol=TOLERANCE
    )


def test_defaults_of_the_specification(load_text: LoadText) -> None:
    """Case 4: no axis is x, no origin is the identity, and an axis of zero has no default."""
    arm = load_text(pendulum(), "frame_pose_b")
    s, c = np.sin(0.3), np.cos(0.3)
    expected = [[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]]
    assert_allclose(arm.frame_pose([0.3], "b"), expected, atol=1e-15)
    with pytest.raises(ModelError, match=r"model\.urdf:4: joint 'j', <axis> xyz: is the zero vector"):
        load_text(pendulum('<axis xyz="0 0 0"/>'))


ARM = robot(
    link("a", ""),
    link("b", inertial("0.4 0.5 0.6 0.01 -0.02 0.03", '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>', "1.5")),
    link("c", inertial("0.3 0.4 0.5 0.03 0.02 -0.01", '<origin xyz="-0.3 0.1 0.2" rpy="-0.4 1.5 0.6"/>', "0.7")),
    link("d", inertial("0.03 0.04 0.05 0 0.002 0", '<origin xyz="0.1 0 0.2" rpy="1 2 3"/>', "0.2")),
    joint("turn", "a", "b", '<origin xyz="0.1 0.2 0.3" rpy="0.7 -0.8 0.9"/><axis xyz="1 2 -2"/>'),
    joint("slide", "b", "c", '<origin xyz="0.4 0 0.1" rpy="0.1 0.2 0.3"/><axis xyz="0 3 4"/>'
          '<limit lower="-1" upper="1" velocity="1" effort="1"/>', kind="prismatic"),
    joint("weld", "c", "d", '<origin xyz="0.3 -0.2 0.1" rpy="0.3 0.2 0.1"/>', kind="fixed"),
)  # fmt: skip


def test_turned_frames_and_a_weld_against_pinocchio(load_text: LoadText) -> None:
    """Cases 5 and 9: a revolute and a prismatic joint, full inertias, a turned body behind a fixed joint."""
    pinocchio = pytest.importorskip("pinocchio")
    model = pinocchio.buildModelFromXML(ARM)
    data = model.createData()
    arm = load_text(ARM, *KERNELS, "frame_pose_d")
    for q, v, a in np.random.default_rng(1).uniform(-1, 1, (20, 3, 2)):
        wound = np.array([np.cos(q[0]), np.sin(q[0]), q[1]])
        expected = pinocchio.rnea(model, data, wound, v, a)
        assert_allclose(arm.inverse_dynamics(q, v, a), expected, atol=TOLERANCE * np.abs(expected).max())
        upper = np.triu(pinocchio.crba(model, data, wound))
        assert_allclose(arm.mass_matrix(q), upper + np.triu(upper, 1).T, atol=TOLERANCE)
        pinocchio.framesForwardKinematics(model, data, wound)
        pose = data.oMf[model.getFrameId("d")].homogeneous
        assert_allclose(arm.frame_pose(q, "d"), pose, atol=TOLERANCE)
    # The slide along a line that is upright carries all that hangs on it: 0.7 and 0.2 kg, exactly.
    assert arm.mass_matrix([0.0, 0.0])[1, 1] == pytest.approx(0.9, rel=1e-15)


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_turned_frames_and_a_weld_by_the_command(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cases 5 and 9: the command compares with either engine, and says how large the differences are."""
    pytest.importorskip(engine)
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    wanted = ["--states", "20", "--kernels", "inverse_dynamics", "mass_matrix", "forward_dynamics", "--json"]
    assert cli.main(["compare", str(path), "--against", engine, *wanted]) == 0
    kernels = json.loads(capsys.readouterr().out)["kernels"]
    assert [kernel["kernel"] for kernel in kernels] == ["inverse_dynamics", "mass_matrix", "forward_dynamics"]
    assert all(kernel["difference"] < 1e-10 for kernel in kernels)


def test_a_continuous_joint_is_one_angle(load_text: LoadText) -> None:
    """Case 6."""
    arm = load_text(pendulum(), "mass_matrix", "frame_pose_b")
    assert_allclose(arm.frame_pose([0.3 + 2 * np.pi], "b"), arm.frame_pose([0.3], "b"), atol=1e-15)
    assert (arm.nq, arm.dof, arm.joint_names) == (1, 1, ("j",))


def test_a_mimic_is_no_degree_of_freedom(load_text: LoadText) -> None:
    """Case 7: M_r = T^T M T with T = (1, -2), and the follower at -2 q + 0.1."""
    parts = [link("a", ""), link("b", inertial()), link("c", inertial(origin='<origin xyz="0.2 0 0.1"/>'))]
    first = joint("j", "a", "b", '<axis xyz="0 1 0"/>')
    second = joint("k", "b", "c", '<origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>{}')
    kernels = (*KERNELS, "forward_dynamics", "frame_pose_c")
    both, tied = (
        load_text(robot(*parts, first, second.format(mimic)), *kernels)
        for mimic in ("", '<mimic joint="j" multiplier="-2" offset="0.1"/>')
    )
    assert (tied.nq, tied.dof, tied.joint_names) == (1, 1, ("j",))
    t = np.array([1.0, -2.0])
    for q, v, a in np.random.default_rng(2).uniform(-1, 1, (20, 3)):
        state = np.array([q, -2 * q + 0.1])
        assert_allclose(tied.mass_matrix([q]), [[t @ both.mass_matrix(state) @ t]], atol=TOLERANCE)
        tau = t @ both.inverse_dynamics(state, t * v, t * a)
        assert_allclose(tied.inverse_dynamics([q], [v], [a]), [tau], atol=1e-11)
        assert_allclose(tied.forward_dynamics([q], [v], [tau]), [a], atol=1e-11)
        assert_allclose(tied.frame_pose([q], "c"), both.frame_pose(state, "c"), atol=TOLERANCE)


def test_two_parents(load_text: LoadText) -> None:
    """Case 10."""
    links = [link(name) for name in "abc"]
    with pytest.raises(ModelError) as caught:
        load_text(robot(*links, joint("j", "a", "c"), joint("i", "a", "b"), joint("k", "b", "c")))
    message = str(caught.value)
    assert (
        "link 'c': has two parents, by joint 'j' (line 5, from 'a') and joint 'k' (line 7, from 'b')"
        in message
    )
    assert "A loop is declared between two frames with MechanismBuilder.loop" in message


def test_a_floating_base_against_pinocchio(load_text: LoadText) -> None:
    """Case 14: the same coordinates and speeds as Pinocchio's free flyer."""
    pinocchio = pytest.importorskip("pinocchio")
    model = pinocchio.buildModelFromXML(ARM, pinocchio.JointModelFreeFlyer())
    data = model.createData()
    arm = load_text(ARM, *KERNELS, floating_base=True)
    random = np.random.default_rng(4)
    for v, a in random.uniform(-1, 1, (10, 2, 8)):
        q = random.uniform(-1, 1, 9)
        q[3:7] /= np.linalg.norm(q[3:7])
        wound = np.array([*q[:7], np.cos(q[7]), np.sin(q[7]), q[8]])
        expected = pinocchio.rnea(model, data, wound, v, a)
        assert_allclose(arm.inverse_dynamics(q, v, a), expected, atol=TOLERANCE * np.abs(expected).max())
        upper = np.triu(pinocchio.crba(model, data, wound))
        assert_allclose(arm.mass_matrix(q), upper + np.triu(upper, 1).T, atol=TOLERANCE * upper.max())


def test_meshes_need_no_ros(mass_of: Callable[..., float]) -> None:
    """Case 15."""
    mesh = '<visual><geometry><mesh filename="package://somewhere/b.dae"/></geometry></visual>'
    assert mass_of("", body=inertial() + mesh + mesh.replace("visual", "collision")) == 1.0


def test_moving_the_base(load_text: LoadText) -> None:
    """Case 18: wherever the arm is mounted, its mass matrix is the same, to rounding."""
    mount = joint("m", "floor", "a", '<origin xyz="7 -3 5" rpy="0.5 1 2"/>', kind="fixed")
    here, there = (
        load_text(text, "mass_matrix")
        for text in (ARM, ARM.replace("</robot>", f"{link('floor', '')}{mount}</robot>"))
    )
    q = np.random.default_rng(3).uniform(-2, 2, (50, 2))
    assert_allclose(there.mass_matrix(q), here.mass_matrix(q), atol=TOLERANCE)


@pytest.mark.parametrize("gravity", [None, (0, 0, 0), (0, 0, -1.62), (3, 0, 0), (1, 2, -3)])
def test_gravity(gravity: tuple[float, ...] | None, load_text: LoadText) -> None:
    """Case 21: 9.81 without a word, and any other: a slide along z and one along x carry its components."""
    slides = (
        joint("j", "a", "b", '<axis xyz="0 0 1"/>', kind="prismatic"),
        joint("k", "b", "c", kind="prismatic"),
    )
    text = robot(link("a", ""), link("b", inertial()), link("c", inertial()), *slides)
    arm = load_text(text, "gravity_forces", gravity=gravity)
    x, _, z = gravity or (0, 0, -9.81)
    assert_allclose(arm.gravity_forces([0.1, 0.2]), [-2 * z, -x], rtol=1e-15)


def test_a_file_that_changes_after_loading_gives_no_kernel_of_another_mechanism(tmp_path: Path) -> None:
    """Kernels on demand belong to the mechanism that was loaded."""
    file = tmp_path / "wheel.urdf"
    text = """<robot name="wheel"><link name="world"/><link name="wheel"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="axle" type="continuous"><parent link="world"/><child link="wheel"/><axis xyz="0 0 1"/></joint></robot>"""
    file.write_text(text.format(1), encoding="utf-8")
    wheel = kanegen.load(file, interpreted=True)
    assert wheel.mass_matrix([0.0]) == [[1.0]]
    file.write_text(text.format(1.5), encoding="utf-8")
    with pytest.raises(KanegenError, match="has changed since this robot was loaded"):
        wheel.inverse_mass_matrix([0.0])
