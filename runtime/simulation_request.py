"""The arguments of a simulation, checked once: everything wrong with them is a ``ValueError`` here."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import REAL_KINDS, finite_number, refuse_masked
from kanegen.constrained_start import active_constraints, initial_rates, needed_kernels
from kanegen.errors import MissingKernelError, shown
from kanegen.missed_events import probes_between
from kanegen.protocols import FloatArray, SimulatedArm
from kanegen.quaternions import normalised

Method = Literal["dopri5", "rk4", "rodas4"]

DEFAULT_ROWS = 1001


def _none() -> FloatArray:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Request:
    """A simulation from ``t0`` to ``t_end``.

    Steps end on ``breaks``, ascending, and are no longer than ``max_step``.  At the rows and ``probes`` inside steps the
    motion is held against the dynamics.  ``step`` is 0 for methods that choose their steps; ``sample_period`` is 0 where the
    controller is not sampled.  ``rates0`` is dq/dt at the beginning where there are constraints, which are to be kept to
    ``drift``.  ``quaternions`` are the places in q at which unit quaternions begin; those of ``q0`` have length one.
    """

    method: Method
    q0: FloatArray
    v0: FloatArray
    t0: float
    t_end: float
    times: FloatArray
    rtol: float
    atol: float
    step: float
    sample_period: float
    max_steps: int
    drift: float
    rates0: FloatArray | None
    quaternions: tuple[int, ...] = ()
    max_step: float = math.inf
    breaks: FloatArray = field(default_factory=_none)
    probes: FloatArray = field(default_factory=_none)


def check_request(
    arm: SimulatedArm,
    q0: ArrayLike,
    v0: ArrayLike,
    duration: float,
    *,
    method: str,
    rtol: float,
    atol: float,
    times: ArrayLike | None,
    step: float | None,
    sample_period: float | None,
    max_steps: int,
    drift: float,
    max_step: float | None,
    breaks: ArrayLike,
    t0: float,
) -> Request:
    """The request, or a ``ValueError`` that says which argument is wrong, what it was and what was expected.

    ``MissingKernelError`` where the mechanism lacks a kernel that a simulation needs, ``TypeError`` for what is no robot,
    ``DeadCentreError`` for an initial state in which speeds do not determine the motion.
    """
    _check_mechanism(arm)
    begin, end = checked_span(t0, duration)
    checked_atol = finite_number("atol", atol)
    if checked_atol <= 0.0:
        raise ValueError(
            f"atol must be positive, got {shown(atol)}: without it a coordinate that passes through zero would have to be "
            "exact there"
        )
    checked_rtol = finite_number("rtol", rtol)
    if checked_rtol < 0.0:
        raise ValueError(f"rtol must not be negative, got {shown(rtol)}")
    rows = checked_times(times, begin, end)
    bound = positive_number("drift", drift)
    start_q = _with_unit_quaternions(arm, checked_state("q0", q0, arm.nq))
    start_v = checked_state("v0", v0, arm.nv)
    checked_method = _method(method)
    if checked_method == "rodas4":
        _check_stiff_method(arm)
    most = checked_max_steps(max_steps)
    return Request(
        method=checked_method,
        q0=start_q,
        v0=start_v,
        t0=begin,
        t_end=end,
        times=rows,
        rtol=checked_rtol,
        atol=checked_atol,
        step=_step(method, step),
        sample_period=_sample_period(sample_period, end - begin, most),
        max_steps=most,
        drift=bound,
        rates0=initial_rates(arm, start_q, start_v, bound),
        quaternions=tuple(arm.quaternions),
        max_step=_max_step(method, max_step),
        breaks=checked_breaks(breaks, begin, end),
        probes=probes_between(rows, begin, end),
    )


def _with_unit_quaternions(arm: SimulatedArm, q0: FloatArray) -> FloatArray:
    """The coordinates (nq,) with quaternions of length one; ``ValueError`` for one of length zero."""
    for start in arm.quaternions:
        if not q0[start : start + 4].any():
            names = ", ".join(arm.coordinate_names[start : start + 4])
            raise ValueError(
                f"q0: the quaternion {names} of {arm.name} is zero, which is no rotation; (0, 0, 0, 1) turns nothing"
            )
    return normalised(q0, arm.quaternions)


def checked_vector(values: ArrayLike, length: int) -> FloatArray:
    """``values`` as a new contiguous array (length,) of doubles; ``ValueError`` for any other shape."""
    if values is None:
        raise ValueError(f"expected ({length},), got None")
    array = real_numbers(values)
    if array.shape != (length,):
        raise ValueError(f"expected ({length},), got {array.shape}")
    return array


def real_numbers(values: ArrayLike) -> FloatArray:
    """``values`` as a new contiguous array of doubles; ``ValueError`` for anything but real numbers."""
    refuse_masked("expected real numbers", values)
    array = np.asarray(values)
    if (
        array.dtype.kind == "O"
    ):  # numbers of Python and of other libraries: fractions, symbolic constants, large integers
        wrong = [
            x
            for x in array.flat
            if isinstance(x, bool | np.bool_ | str | bytes | complex | np.complexfloating) or x is None
        ]
        if wrong:
            raise ValueError(f"expected real numbers, got {shown(wrong[0])}")
    elif array.dtype.kind not in REAL_KINDS:
        raise ValueError(f"expected real numbers, got elements of type {array.dtype}")
    try:
        return np.array(array, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"expected real numbers, got {shown(values)} ({error})") from None


def _check_mechanism(arm: SimulatedArm) -> None:
    if not hasattr(arm, "nv"):
        raise TypeError(f"arm: expected a robot, as kanegen.load gives it, got {arm!r}")
    if arm.nv == 0:
        raise ValueError(f"{arm.name} has no degree of freedom: there is nothing to simulate")
    for kernel in needed_kernels(arm):
        _obtain(arm, kernel, "a simulation")


def _obtain(arm: SimulatedArm, kernel: str, user: str) -> None:
    """Make sure that a kernel is there.  Raises MissingKernelError."""
    if kernel not in arm.kernels:
        arm.bind(kernel)  # a robot obtains it, or knows best why it cannot, and says so
        if kernel not in arm.kernels:
            raise MissingKernelError(f"{arm.name} has no kernel {kernel}, which {user} needs")


def _method(method: str) -> Method:
    if method == "dopri5":
        return "dopri5"
    if method == "rk4":
        return "rk4"
    if method == "rodas4":
        return "rodas4"
    raise ValueError(f"method must be 'dopri5', 'rk4' or 'rodas4', got {method!r}")


def why_not_stiff_method(arm: SimulatedArm) -> str | None:
    """Why "rodas4" cannot integrate a mechanism; None where it can."""
    if active_constraints(arm) is not None:
        return f"{arm.name} has constraints"
    if arm.quaternions:
        return f"{arm.name} has quaternions among its coordinates"
    if not arm.speeds_are_rates:
        return f"the speeds of {arm.name} are not the rates of its coordinates"
    return None


def _check_stiff_method(arm: SimulatedArm) -> None:
    reason = why_not_stiff_method(arm)
    if reason is not None:
        raise ValueError(
            f"method 'rodas4' integrates trees whose speeds are dq/dt, but {reason}. Use 'dopri5', or 'rk4' with a step; "
            "where a controller makes the motion stiff, sample it (sample_period=…)"
        )
    _obtain(arm, "forward_dynamics_derivatives", "method 'rodas4'")


def positive_number(name: str, value: Any) -> float:
    """The number, or a ``ValueError``."""
    number = finite_number(name, value)
    if number <= 0.0:
        raise ValueError(f"{name} must be positive, got {shown(value)}")
    return number


def _step(method: str, step: float | None) -> float:
    if method == "rk4":
        if step is None:
            raise ValueError("method 'rk4' needs the length of its steps: step=…, in seconds")
        return positive_number("step", step)
    if step is not None:
        raise ValueError(
            f"step belongs to method 'rk4' ({method!r} chooses its own steps), got {shown(step)}"
        )
    return 0.0


def _sample_period(period: float | None, duration: float, max_steps: int) -> float:
    """0 for None.  Steps end on the samples, so that more samples than steps cannot be reached."""
    if period is None:
        return 0.0
    number = positive_number("sample_period", period)
    if duration / max_steps > number:
        raise ValueError(
            f"sample_period={shown(period)} asks for more than max_steps={max_steps} samples in {duration!r} s, and a step "
            "ends on each of them. Sample less often, or allow more steps"
        )
    return number


def _max_step(method: str, max_step: float | None) -> float:
    if max_step is None:
        return math.inf
    if method == "rk4":
        raise ValueError(
            f"max_step belongs to methods that choose their steps; 'rk4' has step, got {shown(max_step)}"
        )
    return positive_number("max_step", max_step)


def checked_max_steps(max_steps: Any) -> int:
    """The number of steps, or a ``ValueError``."""
    try:
        number = 0 if isinstance(max_steps, bool | np.bool_) else operator.index(max_steps)
    except TypeError:
        number = 0
    if not 0 < number < 2**63:
        raise ValueError(f"max_steps must be a positive integer, got {shown(max_steps)}")
    return number


def checked_state(name: str, values: ArrayLike, length: int) -> FloatArray:
    """``values`` as a new array (length,) of finite doubles, or a ``ValueError``."""
    try:
        state = checked_vector(values, length)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name}: {error}") from None
    if not np.isfinite(state).all():
        raise ValueError(f"{name} must be finite, got {shown(state.tolist())}")
    return state


def checked_span(t0: float, duration: float) -> tuple[float, float]:
    """The times at which a simulation begins and ends, or a ``ValueError``."""
    begin, length = finite_number("t0", t0), finite_number("duration", duration)
    if length < 0.0:
        raise ValueError(f"duration must not be negative, got {shown(duration)}")
    end = begin + length
    if not math.isfinite(end) or (length > 0.0 and end == begin):
        raise ValueError(
            f"t0 and duration: a time near {shown(t0)} cannot tell {shown(duration)} later from it, got t0={shown(t0)}, "
            f"duration={shown(duration)}"
        )
    return begin, end


def _time_array(name: str, values: ArrayLike) -> FloatArray:
    try:
        array = real_numbers(values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from None
    if array.ndim != 1:
        raise ValueError(f"{name}: expected (k,), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")
    return array


def checked_breaks(breaks: ArrayLike, t0: float, t_end: float) -> FloatArray:
    """The times (k,) at which a step is to end, ascending and each once; ``ValueError`` for one outside the simulation."""
    found = np.unique(_time_array("breaks", breaks))
    outside = found[(found < t0) | (found > t_end)]
    if outside.size:
        raise ValueError(
            f"breaks must lie within the simulation, from {t0!r} to {t_end!r} s, got {float(outside[0])!r}"
        )
    return found


def checked_times(times: ArrayLike | None, t0: float, t_end: float) -> FloatArray:
    """The times (k,) of the rows: as given, if they ascend from ``t0`` to ``t_end``, or by default equally spaced."""
    if times is None:
        return np.linspace(t0, t_end, DEFAULT_ROWS) if t_end > t0 else np.array([t0])
    rows = _time_array("times", times)
    falling = np.flatnonzero(np.diff(rows) <= 0.0)
    if falling.size:
        index = int(falling[0])
        raise ValueError(
            f"times must be ascending, but times[{index + 1}] = {float(rows[index + 1])!r} does not exceed "
            f"times[{index}] = {float(rows[index])!r}"
        )
    # The last one may be the end computed in another way: 3 * 0.1 exceeds 0.3.
    margin = 4.0 * float(np.finfo(np.float64).eps) * max(abs(t0), abs(t_end))
    if rows.size and (rows[0] < t0 or rows[-1] > t_end + margin):
        raise ValueError(
            f"times must lie from {t0!r} to {t_end!r} s, got {float(rows[0])!r} to {float(rows[-1])!r}"
        )
    return rows
