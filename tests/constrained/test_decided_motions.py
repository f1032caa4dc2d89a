"""Mechanisms without speeds: equations with time decide all of the motion, and one wants it and the forces that drive it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen.arrays import FloatArray
from kanegen.codegen.cli import main
from kanegen.codegen.derivation.formulations import exact_formulations
from kanegen.codegen.mechanism import BASE, JointRate, Mechanism, MechanismBuilder, catalogue
from kanegen.codegen.mechanism.catalogue.sim_yoo_lee_path import (
    StraightLine,
    drive_hand,
    robot_on_its_line,
)
from kanegen.codegen.mechanism.importers import from_toml
from kanegen.codegen.mechanism.writers.toml import to_toml
from kanegen.errors import DeadCentreError, IntegrationError, MissingKernelError, ModelError
from tests.constrained.test_frame_coordinates import arm

T = np.linspace(0.0, 2.0, 41)
BENT = {"q1": -0.3, "q2": 1.5}
CIRCLE = ("hand.x = 0.5 + cos(S)/8", "hand.y = 0.25 + sin(S)/8")


def built(b: MechanismBuilder, home: object) -> Mechanism:
    b.home(home)
    return b.build()


def circle(time: str = "(t + t**2/4)") -> Mechanism:
    """Two links whose hand goes round a circle; its angle is ``time``."""
    b = arm(2, *(text.replace("S", time) for text in CIRCLE))
    return built(b, BENT)


def held(robot: kanegen.Robot, q: FloatArray, t: FloatArray) -> FloatArray:
    """A^T lambda: what the forces of the equations are on the coordinates."""
    A, multipliers = robot.constraint_jacobian(q, t=t), robot.constraint_forces(q, t=t)
    return np.einsum("kij,ki->kj", A, multipliers[:, : A.shape[1]])


def test_the_robot_of_sim_yoo_and_lee_driven_along_its_line_in_time() -> None:
    """All six coordinates: against the same with a coordinate s of the line, the free arm, and the work of the drives."""
    s, ds, dds = T**2 * (3 - T) / 4, T * (6 - 3 * T) / 4, (6 - 6 * T) / 4
    b = MechanismBuilder.from_mechanism(catalogue.mechanism("sim_yoo_lee_robot"))
    drive_hand(b, "(t**2*(3 - t)/4)")
    (begin,), _, _ = StraightLine.of_the_paper().joints(np.zeros(1), 0)
    kernels = ("coordinate_rates", "constraint_residual", "constraint_jacobian", "constraint_forces")
    robot = kanegen.load(
        built(b, list(begin)),
        interpreted=True,
        kernels=(*kernels, "multiplier_dynamics", "dead_centre_margin"),
    )
    motion = kanegen.trajectory(robot, times=T)
    assert motion.q.shape == motion.qddot.shape == motion.constraint_forces.shape == (41, 6)
    assert np.abs(robot.constraint_residual(motion.q, t=T)).max() < 1e-14

    marked = kanegen.load(robot_on_its_line(), interpreted=True, kernels=(kernels[0], kernels[3]))
    q, v, a = np.column_stack([motion.q, s]), ds[:, None], dds[:, None]
    np.testing.assert_allclose(marked.coordinate_rates(q, v)[:, :6], motion.qdot, atol=1e-13)
    there = marked.constraint_forces(q, v, a)
    np.testing.assert_allclose(motion.constraint_forces, there, rtol=0, atol=1e-12 * np.abs(there).max())

    free = kanegen.load("sim_yoo_lee_robot", kernels=("inverse_dynamics",))
    torques = free.inverse_dynamics(motion.q, motion.qdot, motion.qddot)
    np.testing.assert_allclose(held(robot, motion.q, T), torques, rtol=0, atol=1e-12 * np.abs(torques).max())


def test_work_of_the_drives_is_the_change_of_energy() -> None:
    """The power is lambda times the speed of the path, known in closed form."""
    robot, t = kanegen.load(circle()), np.linspace(0.0, 2.0, 161)
    motion = kanegen.trajectory(robot, times=t)
    angle, speed = t + t**2 / 4, 1 + t / 2
    along = np.column_stack([-np.sin(angle), np.cos(angle)]) * speed[:, None] / 8
    power = (motion.constraint_forces * along).sum(axis=1)
    simpson = np.array([1, *[4, 2] * 79, 4, 1]) * (t[1] - t[0]) / 3
    energy = motion.energy
    assert energy is not None
    # the rule errs by h^4/180 of the fourth derivative of the power, which changes with few rad/s: below 100 times the power
    assert abs(energy[-1] - energy[0] - simpson @ power) < 2 * (t[1] - t[0]) ** 4 / 1.8 * np.abs(power).max()
    assert np.ptp(energy) > 1.0
    rates = np.gradient(motion.q, t, axis=0)[1:-1]  # which errs by h^2/6 of third derivatives
    np.testing.assert_allclose(motion.qdot[1:-1], rates, atol=20 * (t[1] - t[0]) ** 2 / 6)
    pose = robot.frame_pose(motion.q, "hand", t=t)[:, :2, 3]
    np.testing.assert_allclose(
        pose, [0.5, 0.25] + np.column_stack([np.cos(angle), np.sin(angle)]) / 8, atol=1e-13
    )


def test_rows_far_apart_are_those_of_rows_that_are_not() -> None:
    robot = kanegen.load(circle(), interpreted=True)
    near, far = (kanegen.trajectory(robot, times=t) for t in (np.linspace(0, 3, 61), [0.0, 3.0]))
    np.testing.assert_allclose(far.q[-1], near.q[-1], atol=1e-13)
    names = dict(near.within([0, 60]).columns())
    assert [*names] == [
        *("q.q1", "q.q2", "energy", "qdot.q1", "qdot.q2", "qddot.q1", "qddot.q2", "lambda.e0", "lambda.e1")
    ]
    np.testing.assert_allclose(names["lambda.e1"], far.constraint_forces[:, 1], rtol=1e-12)


@pytest.mark.parametrize("formulation", ["kane", "euler_parameters", "uicker_1965"])
def test_all_formulations_give_the_same_forces(formulation: str) -> None:
    assert formulation in exact_formulations(circle())
    robots = [kanegen.load(circle(), interpreted=True, formulation=f) for f in (formulation, "recursive")]
    q = robots[0].assemble(t=0.7)
    one, other = (robot.constraint_forces(q, t=0.7) for robot in robots)
    np.testing.assert_allclose(one, other, rtol=1e-13)


def test_kernels_without_speeds() -> None:
    """Those of speeds are left out by name; others take arrays without entries, or none, in C none."""
    robot = kanegen.load(circle(), eager=True)
    interpreted = kanegen.load(circle(), interpreted=True)
    assert robot.nv == 0 and robot.speed_names == () and robot.speeds().shape == (0,)
    t = np.linspace(0.0, 1.0, 5)
    q = kanegen.trajectory(robot, times=t).q
    one = robot.constraint_forces(q, t=t)
    for again in (
        robot.constraint_forces(q, [], np.zeros((5, 0)), t=t, threads=2),
        robot.constraint_forces({"q1": q[:, 0], "q2": q[:, 1]}, {}, {}, t=t),
        robot.call("constraint_forces", t, q),
        [robot.at(t[k]).constraint_forces(q[k]) for k in range(5)],
    ):
        np.testing.assert_array_equal(again, one)
    np.testing.assert_allclose(interpreted.constraint_forces(q, t=t), one, rtol=1e-13)
    assert robot.kinetic_energy(q[0], np.zeros((3, 0))).shape == (3,)
    step = robot.bind("coordinate_rates")
    step.t[...], step.q[:] = t[2], q[2]
    step()
    np.testing.assert_array_equal(step.qdot, robot.coordinate_rates(q[2], t=t[2]))
    with pytest.raises(ValueError, match=r"expected \(..., 0\)"):
        robot.constraint_forces(q, [1.0], t=t)
    for missing in ("inverse_dynamics", "mass_matrix", "frame_jacobian_hand"):
        assert missing in robot.unavailable
    with pytest.raises(MissingKernelError, match="no speeds"):
        robot.mass_matrix(q[0])
    with pytest.raises(ModelError, match="no speeds"):
        kanegen.load(circle(), interpreted=True, kernels=["forward_dynamics"])
    with pytest.raises(ModelError, match="independent rows"):
        robot.operational_inertia(q[0], "hand", t=0.0)
    with pytest.raises(ValueError, match="trajectory"):
        kanegen.simulate(robot, q[0], [], 1.0)


def prescribed_crank(b: MechanismBuilder) -> None:
    b.prescribe("q1", motion="0.4 + t/2")
    q2, q3 = (float(x) for x in catalogue.mechanism("four_bar").home[1:])
    b.home({"q2": q2, "q3": q3})


@pytest.mark.parametrize(
    "drive",
    [prescribed_crank, lambda b: b.position_constraint("q1", "q1 = 0.4 + t/2")],
    ids=["joint", "equation"],
)
def test_the_crank_of_a_four_bar_that_turns_as_given(drive: Callable[[MechanismBuilder], None]) -> None:
    """Its moment is that of the four-bar which has the crank's rate as its speed."""
    b = MechanismBuilder.from_mechanism(catalogue.mechanism("four_bar"))
    b.speeds([])
    drive(b)
    robot, free = kanegen.load(b.build(), interpreted=True), kanegen.load("four_bar")
    motion = kanegen.trajectory(robot, times=T)
    q = np.column_stack([0.4 + T / 2, motion.q[:, -2:]])
    v = np.full((41, 1), 0.5)
    np.testing.assert_allclose(motion.qdot[:, -2:], free.coordinate_rates(q, v)[:, 1:], atol=1e-14)
    expected = free.inverse_dynamics(q, v, np.zeros_like(v))[:, 0]
    np.testing.assert_allclose(motion.constraint_forces[:, -1], expected, atol=1e-13 * np.abs(expected).max())


def test_rates_that_are_given_are_integrated() -> None:
    """No equation closes q1 = sin(3 t)/3: each of some hundred steps errs by a fifteenth of 1e-9 at most."""
    b = arm(2)
    b.velocity_constraint("w1", "rate(q1) = cos(3*t)")
    b.velocity_constraint("w2", "rate(q2) + rate(q1)/2 = t")
    robot = kanegen.load(b.build(), interpreted=True)
    motion = kanegen.trajectory(robot, times=T)
    np.testing.assert_allclose(motion.q[:, 0], np.sin(3 * T) / 3, atol=1e-8)
    free = kanegen.load(arm(2).build(), interpreted=True)
    torques = free.inverse_dynamics(motion.q, motion.qdot, motion.qddot)
    np.testing.assert_allclose(held(robot, motion.q, T), torques, atol=1e-13 * np.abs(torques).max())


def test_a_ball_joint_whose_turns_are_given() -> None:
    b = MechanismBuilder("top", gravity=(0, 0, "-9.81"))
    b.body("top", 2, (0, 0, "0.3"), ("0.02", "0.03", "0.01"))
    b.spherical("ball", BASE, "top")
    b.frame("tip", "top", ("0.1", 0, "0.5"))
    for name, text in {"x": "tip.x = 0.2 + sin(t)/10", "y": "tip.y = t/10"}.items():
        b.position_constraint(name, text)
    b.position_constraint("turn", "top.R21*cos(t) = top.R11*sin(t)")
    robot = kanegen.load(built(b, {"ball_qy": 0.28, "ball_qw": 0.96}), interpreted=True)
    motion = kanegen.trajectory(robot, times=T)
    tip = robot.frame_pose(motion.q, "tip", t=T)[:, :2, 3]
    np.testing.assert_allclose(tip, np.column_stack([0.2 + np.sin(T) / 10, T / 10]), atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(motion.q, axis=1), 1.0, rtol=1e-14)


def test_live_parameters_and_a_pendulum_in_the_hand() -> None:
    b = arm(2, *(text.replace("S", "t").replace("0.5", "X") for text in CIRCLE))
    b.parameter("X", "0.5", "m")
    robot = kanegen.load(built(b, BENT), interpreted=True, live=["X"]).with_parameters({"X": 0.45})
    motion = kanegen.trajectory(robot, times=T)
    np.testing.assert_allclose(
        robot.frame_pose(motion.q, "hand", t=T)[:, 0, 3], 0.45 + np.cos(T) / 8, atol=1e-14
    )
    p = MechanismBuilder("pendulum")
    p.body("bob", 1, (0, 0, "-0.3"), ("0.01", "0.01", "0.01"))
    p.revolute("swing", BASE, "bob", (0, 1, 0))
    for m in (
        kanegen.attach(circle(), p.build(), at="hand", names="p_"),
        kanegen.attach(p.build(), circle(), at="bob", names="a_"),
    ):
        assert [*map(str, m.generalized_speeds)] == [
            str(JointRate("p_swing" if m.name.startswith("arm") else "swing"))
        ]


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file says the same, and so do trajectory's columns."""
    file, table = tmp_path / "circle.toml", tmp_path / "rows.csv"
    file.write_text(to_toml(circle()).text)
    assert from_toml(file) == circle()
    asked = ["trajectory", str(file), "--t0", "0.5", "--time", "1", "--rows", "3", "--csv", str(table)]
    assert main(asked) == 0
    rows = np.loadtxt(table, delimiter=",", skiprows=1)
    motion = kanegen.trajectory(kanegen.load(circle(), interpreted=True), times=rows[:, 0])
    np.testing.assert_allclose(rows[:, -2:], motion.constraint_forces, rtol=1e-10)
    told = capsys.readouterr().out
    assert f"{motion.peak[1]:.9g}" in told and f"{motion.rms[0]:.9g}" in told
    assert main(["equations", str(file)]) == 0
    assert "lambda" in capsys.readouterr().out
    for wrong, said in ((asked[:2], "--time"), (["trajectory", "four_bar", "--time", "1"], "--path")):
        assert main(wrong) != 0 and said in capsys.readouterr().err


WRONG = {
    "nothing moves": (("hand.x = 0.6", "hand.y = 0.2"), ["q1"], "no freedom"),
    "too few": (("hand.x = 0.6 + t/10",), None, "speeds"),
    "dependent": (("hand.x = 0.6 + t/10", "2*hand.x = 1.2 + t/5"), None, "1 degree of freedom"),
    "a speed too many": (("hand.x = 0.6 + t/10", "hand.y = 0.2"), ["q1"], "0 degrees of freedom"),
    "inconsistent": (("hand.x = 0.6 + t/10", "hand.y = 0.2", "q1 = t"), None, "cannot be closed"),
    "contradictory": (("hand.x = 0.6 + t/10", "hand.y = 0.2", "hand.x = 0.6 - t/10"), None, "contradict"),
    "out of reach": (("hand.x = 2 - t", "hand.y = 0.2"), None, "cannot be closed"),
}


@pytest.mark.parametrize("case", WRONG)
def test_equations_that_decide_no_motion_are_refused(case: str) -> None:
    equations, speeds, said = WRONG[case]
    b = arm(2, *equations, speeds=tuple(speeds or ()))
    with pytest.raises(ModelError, match=said):
        kanegen.load(built(b, BENT), interpreted=True)


def test_an_equation_that_follows_from_others_is_redundant() -> None:
    b = arm(2, "hand.x = 0.6 + t/10", "hand.y = 0.2", "hand.x + hand.y = 0.8 + t/10")
    robot = kanegen.load(built(b, BENT), interpreted=True)
    assert robot.constraints is not None and robot.constraints.redundant == ("e2",)
    assert robot.constraint_forces(robot.assemble(t=0.1), t=0.1)[2] == 0


def test_a_law_has_nothing_to_act_on() -> None:
    with pytest.raises(ModelError, match="nothing to act on"):
        kanegen.load(circle(), interpreted=True, laws={"pd": "pd(kp=1, kd=1)"})


def test_paths_that_lead_out_of_reach_or_through_a_singular_configuration() -> None:
    """The arm of 0.5 m and 0.4 m is stretched at 0.9 m: there it cannot go on, or can in two ways."""
    b = arm(2, "hand.x = 0.5 + t/2", "hand.y = 0")
    robot = kanegen.load(built(b, BENT), interpreted=True)
    with pytest.raises(IntegrationError) as caught:
        kanegen.trajectory(robot, times=np.linspace(0, 1, 6))
    assert 0.8 - 1e-8 < caught.value.t <= 0.8
    with pytest.raises(DeadCentreError, match="singular configuration"):
        robot.with_open_loops("ignore").constraint_forces([0.0, 0.0], t=0.8)
    b = arm(2, "hand.x = 0.9 - (t - 1)**2/4", "hand.y = 0")
    robot = kanegen.load(built(b, BENT), interpreted=True)
    for rows in (11, 12):  # one at the singular configuration, and none
        with pytest.raises(IntegrationError, match="singular configuration"):
            kanegen.trajectory(robot, times=np.linspace(0, 2, rows))
