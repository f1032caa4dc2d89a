"""Equations in coordinates of frames: paths that hands are driven along, surfaces, and loops and edges written out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.arrays import FloatArray
from kanegen.codegen.mechanism import BASE, JointRate, Mechanism, MechanismBuilder, catalogue
from kanegen.codegen.mechanism.catalogue.sim_yoo_lee_path import StraightLine, robot_on_its_line
from kanegen.codegen.mechanism.importers import from_toml
from kanegen.codegen.mechanism.speeds import combined_speed
from kanegen.codegen.mechanism.writers.toml import to_toml
from kanegen.errors import ModelError

Z = (0, 0, 1)


def arm(joints: int, *equations: str, speeds: tuple[str, ...] = (), marked: bool = False) -> MechanismBuilder:
    """A planar arm in a vertical plane, its hand at the end; ``marked``, a body without mass slides along a path s."""
    b = MechanismBuilder("arm", gravity=(0, "-9.81", 0))
    above = BASE
    for k in range(1, joints + 1):
        b.body(f"link{k}", 3 - 0.5 * k, ("0.2", "0.01", 0), ("0.01", "0.02", "0.03"))
        b.revolute(f"q{k}", above, f"link{k}", Z, position=(0.5 if k > 1 else 0, 0, 0))
        above = f"link{k}"
    b.frame("hand", above, ("0.4", 0, 0))
    if marked:
        b.body("marker", 0)
        b.prismatic("s", BASE, "marker", Z)
    for k, text in enumerate(equations):
        b.position_constraint(f"e{k}", text)
    if speeds:
        b.speeds(map(JointRate, speeds))
    return b


def test_the_robot_of_sim_yoo_and_lee_on_its_line_by_equations_of_the_hand() -> None:
    """The hand's pose as a function of the way gone, in six equations, against the paper's own path and the recursion."""
    line = StraightLine.of_the_paper()
    kernels = ("constraint_residual", "constraint_jacobian", "constraint_forces", "coordinate_rates")
    robot = kanegen.load(robot_on_its_line(), kernels=(*kernels, "inverse_dynamics"))
    free = kanegen.load("sim_yoo_lee_robot", kernels=("inverse_dynamics",))
    for phase in range(3):
        t = np.linspace(line.breaks[phase], line.breaks[phase + 1], 7)
        joints, rates, accelerations = line.joints(t, phase)
        s, v, a = (x[:, None] for x in line.fraction(t, phase))
        q = np.hstack([joints, s])
        found = np.array(
            [robot.assemble(x, hold=["s"]) for x in np.add(q, [0.03] * 6 + [0.0])]
        )  # inverse kinematics
        np.testing.assert_allclose(found, q, atol=1e-12)
        np.testing.assert_allclose(robot.coordinate_rates(q, v)[:, :6], rates, atol=1e-13)
        torques = free.inverse_dynamics(joints, rates, accelerations)
        held = np.einsum("kij,ki->kj", robot.constraint_jacobian(q), robot.constraint_forces(q, v, a))
        np.testing.assert_allclose(held[:, :6], torques, rtol=0, atol=1e-13 * np.abs(torques).max())
        power = robot.inverse_dynamics(q, v, a) * v
        np.testing.assert_allclose(power[:, 0], (torques * rates).sum(1), atol=1e-12 * np.abs(torques).max())


def test_two_links_whose_hand_goes_round_a_circle_against_lagrange() -> None:
    """Angles of the closed form, derived by SymPy along the motion, in Lagrange's equations of the two links."""
    t = sympy.Symbol("t")
    s = t + t**3 / 9
    x, y = sympy.Rational(1, 2) + sympy.cos(s) / 8, sympy.Rational(1, 4) + sympy.sin(s) / 8
    l1, l2 = sympy.Rational(1, 2), sympy.Rational(2, 5)
    q2 = sympy.acos((x**2 + y**2 - l1**2 - l2**2) / (2 * l1 * l2))
    q1 = sympy.atan2(y, x) - sympy.atan2(l2 * sympy.sin(q2), l1 + l2 * sympy.cos(q2))
    a, b = sympy.symbols("a b", cls=sympy.Function)
    angles = (a(t), b(t))
    energy, potential, turn, point = 0, 0, 0, sympy.zeros(2, 1)
    for k, angle in enumerate(angles):
        turn = turn + angle
        along, across = (
            sympy.Matrix([sympy.cos(turn), sympy.sin(turn)]),
            sympy.Matrix([-sympy.sin(turn), sympy.cos(turn)]),
        )
        centre = point + along / 5 + across / 100
        mass = sympy.Rational(5 - k, 2)
        speed = centre.diff(t)
        energy += mass * speed.dot(speed) / 2 + sympy.Rational(3, 100) * turn.diff(t) ** 2 / 2
        potential += mass * sympy.Rational(981, 100) * centre[1]
        point = point + l1 * along
    lagrangian = energy - potential
    torques = [lagrangian.diff(angle.diff(t)).diff(t) - lagrangian.diff(angle) for angle in angles]
    symbols = sympy.symbols("x:6")
    names = [f for order in (2, 1, 0) for f in (angle.diff(t, order) for angle in angles)]
    evaluate = sympy.lambdify(symbols, [e.subs(dict(zip(names, symbols, strict=True))) for e in torques])
    motion = sympy.lambdify(t, [q.diff(t, order) for order in (2, 1, 0) for q in (q1, q2)], "mpmath")

    built = arm(2, "hand.x = 0.5 + cos(s)/8", "hand.y = 0.25 + sin(s)/8", speeds=("s",), marked=True)
    built.home({"q1": -0.3, "q2": 1.5})
    robot = kanegen.load(built.build(), interpreted=True)
    with pytest.raises(ValueError, match=r"'q11' is no coordinate. Did you mean 'q1'"):
        robot.assemble(hold=["q11"])
    for now in (0.1, 0.7, 1.9):
        at = [float(z) for z in motion(now)]
        q = np.array([*at[4:], float(s.subs(t, now))])
        v, acceleration = [[float(s.diff(t, n).subs(t, now))] for n in (1, 2)]
        assert np.abs(robot.assemble(np.add(q, [0.1, -0.1, 0]), hold=["s"]) - q).max() < 1e-13
        held = robot.constraint_jacobian(q).T @ robot.constraint_forces(q, v, acceleration)
        np.testing.assert_allclose(held[:2], evaluate(*at), rtol=0, atol=1e-13 * np.abs(held).max())


def test_the_stanford_arm_s_hand_driven_in_time() -> None:
    """Three equations: rates lead the hand along its path, and forces are those of the arm that has no equations."""
    b = MechanismBuilder.from_mechanism(replace(catalogue.mechanism("stanford_arm"), actuators=()))
    b.frame("palm", "F", (0, 0, "0.2"))
    for name, text in {"x": "0.48 + 0.1*sin(2*t)", "y": "0.5 - t/10", "z": "0.3 + cos(t)/8"}.items():
        b.position_constraint(f"path {name}", f"palm.{name} = {text}")
    b.speeds([JointRate(f"q{k}") for k in (3, 4, 5)])
    b.home({"q1": 0.4, "q2": 0.9, "q3": 0.6, "q4": 0.2, "q5": 0.7, "q6": 0.1})
    kernels = ("coordinate_rates", "inverse_dynamics", "multiplier_dynamics", "frame_pose_palm")
    kernels += ("constraint_jacobian", "constraint_forces", "constraint_residual")
    driven, free = kanegen.load(b.build(), interpreted=True, kernels=kernels), kanegen.load("stanford_arm")
    t, v, a = 0.3, np.array([0.4, -0.6, 0.9]), np.array([1.0, 0.3, -0.8])
    q = driven.assemble(t=t)
    rates, tau = driven.coordinate_rates(q, v, t=t), driven.inverse_dynamics(q, v, a, t=t)
    accelerations, multipliers = driven.call("multiplier_dynamics", t, q, rates, tau)
    # what is solved with the mass matrix loses the digits of its condition number
    A, M = driven.constraint_jacobian(q, t=t), free.mass_matrix(q)
    lost = 10 * np.finfo(float).eps * np.linalg.cond(M) * np.linalg.cond(A @ np.linalg.solve(M, A.T))
    assert lost < 1e-6
    np.testing.assert_allclose(accelerations[2:5], a, atol=lost * np.abs(accelerations).max())
    np.testing.assert_allclose(multipliers, driven.constraint_forces(q, v, a, t=t), rtol=lost)
    driven = driven.with_open_loops("ignore")
    h = 1e-3  # central differences: h^2 of third and fourth derivatives of the pose, which are below 10
    at = [
        driven.frame_pose(q + x * rates + x * x / 2 * accelerations, "palm", t=t)[:3, 3] for x in (-h, 0, h)
    ]
    speed, change = (at[2] - at[0]) / (2 * h), (at[0] - 2 * at[1] + at[2]) / h**2
    np.testing.assert_allclose(speed, [0.2 * np.cos(2 * t), -0.1, -np.sin(t) / 8], atol=10 * h**2)
    np.testing.assert_allclose(change, [-0.4 * np.sin(2 * t), 0, -np.cos(t) / 8], atol=10 * h**2)
    held = driven.constraint_jacobian(q, t=t).T @ multipliers
    expected = free.inverse_dynamics(q, rates, accelerations)
    np.testing.assert_allclose(
        np.add(held, [0, 0, *tau, 0]), expected, rtol=0, atol=1e-12 * np.abs(expected).max()
    )


def test_work_of_the_drives_is_the_change_of_energy() -> None:
    """tau . v less lambda . d phi / d t, which is the speed of the path here with its sign."""
    built = arm(3, "hand.x = 0.6 + 0.1*sin(2*t)", "hand.y = 0.5 - 0.2*t", speeds=("q3",))
    built.home({"q1": 0.1, "q2": 0.8, "q3": 0.9})
    robot = kanegen.load(built.build())
    times = np.linspace(0.0, 0.8, 161)
    start = robot.assemble(t=0.0)
    force = 0.7
    motion = kanegen.simulate(
        robot, start, [0.4], 0.8, lambda t, q, v: [force], times=times, rtol=1e-11, atol=1e-12
    )
    path = np.column_stack([0.6 + 0.1 * np.sin(2 * times), 0.5 - 0.2 * times])
    hand = robot.frame_pose(motion.q, "hand", t=times)[:, :2, 3]
    np.testing.assert_allclose(hand, path, atol=1e-9)
    a = robot.forward_dynamics(motion.q, motion.v, np.full((161, 1), force), t=times)
    held = robot.constraint_forces(motion.q, motion.v, a, t=times)
    speed = np.column_stack([0.2 * np.cos(2 * times), np.full(161, -0.2)])
    power = force * motion.v[:, 0] + (held * speed).sum(1)
    work = (
        (np.array([1, *[4, 2] * 79, 4, 1]) * power).sum() * 0.005 / 3
    )  # Simpson's rule: its error is some 1e-10
    assert abs(motion.energy[-1] - motion.energy[0] - work) < 1e-7 * np.abs(power).max()
    assert abs(work) > 0.1


def test_a_tip_on_a_surface_of_a_body_on_a_ball_joint_keeps_its_energy() -> None:
    """Without time the equation does no work."""
    b = MechanismBuilder("top", gravity=(0, 0, "-9.81"))
    b.body("top", 2, (0, 0, "0.3"), ("0.02", "0.03", "0.01"))
    b.spherical("ball", BASE, "top")
    b.frame("tip", "top", ("0.1", 0, "0.5"))
    b.position_constraint("saddle", "tip.x = 0.3 + tip.y*tip.z")
    b.speeds([JointRate("ball_wz"), JointRate("ball_wx")])
    b.home({"ball_qy": 0.28, "ball_qw": 0.96})
    robot = kanegen.load(b.build(), interpreted=True)
    motion = kanegen.simulate(robot, robot.assemble(), [3.0, 0.5], 1.0, rtol=1e-10, atol=1e-12)
    x, y, z = robot.frame_pose(motion.q, "tip")[:, :3, 3].T
    np.testing.assert_allclose(x, 0.3 + y * z, atol=1e-9)
    assert np.ptp(motion.energy) < 1e-8 * abs(motion.energy[0]) and np.ptp(z) > 1e-3


def written_out(mechanism: Mechanism) -> Mechanism:
    """A linkage that a revolute joint closes, with that joint as five equations, of which three repeat others."""
    b = MechanismBuilder.from_mechanism(mechanism)
    (loop,) = mechanism.loops
    pair = f"{loop.first}.{loop.second}"
    for entry in ("x", "y", "z", "R13", "R23"):
        b.position_constraint(f"closure {entry}", f"{pair}.{entry} = 0")
    b._loops.clear()
    return b.build()


def test_a_loop_written_out_is_the_loop() -> None:
    given = catalogue.mechanism("five_bar")
    robots = [kanegen.load(m, interpreted=True) for m in (given, written_out(given))]
    q = robots[0].assemble(np.add(robots[0].home, [0.1, 0.0, -0.2, 0.0]))
    v, tau = [0.7, -1.1], [0.3, 2.0]
    for name in ("forward_dynamics", "inverse_dynamics"):
        one, other = (getattr(robot, name)(q, v, tau) for robot in robots)
        np.testing.assert_allclose(other, one, rtol=1e-12)
    assert len(robots[1].constraints.redundant) == len(robots[0].constraints.redundant) == 3


def sleigh(edge: Callable[[MechanismBuilder], None]) -> Mechanism:
    b = MechanismBuilder("sleigh")
    b.body("carrier")
    b.body("cart")
    b.body("sleigh", 3, ("0.2", "0.1", 0), ("0.2", "0.2", "0.4"))
    b.prismatic("x", BASE, "carrier", (1, 0, 0))
    b.prismatic("y", "carrier", "cart", (0, 1, 0))
    b.revolute("turn", "cart", "sleigh", Z)
    b.frame("blade", "sleigh", ("-0.3", 0, 0), rotation=(0, 0, "0.2"))
    edge(b)
    return b.build()


def test_an_edge_and_a_speed_written_out() -> None:
    """rate(blade.y) and rate(blade.x) on the axes of the blade, which its rotation matrix has."""

    def edge(b: MechanismBuilder) -> None:
        b.knife_edge("edge", "blade")
        b.speeds(
            [combined_speed("along", "blade.R11*rate(blade.x) + blade.R21*rate(blade.y)"), JointRate("turn")]
        )

    def own(b: MechanismBuilder) -> None:
        b.velocity_constraint("edge", "blade.R12*rate(blade.x) + blade.R22*rate(blade.y) = 0")
        b.speeds(
            [combined_speed("along", "blade.R11*rate(blade.x) + blade.R21*rate(blade.y)"), JointRate("turn")]
        )

    one, other = (kanegen.load(sleigh(how), interpreted=True) for how in (edge, own))
    q, v, tau = [0.3, 0.4, 0.9], [1.5, 0.7], [0.2, -0.4]
    for name in ("forward_dynamics", "inverse_dynamics"):
        np.testing.assert_allclose(getattr(other, name)(q, v, tau), getattr(one, name)(q, v, tau), rtol=1e-13)
    rates: FloatArray = other.coordinate_rates(q, v)
    velocity = other.frame_pose(q, "blade")[:3, :3].T @ [
        rates[0] + 0.3 * np.sin(0.9) * rates[2],
        rates[1] - 0.3 * np.cos(0.9) * rates[2],
        0.0,
    ]
    np.testing.assert_allclose(velocity, [1.5, 0.0, 0.0], atol=1e-14)


WRONG = {
    "no such frame": (("hnad.x = 0.3",), "Did you mean 'hand'"),
    "no such coordinate": (("hand.u = 0.3",), "R11 to R33"),
    "a rate in an equation of position": (("rate(hand.x) = 0.3",), "rate"),
    "what does not move": (("base.x = 0.3",), "restricts nothing"),
    "no freedom": (("hand.x = 0.7", "hand.y = 0.2"), "no freedom"),
    "out of reach": (("hand.x = 1.5",), "cannot be closed"),
    "a contradiction": (("hand.x = 0.7", "hand.x = 0.8"), "cannot be closed"),
    "no arithmetic": (("hand.x = 0.7 =",), "arithmetic"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named(case: str) -> None:
    equations, told = WRONG[case]

    def loaded() -> None:
        b = arm(2, *equations, speeds=("q1",))
        b.home({"q1": 0.2, "q2": 0.5})
        kanegen.load(b.build(), interpreted=True)

    with pytest.raises(ModelError, match=told):
        loaded()


def test_a_hand_on_joints_that_follow_others() -> None:
    """Mimics of a mechanism with equations are coordinates; the pose of what hangs on them depends on them."""
    b = arm(3, "hand.x = 0.9", speeds=("q1",))
    b.mimic("q3", "q2", "0.5", "0.1")
    b.home({"q1": 0.3, "q2": 0.5})
    robot = kanegen.load(b.build(), interpreted=True)
    q = robot.assemble()
    np.testing.assert_allclose([robot.frame_pose(q, "hand")[0, 3], q[2]], [0.9, 0.5 * q[1] + 0.1], atol=1e-15)


def test_what_depends_on_joints_of_constant_rates_is_refused() -> None:
    b = arm(3, "hand.x = 0.7", speeds=("q2",))
    b.gravity((0, 0, 0))
    b.prescribe("q1", rate=1)
    mechanism = b.build()
    with pytest.raises(ModelError, match="moves as prescribed"):
        kanegen.load(mechanism, interpreted=True)


def test_repeated_equations_are_reported() -> None:
    b = arm(2, "hand.x = 0.7", "2*hand.x = 1.4", speeds=("q1",))
    b.home({"q1": 0.2, "q2": 0.5})
    ties = kanegen.load(b.build(), interpreted=True).constraints
    assert ties.redundant == ("e1",)
    assert ties.indeterminate == ("e0", "e1", "q1", "q2")


def test_files_names_and_changes_keep_the_meaning(tmp_path: Path) -> None:
    """To TOML and back, renamed, on another base, with a joint held, attached: residuals are those of the pose."""
    b = arm(3, "hand.x + table.hand.y = 0.9 + 0.1*t", speeds=("q2", "q3"))
    b.frame("table", BASE, ("0.1", "-0.2", 0), rotation=(0, 0, "0.5"))
    b.home({"q1": 0.1, "q2": 0.6, "q3": 0.4})
    mechanism = b.build()
    q, t = np.array([0.2, 0.5, 0.3]), 0.7

    def residual(model: Mechanism, at: FloatArray = q, **changes: Any) -> float:
        return float(kanegen.load(model, interpreted=True, **changes).constraint_residual(at, t=t)[0])

    at_q = kanegen.load(mechanism, interpreted=True).with_open_loops("ignore")
    pose = at_q.frame_pose(q, "hand", t=t)[:3, 3]
    seen = np.array([-np.sin(0.5), np.cos(0.5)]) @ (pose[:2] - [0.1, -0.2])
    expected = pose[0] + seen - 0.9 - 0.1 * t
    file = tmp_path / "arm.toml"
    file.write_text(to_toml(mechanism).text, encoding="utf-8")
    assert "table.hand.y" in file.read_text(encoding="utf-8")
    new = {"hand": "gripper", "table": "bench"}
    for model, changes in (
        (mechanism, {}),
        (from_toml(file), {}),
        (mechanism, {"rename": new}),
        (mechanism, {"base": (0.3, 0.2, 0.1, 0.0, 0.0, 0.7)}),
    ):
        assert abs(residual(model, **changes) - expected) < 1e-15, changes
    assert abs(residual(mechanism, q[[0, 2]], lock={"q2": 0.5}) - expected) < 1e-15
    both = kanegen.attach(
        "two_link_space_arm", mechanism, at=BASE, placement=(1, 2, 0, 0, 0, 0.3), names="second_"
    )
    assert abs(residual(both, np.array([0.3, -0.4, *q])) - expected) < 1e-14


def test_what_joints_that_are_held_decide_is_checked() -> None:
    """With all its joints held an equation is true or refused, and one on a frame that is gone is told of."""
    b = arm(3, "hand.x = 0.9", speeds=("q2", "q3"))
    b.body("other", 1, inertia=(1, 1, 1))
    b.revolute("q4", BASE, "other", Z)
    b.speeds(map(JointRate, ("q2", "q3", "q4")))
    b.home({"q1": 0.1, "q2": 0.6, "q3": 0.4})
    mechanism = b.build()
    with pytest.raises(ModelError, match="has to be 0"):
        kanegen.load(mechanism, interpreted=True, lock={"q1": 0, "q2": 0, "q3": 0.1})
