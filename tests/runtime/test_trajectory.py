"""Forces along a path: formulas by hand, round trips through simulations, energy, and what goes wrong."""

from __future__ import annotations

import functools
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen.codegen.cli import main
from kanegen.codegen.mechanism import JointLimits, MechanismBuilder

L1, L2, G = 0.5, 0.4, 9.81
T = np.linspace(0.0, 1.0, 5)
Q1, Q2 = 0.3 + 0.8 * T**2 - 0.5 * T**3, 1.0 - 0.6 * T + 0.4 * T**3


@functools.cache
def two_links() -> kanegen.Robot:
    """Point masses of 2 and 3 kg at the ends of two links in the plane x-z; q1 and q2 turn from x to z."""
    b = MechanismBuilder("two_links", gravity=(0, 0, "-9.81"))
    b.body("upper", mass=2, center=("0.5", 0, 0))
    b.body("lower", mass=3, center=("0.4", 0, 0))
    b.revolute(
        "q1", "base", "upper", axis=(0, -1, 0), limits=JointLimits(upper="0.5", velocity="0.3", effort=1000)
    )
    b.revolute("q2", "upper", "lower", axis=(0, -1, 0), position=("0.5", 0, 0), limits=JointLimits(effort=5))
    b.frame("tip", "lower", position=("0.4", 0, 0))
    needed = [
        "inverse_dynamics",
        "frame_pose_tip",
        "frame_jacobian_tip",
        "kinetic_energy",
        "potential_energy",
    ]
    return kanegen.load(b.build(), kernels=needed, interpreted=True)


def forces_by_hand(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Lagrange's equations of two point masses m1, m2 (J. J. Craig, "Introduction to Robotics", section 6.7)."""
    m1, m2, c2, s2 = 2.0, 3.0, np.cos(q[:, 1]), np.sin(q[:, 1])
    both = m2 * G * L2 * np.cos(q[:, 0] + q[:, 1])
    (a1, a2), (v1, v2) = a.T, v.T
    tau2 = m2 * L1 * L2 * (c2 * a1 + s2 * v1**2) + both + m2 * L2**2 * (a1 + a2)
    tau1 = (
        m2 * L2**2 * (a1 + a2)
        + m2 * L1 * L2 * (c2 * (2 * a1 + a2) - s2 * (v2**2 + 2 * v1 * v2))
        + (m1 + m2) * (L1**2 * a1 + G * L1 * np.cos(q[:, 0]))
        + both
    )
    return np.stack([tau1, tau2], axis=1)


def test_two_links_by_hand() -> None:
    """A spline with not-a-knot ends through a cubic polynomial is that polynomial: nothing but rounding remains."""
    with pytest.warns(kanegen.ModelWarning, match="position of q1") as told:
        found = kanegen.trajectory(two_links(), {"q1": (T, Q1), "q2": (T, Q2)})
    assert len(told) == 1
    t = found.t
    q = np.stack([0.3 + 0.8 * t**2 - 0.5 * t**3, 1.0 - 0.6 * t + 0.4 * t**3], axis=1)
    v = np.stack([1.6 * t - 1.5 * t**2, -0.6 + 1.2 * t**2], axis=1)
    a = np.stack([1.6 - 3.0 * t, 2.4 * t], axis=1)
    tau = forces_by_hand(q, v, a)
    # Forces up to 50 N m, accelerations from splines: some hundred roundings of 1e-16, second differences of knots 1/16.
    assert np.abs(found.tau - tau).max() < 1e-11
    assert np.abs(found.q - q).max() < 1e-13
    assert np.array_equal(found.peak, np.abs(found.tau).max(axis=0))
    # The mean square by Simpson's rule; the trapezoidal one is off by h^2/12 times the jump of the integrand's derivative.
    weights = np.ones(len(t))
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    assert np.abs(found.rms - np.sqrt(weights @ tau**2 / 3.0 / (len(t) - 1))).max() < 1e-4
    limits = {(limit.joint, limit.kind): limit for limit in found.passed}
    assert v[:, 0].max() > 0.3
    assert np.abs(tau[:, 0]).max() < 1000.0
    assert np.abs(tau[:, 1]).max() > 5.0
    assert set(limits) == {("q1", "position"), ("q1", "speed"), ("q2", "effort")}
    beyond = np.flatnonzero(q[:, 0] > 0.5)
    assert limits["q1", "position"].t == t[beyond[0]]
    assert limits["q1", "position"].worst == pytest.approx(q[:, 0].max(), abs=1e-13)


@pytest.mark.filterwarnings("ignore:the path of two_links passes limits")
def test_a_straight_line_of_the_hand() -> None:
    """Two rows are a straight line at constant speed; q by the law of cosines, J v and J a + dJ/dt v as they must be."""
    robot = two_links()
    path = {"x": ([0.0, 1.0], [0.45, 0.35]), "z": ([0.0, 1.0], [0.1, 0.2])}
    found = kanegen.trajectory(robot, path, [-0.4, 1.2], frame="tip")
    x, z = 0.45 - 0.1 * found.t, 0.1 + 0.1 * found.t
    elbow = np.arccos((x**2 + z**2 - L1**2 - L2**2) / (2 * L1 * L2))
    shoulder = np.arctan2(z, x) - np.arctan2(L2 * np.sin(elbow), L1 + L2 * np.cos(elbow))
    q = np.stack([shoulder, elbow], axis=1)
    # Poses are reached to 1e-12 m; lever arms are above 0.1 m.
    assert np.abs(found.q - q).max() < 1e-10
    J = robot.frame_jacobian(found.q, "tip")[:, [0, 2]]
    velocity = np.einsum("kij,kj->ki", J, found.v)
    # The slope of a spline at its knots errs by h^3/24 q'''' at most, h = 1e-3, beside 1e-12/h of the poses.
    assert np.abs(velocity - [-0.1, 0.1]).max() < 1e-7
    # And its second derivative by h^2 q'''' with q'''' below 10 1/s^4, beside 4e-12/h^2: d(J v)/dt is zero.
    rate = np.einsum("kij,kj->ki", J, found.a)
    c, s = np.cos(q[:, 0]), np.sin(q[:, 0])
    w, W = found.v[:, 0], found.v.sum(axis=1)
    C, S = np.cos(q.sum(axis=1)), np.sin(q.sum(axis=1))
    centripetal = -np.stack([L1 * c * w**2 + L2 * C * W**2, L1 * s * w**2 + L2 * S * W**2], axis=1)
    assert np.abs(rate + centripetal).max() < 1e-4


@pytest.mark.parametrize(
    ("end", "q0", "smooth"), [(0.7, None, False), (0.6, [0.2, 1.4], True), (0.6, None, True)]
)
def test_a_jerk_that_the_path_does_not_ask_for_is_told(
    end: float, q0: list[float] | None, smooth: bool
) -> None:
    """Stretched, at 0.9 m, the tip moves with the square of the angles: a path that begins there has no smooth angles."""
    path = {"x": (T, 0.9 - (0.9 - end) * T if not smooth else end + 0.1 * T), "z": (T, 0.05 * T)}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = kanegen.trajectory(two_links(), path, q0, np.linspace(0, 1, 41), frame="tip")
    jerks = [str(one.message) for one in told if "smoothly" in str(one.message)]
    assert len(jerks) == (0 if smooth else 1)
    assert smooth or ("t = 0.0" in jerks[0] and "--set" in jerks[0])
    assert smooth == (np.abs(found.a[:3]).max() < 20)


def test_forces_of_a_simulated_motion_come_back() -> None:
    """Rows of a simulation as a path give its forces, to the error of the spline's second derivative."""
    arm = kanegen.load("stanford_arm")
    q0 = [0.1, 1.2, 0.3, 0.2, -0.3, 0.2]
    errors = []
    for rows in (51, 101, 201):
        times = np.linspace(0.0, 1.0, rows)
        motion = kanegen.simulate(
            arm, q0, np.zeros(6), 1.0, "feedback_law", rtol=1e-12, atol=1e-14, times=times
        )
        path = {name: (times, q) for name, q in zip(arm.coordinate_names, motion.q.T, strict=True)}
        found = kanegen.trajectory(arm, path, times=times)
        assert np.array_equal(found.q, motion.q)
        # s'' errs by at most h^2 |q''''|, near not-a-knot ends too (11/12 h^2 there, h^2/12 inside); M takes it to forces,
        # errors of s', of order h^3, are twenty times smaller. Rows are exact to 1e-11, which adds 4e-11/h^2 < 2e-6.
        a = arm.forward_dynamics(motion.q, motion.v, motion.tau)
        fourth = np.abs(np.gradient(np.gradient(a, times, axis=0), times, axis=0)).max(axis=0)
        bound = np.abs(arm.mass_matrix(motion.q)).max(axis=0) @ (fourth / (rows - 1) ** 2)
        error = np.abs(found.tau - motion.tau).max(axis=0)
        assert (error < 1.5 * bound + 2e-5).all()
        errors.append(np.abs(found.tau - motion.tau)[rows // 5 : -rows // 5].max())
    assert errors[0] > 3.0 * errors[1] > 9.0 * errors[2]  # second order: by four each time


LOOPS = ["inverse_dynamics", "coordinate_rates", "constraint_residual", "constraint_jacobian"]


def test_a_loop_follows_its_crank() -> None:
    """Loops stay closed, the crank is where it is asked to be, and the work of the drive is the change of energy."""
    robot = kanegen.load("four_bar", kernels=[*LOOPS, "kinetic_energy", "potential_energy"], interpreted=True)
    t = np.linspace(0.0, 1.0, 5)
    begin = robot.home[0]
    found = kanegen.trajectory(robot, {"q1": (t, begin + 0.9 * t**2)}, times=np.linspace(0.0, 1.0, 201))
    assert np.abs(found.q[:, 0] - begin - 0.9 * found.t**2).max() < 1e-13
    assert np.abs(robot.constraint_residual(found.q)).max() < 1e-12
    assert np.abs(found.a[:, 0] - 1.8).max() < 1e-8  # central differences have ten digits
    power = found.tau[:, 0] * found.v[:, 0]
    work = (power[0] + power[-1] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum()) / 600.0
    # Simpson's rule over steps of 1/200: h^4/180 times a fourth derivative below 1e4 W/s^4.
    assert found.energy is not None
    assert abs(work - (found.energy[-1] - found.energy[0])) < 1e-7 * np.abs(found.energy).max() + 1e-7


def test_a_rolling_disc_rolls_where_its_angles_lead() -> None:
    """x and y follow: those of a simulated motion, whose forces are zero."""
    needed = [
        *LOOPS[:2],
        "constraint_jacobian",
        "generalized_speeds",
        "multiplier_dynamics",
        "constraint_projection",
    ]
    disc = kanegen.load("rolling_disc", kernels=needed, interpreted=True)
    q0 = np.array([0.1, 0.3, 0.2, 0.0, 0.0])
    v0, times = [0.2, 0.1, 4.0], np.linspace(0.0, 0.5, 101)
    motion = kanegen.simulate(disc, q0, v0, 0.5, times=times, rtol=1e-11, atol=1e-13)
    path = {name: (times, motion.q[:, i]) for i, name in enumerate(disc.coordinate_names[:3])}
    found = kanegen.trajectory(disc, path, q0, times)
    # Slopes of splines err by h^3 q'''' at most, near their ends; x and y are integrals of these over 0.5 s.
    fourth = motion.v
    for _ in range(3):
        fourth = np.gradient(fourth, times, axis=0)
    bound = 0.005**3 * np.abs(fourth).max()
    assert np.abs(found.v - motion.v).max() < bound < 1e-2
    assert np.abs(found.q - motion.q).max() < 0.5 * bound
    with pytest.raises(kanegen.KanegenError, match="does not determine"):
        kanegen.trajectory(disc, {"yaw": (T, T)}, q0)
    with pytest.raises(kanegen.KanegenError, match="cannot follow"):
        kanegen.trajectory(disc, {**path, "x": (times, times)}, q0)


def test_quaternions_turn_as_given() -> None:
    """A turn about z at a rate that grows: v and a by hand, whatever the sign and length of the rows."""
    b = MechanismBuilder("top", gravity=(0, 0, 0))
    b.body("top", mass=1, inertia=(1, 2, 3))
    b.spherical("ball", "base", "top")
    top = kanegen.load(b.build(), kernels=["inverse_dynamics", "coordinate_rates"], interpreted=True)
    t = np.linspace(0.0, 1.0, 201)
    angle = 0.5 * t + t**2
    scale = np.where(np.arange(t.size) % 2, -2.0, 1.0)
    zero = np.zeros_like(t)
    rows = scale * np.array([zero, zero, np.sin(angle / 2), np.cos(angle / 2)])
    found = kanegen.trajectory(
        top, {name: (t, x) for name, x in zip(top.coordinate_names, rows, strict=True)}
    )
    # h = 1/200: second derivatives of splines err by h^2 times a fourth derivative of up to 10.
    assert np.abs(found.v[:, 2] - 0.5 - 2 * found.t).max() < 1e-5
    assert np.abs(found.tau - [0, 0, 3 * 2.0]).max() < 3 * 2e-3
    with pytest.raises(ValueError, match="all of the quaternion"):
        kanegen.trajectory(top, {top.coordinate_names[0]: (t, zero)})


@pytest.mark.parametrize(
    ("path", "options", "told"),
    [
        ({}, {}, "expected tables"),
        ({"q3": (T, Q1)}, {}, "q1, q2"),
        ({1: (T, Q1)}, {}, "got the name 1"),
        ({"q1": (T, Q1, "linear")}, {}, "corners"),
        ({"q1": (T, Q1)}, {"times": [0.0, 2.0]}, "times"),
        ({"q1": (T, Q1)}, {"times": []}, "times: expected one"),
        ({"x": (T, 0.4 - T / 9)}, {"frame": "tip", "times": [0.5]}, "with a frame two"),
        ({"x": (T, 0.4 + T)}, {"frame": "tip"}, "out of reach"),
        ({"yaw": (T, T)}, {"frame": "tip"}, "roll"),
    ],
)
def test_what_goes_wrong(path: dict, options: dict, told: str) -> None:
    with pytest.raises((kanegen.KanegenError, ValueError), match=told):
        kanegen.trajectory(two_links(), path, **options)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What simulate writes is read back: a free motion needs no forces."""
    motion, forces, figure = (tmp_path / name for name in ("m.csv", "f.csv", "f.svg"))
    begin = ["--set", "q.q2=1.5", "q.q3=0.5"]
    assert (
        main(["simulate", "stanford_arm", "--time", "0.2", "--rows", "41", *begin, "--csv", str(motion)]) == 0
    )
    capsys.readouterr()
    words = ["trajectory", "stanford_arm", "--path", str(motion), "--rows", "41", "--csv", str(forces)]
    assert main([*words, "--json", "--plot", str(figure)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [drive["unit"] for drive in told["drives"]][:3] == ["N m", "N m", "N m"]
    assert max(drive["rms"] for drive in told["drives"]) < 0.5
    assert figure.stat().st_size > 1000
    assert forces.read_text().partition("\n")[0].split(",")[-1] == "a.q6"
    assert main(words) == 0
    assert "RMS" in capsys.readouterr().out
    hand = tmp_path / "hand.csv"
    hand.write_text("t,x\n0,0.1\n1,0.2\n")
    moved = ["trajectory", "stanford_arm", "--path", str(hand), "--frame", "F", *begin, "--rows", "11"]
    assert main([*moved, "--csv", str(forces)]) == 0
    assert main([*moved, "--set", "v.q1=1"]) == 1
    assert "q.NAME" in capsys.readouterr().err
