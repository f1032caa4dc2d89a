"""Many simulations of a mechanism at once, in the lanes of vectors and on threads: ``simulate_many``."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kanegen.arrays import FloatArray, Values, positive_number
from kanegen.boundary import boundary
from kanegen.errors import DeadCentreError, InconsistentStateError, NotCompiledError
from kanegen.kernels.checks import refuse_dead_centre
from kanegen.kernels.live_parameters import refuse_no_names
from kanegen.kernels.threads import thread_count
from kanegen.laws import Law
from kanegen.simulation.arm import (
    SIMULATION_KERNELS,
    active_constraints,
    constraint_units,
    has_compiled_kernels,
)
from kanegen.simulation.calls_from_c import Interrupts
from kanegen.simulation.compiled import STATUSES, find_integrators
from kanegen.simulation.controllers import KernelController, law_inputs, recognize_controller
from kanegen.simulation.motion import Motion, Moved, Statistics, Status, data_frames
from kanegen.simulation.references import LawInputs, Signal, values_at
from kanegen.simulation.request import (
    check_mechanism,
    checked_atol,
    checked_breaks,
    checked_every,
    checked_max_step,
    checked_rtol,
    checked_sample_period,
    checked_span,
    checked_step,
    checked_times,
    positive_count,
    probes_between,
    real_numbers,
    with_unit_quaternions,
)

IN_LANES = ("dopri5", "rk4")
"""Methods that step in lanes."""


@dataclass(frozen=True, eq=False)
class Motions:
    """Motions of a mechanism, as many as there were simulations.

    t (k,) s: the times of the rows of each. q (n, k, nq), v (n, k, nv), tau (n, k, nv) and x (n, k, nx) as those of
    ``Motion``; rows that a simulation did not reach are not a number. status (n,): how each ended. reached (n,) s: the time
    that it came to, and final_q (n, nq), final_v (n, nv), final_x (n, nx) its state there. accepted, rejected (n,): steps.
    drift (n,): how far each was found from the constraints at most; None where there are none.
    """

    t: FloatArray
    q: FloatArray
    v: FloatArray
    tau: FloatArray
    x: FloatArray
    status: tuple[Status, ...]
    reached: FloatArray
    final_q: FloatArray
    final_v: FloatArray
    final_x: FloatArray
    accepted: NDArray[np.intp]
    rejected: NDArray[np.intp]
    drift: FloatArray | None
    of: Moved = field(repr=False)

    def __len__(self) -> int:
        """The number of simulations."""
        return len(self.status)

    def __getitem__(self, index: int) -> Motion:
        """One of them alone."""
        statistics = Statistics(
            self.status[index],
            float(self.reached[index]),
            int(self.accepted[index]),
            int(self.rejected[index]),
            0,
            0,
            compiled=True,
        )
        drift = None if self.drift is None else float(self.drift[index])
        q, v, tau, x = (array[index] for array in (self.q, self.v, self.tau, self.x))
        return Motion(self.t, q, v, tau, statistics, drift=drift, x=x, of=self.of)

    def to_pandas(self) -> Any:
        """All rows as a data frame of pandas: its index (simulation, t [s]), its columns those of ``Motion.columns``.

        Raises KanegenError where pandas is missing.
        """
        pd = data_frames()
        index = pd.MultiIndex.from_product([range(len(self)), self.t], names=["simulation", "t"])
        if not len(self):
            return pd.DataFrame(index=index)
        columns: dict[str, list[FloatArray]] = {name: [] for name, _ in self[0].columns()}
        for k in range(len(self)):
            for name, values in self[k].columns():
                columns[name].append(values)
        return pd.DataFrame({name: np.concatenate(parts) for name, parts in columns.items()}, index=index)


def simulate_many(
    arm: Any,
    q0: Values,
    v0: Values,
    duration: float,
    controller: str | None = None,
    method: str = "dopri5",
    rtol: float = 1e-9,
    atol: float = 1e-12,
    times: ArrayLike | None = None,
    step: float | None = None,
    sample_period: float | None = None,
    max_steps: int = 10_000_000,
    *,
    parameters: Mapping[str, ArrayLike] | None = None,
    threads: int = 1,
    max_step: float | None = None,
    breaks: ArrayLike = (),
    t0: float = 0.0,
    drift: float = 1e-9,
    x0: ArrayLike | None = None,
    references: Mapping[str, Any] | None = None,
    every: int | None = None,
    events: Sequence[Any] = (),
    wrenches: Mapping[str, Any] | None = None,
) -> Motions:
    """As many motions as q0 (n, nq), v0 (n, nv), x0 (n, nx) or ``parameters`` have rows, each what ``simulate`` gives.

    What is given once, without rows, is the same for all.  parameters: values (n,) of live parameters by name, gains of
    laws among them, or one number for all; they are checked as ``with_parameters`` does, and errors name the row.

    controller: None, or the name of a law that was compiled with the mechanism.  method: "dopri5", where each simulation
    chooses its own steps, or "rk4" with ``step``.

    times: the times of the rows of all; None: the end alone.  every: with "rk4", the beginning and each so many steps, in
    place of times.  threads: as many at most take part, -1 for one on each processor that this process may use; no number
    depends on how many, nor on the other simulations.  The other arguments are those of ``simulate``.

    A simulation that cannot be carried to its end stops there, and the others go on: ``Motions.status`` says how each ended.
    There are no works, and no warnings of limits, of stability and of what steps have not seen; ``simulate`` of one of them
    gives these.  Numbers are to the bit those of ``simulate`` for each alone, where the compiler contracts products and sums
    of many states as those of one (as GCC does).

    Raises what ``simulate`` raises for arguments; ValueError for rows that do not fit together, for methods and controllers
    that are not in lanes, and for events and wrenches, with the reason; NotCompiledError where the mechanism or the
    integrators are interpreted.
    """
    with boundary("simulating", getattr(arm, "name", ""), TypeError, ValueError):
        check_mechanism(arm)
        _refuse(method, controller, events, wrenches, every)
        begin, end = checked_span(t0, duration)
        most = positive_count("max_steps", max_steps)
        recognized = recognize_controller(controller, arm)
        if recognized is not None and not isinstance(recognized, KernelController):
            raise ValueError(_NO_CONTROLLER)
        parameters = {} if parameters is None else parameters
        refuse_no_names(parameters)
        values = {name: np.asarray(value) for name, value in parameters.items()}
        wrong = [name for name, value in values.items() if value.ndim > 1]
        if wrong:
            raise ValueError(
                f"parameters, {wrong[0]!r}: expected (n,) or a number, got {values[wrong[0]].shape}"
            )
        states = None if x0 is None else real_numbers(x0)
        many = states is not None and states.ndim == 2
        inputs = law_inputs(recognized, None if many else states, references or {}, end)
        x = states if many and states is not None else inputs.x0
        count, (q, v, x) = _rows_of(arm, q0, v0, x, inputs.x0.size, values)
        of_each = arm.of_states(values, looks=False, rows=count)
        each = checked_every(every, times)
        rows = np.zeros(0) if each else checked_times([end] if times is None else times, begin, end)
        kinks = inputs.kinks[(inputs.kinks > begin) & (inputs.kinks < end)]
        given = _Given(
            method=method,
            times=rows,
            every=each,
            probes=probes_between(rows, begin, end),
            controller=recognized,
            inputs=dataclasses.replace(inputs, x0=x),
            drift=positive_number("drift", drift),
            options={
                "t_begin": begin,
                "t_end": end,
                "sample_period": checked_sample_period(sample_period, end - begin, most),
                "step": checked_step(method, step),
                "max_step": _finite(checked_max_step(method, max_step)),
                "rtol": checked_rtol(rtol),
                "atol": checked_atol(atol),
                "max_steps": most,
            },
            breaks=np.union1d(checked_breaks(breaks, begin, end), kinks),
        )
        rates = _initial_rates(arm, of_each, q, v, given)
        integrators = find_integrators()
        if integrators is None or not has_compiled_kernels(arm):
            raise NotCompiledError(
                f"{arm.name}: simulations in lanes are compiled, and {'its kernels' if integrators else 'the integrators'} "
                "are not. Simulate one after another, or install a C compiler"
            )
        ends = v if rates is None else rates
        return _in_lanes(integrators, arm, of_each, q, ends, given, thread_count(threads))


_NO_CONTROLLER = (
    "controller: simulations in lanes follow laws that are compiled with the mechanism, by their names; load it with "
    "laws={'hold': kanegen.laws.pd(...)}. A function of Python, or one in C for a single state, would be called for each "
    "state alone: simulate does that"
)


@dataclass(frozen=True, eq=False)
class _Given:
    """What all simulations have in common; ``inputs.x0`` is (n, nx)."""

    method: str
    times: FloatArray
    every: int
    probes: FloatArray
    controller: KernelController | None
    inputs: LawInputs
    drift: float
    options: Mapping[str, Any]
    breaks: FloatArray

    @property
    def sampled(self) -> bool:
        return bool(self.options["sample_period"] > 0.0)


def _refuse(method: str, controller: Any, events: Any, wrenches: Any, every: Any) -> None:
    """Raise ValueError for what simulations in lanes do not do."""
    if method not in IN_LANES:
        raise ValueError(
            f"method must be one of {', '.join(map(repr, IN_LANES))} for simulations in lanes, got {method!r}: implicit "
            "methods iterate differently in each, and others' libraries know one state"
        )
    if (
        isinstance(controller, Law)
        or (controller is not None and not isinstance(controller, str))
        or "(" in str(controller)
    ):
        raise ValueError(_NO_CONTROLLER)
    if len(events):
        raise ValueError(
            "events: their conditions and actions are Python, called for one state after another. Simulate those with "
            "events one by one, or look for them in rows"
        )
    if wrenches:
        raise ValueError(
            "wrenches: they are found for one state after another. A law can exert them with the mechanism's Jacobians: "
            "quantity('frame_forces_…')"
        )
    if every is not None and method != "rk4":
        raise ValueError(
            "every: simulations that choose their own steps have rows of their own; give times=, which all have in common"
        )


def _finite(longest: float) -> float:
    return 0.0 if math.isinf(longest) else longest


def _rows_of(
    arm: Any, q0: Values, v0: Values, x0: FloatArray, nx: int, parameters: Mapping[str, NDArray[Any]]
) -> tuple[int, tuple[FloatArray, FloatArray, FloatArray]]:
    """The number of simulations, and new arrays (n, …) of where they begin.  Raises ValueError."""
    given = {
        "q0": (real_numbers(arm.configuration(q0) if isinstance(q0, Mapping) else q0), arm.nq),
        "v0": (real_numbers(arm.speeds(v0) if isinstance(v0, Mapping) else v0), arm.nv),
        "x0": (x0, nx),
    }
    counts: dict[str, int] = {}
    for name, (array, size) in given.items():
        if array.ndim not in (1, 2) or array.shape[-1] != size:
            raise ValueError(f"{name}: expected ({size},) or (n, {size}), got {array.shape}")
        rows = np.argwhere(~np.isfinite(array))
        if rows.size:
            row = f" in row {rows[0][0]}" if array.ndim == 2 else ""
            raise ValueError(f"{name} must be finite, got {float(array[tuple(rows[0])])!r}{row}")
        counts |= {name: len(array)} if array.ndim == 2 else {}
    counts |= {f"parameters, {name!r}": len(value) for name, value in parameters.items() if value.ndim}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name}: {count}" for name, count in counts.items())
        raise ValueError(f"simulations: expected as many rows everywhere, or none, got {listed}")
    count = next(iter(counts.values()), 1)
    q, v, x = (np.array(np.broadcast_to(array, (count, size))) for array, size in given.values())
    return count, (with_unit_quaternions(arm, q), v, x)


def _initial_rates(arm: Any, of_each: Any, q: FloatArray, v: FloatArray, given: _Given) -> FloatArray | None:
    """dq/dt (n, nq) where there are constraints, which all states have to satisfy: see ``request.initial_rates``."""
    constraints = active_constraints(arm)
    if constraints is None or not len(q):
        return None if constraints is None else np.zeros_like(q)
    time = [np.array(given.options["t_begin"])] * arm.depends_on_time
    units, columns = constraint_units(arm, constraints)
    places = q[:, None, :]
    if constraints.position:
        phi = np.abs(of_each.call("constraint_residual", *time, places))[:, 0]
        open_by = phi / units
        row, worst = (int(i) for i in np.unravel_index(int(np.argmax(open_by)), phi.shape))
        if open_by[row, worst] > given.drift:
            raise InconsistentStateError(
                f"q0, row {row}, leaves {constraints.position[worst]} of {arm.name} open by {phi[row, worst]:.2g}, and "
                f"drift={given.drift!r} is allowed. Begin with configurations that satisfy the constraints: "
                "q0 = robot.assemble(q0)"
            )
    unit = np.vstack([np.zeros(arm.nq), np.eye(arm.nq)])
    speeds = of_each.call("generalized_speeds", *time, places, unit[None])
    jacobians = of_each.call("constraint_jacobian", *time, places)[:, 0]
    for row, (found, jacobian) in enumerate(zip(speeds, jacobians, strict=True)):
        try:
            names = arm.name, arm.coordinate_names, arm.speed_names
            refuse_dead_centre(
                *names, constraints.rank, (found[1:] - found[0]).T * columns, jacobian * columns
            )
        except DeadCentreError as error:
            raise DeadCentreError(f"row {row}: {error}") from None
    rates: FloatArray = of_each.at(given.options["t_begin"]).coordinate_rates(places, v[:, None, :])[:, 0]
    return np.ascontiguousarray(rates)


def _in_lanes(
    integrators: Any, arm: Any, of_each: Any, q: FloatArray, rates: FloatArray, given: _Given, threads: int
) -> Motions:
    """All of them by the C of ``kanegen_many.h``; ``rates``: v, or dq/dt with constraints."""
    ffi, lib = integrators.ffi, integrators.lib
    constraints, law = active_constraints(arm), given.controller
    x, signals = given.inputs.x0.copy(), given.inputs.signals
    count, nx = x.shape
    kept: list[Any] = []

    def doubles(array: FloatArray) -> Any:
        return ffi.from_buffer("double[]", array)

    system, stopped = ffi.new("kanegen_many_system *"), ffi.new("int *", 0)
    interrupts = Interrupts(stopped)
    kept.append(ffi.new_handle(interrupts))
    system.stop, system.pause, system.pause_data = stopped, lib.kanegen_python_pause, kept[-1]
    starts = ffi.new("size_t[]", list(arm.quaternions))
    system.nq, system.nv, system.quaternion_count, system.quaternions = arm.nq, arm.nv, len(starts), starts
    system.states, system.signals, system.timed = nx, len(signals), arm.depends_on_time
    system.drift = given.drift
    if constraints is not None:
        units = [ffi.new("double[]", x.tolist()) for x in constraint_units(arm, constraints)]
        kept += units
        system.units, system.coordinate_units = units
    system.signal = _signals(ffi, signals, kept)
    kernels = {"forward_dynamics": "forward_dynamics"}
    kernels |= {} if arm.speeds_are_rates else {"coordinate_rates": "coordinate_rates"}
    if constraints is not None:
        system.position, system.rows = len(constraints.position), len(constraints.velocity)
        residual = ["constraint_residual"] * bool(constraints.position)
        kernels = {name: name for name in (*SIMULATION_KERNELS, *residual)}
    if law is not None:
        kernels["law"] = law.name
        closed = f"closed_loop_{law.name}"
        kernels |= {"closed_loop": closed} if closed in arm.kernels else {}
    columns = {place: of_each.columns(name) for place, name in kernels.items()}

    capacity = given.times.size
    if given.every:
        o, most = given.options, given.breaks.size + 2.0
        most += (o["t_end"] - o["t_begin"]) / (o["sample_period"] or math.inf)
        capacity = int(((o["t_end"] - o["t_begin"]) / o["step"] + 2 * most) / given.every) + 2
    half = rates.shape[1]
    shapes = (arm.nq, half, nx, arm.nv if given.sampled else 0)
    row_q, row_v, row_x, row_tau = (np.full((count, capacity, size), np.nan) for size in shapes)
    row_t = np.full((count, capacity if given.every else 0), np.nan)
    options = ffi.new("kanegen_options *", dict(given.options))
    options.break_count, options.breaks = given.breaks.size, doubles(given.breaks)
    outcomes = ffi.new("kanegen_outcome[]", count)
    q, rates = q.copy(), rates.copy()
    for place, found in columns.items():
        kernel = getattr(system, place)
        kernel.call = ffi.cast("kanegen_columns *", found.address)
        kernel.prepared, kernel.prepared_size = ffi.cast("char *", found.prepared), found.size
    rows = ffi.new(
        "kanegen_many_rows *",
        {
            "count": capacity,
            "t": doubles(given.times),
            "every": given.every,
            "step_t": doubles(row_t),
            "q": doubles(row_q),
            "v": doubles(row_v),
            "x": doubles(row_x),
            "tau": doubles(row_tau) if given.sampled else ffi.NULL,
            "probe_count": given.probes.size if law is not None and not given.sampled else 0,
            "probes": doubles(given.probes),
        },
    )
    states = doubles(q), doubles(rates), doubles(x)
    done = lib.kanegen_many(
        given.method == "dopri5", system, options, count, *states, rows, outcomes, threads
    )
    interrupts.raise_error()
    if done == lib.KANEGEN_STOPPED:
        raise MemoryError("no memory for the states of 32 simulations")
    times = given.times
    if given.every:
        longest = max(range(count), key=lambda k: outcomes[k].rows, default=0)
        reached = outcomes[longest].rows if count else 0
        times = row_t[longest, :reached].copy() if count else np.zeros(0)
        row_q, row_v, row_x, row_tau = (a[:, :reached] for a in (row_q, row_v, row_x, row_tau))
    ends = np.array([outcomes[k].t for k in range(count)])
    row_v, final_v = (
        _speeds(arm, of_each, t, *state)
        for t, *state in ((times, row_q, row_v), (ends[:, None], q[:, None], rates[:, None]))
    )
    statuses = [STATUSES[ffi.string(ffi.cast("kanegen_status", outcomes[k].status))] for k in range(count)]
    return Motions(
        t=times,
        q=row_q,
        v=row_v,
        tau=row_tau if given.sampled else _forces(arm, of_each, given, times, row_q, row_v, row_x),
        x=row_x,
        status=tuple(statuses),
        reached=ends,
        final_q=q,
        final_v=final_v[:, 0],
        final_x=x,
        accepted=np.array([outcomes[k].accepted for k in range(count)], dtype=np.intp),
        rejected=np.array([outcomes[k].rejected for k in range(count)], dtype=np.intp),
        drift=None if constraints is None else np.array([outcomes[k].drift for k in range(count)]),
        of=_moved(arm),
    )


def _signals(ffi: Any, signals: Sequence[Signal], kept: list[Any]) -> Any:
    fields = [
        {
            "pieces": len(signal.coefficients),
            "knots": ffi.from_buffer("double[]", signal.knots),
            "coefficients": ffi.from_buffer("double[]", signal.coefficients),
        }
        for signal in signals
    ]
    kept.extend([ffi.new("kanegen_signal[]", fields), fields])
    return kept[-2]


def _moved(arm: Any) -> Moved:
    return Moved(arm.name, tuple(arm.coordinate_names), tuple(arm.speed_names), dict(arm.joint_limits))


def _speeds(arm: Any, of_each: Any, t: FloatArray, q: FloatArray, rates: FloatArray) -> FloatArray:
    """The speeds v of rows (n, k, …): themselves, or those that rates are with constraints."""
    if active_constraints(arm) is None:
        return rates
    time = [t] * arm.depends_on_time
    return np.asarray(of_each.call("generalized_speeds", *time, q, rates))


def _forces(
    arm: Any, of_each: Any, given: _Given, t: FloatArray, q: FloatArray, v: FloatArray, x: FloatArray
) -> FloatArray:
    """The forces of the law (n, k, nv) in rows."""
    if given.controller is None:
        return np.where(np.isfinite(q).all(axis=-1, keepdims=True), np.zeros_like(v), np.nan)
    signals = [np.array([values_at(given.inputs.signals, float(time)) for time in t])] * bool(
        given.inputs.signals
    )
    found = of_each.call(given.controller.name, t, q, v, *[x] * bool(x.shape[-1]), *signals)
    tau: FloatArray = found[0] if isinstance(found, tuple) else found
    return np.where(np.isfinite(q).all(axis=-1, keepdims=True), tau, np.nan)
