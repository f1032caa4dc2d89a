"""States of a controller that are integrated along with the motion, and the signals that it follows."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from kanegen.simulation import simulate
from kanegen.simulation.references import checked_signals

TIMES = np.array([0.0, 0.4, 1.0, 1.3, 2.5, 3.0])
VALUES = np.array([0.0, 0.5, -0.2, 0.1, 1.0, 0.8])
END = 3.0


class WithIntegral:
    """u = 8 (r - q) - 2 v + x, dx/dt = 3 (r - q): holds a place against a load."""

    x0 = (0.25,)
    references = ("wanted",)

    def __call__(self, t: float, q: Any, v: Any, x: Any, r: Any) -> tuple[Any, Any]:
        del t
        error = r[0, 0] - q
        return 8 * error - 2 * (v - r[0, 1]) + x + r[0, 2], 3 * error


def expected(kind: str) -> np.ndarray:
    """(q, v, x) at the end for the oscillator d2q/dt2 = u - q, by SciPy from knot to knot: errors below 1e-11."""
    law, spline = WithIntegral(), CubicSpline(TIMES, VALUES)

    def signal(t: float, piece: int) -> np.ndarray:
        if kind == "cubic":
            return np.array([[spline(t), spline(t, 1), spline(t, 2)]])
        slope = (VALUES[piece + 1] - VALUES[piece]) / (TIMES[piece + 1] - TIMES[piece])
        return np.array([[VALUES[piece] + slope * (t - TIMES[piece]), slope, 0.0]])

    y = np.array([0.3, -0.1, 0.25])
    for piece, (begin, end) in enumerate(pairwise(TIMES)):

        def rate(t: float, y: np.ndarray, piece: int = piece) -> np.ndarray:
            u, xdot = law(t, y[:1], y[1:2], y[2:], signal(t, piece))
            return np.array([y[1], u[0] - y[0], xdot[0]])

        y = solve_ivp(rate, (begin, end), y, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return y


@pytest.mark.parametrize("kind", ["cubic", "linear"])
@pytest.mark.parametrize(
    ("settings", "tolerance"),
    [
        ({"rtol": 1e-10, "atol": 1e-12}, 1e-8),
        # a spline's third derivative jumps at its knots, and a step that it falls into errs by h^4/24 times that jump,
        # below 50 for these values: 2e-8 for h = 0.01; the others err by less
        ({"method": "rk4", "step": 0.01}, 1e-6),
        ({"method": "rodas4", "rtol": 1e-9, "atol": 1e-12}, 1e-6),
    ],
    ids=["dopri5", "rk4", "rodas4"],
)
def test_states_and_signals_are_those_of_scipy(
    arms: SimpleNamespace, kind: str, settings: dict[str, Any], tolerance: float
) -> None:
    table = (TIMES, VALUES) if kind == "cubic" else (TIMES, VALUES, kind)
    motion = simulate(
        arms.oscillator, [0.3], [-0.1], END, WithIntegral(), references={"wanted": table}, **settings
    )
    assert motion.x.shape == (motion.t.size, 1)
    assert motion.x[0, 0] == 0.25
    found = [motion.q[-1, 0], motion.v[-1, 0], motion.x[-1, 0]]
    assert_allclose(found, expected(kind), rtol=0, atol=tolerance)


@pytest.mark.parametrize("settings", [{}, {"method": "rk4", "step": 0.01}, {"sample_period": 0.05}])
def test_numpy_does_what_c_does(
    arms: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> None:
    given = {"references": {"wanted": (TIMES, VALUES)}, "x0": [0.5], **settings}
    compiled = simulate(arms.oscillator, [0.3], [-0.1], END, WithIntegral(), **given)
    monkeypatch.setattr("kanegen.simulation.run.find_integrators", lambda: None)
    with pytest.warns(RuntimeWarning, match="missing"):
        other = simulate(arms.oscillator, [0.3], [-0.1], END, WithIntegral(), **given)
    assert compiled.statistics.compiled > other.statistics.compiled
    assert compiled.statistics.accepted == other.statistics.accepted
    for name in ("q", "v", "tau", "x"):
        # the same operations but for the order of sums: roundings of numbers below 10 in some hundred steps
        assert_allclose(getattr(other, name), getattr(compiled, name), rtol=0, atol=1e-11)


def test_sampled_states_go_by_steps_of_euler(arms: SimpleNamespace) -> None:
    """Between samples the rate is held: x[k + 1] = x[k] + period * rate[k], as on a controller's processor."""
    law, period = WithIntegral(), 0.125
    times = np.arange(9) * period
    settings = {"sample_period": period, "times": times, "references": {"wanted": ([0, 9], [1, 1], "linear")}}
    motion = simulate(arms.oscillator, [0.3], [0.0], 1.0, law, **settings)
    assert_allclose(np.diff(motion.x[:, 0]), period * 3 * (1 - motion.q[:-1, 0]), rtol=1e-12, atol=1e-14)


class FollowingRate:
    """tau = q + 20 (the rate of the signal - v)."""

    references = ("wanted",)

    def __call__(self, t: float, q: Any, v: Any, r: Any) -> Any:
        return q + 20.0 * (r[0, 1] - v)


@pytest.mark.parametrize("end", [1.0, 2.0, 0.1 * 3])
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.filterwarnings("ignore:the compiled integrators are missing")
def test_steps_from_where_a_table_ends_find_it_at_rest(
    arms: SimpleNamespace, compiled: bool, end: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """v' = 20 (r' - v), r' being 1 until the table ends, and 0 from then on; a motion that ends there finds 1."""
    if not compiled:
        monkeypatch.setattr("kanegen.simulation.run.find_integrators", lambda: None)
    last = min(1.0, round(end, 1))
    times = np.append(np.linspace(0.0, last, 11), np.linspace(last, end, 11)[1:] if end > 1 else [])
    settings = {"method": "rk4", "step": 0.01, "times": times}
    given = {"references": {"wanted": ([0, last], [0, last], "linear")}}
    motion = simulate(arms.oscillator, [0.0], [0.0], end, FollowingRate(), **given, **settings)
    rises = np.minimum(times, last)
    exact = -np.expm1(-20 * rises) * np.exp(-20 * (times - rises))
    # (h lambda)^5 / 120 a step, damped within five steps
    assert_allclose(motion.v[:, 0], exact, rtol=0, atol=5 * 0.2**5 / 120)
    assert_allclose(motion.tau[-1] - motion.q[-1], 20 * ((end < 2) - motion.v[-1]), rtol=0, atol=1e-12)
    if end >= 1:  # 3 * 0.1, where the other is sampled last, is after 0.3
        given["sample_period"] = 0.1
        tau = simulate(arms.oscillator, [0.0], [0.0], end, FollowingRate(), **given, times=[1]).tau[0]
        until = simulate(arms.oscillator, [0.0], [0.0], 1.0, FollowingRate(), **given)
        assert_allclose(tau, until.q[-1] + 20 * ((end < 2) - until.v[-1]), rtol=0, atol=1e-12)


@pytest.mark.parametrize("count", [2, 3, 4, 9])
def test_signals_are_the_splines_of_scipy(count: int) -> None:
    random = np.random.default_rng(count)
    times, values = np.cumsum(random.uniform(0.1, 1, count)), random.standard_normal(count)
    (signal,) = checked_signals(None, {"s": (times, values)})
    spline = CubicSpline(times, values)
    for t in random.uniform(times[0], times[-1], 50):
        # a diagonally dominant system; second derivatives are differences over 0.1^2
        assert_allclose(signal.at(t), [spline(t), spline(t, 1), spline(t, 2)], rtol=1e-12, atol=1e-11)
    assert signal.at(times[0] - 1) == (values[0], 0, 0)
    assert_allclose(signal.at(times[-1] + 1), (values[-1], 0, 0), atol=1e-13)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"x0": [1, 2]}, "tau returned"),
        ({"x0": [np.nan]}, "x0: expected"),
        ({"references": {}}, "'wanted'; give"),
        ({"references": {"wante": ([0, 1], [0, 1])}}, "did you mean 'wanted'"),
        ({"references": {"wanted": ([0, 0], [0, 1])}}, "ascending"),
        ({"references": {"wanted": ([0, 1], [0])}}, "as many values"),
        ({"references": {"wanted": ([0, 1], [0, 1], "quintic")}}, "'linear'"),
    ],
)
def test_what_does_not_fit_is_refused(arms: SimpleNamespace, given: dict[str, Any], told: str) -> None:
    usual = {"references": {"wanted": ([0, 1], [0, 1])}}
    with pytest.raises(ValueError, match=told):
        simulate(arms.oscillator, [0.3], [0.0], 1.0, WithIntegral(), **{**usual, **given})
