"""The arguments of a simulation, checked once: everything wrong with them is a ``ValueError`` here."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import REAL_KINDS, FloatArray, Values, finite_number, positive_number, refuse_masked
from kanegen.errors import InconsistentStateError, MissingKernelError, shown
from kanegen.kernels.checks import refuse_dead_centre
from kanegen.manifest import Constraints
from kanegen.quaternions import normalised
from kanegen.simulation.arm import (
    ENERGIES,
    Progress,
    SimulatedArm,
    active_constraints,
    constraint_units,
    needed_kernels,
)

FOREIGN = (
    *(f"scipy:{name}" for name in ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")),
    *(f"sundials:{name}" for name in ("BDF", "Adams")),
)
"""Methods of others."""

OWN = ("dopri5", "rk4", "gauss4", "rodas4")

METHODS = (*OWN, *FOREIGN)

EQUAL_STEPS = ("rk4", "gauss4")

DEFAULT_ROWS = 1001


def _none() -> FloatArray:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Request:
    """A simulation from ``t0`` to ``t_end``.

    Steps end on ``breaks``, ascending, and are no longer than ``max_step``.  At the rows and ``probes`` inside steps the
    motion is held against the dynamics.  ``events`` come with their functions; ``wrenches`` are those of
    ``checked_wrenches``.  ``every``: rows are those of each so many steps, in place of ``times``.  ``step`` is 0 for methods
    that choose their steps; ``sample_period`` is 0 where the controller is not sampled.  ``rates0`` is dq/dt at the
    beginning where there are constraints, which are to be kept to ``drift``.  ``quaternions`` are the places in q at which
    unit quaternions begin; those of ``q0`` have length one.
    """

    method: str
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
    events: tuple[Any, ...] = ()
    every: int = 0
    progress: Progress | None = None
    wrenches: tuple[Any, ...] = ()


def checked_configuration(arm: SimulatedArm, values: Values) -> FloatArray:
    """q0 (nq,) with quaternions of length one; ``ValueError`` for one of length zero."""
    q0 = checked_state("q0", arm.configuration(values) if isinstance(values, Mapping) else values, arm.nq)
    return with_unit_quaternions(arm, q0)


def with_unit_quaternions(arm: SimulatedArm, q0: FloatArray) -> FloatArray:
    """Configurations (nq,), or rows of them, with quaternions of length one; ``ValueError`` for one of length zero."""
    for start in arm.quaternions:
        zero = ~q0[..., start : start + 4].any(axis=-1)
        if zero.any():
            names = ", ".join(arm.coordinate_names[start : start + 4])
            where = f" in row {int(np.argmax(zero))}" * zero.ndim
            raise ValueError(
                f"q0: the quaternion {names} of {arm.name} is zero{where}, which is no rotation; (0, 0, 0, 1) turns nothing"
            )
    return normalised(q0, arm.quaternions)


def checked_speeds(arm: SimulatedArm, name: str, values: Values) -> FloatArray:
    """Speeds (nv,), or a ``ValueError``."""
    return checked_state(name, arm.speeds(values) if isinstance(values, Mapping) else values, arm.nv)


def checked_atol(atol: Any) -> float:
    """The absolute tolerance, or a ``ValueError``."""
    number = finite_number("atol", atol)
    if number <= 0.0:
        raise ValueError(
            f"atol must be positive, got {shown(atol)}: without it a coordinate that passes through zero would have to be "
            "exact there"
        )
    return number


def checked_rtol(rtol: Any) -> float:
    """The relative tolerance, or a ``ValueError``."""
    number = finite_number("rtol", rtol)
    if number < 0.0:
        raise ValueError(f"rtol must not be negative, got {shown(rtol)}")
    return number


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


def check_mechanism(arm: SimulatedArm) -> None:
    """Raise TypeError for what is no robot, ValueError for one that cannot move, MissingKernelError."""
    if not hasattr(arm, "nv"):
        raise TypeError(f"arm: expected a robot, as kanegen.load gives it, got {arm!r}")
    if arm.nv == 0:
        raise ValueError(
            f"{arm.name} has no degree of freedom: its equations decide its motion, and nothing is left to simulate. "
            "kanegen.trajectory(arm, times=…) follows it, and kanegen trajectory MODEL --time SECONDS"
        )
    for kernel in needed_kernels(arm):
        obtain(arm, kernel, "a simulation")


def obtain(arm: SimulatedArm, kernel: str, user: str) -> None:
    """Make sure that a kernel is there.  Raises MissingKernelError."""
    if kernel not in arm.kernels:
        arm.bind(kernel)  # a robot obtains it, or knows best why it cannot, and says so
        if kernel not in arm.kernels:
            raise MissingKernelError(f"{arm.name} has no kernel {kernel}, which {user} needs")


def checked_every(every: Any, times: Any) -> int:
    """How many steps have a row together, 0 where rows are at times of their own; ``ValueError``."""
    if every is None:
        return 0
    if times is not None:
        raise ValueError("every and times: rows are either those of steps, or at times of their own")
    return positive_count("every", every)


def checked_method(arm: SimulatedArm, method: str) -> str:
    """The method; ``ValueError`` where there is none of that name, or it cannot integrate the mechanism."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}")
    if method == "rodas4":
        reason = why_not_stiff_method(arm)
        if reason is not None:
            raise ValueError(
                f"method 'rodas4' integrates trees whose speeds are dq/dt, but {reason}. Use 'dopri5', or 'rk4' with a "
                "step; where a controller makes the motion stiff, sample it (sample_period=…)"
            )
        obtain(arm, "forward_dynamics_derivatives", "method 'rodas4'")
    if method == "gauss4":
        if not arm.lossless:
            raise ValueError(
                f"method 'gauss4' keeps the balance of energy and works, but {arm.name} loses or gains energy besides, in "
                "dampers, in friction or by motions that are prescribed. Use 'dopri5', or 'rk4' with a step"
            )
        for kernel in ENERGIES:
            obtain(arm, kernel, "method 'gauss4'")
    return method


def why_not_stiff_method(arm: SimulatedArm) -> str | None:
    """Why "rodas4" cannot integrate a mechanism; None where it can."""
    if active_constraints(arm) is not None:
        return f"{arm.name} has constraints"
    if arm.quaternions:
        return f"{arm.name} has quaternions among its coordinates"
    if not arm.speeds_are_rates:
        return f"the speeds of {arm.name} are not the rates of its coordinates"
    if arm.depends_on_time:
        return f"{arm.name} depends on time"
    return None


def checked_step(method: str, step: float | None) -> float:
    """The length of equal steps, 0 for a method that chooses them, or a ``ValueError``."""
    if method in EQUAL_STEPS:
        if step is None:
            raise ValueError(f"method {method!r} needs the length of its steps: step=…, in seconds")
        return positive_number("step", step)
    if step is not None:
        raise ValueError(
            f"step belongs to methods 'rk4' and 'gauss4' ({method!r} chooses its own steps), got {shown(step)}"
        )
    return 0.0


def checked_sample_period(period: float | None, duration: float, max_steps: int) -> float:
    """The period, 0 for None; ``ValueError`` for more samples than steps, as a step ends on each of them."""
    if period is None:
        return 0.0
    number = positive_number("sample_period", period)
    if duration / max_steps > number:
        raise ValueError(
            f"sample_period={shown(period)} asks for more than max_steps={max_steps} samples in {duration!r} s, and a step "
            "ends on each of them. Sample less often, or allow more steps"
        )
    return number


def checked_max_step(method: str, max_step: float | None) -> float:
    """The longest step, or a ``ValueError``."""
    if max_step is None:
        return math.inf
    if method in EQUAL_STEPS:
        raise ValueError(
            f"max_step belongs to methods that choose their steps; {method!r} has step, got {shown(max_step)}"
        )
    return positive_number("max_step", max_step)


def positive_count(name: str, given: Any) -> int:
    """The number of steps, or a ``ValueError``."""
    try:
        number = 0 if isinstance(given, bool | np.bool_) else operator.index(given)
    except TypeError:
        number = 0
    if not 0 < number < 2**63:
        raise ValueError(f"{name} must be a positive integer, got {shown(given)}")
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


# ---- what follows from the arguments ----

PROBES = 64
"""Where rows are further apart than this part of the run, the motion is looked at in between."""


def probes_between(rows: FloatArray, t0: float, t_end: float) -> FloatArray:
    """The times of a grid over a simulation that lie where its rows are further apart than those of the grid."""
    spacing = (t_end - t0) / PROBES
    grid = t0 + (np.arange(PROBES) + 0.5) * spacing
    after = np.searchsorted(rows, grid)
    bounds = np.concatenate([[t0], rows, [t_end]])
    return np.ascontiguousarray(grid[bounds[after + 1] - bounds[after] > spacing])


def initial_rates(
    arm: SimulatedArm, q0: FloatArray, v0: FloatArray, drift: float, t: float
) -> FloatArray | None:
    """dq/dt (nq,) of the initial state, at time t; None for a mechanism without constraints, whose state is (q, v).

    Raises InconsistentStateError where an equation of position is violated by more than ``drift``, and DeadCentreError
    where v does not determine dq/dt, or the constraints are singular.
    """
    constraints = active_constraints(arm)
    if constraints is None:
        return None
    time = [np.array(t)] * arm.depends_on_time
    units, columns = constraint_units(arm, constraints)
    if constraints.position:
        _refuse_open_loops(arm, constraints, arm.call("constraint_residual", *time, q0), units, drift)
    speeds = arm.call("generalized_speeds", *time, q0, np.vstack([np.zeros(arm.nq), np.eye(arm.nq)]))
    speed_rows = (speeds[1:] - speeds[0]).T
    refuse_dead_centre(
        arm.name,
        arm.coordinate_names,
        arm.speed_names,
        constraints.rank,
        speed_rows * columns,
        arm.call("constraint_jacobian", *time, q0) * columns,
    )
    return arm.at(t).coordinate_rates(q0, v0)


def _refuse_open_loops(
    arm: SimulatedArm, constraints: Constraints, residual: FloatArray, units: FloatArray, drift: float
) -> None:
    phi = np.abs(residual)
    worst = int(np.argmax(phi / units))
    if phi[worst] > drift * units[worst]:
        raise InconsistentStateError(
            f"q0 leaves {constraints.position[worst]} of {arm.name} open by {phi[worst]:.2g}, and drift={drift!r} is "
            f"allowed. Begin with a configuration that satisfies the constraints: q0 = robot.assemble(q0"
            f"{', t=t0' if arm.depends_on_time else ''})"
        )
