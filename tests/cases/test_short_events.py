"""Forces that act for a moment of a long motion (CASES2 61): seen where their times are named, told of where missed."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder

# The motions are the same, and slower, where the package was not built.
pytestmark = pytest.mark.filterwarnings("ignore:the compiled integrators are missing:RuntimeWarning")

BEGIN, END, DURATION = 5.0, 5.01, 10.0
METHODS: list[dict[str, Any]] = [
    {"method": "dopri5"},
    {"method": "rodas4"},
    {"method": "rk4", "step": 0.05},
    {"method": "rk4", "step": 0.037},
]


def pulse(t: float, q: Any, v: Any) -> list[float]:
    del q, v
    return [20.0 if BEGIN <= t < END else 0.0]


@pytest.fixture(scope="module", params=["compiled", "interpreted"])
def rod(request: pytest.FixtureRequest) -> kanegen.Robot:
    """A rod of 1 kg, its centre 0.5 m below a hinge; its law a spring of 0.5 N m/rad and a push with ramps."""
    builder = MechanismBuilder("rod")
    builder.body("rod", mass=1, center=(0, 0, "-0.5"), inertia=("0.1", "0.1", "0.01"))
    builder.revolute("phi", "base", "rod", axis=(0, 1, 0))
    t, phi, w = sympy.symbols("t phi w")
    size = [sympy.sqrt((t - corner) ** 2) for corner in RAMPS]
    push = 10 * (size[0] - size[1] - size[2] + size[3])
    builder.law("ramps", [push - phi / 2], time=t, q=[phi], v=[w])
    kernels = ["forward_dynamics", "forward_dynamics_derivatives", "ramps"]
    return kanegen.load(builder.build(), kernels=kernels, interpreted=request.param == "interpreted")


RAMPS = [sympy.Rational(x) for x in ("5", "5.1", "5.2", "5.3")]


def solution(torque: Any, corners: list[float], times: Any, spring: float = 0.0) -> np.ndarray:
    """The angle at these times by SciPy, each smooth piece by itself; inertia about the hinge 0.1 + 0.5^2 = 0.35."""

    def rate(t: float, y: Any) -> list[float]:
        return [y[1], (torque(t) - spring * y[0] - 9.81 * 0.5 * np.sin(y[0])) / 0.35]

    found, state = [], [0.0, 0.0]
    for begin, end in pairwise([0.0, *corners, DURATION]):
        middle = (
            begin + end
        ) / 2  # what jumps at the ends is constant in between, what has corners there is linear

        def inside(
            t: float, y: Any, begin: float = begin, end: float = end, middle: float = middle
        ) -> list[float]:
            return rate(min(max(t, begin + 1e-12 * (middle - begin)), end - 1e-12 * (end - middle)), y)

        inner = times[(times >= begin) & (times < end if end < DURATION else times <= end)]
        piece = solve_ivp(inside, (begin, end), state, "DOP853", rtol=1e-12, atol=1e-14, dense_output=True)
        found.append(piece.sol(inner)[0])
        state = piece.y[:, -1]
    return np.concatenate(found)


@pytest.mark.parametrize("settings", METHODS, ids=str)
def test_a_pulse_whose_times_are_named(rod: kanegen.Robot, settings: dict[str, Any]) -> None:
    """Case 61: 20 N m for 5 <= t < 5.01 swing the rod by 0.15278 rad (SciPy); in any order, twice, at the ends as well."""
    breaks = [END, 0.0, BEGIN, BEGIN, DURATION]
    motion = kanegen.simulate(rod, [0.0], [0.0], DURATION, pulse, breaks=breaks, **settings)
    exact = solution(lambda t: pulse(t, 0, 0)[0], [BEGIN, END], motion.t)
    assert np.abs(exact).max() == pytest.approx(0.15278, abs=1e-5)
    # rk4 with steps of h = 0.05 at w = sqrt(9.81 * 0.5 / 0.35) = 3.74 errs by (w h)^5 / 120 = 1.9e-6 of the state in a step,
    # and by 4e-6 rad in phase; 100 steps after the pulse add up to 1e-4 of (0.153, 0.57).
    assert np.abs(motion.q[:, 0] - exact).max() < (1e-4 if settings["method"] == "rk4" else 1e-7)
    assert np.abs(motion.q).max() == pytest.approx(0.15278, abs=1e-4)


@pytest.mark.parametrize("settings", METHODS, ids=str)
def test_a_pulse_that_steps_miss_is_told(rod: kanegen.Robot, settings: dict[str, Any]) -> None:
    """Case 61: without breaks the motion is wrong, by whatever the stages happen to see, and a warning names the time."""
    with pytest.warns(RuntimeWarning, match=r"stepped over something: at t = (4\.9[5-9]|5\.0)\d* s") as told:
        motion = kanegen.simulate(rod, [0.0], [0.0], DURATION, pulse, **settings)
    assert len(told) == 1
    assert "breaks=" in str(told[0].message)
    assert abs(np.abs(motion.q).max() - 0.15278) > 0.05


def test_steps_shorter_than_the_pulse_see_it(rod: kanegen.Robot) -> None:
    """Case 61: with max_step no step is longer, and the jump is found by its error.  The right value is SciPy's."""
    motion = kanegen.simulate(rod, [0.0], [0.0], DURATION, pulse, max_step=0.008)
    assert motion.statistics.accepted >= DURATION / 0.008
    # Where a step ends on neither jump, its error is estimated, not known: see the tolerance for such steps.
    assert np.abs(motion.q).max() == pytest.approx(0.15278, abs=1e-5)


@pytest.mark.parametrize("settings", METHODS, ids=str)
def test_a_short_push_by_a_compiled_law(rod: kanegen.Robot, settings: dict[str, Any]) -> None:
    """Case 61: a law's force may have corners in time, of which four make a short push; the right motion is SciPy's."""
    corners = [float(x) for x in RAMPS]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        without = kanegen.simulate(rod, [0.0], [0.0], DURATION, "ramps", **settings)
    motion = kanegen.simulate(rod, [0.0], [0.0], DURATION, "ramps", breaks=corners, **settings)
    exact = solution(lambda t: np.interp(t, corners, [0.0, 2.0, 2.0, 0.0]), corners, motion.t, 0.5)
    assert np.abs(motion.q[:, 0] - exact).max() < (1.1e-4 if settings["method"] == "rk4" else 1e-7)
    # Whether steps happen to see the push without breaks is a matter of luck; if they do not, it is told.
    missed = np.abs(without.q[:, 0] - exact).max() > 1e-2
    if missed or settings["method"] != "rk4":  # which may tell of a corner inside a long step, too
        assert [("stepped over" in str(warning.message)) for warning in told] == ([True] if missed else [])


def test_a_sampled_controller_and_breaks(rod: kanegen.Robot) -> None:
    """Case 61: a sampled force is held from sample to sample; breaks at samples or between them change nothing."""
    sampled = [
        kanegen.simulate(rod, [0.0], [0.0], DURATION, pulse, sample_period=1e-2, breaks=breaks)
        for breaks in ((), [BEGIN, 5.005, END], [7.0 + 1e-15])
    ]
    exact = solution(lambda t: pulse(t, 0, 0)[0], [BEGIN, END], sampled[0].t)
    for motion in sampled:
        assert np.abs(motion.q[:, 0] - exact).max() < 1e-7
    assert sampled[1].statistics.controller_calls == sampled[0].statistics.controller_calls


@pytest.mark.parametrize("settings", METHODS, ids=str)
def test_smooth_motions_are_not_told_of(rod: kanegen.Robot, settings: dict[str, Any]) -> None:
    """Case 61: no false alarm: friction near rest, a tight controller, a fast force, tolerances from loose to tight."""
    controllers = [
        lambda t, q, v: 2 * np.sin(2 * t) - 2 * v / np.sqrt(v * v + 1e-4),
        lambda t, q, v: -200 * (q - 0.5) - 20 * v,
        lambda t, q, v: 5 * np.sin(20 * t) + 0 * v,
        lambda t, q, v: np.clip(-50 * (q - np.sin(t)) - 10 * v, -3, 3),
    ]
    tolerances: list[dict[str, float]] = [{}, {"rtol": 1e-3, "atol": 1e-6}, {"rtol": 1e-6, "atol": 1e-9}]
    settings = {**settings, "step": 0.01} if settings["method"] == "rk4" else settings
    tight = 3 if rod.target else 1  # the many steps of the tighter ones take NumPy seconds
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for controller in controllers:
            for tolerance in tolerances[: 1 if settings["method"] == "rk4" else tight]:
                motion = kanegen.simulate(rod, [0.3], [0.0], 2.0, controller, **settings, **tolerance)
                assert motion.statistics.looks > 0
                assert motion.statistics.defect <= 1.0


def test_a_time_to_begin_at(rod: kanegen.Robot) -> None:
    """Case 61: t0 shifts the clock of controller, rows and breaks, and nothing else; so does the motion itself (SciPy)."""
    late = kanegen.simulate(rod, [0.0], [0.0], 5.5, pulse, t0=4.5, breaks=[BEGIN, END])
    assert (late.t[0], late.t[-1]) == (4.5, 10.0)
    exact = solution(lambda t: pulse(t, 0, 0)[0], [BEGIN, END], late.t)
    assert np.abs(late.q[:, 0] - exact).max() < 1e-7
