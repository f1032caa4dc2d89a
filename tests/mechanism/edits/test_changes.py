"""Models changed by options: against the whole model, other engines, and formulas by hand."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import kanegen
from kanegen import MechanismBuilder, ModelWarning
from kanegen.codegen import pipeline
from kanegen.codegen.kernel_sources import configurations
from kanegen.codegen.mechanism import (
    BASE,
    JointLimits,
    JointRate,
    JointSum,
    LoopKind,
    Mechanism,
    PathLength,
    catalogue,
)
from kanegen.codegen.mechanism.control_law import quantity
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.force_laws import damper, spring
from kanegen.codegen.mechanism.poses import frame_poses
from kanegen.options import options
from tests.constrained.ball_models import walker
from tests.mechanism.constrained_models import everything
from tests.refusals import refused
from tests.witnesses.pinocchio_trees import pinocchio

pytestmark = pytest.mark.few_passes

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
TENSOR = ("0.02", "0.03", "0.04", "0.001", "-0.002", "0.003")
ROUNDING = 1e-11
"""Of the largest force: some thousand roundings of 1.1e-16 in each, in sums whose terms are a hundred times as large."""
HALF = 0.5**0.5


@cache
def gripper_arm() -> Mechanism:
    """Two hinges, a ball, and a finger that another one follows; springs, losses, a rotor, limits, a law."""
    b = MechanismBuilder("gripper_arm")
    b.parameter("k", "2.5", "N m/rad")
    b.body("upper", 2, ("0.1", "0.02", 0), TENSOR)
    b.body("fore", "1.5", ("0.1", 0, "0.03"), TENSOR)
    b.body("hand", "0.8", (0, 0, "0.05"), TENSOR)
    b.body("left", "0.1", (0, "0.01", 0), ("0.001", "0.001", "0.001"))
    b.body("right", "0.1", (0, "-0.01", 0), ("0.001", "0.001", "0.001"))
    b.revolute("shoulder", BASE, "upper", Z, (0, 0, "0.3"), damping="0.2", rotor_inertia="0.05")
    limits = JointLimits(-1, 1)  # type: ignore[arg-type]  # which the builder makes exact
    b.revolute("elbow", "upper", "fore", Y, ("0.4", 0, 0), (0, "0.3", 0), limits=limits, friction="0.1")
    b.spherical("wrist", "fore", "hand", ("0.3", 0, 0), ("0.1", 0, 0))
    b.prismatic("slide", "hand", "left", Y, (0, 0, "0.1"))
    b.prismatic("other", "hand", "right", Y, (0, 0, "0.1"))
    b.mimic("other", "slide", -1, "0.01")
    b.frame("tool", "hand", (0, 0, "0.15"), ("0.2", 0, "0.4"))
    b.frame("post", BASE, ("0.5", 0, 0))
    b.torsional_spring("wound", "elbow", 3, "0.1", "0.2")
    b.translational_spring("cord", "tool", "post", 20, rest="0.1")
    q, v = sympy.symbols("x0:7"), sympy.symbols("u0:6")
    b.law("hold", [sympy.Symbol("k") * (q[1] - q[0]) - v[k] for k in range(6)], sympy.Symbol("t"), q, v)
    return b.build()


@cache
def finger() -> Mechanism:
    """An arm of one axis that carries a linkage of four bars, whose follower another joint follows."""
    b = MechanismBuilder("finger")
    for name, mass in (("arm", 2), ("crank", 1), ("coupler", 1), ("rocker", 1), ("thumb", 1)):
        b.body(name, mass, ("0.1", 0, 0), TENSOR)
    b.revolute("arm_axis", BASE, "arm", X)
    b.revolute("a", "arm", "crank", Z)
    b.revolute("b", "crank", "coupler", Z, ("0.2", 0, 0))
    b.revolute("c", "arm", "rocker", Z, ("0.5", 0, 0))
    b.revolute("d", "arm", "thumb", Z, (0, "0.3", 0))
    b.frame("tip", "coupler", ("0.5", 0, 0))
    b.frame("top", "rocker", ("0.3", 0, 0))
    b.loop("close", LoopKind.SPHERICAL, "tip", "top")
    b.mimic("d", "a", 2, "0.1")
    b.speeds([JointRate("arm_axis"), JointRate("a")])
    b.home({"a": "0.5", "b": "0.3", "c": "1.5"})
    return b.build()


@cache
def tendons() -> Mechanism:
    """Four hinges with elements on several of them, one of which follows another, and springs between links."""
    b = MechanismBuilder("tendons")
    b.parameter("r", "1.5", "-")
    parent = BASE
    for k, axis in enumerate((Z, Y, X, Y), 1):
        b.body(f"link{k}", 1, ("0.1", "0.02", 0), TENSOR)
        b.revolute(f"j{k}", parent, f"link{k}", axis, ("0.3", 0, "0.1"))
        b.frame(f"point{k}", f"link{k}", ("0.1", "0.2", 0))
        parent = f"link{k}"
    b.mimic("j4", "j2", "0.5", "0.1")
    law = spring([3, 2, 1], "0.2") + damper("0.4", 0, "0.1")
    b.force_element("sum", JointSum(("j1", "j2", "j4"), (2, b.declared("r"), -1)), law)
    b.force_element("way", PathLength(("point1", "point2", "point3")), spring([4], "0.1"))
    b.force_element("near", PathLength(("point1", "point2")), spring([4], "0.1"))
    b.translational_spring("cord", "point1", "point2", 20, 3, rest="0.1")
    six = [1, 2, 3, 4, 5, 6]
    b.bushing("rubber", "point2", "point3", six, six)
    return b.build()


def changed(mechanism: Mechanism, **asked: Any) -> Mechanism:
    return pipeline.read(mechanism, options(asked))


def robot(mechanism: Mechanism, *kernels: str) -> kanegen.Robot:
    return kanegen.load(mechanism, kernels=kernels or ("inverse_dynamics",), interpreted=True)


def states(mechanism: Mechanism, count: int = 5) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """q, v and a by the names of coordinates and speeds, (count,) each; loops are closed, quaternions are unit."""
    random = np.random.default_rng(7)
    q = random.uniform(-1, 1, (count, len(mechanism.coordinates)))
    given = configurations(mechanism)
    if given is not None:
        q = given[np.arange(count) % len(given)]
    if mechanism.loops:
        kernels = ("inverse_dynamics", "constraint_residual", "constraint_jacobian")
        q = np.array([*map(robot(mechanism, *kernels).assemble, q)])
    for k in mechanism.quaternions if given is None else ():
        q[:, k : k + 4] /= np.linalg.norm(q[:, k : k + 4], axis=1, keepdims=True)
    names = [getattr(speed, "joint", str(k)) for k, speed in enumerate(mechanism.generalized_speeds)]
    v, a = random.uniform(-1, 1, (2, count, mechanism.dof))
    return tuple(
        dict(zip(n, x.T, strict=True)) for n, x in ((mechanism.coordinates, q), (names, v), (names, a))
    )  # type: ignore[return-value]  # three of them


def forces(
    mechanism: Mechanism, q: Mapping[str, Any], v: Mapping[str, Any], a: Mapping[str, Any]
) -> dict[str, Any]:
    """Generalized forces by the names of speeds; what is not named stands at zero."""
    names = [getattr(speed, "joint", str(k)) for k, speed in enumerate(mechanism.generalized_speeds)]
    count = len(next(iter(q.values())))

    def rows(order: Any, given: Mapping[str, Any]) -> Any:
        return np.stack([np.broadcast_to(given.get(name, 0.0), count) for name in order], axis=-1)

    tau = robot(mechanism).inverse_dynamics(rows(mechanism.coordinates, q), rows(names, v), rows(names, a))
    return dict(zip(names, tau.T, strict=True))


LOCKS: dict[str, tuple[Any, dict[str, Any], dict[str, float]]] = {
    "hinge": (gripper_arm, {"elbow": 0.7}, {}),
    "leader of a mimic": (gripper_arm, {"slide": 0.02}, {}),
    "ball": (gripper_arm, {"wrist": (HALF, 0, 0, HALF)}, {}),
    "several": (gripper_arm, {"shoulder": -0.3, "wrist": (0, 0, 0.6, 0.8), "slide": 0.01}, {}),
    "in a loop": (walker, {"front_hip": 0.1}, {}),
    "beside a loop": (finger, {"arm_axis": 0.4}, {}),
    "with an equation": (finger, {"a": 0.5}, {"d": 1.1}),
    "followed by an equation": (finger, {"d": 1.1}, {"a": 0.5}),
    "flexible links": (lambda: catalogue.mechanism("flexible_two_link"), {"q2": 0.4}, {}),
    "one joint of a sum": (tendons, {"j1": 0.4}, {}),
    "joints of a sum, and the ends of springs": (tendons, {"j2": -0.7}, {"j4": -0.25}),
    "ends of an element": (tendons, {"j2": 0.3, "j3": 0.1}, {"j4": 0.25}),
    "two of three": (lambda: catalogue.mechanism("cooperating_arms"), {"q1": 0.2}, {}),
}


@pytest.mark.parametrize("case", LOCKS)
def test_a_locked_joint_needs_only_its_own_force(case: str) -> None:
    """Forces of what moves are those of the whole mechanism where the joint stands still at its value."""
    make, lock, follows = LOCKS[case]
    whole = make()
    arm = changed(whole, lock=lock)
    q, v, a = states(arm)
    assert arm.dof == len(v) < whole.dof
    values = dict(follows)
    for ball in whole.balls:
        if ball.name in lock:
            values |= dict(zip(ball.coordinates, lock[ball.name], strict=True))
    values |= {name: value for name, value in lock.items() if np.isscalar(value)}
    assert not {*values} & {*arm.coordinates}
    found = forces(arm, q, v, a)
    expected = forces(whole, {**{k: np.full(5, x) for k, x in values.items()}, **q}, v, a)
    scale = max(np.abs(tau).max() for tau in expected.values())
    for name, tau in found.items():
        np.testing.assert_allclose(tau, expected[name], rtol=0, atol=ROUNDING * scale)


@pytest.mark.parametrize(
    ("make", "asked"),
    [
        (lambda: catalogue.mechanism("cooperating_arms"), {"lock": {"q5": 1.5}}),
        (finger, {"remove": ["thumb"], "lock": {"c": 1.4}}),
        (finger, {"remove": ["coupler"]}),
    ],
)
@pytest.mark.filterwarnings("ignore::kanegen.ModelWarning")
def test_speeds_are_chosen_anew_where_those_of_the_model_are_not_independent_any_more(
    make: Any, asked: Any
) -> None:
    """What is left has the kinetic energy that the whole has at the same rates, but for what is gone."""
    whole = make()
    arm = changed(whole, **asked)
    assert arm.dof == 1 + (whole.dof > 2) + 2 * ("lock" not in asked)
    rates = ("inverse_dynamics", "kinetic_energy", "coordinate_rates")
    q, v, _ = states(arm)
    one = robot(arm, *rates)
    at, speeds = (np.stack([*x.values()], axis=-1) for x in (q, v))
    rates_of_q = dict(zip(arm.coordinates, one.coordinate_rates(at, speeds).T, strict=True))
    tree = changed(whole, remove=asked.get("remove", ()))
    tree = replace(tree, loops=(), constraints=(), speeds=(), home=())
    values = {name: np.full(5, x) for name, x in asked.get("lock", {}).items()} | q
    order = tree.coordinates
    whole_q = np.stack([values[name] for name in order], axis=-1)
    whole_v = np.stack([rates_of_q.get(name, np.zeros(5)) for name in order], axis=-1)
    expected = robot(tree, "kinetic_energy").kinetic_energy(whole_q, whole_v)
    np.testing.assert_allclose(one.kinetic_energy(at, speeds), expected, rtol=ROUNDING)


def test_a_locked_joint_leaves_what_belongs_to_the_others() -> None:
    whole = gripper_arm()
    arm = changed(whole, lock={"elbow": 0.5, "slide": 0.02})
    assert arm.coordinates == ("shoulder", *whole.balls[0].coordinates)
    assert not arm.mimics
    assert [spring.name for spring in arm.springs] == ["cord"]
    law = arm.laws[0]
    state = {s: 0.1 * k for k, s in enumerate(law.state)} | {sympy.Symbol("k"): 2.5}
    np.testing.assert_allclose(
        [float(f.xreplace(state)) for f in law.forces], [2.5 * (0.5 - 0.1) - 0.1 * (6 + k) for k in range(4)]
    )


@pytest.mark.parametrize(
    ("lock", "left"),
    [
        ({"j1": 0.1}, ["sum", "way", "near", "cord", "rubber"]),
        ({"j2": 0.1}, ["sum", "way", "rubber"]),
        ({"j2": 0.1, "j3": 0}, ["sum"]),
        ({"j1": 0.1, "j2": 0.1}, ["way", "rubber"]),
    ],
)
def test_elements_stay_where_something_moves_them(lock: dict[str, float], left: list[str]) -> None:
    assert [element.name for element in changed(tendons(), lock=lock).springs] == left


def urdf(joint_kind: str = "prismatic") -> str:
    """An arm of three axes with a flange, and a gripper of two fingers beyond it."""
    inertial = (
        '<inertial><origin xyz="0.1 0.02 0.03" rpy="0.1 0.2 0.3"/><mass value="{m}"/>'
        '<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="-0.002" iyz="0.003"/></inertial>'
    )
    axes = {"base_link": None, "one": "0 0 1", "two": "0 1 0", "three": "1 0 0"}
    links = [f'<link name="{name}">{inertial.format(m=k + 1)}</link>' for k, name in enumerate(axes)]
    links += ['<link name="flange"/>', f'<link name="gripper">{inertial.format(m=0.5)}</link>']
    links += [f'<link name="{name}">{inertial.format(m=0.1)}</link>' for name in ("left", "right")]
    joints = [
        f'<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.3 0.1 0.2" rpy="0.{k} 0 0.2"/><axis xyz="{axes[child]}"/>'
        '<limit lower="-3" upper="3" effort="9" velocity="9"/></joint>'
        for k, (parent, child) in enumerate(zip([*axes], [*axes][1:], strict=False), 1)
    ]
    ends = (("flange_joint", "three", "flange", "fixed"), ("tool", "flange", "gripper", "fixed"))
    fingers = (
        ("left_finger", "gripper", "left", joint_kind),
        ("right_finger", "gripper", "right", joint_kind),
    )
    joints += [
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        '<origin xyz="0 0.05 0.1" rpy="0.4 0 0"/><axis xyz="0 1 0"/>'
        '<limit lower="-1" upper="1" effort="9" velocity="9"/></joint>'
        for name, parent, child, kind in (*ends, *fingers)
    ]
    return "\n".join(['<robot name="arm">', *links, *joints, "</robot>"])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(urdf())
    return path


@pytest.fixture
def in_pinocchio() -> Any:
    return pinocchio().buildModelFromXML(urdf())


def compared(arm: kanegen.Robot, model: Any) -> None:
    """Inverse dynamics and kinetic energy of an arm and of a model of Pinocchio."""
    data = model.createData()
    assert [model.names[k] for k in range(1, model.njoints)] == list(arm.joint_names)
    for q, v, a in np.random.default_rng(3).uniform(-1, 1, (5, 3, arm.dof)):
        tau = pinocchio().rnea(model, data, q, v, a)
        np.testing.assert_allclose(
            arm.inverse_dynamics(q, v, a), tau, rtol=0, atol=ROUNDING * np.abs(tau).max()
        )
        energy = pinocchio().computeKineticEnergy(model, data, q, v)
        np.testing.assert_allclose(arm.kinetic_energy(q, v), energy, rtol=ROUNDING)


KERNELS = ("inverse_dynamics", "kinetic_energy")


def test_locked_fingers_against_a_reduced_model(file: Path, in_pinocchio: Any) -> None:
    held = {"left_finger": 0.02, "right_finger": -0.01}
    reference = np.zeros(in_pinocchio.nq)
    for name, value in held.items():
        reference[in_pinocchio.joints[in_pinocchio.getJointId(name)].idx_q] = value
    reduced = pinocchio().buildReducedModel(
        in_pinocchio, [in_pinocchio.getJointId(name) for name in held], reference
    )
    compared(kanegen.load(file, lock=held, kernels=KERNELS, interpreted=True), reduced)


def test_payloads_against_inertias_added(file: Path, in_pinocchio: Any) -> None:
    payload = {"flange": (1.5, (0.01, 0.02, 0.1), (0.02, 0.03, 0.04, 0.001, 0.002, 0.003)), "left": 0.2}
    model, pin = in_pinocchio, pinocchio()
    tensor = np.array([[0.02, 0.001, 0.002], [0.001, 0.03, 0.003], [0.002, 0.003, 0.04]])
    parts = {
        "flange": pin.Inertia(1.5, np.array([0.01, 0.02, 0.1]), tensor),
        "left": pin.Inertia(0.2, np.zeros(3), np.zeros((3, 3))),
    }
    for frame, inertia in parts.items():
        at = model.frames[model.getFrameId(frame)]
        model.appendBodyToJoint(at.parentJoint, inertia, at.placement)
    arm = kanegen.load(file, payload=payload, kernels=KERNELS, interpreted=True)
    compared(arm, model)
    assert "payload_flange" not in arm.frame_names
    rows = payload | {"flange": (1.5, (0.01, 0.02, 0.1), tensor)}
    flat = payload | {"flange": (1.5, 0.01, 0.02, 0.1, 0.02, 0.03, 0.04, 0.001, 0.002, 0.003)}
    assert options({"payload": rows}) == options({"payload": flat}) == options({"payload": payload})


def test_a_payload_against_mujoco(file: Path) -> None:
    """A body welded to the flange in MuJoCo's own model of the file."""
    mujoco = pytest.importorskip("mujoco")
    spec = mujoco.MjSpec.from_string(
        urdf().replace(
            '<robot name="arm">',
            '<robot name="arm"><mujoco><compiler fusestatic="false" balanceinertia="false" discardvisual="false"/></mujoco>',
        )
    )
    flange = spec.body("flange")
    flange.add_body(
        name="load", mass=0.7, ipos=[0.1, 0.2, 0.3], inertia=[0.01, 0.02, 0.025], explicitinertial=True
    )
    model = spec.compile()
    arm = kanegen.load(
        file,
        payload={"flange": (0.7, (0.1, 0.2, 0.3), (0.01, 0.02, 0.025))},
        kernels=["mass_matrix"],
        interpreted=True,
    )
    data = mujoco.MjData(model)
    data.qpos[:] = q = np.random.default_rng(1).uniform(-1, 1, model.nq)
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    for row, unit in zip(full, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, row, unit)
    np.testing.assert_allclose(arm.mass_matrix(q), full, rtol=0, atol=ROUNDING * np.abs(full).max())


def test_what_is_removed_weighs_nothing(file: Path) -> None:
    arm = pipeline.read(file, options({"remove": ["gripper"]}))
    assert arm.coordinates == ("j1", "j2", "j3")
    assert not {"gripper", "left", "right"} & {frame.name for frame in arm.frames}
    whole = pipeline.read(file, options({}))
    builder = MechanismBuilder.from_mechanism(whole)
    for name in ("gripper", "left", "right"):
        builder.change_body(name, 0, (0, 0, 0), (0, 0, 0))
    q, v, a = states(arm)
    weightless, found = forces(builder.build(), q, v, a), forces(arm, q, v, a)
    for name, tau in found.items():
        np.testing.assert_allclose(tau, weightless[name], rtol=0, atol=ROUNDING * 100)


def test_what_goes_with_a_link_is_told() -> None:
    with pytest.warns(ModelWarning) as told:
        arm = changed(gripper_arm(), remove=["fore"])
    assert sorted(str(w.message).partition(":")[0] for w in told) == [
        "control law 'hold'",
        "spring 'cord'",
        "spring 'wound'",
    ]
    assert arm.coordinates == ("shoulder",)
    with pytest.warns(ModelWarning, match="close"):
        arm = changed(finger(), remove=["coupler"])
    assert arm.coordinates == ("arm_axis", "a", "c", "d")
    assert len(arm.constraints) == 1


def test_a_follower_to_be_removed_is_called_by_a_link() -> None:
    """What links joints of one body is no link that a user could name."""
    b = MechanismBuilder("pair")
    for name in ("one", "two"):
        b.body(name, 1, inertia=(1, 1, 1))
    b.revolute("leads", BASE, "one", Z)
    b.revolute("follows", BASE, b.carrier("between"), Z)
    b.revolute("moves", "between", "two", X)
    b.mimic("follows", "leads", 2)
    m = b.build()
    refused(lambda: changed(m, remove=["one"]), "away, which 'follows' follows", "Remove 'two' as well")


def test_removing_a_limb_of_a_loop_frees_the_other() -> None:
    with pytest.warns(ModelWarning, match="ankle"):
        arm = changed(walker(), remove=["rear_thigh"])
    assert not arm.speeds
    assert arm.dof == 8


def test_a_base_elsewhere(file: Path) -> None:
    """Poses are placed, and gravity comes from another side; frames of the base move along with what hangs on them."""
    placed = {"base": (1, 2, 3, 0.1, 0.2, 0.3)}
    turn = np.eye(4)
    turn[:3, :3] = rpy(0.1, 0.2, 0.3)
    turn[:3, 3] = 1, 2, 3
    whole = gripper_arm()
    arm = changed(whole, **placed)
    q = [0.1, 0.2, 0, 0, 0.6, 0.8, 0.03]
    before, after = frame_poses(whole, q), frame_poses(arm, q)
    for frame in whole.frames:
        np.testing.assert_allclose(after[frame.name], turn @ before[frame.name], atol=1e-14)
    turned = changed(whole, gravity=tuple(turn[:3, :3].T @ (0, 0, -9.81)))
    named = states(whole)
    expected, found = forces(turned, *named), forces(arm, *named)
    for name, tau in found.items():
        np.testing.assert_allclose(tau, expected[name], rtol=0, atol=ROUNDING * 100)
    linkage = changed(catalogue.mechanism("four_bar"), base=(1, 0, 0), gravity=(0, 0, 0))
    assert linkage.dof == 1


def rpy(roll: float, pitch: float, yaw: float) -> Any:
    (cr, cp, cy), (sr, sp, sy) = np.cos((roll, pitch, yaw)), np.sin((roll, pitch, yaw))
    x, y = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]]), np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    return np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ y @ x


def test_names_change_and_nothing_else() -> None:
    """Renamed and renamed back, a mechanism with one of everything is the same."""
    whole = everything()
    names = {"a": "b", "b": "a", "body_e": "last", "tip": "end", "table": "desk", "turn": "spin"}
    back = {new: old for old, new in names.items()}
    there = changed(whole, rename=names)
    assert there.coordinates == ("b", "a", "c", "d", "e")
    assert there.loops[0].first == "end"
    assert fingerprint(there) != fingerprint(whole)
    assert fingerprint(changed(there, rename=back)) == fingerprint(whole)
    arm = changed(
        gripper_arm(),
        rename={"wrist": "w", "hand": "palm", "tool": "t"},
        payload={"t": 1},
        lock={"w": (0, 0, 0, 1)},
    )
    assert arm.coordinates == ("shoulder", "elbow", "slide")
    assert not {"hand", "tool"} & {frame.name for frame in arm.frames}


def test_a_law_refers_to_a_frame_by_its_new_name() -> None:
    b = MechanismBuilder("p")
    b.body("rod", 1, (0, 0, "0.5"), ("0.1", "0.1", "0.1"))
    b.revolute("hinge", BASE, "rod", Y)
    b.frame("tool", "rod", (0, 0, 1))
    t, q, v = sympy.symbols("t q v")
    b.law("feedback", [quantity("frame_pose_tool")[3] - v], t, [q], [v])
    arm = changed(b.build(), rename={"tool": "tip of the rod", "hinge": "j"})
    assert arm.laws[0].quantities()[0].kernel == "frame_pose_tip_of_the_rod"
    found = robot(arm, "feedback").call("feedback", 0.0, [0.3], [0.1])
    np.testing.assert_allclose(found, np.sin(0.3) - 0.1, rtol=ROUNDING)


REFUSED: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "frame": ({"payload": {"toool": 1}}, ("payload", "'tool'")),
    "payload on the base": ({"payload": {"post": 1}}, ("payload", "base")),
    "mass": ({"payload": {"tool": -1}}, ("payload_tool", "mass", "negative")),
    "inertia": ({"payload": {"tool": (1, (0, 0, 0), (1, 1, 9))}}, ("payload_tool", "inertia")),
    "joint": ({"lock": {"elbo": 1}}, ("lock", "'elbow'")),
    "follower": ({"lock": {"other": 1}}, ("lock", "follows 'slide'")),
    "quaternion": ({"lock": {"wrist": 1}}, ("wrist_qx",)),
    "no unit quaternion": ({"lock": {"wrist": (1, 1, 0, 0)}}, ("unit",)),
    "part of a ball": ({"lock": {"wrist_wx": 1}}, ("ball joint 'wrist'",)),
    "link": ({"remove": ["hnad"]}, ("remove", "'hand'")),
    "frame for a link": ({"remove": ["tool"]}, ("frame of the link 'hand'",)),
    "leader": ({"remove": ["left"]}, ("'slide'", "'other' follows")),
    "nothing is left": ({"remove": ["upper"]}, ("leaves nothing",)),
    "name": ({"rename": {"tol": "x"}}, ("rename", "'tool'")),
    "taken name": ({"rename": {"tool": "post"}}, ("'post'",)),
    "all": ({"lock": {"shoulder": 0, "elbow": 0, "wrist": (0, 0, 0, 1), "slide": 0}}, ("move",)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_by_name(case: str) -> None:
    asked, words = REFUSED[case]
    refused(lambda: changed(gripper_arm(), **asked), *words)


def test_unphysical_payloads_can_be_let_through() -> None:
    changed(gripper_arm(), payload={"tool": -1}, allow_unphysical=True)
    changed(gripper_arm(), payload={"tool": 0})


@pytest.mark.parametrize(
    ("model", "asked", "words"),
    [
        ("four_bar", {"lock": {"q1": 0.3}}, ("leaves nothing",)),
        ("rolling_disc", {"lock": {"x": 0.3}}, ("rate of 'yaw'",)),
        ("flexible_two_link", {"lock": {"d11": 0.3}}, ("mode",)),
        ("flexible_two_link", {"payload": {"link1": 1}}, ("end of the flexible link",)),
        ("plate_disk", {"lock": {"plates": 1}}, ("prescribed",)),
    ],
)
def test_what_other_mechanisms_refuse(model: str, asked: dict[str, Any], words: tuple[str, ...]) -> None:
    refused(lambda: pipeline.read(model, options(asked)), *words)


@pytest.mark.parametrize(
    "name", ["stanford_arm", "cooperating_arms", "whipple_bicycle", "flexible_two_link", "stewart_platform"]
)
def test_an_opened_model_is_the_same(name: str) -> None:
    whole = catalogue.mechanism(name)
    assert fingerprint(MechanismBuilder.from_mechanism(whole).build()) == fingerprint(whole)


def test_an_opened_model_takes_more() -> None:
    """Bodies, joints, loops and numbers; equations and laws stay what they were."""
    builder = MechanismBuilder.from_mechanism(gripper_arm())
    builder.body("camera", "0.2")
    builder.revolute("pan", "fore", "camera", Z)
    builder.change_body("hand", mass=builder.declared("k"))
    builder.change_joint("elbow", limits=JointLimits(-2, 2), damping=3, rotor_inertia="0.1", gear_ratio=10)  # type: ignore[arg-type]
    arm = builder.build()
    assert arm.coordinates == (*gripper_arm().coordinates, "pan")
    assert arm.joint("elbow").limits.upper == 2  # type: ignore[union-attr]
    assert arm.joint("elbow").rotor_inertia == 10
    assert arm.body("hand").inertia.tensor == gripper_arm().body("hand").inertia.tensor  # type: ignore[union-attr]
    q, v, a = states(gripper_arm())
    before, after = (
        forces(gripper_arm(), q, v, a),
        forces(arm, q, v, a),
    )
    assert {*after} - {*before} == {"pan"}
    force = dict(
        zip((getattr(s, "joint", "") for s in arm.generalized_speeds), arm.laws[0].forces, strict=True)
    )
    assert force["pan"] == 0
    assert {s.name for s in force["elbow"].free_symbols} == {"k", "elbow", "shoulder", "rate(elbow)"}
    refused(lambda: builder.declared("kk"), "kk")
    refused(lambda: builder.change_body("hnd", 1), "'hand'")
    refused(lambda: builder.change_joint("elbw", damping=1), "'elbow'")
    everything_again = MechanismBuilder.from_mechanism(everything()).build()
    assert fingerprint(everything_again) == fingerprint(everything())


def test_what_describes_mechanisms_is_public() -> None:
    for name in ("MechanismBuilder", "from_urdf", "from_mjcf", "from_toml", "from_dh", "ModelWarning"):
        assert name in dir(kanegen)
        assert getattr(kanegen, name).__name__ == name
    with pytest.raises(AttributeError, match="from_sdf"):
        kanegen.from_sdf  # noqa: B018


@pytest.mark.parametrize("ratio", [2, None])
def test_what_an_equation_with_parameters_holds(ratio: float | None) -> None:
    """It stands where their numbers put it, and no other values of them move it: so a warning names them."""
    builder = MechanismBuilder("gears", gravity=(0, 0, 0))
    given = builder.parameter("ratio", 2, "1") if ratio is None else ratio
    for k in (1, 2, 3, 4):
        builder.body(f"b{k}", mass=1, inertia=(2, 2, k))
        builder.revolute(f"q{k}", "base", f"b{k}", axis=(0, 0, 1))
    builder.mimic("q3", "q1", given, 0)
    builder.position_constraint("gear", "q2 = 3*q4")
    builder.speeds([JointRate("q1"), JointRate("q4")])
    whole = builder.build()
    asked = {"lock": {"q1": 0.25}, "kernels": ["potential_energy"], "interpreted": True}
    if ratio is None:
        with pytest.warns(ModelWarning, match="'q3': is held by the equation .* present values of 'ratio'"):
            arm = kanegen.load(whole, **asked)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            arm = kanegen.load(whole, **asked)
    assert arm.nq == 2
