"""What is written is read back: by TOML the very same mechanism, by URDF and MJCF one with the same forces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen import laws
from kanegen.codegen.graph import evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import JointRate, Mechanism, MechanismBuilder, ModelError
from kanegen.codegen.mechanism.constraints import TorsionalSpringDamper
from kanegen.codegen.mechanism.control_law import quantity
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.importers import from_mjcf, from_toml, from_urdf
from kanegen.codegen.mechanism.laws_library import with_laws
from kanegen.codegen.mechanism.poses import Array, frame_poses
from kanegen.codegen.mechanism.records import JointLimits
from kanegen.codegen.mechanism.reduction import without_friction
from kanegen.codegen.mechanism.values import home_numbers
from kanegen.codegen.mechanism.writers import Written, to_mjcf, to_toml, to_urdf
from kanegen.codegen.peers import mujoco_engine, pinocchio_engine
from kanegen.codegen.peers.tree_peer import TreePeer
from kanegen.codegen.reading import read
from kanegen.options import Options, options
from tests.mechanism.importers import mjcf_models
from tests.mechanism.importers import toml_models as texts

from .models import GRAVITY_OF_URDF, TREES, difference, forces, model, state, tree

BOUND = 1e-13
"""Of the largest force.  Six numbers of each joint and ten of each body are off by 2**-53 of their size, which changes it by
no more than some times as much; the least inertias of MuJoCo are 2e-15."""


def tree_of_urdf(m: Mechanism) -> Mechanism:
    joints = tuple(replace(joint, rotor_inertia=Fraction(0)) for joint in tree(m).joints)
    return tree(m, joints=joints, gravity=GRAVITY_OF_URDF)


def lost(written: Written) -> set[str]:
    return {finding.where for finding in written.findings}


def test_toml_has_equations_beside_ball_joints() -> None:
    """Equations go by names: coordinates of joints, of frames, and their rates."""
    b = MechanismBuilder("boat")
    b.body("hull", 2, inertia=(1, 1, 1))
    b.body("mast", 1, (0, 0, "0.3"), ("0.1", "0.1", "0.1"))
    b.floating("sea", "base", "hull")
    b.revolute("lean", "hull", "mast", (1, 0, 0))
    b.frame("top", "mast", (0, 0, 1))
    b.position_constraint("level", "top.z = 1 + lean/10")
    b.velocity_constraint("straight", "rate(top.x) = 2*rate(lean)")
    b.speeds([JointRate(f"sea_{name}") for name in ("vy", "wx", "wy", "wz")] + [JointRate("lean")])
    m = b.build()
    assert fingerprint(from_toml(to_toml(m).text)) == fingerprint(m)


@pytest.mark.parametrize("name", [*TREES, "full"])
def test_toml_gives_the_same_mechanism_back(name: str) -> None:
    m = model(name)
    written = to_toml(m)
    assert not written.findings
    assert fingerprint(from_toml(written.text)) == fingerprint(m)


@pytest.mark.parametrize(
    "text", [texts.PARAMETERS, texts.LINKAGE, texts.DISC + texts.DISC_SPEEDS, texts.ROTOR]
)
def test_files_of_toml_are_written_again(text: str) -> None:
    m = from_toml(text)
    written = to_toml(m)
    assert not written.findings
    assert fingerprint(from_toml(written.text)) == fingerprint(m)


@pytest.mark.needs("mujoco")
@pytest.mark.parametrize("name", [*mjcf_models.TREES, "four bar"])
def test_files_of_mujoco_are_written_as_toml(name: str) -> None:
    """Chains on carriers that no joint of TOML has, springs, followers, loops.  Ball joints have no resistance in TOML.

    The rotations of the chain, of quaternions in doubles, are orthonormal to 16 digits; readers make them so to 60.
    """
    m = from_mjcf(mjcf_models.TREES.get(name, mjcf_models.FOUR_BAR))
    written = to_toml(m)
    assert lost(written) == ({"joint 'ball'"} if name == "balls" else set())
    again = from_toml(written.text, angle_tolerance=0)
    joints = {ball for b in m.balls for ball in b.joints} if written.findings else set()
    same = tuple(replace(j, rotor_inertia=Fraction(0)) if j.name in joints else j for j in m.joints)
    if name == "chain":
        assert difference(forces(m, state(m)), forces(again, state(m))) < BOUND
    else:
        assert fingerprint(again) == fingerprint(replace(m, joints=same))


@pytest.mark.parametrize("name", TREES)
def test_a_urdf_has_the_same_forces(name: str) -> None:
    m, bare = model(name), tree_of_urdf(model(name))
    text = to_urdf(m)
    written = from_urdf(text.text)
    order = [n for n in written.coordinates if n in m.coordinates]
    assert ("coordinates" in lost(text)) == (order != [n for n in m.coordinates if n in order])
    at = state(bare)
    assert difference(forces(bare, at), forces(tree(written), at)) < BOUND
    assert {frame.name for frame in bare.frames} <= {frame.name for frame in written.frames}
    assert limits(written) == limits(m)


@pytest.mark.needs("mujoco")
@pytest.mark.parametrize("name", [*TREES, "full"])
def test_an_mjcf_has_the_same_forces(name: str) -> None:
    m = model(name)
    written = from_mjcf(to_mjcf(m).text)
    bare = tree(m, springs=m.springs)
    at = state(bare)
    assert difference(forces(bare, at), forces(tree(written, springs=written.springs), at)) < BOUND
    assert {frame.name for frame in bare.frames} <= {frame.name for frame in written.frames}
    np.testing.assert_allclose(
        list(map(float, written.home)), list(map(float, told_home(m, written))), atol=1e-15
    )


def told_home(m: Mechanism, written: Mechanism) -> list[Fraction]:
    """The home of a mechanism in the order of the written one, where that has one."""
    at = dict(zip(m.coordinates, home_numbers(m), strict=True))
    return [at.get(name, Fraction(0)) for name in written.coordinates] if written.home else []


def limits(m: Mechanism) -> dict[str, list[float | None]]:
    given = {j.name: j.limits for j in m.joints if j.limits is not None and j.limits != JointLimits()}
    return {
        name: [None if end is None else float(end) for end in (of.lower, of.upper, of.velocity, of.effort)]
        for name, of in given.items()
    }


@pytest.mark.needs("pinocchio")
@pytest.mark.parametrize("name", TREES)
def test_pinocchio_reads_the_urdf(name: str, tmp_path: Path) -> None:
    bare = tree_of_urdf(model(name))
    if name.startswith("full"):  # planar joints have other coordinates there
        bare = replace(
            bare, mimics=(), coordinates=tuple(n for n in bare.coordinates if not n.startswith("flat"))
        )
        pytest.importorskip("pinocchio").buildModelFromXML(to_urdf(model(name)).text)
        return
    file = tmp_path / "arm.urdf"
    file.write_text(to_urdf(model(name)).text, encoding="utf-8")
    engine = pinocchio_engine.of_urdf(bare, str(file))
    assert engine is not None
    agrees(bare, TreePeer(bare, engine))


@pytest.mark.needs("mujoco")
@pytest.mark.parametrize("name", [*TREES, "full"])
def test_mujoco_reads_the_mjcf(name: str) -> None:
    bare = tree(model(name), springs=model(name).springs)
    agrees(bare, TreePeer(bare, mujoco_engine.of_mjcf(bare, to_mjcf(model(name)).text)))


def agrees(m: Mechanism, peer: TreePeer) -> None:
    """Whether an engine has the same mass matrix and bias."""
    m = without_friction(m)
    at = state(m)
    q = np.array([at[f"q {name}"] for name in m.coordinates])
    v, a = (np.array([at[f"{of} {name}"] for name in m.rates]) for of in "va")
    theirs = peer.mass_matrix(q) @ a + peer.bias_forces(q, v)
    assert difference(forces(m, at), dict(zip(m.rates, theirs, strict=True))) < BOUND


@pytest.mark.needs("mujoco")
@pytest.mark.parametrize("name", ["four_bar", "four_bar_tilted", "cooperating_arms"])
def test_loops_of_an_mjcf_move_alike(name: str) -> None:
    """Joined in points, or wholly; the axes of planar linkages stay parallel without being held.

    Accelerations are larger than rounding by the condition of the constraints and of the mass matrix, some 1e3.
    """
    m = with_numbers(model(name))
    written = from_mjcf(to_mjcf(m).text)
    assert (written.speeds, written.coordinates) == (m.speeds, m.coordinates)
    at = {"q": np.array([list(map(float, m.home))]), "v": np.ones((1, m.dof)), "tau": np.ones((1, m.dof))}
    found = [
        evaluate(KernelSources(one, Options()).plain("forward_dynamics"), at)["a"] for one in (m, written)
    ]
    np.testing.assert_allclose(found[1], found[0], rtol=1e3 * BOUND)


@pytest.mark.parametrize("write", [to_urdf, to_mjcf])
@pytest.mark.parametrize("name", [*TREES, "full"])
def test_nothing_is_lost_silently(name: str, write: Callable[[Mechanism], Written]) -> None:
    """What ties, drives or resists is in the file by its name, or in a warning."""
    m, written = model(name), write(model(name))
    said = written.text + " ".join(map(str, written.findings))
    of_joints = {s.name for s in m.springs if isinstance(s, TorsionalSpringDamper) and "springref" in said}
    parts = (m.loops, m.constraints, m.springs, m.laws, m.actuators, m.parameters)
    names = {part.name for group in parts for part in group} - of_joints
    names |= {given.joint for given in m.prescribed} | {link.body for link in m.flexible}
    assert {n for n in names if n not in said} == set()
    assert ("home" in lost(written)) == (bool(m.home) and write is to_urdf)
    assert ("speeds" in lost(written)) == bool(m.speeds)


BODY = ("0.7", ("0.1", "-0.2", "0.05"), ("0.02", "0.03", "0.04", "0.001", "-0.002", "0.003"))


def free_on(parent: str) -> Mechanism:
    """A free body on an arm, or on the base in a frame of its own."""
    builder = MechanismBuilder("free")
    for name in ("world", "child"):
        builder.body(name, *BODY)
    builder.revolute("arm", "base", "world", (0, 1, 0), (0, 0, "0.3"))
    builder.floating("loose", parent, "child", ("0.1", 0, "0.2"), ("0.3", 0, "-0.4"))
    return builder.build()


@pytest.mark.needs("mujoco")
@pytest.mark.parametrize("parent", ["world", "base"])
def test_free_joints_in_other_places_are_written_otherwise(parent: str) -> None:
    """Unturned and at rest, three slides and a ball have the speeds of the free joint; on the base it has its pose there."""
    m = free_on(parent)
    written = to_mjcf(m)
    assert lost(written) == {"body 'world'", "joint 'loose'"}
    read = from_mjcf(written.text)
    at = {key: 0.0 if key[0] in "qv" else value for key, value in state(m).items()} | {"q loose_qw": 1.0}
    ours = forces(m, at)
    if parent == "world":
        slides = {f"loose_v{axis}": f"loose_{axis}" for axis in "xyz"}
    else:
        slides = {}
        pose = frame_poses(m, [at[f"q {name}"] for name in m.coordinates])["child"]
        x, y, z, w = quaternion(pose[:3, :3])
        named = ("x", "y", "z", "qx", "qy", "qz", "qw")
        at |= {f"q loose_{n}": v for n, v in zip(named, (*pose[:3, 3], x, y, z, w), strict=True)}
    at |= {f"{of} {slides[n]}": at[f"{of} {n}"] for of in "va" for n in slides}
    at |= {f"q {name}": 0.0 for name in slides.values()}
    theirs = forces(read, at)
    assert difference(ours, {n: theirs[slides.get(n, n)] for n in ours}) < BOUND


@pytest.mark.needs("mujoco")
def test_an_order_that_a_free_joint_changes_is_said() -> None:
    """MuJoCo has bodies with free joints on the world alone: behind what else hangs on a stand."""
    builder = MechanismBuilder("stand")
    for name in ("stand", "one", "two"):
        builder.body(name, *BODY)
    builder.fixed("foot", "base", "stand")
    builder.floating("loose", "stand", "one")
    builder.revolute("arm", "stand", "two", (0, 1, 0))
    m = builder.build()
    written = to_mjcf(m)
    assert from_mjcf(written.text).coordinates == ("arm", *m.coordinates[:-1])
    assert lost(written) == {"coordinates"}


def quaternion(rotation: Array) -> tuple[float, float, float, float]:
    """(x, y, z, w) of a rotation by less than half a turn."""
    w = np.sqrt(1 + np.trace(rotation)) / 2
    x, y, z = ((rotation[k - 1, k - 2] - rotation[k - 2, k - 1]) / (4 * w) for k in range(3))
    return x, y, z, w


def test_what_joints_of_mujoco_lack_is_said() -> None:
    """Limits that leave nothing, speeds, dampers that always act, and whatever differs along the axes of a ball."""
    builder = MechanismBuilder("limits")
    for name in ("one", "two", "three"):
        builder.body(name, *BODY)
    shut = JointLimits(Fraction(1), Fraction(1), Fraction(2), Fraction(0))
    builder.revolute("shut", "base", "one", (0, 0, 1), limits=shut)
    builder.prismatic("above", "one", "two", (0, 0, 1), limits=JointLimits(lower=Fraction(-1)))
    builder.spherical("ball", "two", "three")
    builder.torsional_spring("damper", "above", 0, 3)
    builder.actuator("ball_wx")
    builder.home({"ball_qx": 1, "ball_qw": 0})
    m = builder.build()
    m = replace(m, joints=tuple(replace(j, damping=Fraction(j.name == "ball_wx")) for j in m.joints))
    written = to_mjcf(m)
    assert [(finding.where, finding.what.split()[0]) for finding in written.findings] == [
        ("joint 'shut', limits", "a"),
        ("joint 'shut', limits", "no"),
        ("joint 'ball'", "its"),
        ("joint 'ball'", "its"),
        ("spring 'damper'", "its"),
        ("actuator 'ball_wx'", "is"),
        ("joint 'shut'", "the"),
    ]
    assert 'range="-1 1000000000" damping="3"' in written.text
    assert lost(to_urdf(m)) >= {"joint 'ball'", "home", "actuators", "spring 'damper'"}


LAW = """
[parameters]
k = 3
[[body]]
name = "rod"
mass = "abs(k - 7) + piecewise(k <= 4, tan(k)**2, k - 4)"
center = [0, 0, "-min(k, 0.5)"]
inertia = ["tanh(k)", "max(tanh(k), 1/9)", "exp(-k) + 0.1*atan(k)"]
[[joint]]
name = "q"
type = "revolute"
parent = "base"
child = "rod"
axis = [0, 1, 0]
[[law]]
name = "follow"
references = ["s"]
state = [{ name = "e", rate = "q - s", initial = "1/3" }, { name = "f", rate = "-f" }]
forces = ['''-k*(rate(q) - rate(s)) + 2*acceleration(s)/(3*t**2 + 1) - e*min(q, 1, t)*max(t, 2)
  + sign(q)*atan2(t, q)*log(2*t) + piecewise(q < 1, sin(t), q >= 2, exp(-t)*sqrt(q**2 + 1), 3)''']
"""


def test_laws_and_functions_are_written() -> None:
    """With states, signals and quantities of the mechanism; so are laws of the library."""
    m = from_toml(LAW)
    own = {
        "held": laws.pd(20, 5, "references", limit=30),
        "linear": laws.computed_torque(16, 8, [0.5]),
        "soft": laws.impedance("rod", [1, 2, 3], [4, 5, 6], [0.1, 0.2, 0.3]),
    }
    m = with_laws(m, own)
    written = to_toml(m)
    assert not written.findings
    assert fingerprint(from_toml(written.text)) == fingerprint(m)
    assert "gravity_forces[0]" in written.text


QUANTITIES = """
[[law]]
name = "nested"
quantity = [
  { name = "torque", kernel = "inverse_dynamics", a = ["-4*q - rate(q)"] },
  { name = "weighed", kernel = "inverse_dynamics", a = ["torque[0] + mass_matrix[0]"] },
]
forces = ["torque[0] - 2*weighed[0]/3 + kinetic_energy[0]*frame_pose_rod[8]"]
"""


def test_quantities_of_files_are_those_of_python() -> None:
    m = from_toml(LAW + QUANTITIES)
    law = m.laws[1]
    q, v = law.q[0], law.v[0]
    torque = quantity("inverse_dynamics", a=[-4 * q - v])
    weighed = quantity("inverse_dynamics", a=[torque[0] + quantity("mass_matrix")[0]])
    product = quantity("kinetic_energy")[0] * quantity("frame_pose_rod")[8]
    assert law.forces == (torque[0] - 2 * weighed[0] / 3 + product,)
    written = to_toml(m)
    assert not written.findings
    assert fingerprint(from_toml(written.text)) == fingerprint(m)
    robot = kanegen.load(m, interpreted=True)
    by_hand = robot.inverse_dynamics([0.3], [0.2], [-1.4])[0]
    by_hand -= 2 / 3 * robot.inverse_dynamics([0.3], [0.2], [by_hand + robot.mass_matrix([0.3])[0, 0]])[0]
    by_hand += robot.kinetic_energy([0.3], [0.2]) * robot.frame_pose([0.3], "rod")[2, 0]
    # Some tens of roundings of terms below 1e3.
    assert robot.call("nested", 0.0, [0.3], [0.2])[0] == pytest.approx(by_hand, rel=0, abs=1e5 * 2**-53)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('dynamics", a', 'dynamics", b = 1, a'), "brackets"),
        (("kernel = ", "kernl = "), "'kernel'"),
        (("torque[0] -", "torque[a] -"), "counted from 0"),
        (("torque[0] -", "torque[0 -"), "missing"),
        (("torque[0] -", "torque -"), "torque"),
    ],
)
def test_wrong_quantities_of_files(change: tuple[str, str], told: str) -> None:
    with pytest.raises(ModelError, match=told):
        from_toml((LAW + QUANTITIES).replace(*change))


def test_models_that_were_changed_are_written_so() -> None:
    """A payload is a body without a frame of its own; a locked joint is fixed."""
    arm = read("stanford_general", options({"payload": {"link6": 1.5}, "lock": {"q2": 0.3}}))
    assert fingerprint(from_toml(to_toml(arm).text)) == fingerprint(arm)
    at = state(arm)
    assert difference(forces(arm, at), forces(from_urdf(to_urdf(arm).text), at)) < BOUND
