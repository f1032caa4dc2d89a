"""Times at which forces jump: every kind of mechanism, method and controller, held against motions from jump to jump."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise
from types import ModuleType, SimpleNamespace
from typing import Any

import constrained_robots as made
import numpy as np
import pytest

from kanegen.errors import NotCompiledError
from kanegen.simulation import simulate
from kanegen.simulation.motion import Motion, Status

JUMPS = [0.5, 0.51]
DURATION = 1.0
METHODS: list[dict[str, Any]] = [{"method": "dopri5"}, {"method": "rodas4"}, {"method": "rk4", "step": 0.003}]


def pulse(t: float, q: Any, v: Any) -> Any:
    """A push by the first force, and a damper, which makes C and Python, and q and v, tell apart."""
    del q
    push = np.zeros_like(v)
    push[0] = 20.0 if JUMPS[0] <= t < JUMPS[1] else 0.0
    return push - v


def from_jump_to_jump(arm: Any, q0: Any, v0: Any, **settings: Any) -> tuple[np.ndarray, np.ndarray]:
    """The state at the end, from three motions with forces that do not jump."""
    q, v = np.array(q0, dtype=float), np.array(v0, dtype=float)
    for begin, end in pairwise([0.0, *JUMPS, DURATION]):
        middle = 0.5 * (begin + end)
        length = end - begin
        motion = simulate(
            arm, q, v, length, lambda t, q, v, middle=middle: pulse(middle, q, v), times=[length], **settings
        )
        q, v = motion.q[-1], motion.v[-1]
    return q, v


@dataclasses.dataclass
class Case:
    arm: Any
    q0: Any
    v0: Any


@pytest.fixture(params=["tree", "quaternion", "constrained", "live"])
def case(request: pytest.FixtureRequest, arms: SimpleNamespace, in_numpy: bool) -> Case:
    """Mechanisms of every kind that the integrators tell apart."""
    if request.param == "tree":
        return Case(dataclasses.replace(arms.double_pendulum, interpreted=in_numpy), [1.0, 0.5], [0.0, 0.2])
    if request.param == "quaternion":
        body = dataclasses.replace(arms.body, quaternions=(0,), interpreted=in_numpy)
        return Case(body, [1.0, 0.0, 0.0, 0.0], [0.3, 2.0, 0.1])
    if request.param == "live":
        return Case(dataclasses.replace(arms.follower, interpreted=in_numpy), [1.0, 1.0], [0.0, 0.0])
    return Case(made.robot(made.pendulum(), interpreted=in_numpy), [0.3, 0.4], [1.0])


@pytest.mark.parametrize("settings", METHODS, ids=lambda s: s["method"])
def test_breaks_are_where_motions_begin_anew(case: Case, in_numpy: bool, settings: dict[str, Any]) -> None:
    if settings["method"] == "rodas4" and (case.arm.constraints or case.arm.quaternions or in_numpy):
        with pytest.raises((ValueError, NotCompiledError)):
            simulate(case.arm, case.q0, case.v0, DURATION, pulse, breaks=JUMPS, **settings)
        return
    tolerances = {} if settings["method"] == "rk4" else {"rtol": 1e-10, "atol": 1e-12}
    broken = simulate(
        case.arm, case.q0, case.v0, DURATION, pulse, breaks=JUMPS, times=[DURATION], **settings, **tolerances
    )
    q, v = from_jump_to_jump(case.arm, case.q0, case.v0, **settings, **tolerances)
    # Equal steps are the same ones but for the rounding of their lengths.  Others are chosen anew after each jump in one of
    # the two: errors of 1e-10 of (q, v) in some 100 steps, amplified by less than 10 in the half second that is left.
    assert np.abs(broken.q[-1] - q).max() < 1e-7
    assert np.abs(broken.v[-1] - v).max() < 1e-6
    assert broken.statistics.defect <= 1.0


@pytest.mark.parametrize("settings", METHODS, ids=lambda s: s["method"])
@pytest.mark.parametrize("form", ["pulse", "pulse_controller"])
def test_c_controllers_see_the_limit_from_the_left(
    arms: SimpleNamespace, library: ModuleType, form: str, settings: dict[str, Any]
) -> None:
    arm, start = arms.double_pendulum, ([1.0, 0.5], [0.0, 0.2])
    compiled = library.ffi.addressof(library.lib, form)
    in_c, in_python = (
        simulate(arm, *start, DURATION, controller, breaks=JUMPS, **settings)
        for controller in (compiled, pulse)
    )
    for name in ("q", "v", "tau"):
        # The same doubles go through the same operations.
        np.testing.assert_array_equal(getattr(in_c, name), getattr(in_python, name))


@pytest.mark.parametrize("settings", METHODS, ids=lambda s: s["method"])
def test_no_time_on_the_wrong_side_is_seen(
    arms: SimpleNamespace, in_numpy: bool, settings: dict[str, Any]
) -> None:
    """Between two breaks a controller is called with times from the first to just before the second, however rounded."""
    arm = dataclasses.replace(arms.double_pendulum, interpreted=in_numpy)
    if settings["method"] == "rodas4" and in_numpy:
        with pytest.raises(NotCompiledError):
            simulate(arm, [1.0, 0.5], [0.0, 0.0], DURATION, **settings)
        return
    breaks = [0.1, 0.1 + 1e-12, 1.0 / 3.0, 0.7]
    times: list[float] = []

    def watched(t: float, q: Any, v: Any) -> Any:
        times.append(t)
        return -q

    motion = simulate(
        arm, [1.0, 0.5], [0.0, 0.0], DURATION, watched, breaks=breaks, times=[0.0, 0.7], **settings
    )
    assert motion.statistics.status is Status.DONE
    assert min(times) == 0.0
    assert max(times) <= DURATION
    for point in breaks:
        assert math.nextafter(point, -math.inf) in times
        assert point in times
    stretch = [sum(point <= t for point in breaks) for t in times]
    # Rows and probes are written within their step: no call goes back to an earlier stretch.
    assert stretch == sorted(stretch)


def test_a_break_and_a_sample_that_rounding_tells_apart(arms: SimpleNamespace, in_numpy: bool) -> None:
    """3 * 0.1 exceeds 0.3, the break: one step ends there, and what is held from then on is seen from the break on."""
    arm = dataclasses.replace(arms.pendulum, interpreted=in_numpy)
    seen: list[float] = []

    def watched(t: float, q: Any, v: Any) -> Any:
        seen.append(t)
        return [1.0 if t >= 0.3 else 0.0]

    settings = {"method": "rk4", "step": 0.1}
    motion = simulate(arm, [0.0], [0.0], 0.5, watched, sample_period=0.1, breaks=[0.3], **settings)
    assert motion.statistics.accepted == 5
    assert len(seen) == 6
    assert seen[3] == pytest.approx(0.3)
    assert motion.tau[motion.t < 0.2999].max() == 0.0
    assert motion.tau[motion.t > 0.3001].min() == 1.0


def test_rows_at_a_break_have_the_force_from_then_on(arms: SimpleNamespace, in_numpy: bool) -> None:
    arm = dataclasses.replace(arms.double_pendulum, interpreted=in_numpy)
    times = [0.5 - 1e-9, 0.5 - 1e-16, 0.505, 0.51]
    times[1] = math.nextafter(0.5, 0.0)
    motion = simulate(arm, [1.0, 0.5], [0.0, 0.2], DURATION, pulse, breaks=JUMPS, times=times)
    pushes = motion.tau[:, 0] + motion.v[:, 0]
    np.testing.assert_allclose(pushes, [0.0, 20.0, 20.0, 0.0], atol=1e-13)


def test_steps_are_no_longer_than_max_step(arms: SimpleNamespace, in_numpy: bool) -> None:
    arm = dataclasses.replace(arms.oscillator, interpreted=in_numpy)
    loose = {"rtol": 1e-2, "atol": 1e-2}
    for method in ("dopri5",) if in_numpy else ("dopri5", "rodas4"):
        free = simulate(arm, [1.0], [0.0], 1.0, method=method, **loose)
        held = simulate(arm, [1.0], [0.0], 1.0, method=method, max_step=0.1, **loose)
        assert free.statistics.accepted < 10
        assert 10 <= held.statistics.accepted <= 14  # no sliver at the end: those at the beginning are chosen


def test_t0_shifts_time_alone(arms: SimpleNamespace, in_numpy: bool) -> None:
    arm = dataclasses.replace(arms.double_pendulum, interpreted=in_numpy)

    def at(start: float, **settings: Any) -> Motion:
        jumps = [start + 0.5, start + 0.515625]  # exact, so that they are the same ones

        def controller(t: float, q: Any, v: Any) -> Any:
            return -v + (20.0 if jumps[0] <= t < jumps[1] else 0.0)

        return simulate(arm, [1.0, 0.5], [0.0, 0.2], 1.0, controller, t0=start, breaks=jumps, **settings)

    for settings in ({"method": "rk4", "step": 0.0625}, {"sample_period": 0.125}):
        for start in (4.0, -2.0):
            now, then = at(0.0, **settings), at(start, **settings)
            assert then.t[0] == start
            assert then.statistics.t == start + 1.0
            np.testing.assert_allclose(then.q, now.q, atol=1e-12)  # times are rounded elsewhere
            np.testing.assert_allclose(then.tau, now.tau, atol=1e-11)


def test_probes_are_where_rows_are_far_apart(arms: SimpleNamespace) -> None:
    """With two rows, a push longer than a 64th of the run is found; the default rows need no probes."""
    arm = arms.pendulum
    with pytest.warns(RuntimeWarning, match="stepped over something"):
        few = simulate(arm, [0.0], [0.0], 10.0, lambda t, q, v: [float(5 <= t < 5.2)], times=[0.0, 10.0])
    assert few.statistics.looks == 64
    smooth = simulate(arm, [0.1], [0.0], 10.0, lambda t, q, v: -v)
    assert smooth.statistics.controller_calls == smooth.statistics.evaluations + 1001
