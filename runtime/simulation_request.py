"""The arguments of a simulation, checked once: everything wrong with them is a ``ValueError`` here."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import finite_number
from kanegen.constrained_start import active_constraints, initial_rates, needed_kernels
from kanegen.errors import MissingKernelError
from kanegen.protocols import FloatArray, SimulatedArm
from kanegen.quaternions import normalised

Method = Literal["dopri5", "rk4", "rodas4"]

DEFAULT_ROWS = 1001


@dataclass(frozen=True, eq=False)
class Request:
    """A simulation from t = 0 to ``duration``.

    ``step`` is 0 for methods that choose their steps; ``sample_period`` is 0 where the controller is not sampled.
    ``rates0`` is dq/dt at the beginning where there are constraints, which are to be kept to ``drift``.  ``quaternions``
    are the places in q at which unit quaternions begin; those of ``q0`` have length one.
    """

    method: Method
    q0: FloatArray
    v0: FloatArray
    duration: float
    times: FloatArray
    rtol: float
    atol: float
    step: float
    sample_period: float
    max_steps: int
    drift: float
    rates0: FloatArray | None
    quaternions: tuple[int, ...] = ()


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
) -> Request:
    """The request, or a ``ValueError`` that says which argument is wrong, what it was and what was expected.

    ``MissingKernelError`` where the mechanism lacks a kernel that a simulation needs, ``TypeError`` for what is no robot,
    ``DeadCentreError`` for an initial state in which speeds do not determine the motion.
    """
    _check_mechanism(arm)
    end = finite_number("duration", duration)
    if end < 0.0:
        raise ValueError(f"duration must not be negative, got {duration!r}")
    checked_atol = finite_number("atol", atol)
    if checked_atol <= 0.0:
        raise ValueError(
            f"atol must be positive, got {atol!r}: without it a coordinate that passes through zero would have to be "
            "exact there"
        )
    checked_rtol = finite_number("rtol", rtol)
    if checked_rtol < 0.0:
        raise ValueError(f"rtol must not be negative, got {rtol!r}")
    bound = positive_number("drift", drift)
    start_q = _with_unit_quaternions(arm, checked_state("q0", q0, arm.nq))
    start_v = checked_state("v0", v0, arm.nv)
    checked_method = _method(method)
    if checked_method == "rodas4":
        _check_stiff_method(arm)
    return Request(
        method=checked_method,
        q0=start_q,
        v0=start_v,
        duration=end,
        times=checked_times(times, end),
        rtol=checked_rtol,
        atol=checked_atol,
        step=_step(method, step),
        sample_period=0.0 if sample_period is None else positive_number("sample_period", sample_period),
        max_steps=checked_max_steps(max_steps),
        drift=bound,
        rates0=initial_rates(arm, start_q, start_v, bound),
        quaternions=tuple(arm.quaternions),
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
    array = np.array(values, dtype=np.float64, order="C")
    if array.shape != (length,):
        raise ValueError(f"expected ({length},), got {array.shape}")
    return array


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
        raise ValueError(f"{name} must be positive, got {value!r}")
    return number


def _step(method: str, step: float | None) -> float:
    if method == "rk4":
        if step is None:
            raise ValueError("method 'rk4' needs the length of its steps: step=…, in seconds")
        return positive_number("step", step)
    if step is not None:
        raise ValueError(f"step belongs to method 'rk4' ({method!r} chooses its own steps), got {step!r}")
    return 0.0


def checked_max_steps(max_steps: Any) -> int:
    """The number of steps, or a ``ValueError``."""
    try:
        number = operator.index(max_steps)
    except TypeError:
        number = 0
    if not 0 < number < 2**63:
        raise ValueError(f"max_steps must be a positive integer, got {max_steps!r}")
    return number


def checked_state(name: str, values: ArrayLike, length: int) -> FloatArray:
    """``values`` as a new array (length,) of finite doubles, or a ``ValueError``."""
    try:
        state = checked_vector(values, length)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name}: {error}") from None
    if not np.isfinite(state).all():
        raise ValueError(f"{name} must be finite, got {state.tolist()}")
    return state


def checked_times(times: ArrayLike | None, duration: float) -> FloatArray:
    """The times (k,) of the rows: as given, if they ascend from 0 to ``duration``, or by default equally spaced."""
    if times is None:
        return np.linspace(0.0, duration, DEFAULT_ROWS) if duration > 0.0 else np.zeros(1)
    try:
        rows = np.array(times, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"times: {error}") from None
    if rows.ndim != 1:
        raise ValueError(f"times: expected (k,), got {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("times must be finite")
    falling = np.flatnonzero(np.diff(rows) <= 0.0)
    if falling.size:
        index = int(falling[0])
        raise ValueError(
            f"times must be ascending, but times[{index + 1}] = {float(rows[index + 1])!r} does not exceed "
            f"times[{index}] = {float(rows[index])!r}"
        )
    # The last one may be the duration computed in another way: 3 * 0.1 exceeds 0.3.
    latest = duration * (1.0 + 4.0 * np.finfo(np.float64).eps)
    if rows.size and (rows[0] < 0.0 or rows[-1] > latest):
        raise ValueError(
            f"times must lie from 0 to the duration {duration!r}, got {float(rows[0])!r} to {float(rows[-1])!r}"
        )
    return rows
