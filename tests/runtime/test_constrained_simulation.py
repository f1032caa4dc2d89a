"""Simulation of constrained mechanisms, held against motions in independent coordinates."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path

import constrained_robots as made
import numpy as np
import pytest
from references import assert_order, equal_steps, pendulum_solution
from scipy.integrate import solve_ivp

import kanegen
from kanegen.simulation import Motion, Status, simulate
from kanegen.simulation.run import _energy_of

EPSILON = np.finfo(float).eps

pytestmark = pytest.mark.usefixtures("integrators")


# ---- against independent coordinates ---------------------------------------------------------------------------------


def swing(t: np.ndarray, amplitude: float) -> tuple[np.ndarray, np.ndarray]:
    """Position (k, 2) and velocity of the bob released at rest."""
    angle, rate = np.moveaxis(pendulum_solution(t, amplitude, 0.5), -1, 0)
    s, c = np.sin(angle), np.cos(angle)
    return 0.5 * np.stack([s, -c], axis=-1), 0.5 * rate[:, None] * np.stack([c, s], axis=-1)


def test_a_pendulum_swings_through_dead_centres() -> None:
    # x cannot tell up from down where the rod lies along x, which it passes four times in each period of 2.2 s.
    arm = made.robot(made.pendulum())
    q0 = arm.assemble(0.5 * np.array([np.sin(2.5), -np.cos(2.5)]))
    motion = simulate(arm, q0, [0.0], 10.0, rtol=1e-12, atol=1e-13)
    q, qdot = swing(motion.t, 2.5)
    # Every step errs by rtol |y|, |y| < 5; errors grow by less than 100 in five periods (cf. test_integrators).
    bound = 100 * 5 * 1e-12 * np.sqrt(motion.statistics.accepted)
    assert np.abs(motion.q - q).max() < bound
    assert np.abs(motion.v - qdot[:, :1]).max() < bound * 10  # accelerations reach 10 times the rates
    assert bound < 1e-7
    assert motion.drift is not None
    assert 0.0 < motion.drift <= 1e-12
    assert np.abs(arm.constraint_residual(motion.q)).max() <= motion.drift


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("gauss4", 4), ("dopri5", 5)])
def test_projection_keeps_the_order(method: str, order: int) -> None:
    arm = made.robot(made.pendulum())
    (q0,), (qdot0,) = swing(np.array([0.3]), 1.2)
    (exact,), _ = swing(np.array([1.3]), 1.2)
    errors = []
    for h in (0.01, 0.005, 0.0025) if method == "gauss4" else (0.02, 0.01, 0.005):
        motion = simulate(arm, q0, qdot0[:1], 1.0, times=[1.0], **equal_steps(method, h))
        assert motion.statistics.accepted == round(1.0 / h)
        errors.append(np.abs(motion.q[0] - exact).max())
    assert_order(errors, order)


def crank_motion(t: np.ndarray, crank0: float, rate0: float) -> np.ndarray:
    """Angle of the crank of the slider-crank with nothing but gravity, from Lagrange's equation in that angle."""
    r, length = float(made.CRANK), float(made.COUPLER)
    crank_inertia, rod_inertia, slider = map(float, (made.CRANK_INERTIA, made.ROD_INERTIA, made.SLIDER))
    moment = 9.81 * float(made.CRANK_MOMENT)

    def rate(_: float, y: np.ndarray) -> list[float]:
        s, c = np.sin(y[0]), np.cos(y[0])
        root = np.sqrt(length**2 - (r * s) ** 2)
        rod = -r * c / root  # d rod / d crank, and its derivative
        rod2 = r * s / root - r**3 * s * c**2 / root**3
        x = -r * s + r * s * rod  # sin rod = -r s / length
        x2 = -r * c + r * c * rod + r * s * rod2
        inertia = crank_inertia + rod_inertia * rod**2 + slider * x**2
        slope = 2.0 * (rod_inertia * rod * rod2 + slider * x * x2)
        return [y[1], -(0.5 * slope * y[1] ** 2 + moment * c) / inertia]

    solution = solve_ivp(rate, (0.0, t[-1]), [crank0, rate0], "DOP853", t, rtol=1e-13, atol=1e-14)
    return np.asarray(solution.y)


@pytest.mark.parametrize("speed", ["crank", "slider"])
def test_a_slider_crank_turns(speed: str) -> None:
    # The slider's rate determines nothing twice in each turn.
    arm = made.robot(made.slider_crank(speed))
    q0 = arm.assemble([1.0, -0.25, 1.1])
    rate0 = 8.0
    slide = arm.constraint_jacobian(q0)
    rates0 = np.linalg.solve(np.vstack([slide, [1.0, 0.0, 0.0]]), [0.0, 0.0, rate0])
    v0 = [rates0[("crank", "rod", "slider").index(speed)]]
    motion = simulate(arm, q0, v0, 10.0, rtol=1e-12, atol=1e-13)
    crank, crank_rate = crank_motion(motion.t, q0[0], rate0)
    # How much an error made on the way grows, from initial errors of 1e-6; |y| < 100 since the crank turns and turns.
    growth = max(
        np.abs(crank_motion(motion.t, q0[0] + e, rate0 + d)[0] - crank).max() / 1e-6
        for e, d in ((1e-6, 0.0), (0.0, 1e-6))
    )
    bound = growth * motion.statistics.accepted * 1e-12 * 100
    assert np.abs(motion.q[:, 0] - crank).max() < bound < 1e-4
    if speed == "crank":
        assert np.abs(motion.v[:, 0] - crank_rate).max() < 100 * bound
    assert np.abs(arm.constraint_residual(motion.q)).max() < 1e-12
    assert np.abs(motion.q[:, 1] + np.arcsin(0.3 * np.sin(motion.q[:, 0]))).max() < 1e-12
    assert motion.drift is not None
    assert motion.drift <= 1e-12
    # Every step errs by rtol |y| in rates up to 20, which carry at most 2 J each at these speeds.
    energy = motion.energy
    assert energy is not None
    assert np.abs(energy - energy[0]).max() < motion.statistics.accepted * 1e-12 * 100 * 2


def test_the_loop_stays_closed_for_a_minute() -> None:
    arm = made.robot(made.slider_crank())
    motion = simulate(arm, arm.assemble([1.0, -0.25, 1.1]), [6.0], 60.0, rtol=1e-10)
    assert np.abs(arm.constraint_residual(motion.q)).max() < 1e-12
    energy = motion.energy
    assert energy is not None
    # Some 20 000 steps, each with rtol |y| of rates below 20 and angles below 400, worth at most 2 J each.
    assert np.abs(energy - energy[0]).max() < motion.statistics.accepted * 1e-10 * 400 * 2


def test_a_sled_runs_in_a_circle(in_numpy: bool) -> None:
    # Without forces its speed and its turning stay: 1 m/s and 0.5 rad/s make a circle of 2 m. dx/dt vanishes on the way.
    arm = made.robot(made.sled(), interpreted=in_numpy)
    motion = simulate(arm, [0.0, 0.0, 0.0], [1.0, 0.5], 10.0, rtol=1e-11)
    heading = 0.5 * motion.t
    exact = np.stack([2.0 * np.sin(heading), 2.0 - 2.0 * np.cos(heading), heading], axis=-1)
    # Errors of the steps, rtol |y| with |y| < 6, turn the course: they count for the 10 s that follow.
    bound = 10 * 6 * 1e-11 * motion.statistics.accepted
    assert np.abs(motion.q - exact).max() < bound < 1e-6
    assert np.abs(motion.v - np.stack([np.cos(heading), 0.5 + 0 * heading], axis=-1)).max() < bound
    assert motion.drift is not None
    assert motion.drift <= 1e-12


# ---- controllers -----------------------------------------------------------------------------------------------------


def python_law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The law of the pendulum, in Python."""
    return -3.0 * v + 2.0 * np.sin(5.0 * t)


@pytest.mark.parametrize("sample_period", [None, 0.05])
def test_controllers_are_given_speeds(in_numpy: bool, sample_period: float | None) -> None:
    arm = made.robot(made.pendulum(), interpreted=in_numpy)
    calls: list[tuple[float, np.ndarray, np.ndarray]] = []

    def controller(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        calls.append((t, q, v))
        return python_law(t, q, v)

    motions = [
        simulate(arm, [0.3, -0.4], [1.0], 1.0, form, sample_period=sample_period, times=np.linspace(0, 1, 21))
        for form in (controller, "law")
    ]
    assert {(q.shape, v.shape) for _, q, v in calls} == {((2,), (1,))}
    python, compiled = motions
    assert python.statistics.controller_calls == len(calls) == compiled.statistics.controller_calls
    np.testing.assert_allclose(python.q, compiled.q, rtol=0.0, atol=1e-11)
    instants = np.array([t for t, _, _ in calls])
    for row, t in enumerate(python.t):
        found = np.flatnonzero(np.abs(instants - t) < 1e-12)[-1]
        np.testing.assert_allclose(calls[found][2], python.v[row], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(python.tau[:, 0], python_law(python.t, None, python.v[:, 0]), atol=1e-9)


def test_power_of_the_controller_is_the_rate_of_the_energy() -> None:
    # tau . v is power for whichever speed: here the slider's, between its dead centres.
    arm = made.robot(made.slider_crank("slider"))
    times = np.linspace(0.0, 0.2, 401)
    motion = simulate(
        arm, arm.assemble([1.0, -0.25, 1.1]), [0.2], 0.2, lambda t, q, v: [5.0 - t], times=times, rtol=1e-11
    )
    energy = motion.energy
    assert energy is not None
    power = motion.tau[:, 0] * motion.v[:, 0]
    # Simpson's rule on 200 pairs of intervals of 0.5 ms: its error is far below 1e-9 J for motions of some rad/s.
    work = np.sum((power[:-2:2] + 4 * power[1:-1:2] + power[2::2]) * (0.0005 / 3.0))
    assert abs(energy[-1] - energy[0] - work) < 1e-8
    assert abs(work) > 0.1


def test_live_parameters() -> None:
    fixed = made.robot(made.slider_crank())
    live = made.robot(made.slider_crank(live=True))
    q0 = fixed.assemble([1.0, -0.25, 1.1])
    expected = simulate(fixed, q0, [3.0], 1.0)
    np.testing.assert_allclose(simulate(live, q0, [3.0], 1.0).q, expected.q, rtol=0.0, atol=1e-9)
    weightless = live.with_parameters({"g": 0.0})
    assert np.abs(simulate(weightless, q0, [3.0], 1.0).q - expected.q).max() > 1e-2


# ---- where a motion begins -------------------------------------------------------------------------------------------


def test_an_open_loop_is_refused(in_numpy: bool) -> None:
    arm = made.robot(made.slider_crank(), interpreted=in_numpy)
    message = (
        r"q0 leaves pin x of slider_crank_crank open by 0.03, and drift=1e-09 is allowed. "
        r".* q0 = robot.assemble\(q0\)"
    )
    with pytest.raises(kanegen.InconsistentStateError, match=message):
        simulate(arm, [0.0, 0.0, 1.27], [1.0], 1.0)
    loose = simulate(arm, [0.0, 0.0, 1.3 - 1e-7], [1.0], 0.1, drift=1e-6)
    assert np.abs(arm.constraint_residual(loose.q[0])).max() == pytest.approx(1e-7)
    assert np.abs(arm.constraint_residual(loose.q[1:])).max() < 1e-9  # projected from the first step on


def test_a_dead_centre_at_the_start_is_refused(in_numpy: bool) -> None:
    arm = made.robot(made.slider_crank("slider"), interpreted=in_numpy)
    message = (
        r"initial configuration is a dead centre of the speeds slider: crank, rod can move while these are zero"
        r".* such as the rate of crank"
    )
    for off in (0.0, 1e-9):  # exactly there, and so near that half of the digits are lost
        q0 = [off, -0.3 * off, 1.3]
        for v0 in (0.0, 1.0):
            with pytest.raises(kanegen.DeadCentreError, match=message):
                simulate(arm, q0, [v0], 1.0)
    q0 = arm.assemble([1e-3, -0.3e-3, 1.3])
    assert simulate(arm, q0, [0.0], 0.1).statistics.status is Status.DONE
    # The crank's rate does determine the motion there.
    other = made.robot(made.slider_crank(), interpreted=in_numpy)
    assert simulate(other, [0.0, 0.0, 1.3], [1.0], 0.1).drift is not None


def test_a_singular_configuration_at_the_start_is_refused() -> None:
    # A rod as long as the crank, folded onto it: the slider sits on the axis and may stay there while the crank turns.
    arm = made.robot(made.slider_crank(rod=Fraction(3, 10)))
    message = "initial configuration is singular: there the constraints leave more freedom than the 1 speed,"
    with pytest.raises(kanegen.DeadCentreError, match=message):
        simulate(arm, [np.pi / 2, -np.pi / 2, 0.0], [1.0], 1.0)


def test_a_state_that_cannot_be_brought_back(in_numpy: bool) -> None:
    arm = made.robot(made.pendulum(), interpreted=in_numpy)
    message = r"left the constraints after t = .* s: .* within drift=1e-30. Take smaller steps"
    with pytest.raises(kanegen.IntegrationError, match=message) as caught:
        simulate(arm, [0.0, -0.5], [1.0], 1.0, drift=1e-30)
    assert 0.0 <= caught.value.t < 1.0


# ---- the result ------------------------------------------------------------------------------------------------------


def test_energy_is_unknown_on_dead_centres_alone() -> None:
    arm = made.robot(made.pendulum())
    energy_of = _energy_of(arm)
    assert energy_of is not None
    energy = energy_of(
        np.zeros(3), np.array([[0.3, -0.4], [0.5, 0.0], [-0.3, 0.4]]), np.array([[0.0], [0.0], [0.0]])
    )
    assert np.isnan(energy).tolist() == [False, True, False]
    assert energy[0] == pytest.approx(-0.8 * 9.81)


def test_a_motion_is_kept(tmp_path: Path) -> None:
    motion = simulate(made.robot(made.sled()), [0.0, 0.0, 0.0], [1.0, 0.5], 0.1)
    copy = pickle.loads(pickle.dumps(motion))
    assert isinstance(copy, Motion)
    assert copy.drift == motion.drift
    motion.to_csv(tmp_path / "motion.csv")
    header = (tmp_path / "motion.csv").read_text().splitlines()[0]
    assert header == "t,q1,q2,q3,v1,v2,tau1,tau2,energy"
