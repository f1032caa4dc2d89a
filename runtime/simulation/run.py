"""Simulation of a mechanism under a controller: ``simulate``."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, Values, passed, positive_number
from kanegen.boundary import boundary
from kanegen.errors import DeadCentreError, IntegrationError, NotCompiledError, counted
from kanegen.followers import Coupling, with_followers
from kanegen.model_warnings import warn
from kanegen.simulation.arm import (
    ControllerFunction,
    Progress,
    SimulatedArm,
    active_constraints,
    has_compiled_kernels,
)
from kanegen.simulation.compiled import find_integrators, simulate_in_c
from kanegen.simulation.controllers import as_python, law_inputs, recognize_controller
from kanegen.simulation.events import Event, checked_events
from kanegen.simulation.foreign_methods import check_library
from kanegen.simulation.hints import limited_by_stability, stepped_over, stiffness_hint
from kanegen.simulation.motion import EnergyOf, Motion, Moved, Status
from kanegen.simulation.numpy_methods import simulate_in_numpy
from kanegen.simulation.request import (
    FOREIGN,
    Request,
    check_mechanism,
    checked_atol,
    checked_breaks,
    checked_configuration,
    checked_every,
    checked_max_step,
    checked_method,
    checked_rtol,
    checked_sample_period,
    checked_span,
    checked_speeds,
    checked_step,
    checked_times,
    initial_rates,
    positive_count,
    probes_between,
    why_not_stiff_method,
)
from kanegen.simulation.wrenches import checked_wrenches, kinks_of

_FAR = 0.3
"""Rotation [rad] of a link's end, or displacement over its distance, from which on a motion is said to bend it too far."""


def simulate(
    arm: SimulatedArm,
    q0: Values,
    v0: Values,
    duration: float,
    controller: ControllerFunction | str | Any | None = None,
    method: str = "dopri5",
    rtol: float = 1e-9,
    atol: float = 1e-12,
    times: ArrayLike | None = None,
    step: float | None = None,
    sample_period: float | None = None,
    max_steps: int = 10_000_000,
    *,
    max_step: float | None = None,
    breaks: ArrayLike = (),
    t0: float = 0.0,
    drift: float = 1e-9,
    controller_data: Any = None,
    x0: ArrayLike | None = None,
    references: Mapping[str, Any] | None = None,
    events: Sequence[Event] = (),
    every: int | None = None,
    progress: Progress | None = None,
    wrenches: Mapping[str, Any] | None = None,
) -> Motion:
    """The motion from the state q0 (nq,), v0 (nv,) at t = t0 to t = t0 + duration, in seconds.

    controller: what gives tau (nv,), in N m or N. One of

    - None: tau = 0;
    - a callable ``controller(t, q, v) -> tau``, given arrays that it may keep;
    - a law of ``kanegen.laws``, or its text, as ``"pd(kp=100, kd=20)"``;
    - the name of a kernel of the mechanism with inputs t, q, v and output tau, compiled with it, or of a law with states;
    - a C function: a cffi pointer to ``void (double t, const double *q, const double *v, double *tau, void *data)``
      or its address (data is ``controller_data``, a cffi pointer or an address), or a cffi pointer to a function of
      a kernel's form, ``void (const double *t, const double *q, const double *v, double *tau)``. Functions of a cffi
      module are handed over as ``ffi.addressof(lib, "name")``.

    method: "dopri5" (Dormand and Prince, order 5(4)) chooses its steps so that the error of each is about
    atol + rtol |y|, as the root mean square over y = (q, v). "rk4" (Runge-Kutta, order 4) takes the fewest equal steps
    no longer than ``step``. "gauss4" (Gauss, order 4, implicit) takes such steps as well, and scales the rates after each
    so that energy less works stays what it was to rounding, for any number of steps; it needs ``arm.lossless``.
    "rodas4" (Rosenbrock, order 4(3), L-stable) chooses its steps as "dopri5" does and is for stiff motions: their fast
    parts, such as the modes of flexible links, stop limiting the steps once they are damped below the tolerance. It takes
    the derivatives of the accelerations from the kernel ``forward_dynamics_derivatives``, calls a controller that is not
    sampled 2 nv + 5 times more in each step, at states beside the motion, and needs v = dq/dt: no constraints, no
    quaternions. "scipy:DOP853" (RK45, RK23, Radau, BDF, LSODA), "sundials:BDF" and "sundials:Adams" are integrators of
    others, for checks, with rtol, atol and max_step; KanegenError where their library is missing.

    times: the times of the rows, ascending, from t0 to t0 + duration; the motion has exactly these. They do not influence
    the steps. None: 1001 equally spaced ones, both ends included (a single one for duration 0).

    sample_period: None: the controller is called wherever the method needs tau, once for every row, and at up to 64 times
    more where rows are far apart. Otherwise it is called at t = t0 + k sample_period, k = 0, 1, …, with the state there, up
    to the end and including it, and at no other time; tau is held in between, and the steps end on these instants.

    breaks: the times, in any order, at which tau may jump. A step ends at each of them and sees tau as it is just before:
    the controller is called with the largest double below that time. The next begins with tau as it is from then on.

    max_step: s; the longest step of a method that chooses its steps. An event shorter than the steps can be stepped over:
    give its times as breaks, or no longer steps than it lasts.

    events: each ``kanegen.Event`` is met where its condition passes through zero, located as exactly as the motion is
    integrated; a step ends there.  ``Motion.events`` has what happened.  Its action may give another state to go on from,
    which has to close the loops (InconsistentStateError), or the motion ends there: it has the rows up to then, and
    ``Motion.statistics.status`` is ``Status.EVENT``.  Conditions are looked at in four places of each step, and where a
    parabola through these comes nearest to zero: what passes there and back unseen by this is met where ``max_step`` is
    shorter.  Needs compiled integrators.

    every: rows are, in place of those at ``times``, the beginning and each so many steps (that end at instants and events as
    well); C keeps a thousand of them at a time, however many steps there are.

    progress: called with the time that is reached, some twenty times a second; what is true ends the motion, whose status is
    ``Status.STOPPED``.

    wrenches: what others exert on frames, ``{frame: wrench}``: force [N], then moment about the frame's origin [N m], along
    the axes of the base, beside tau and also under sampled control. Six numbers, or expressions as of events; a table
    (times, values (k, 6)), cubic or, with "linear" as a third entry, in straight lines, which keeps its first and last
    values outside; a callable ``wrench(t, q, v)`` that returns six numbers; or a C function of one of the forms of a
    controller, which writes them in place of tau.  Their works follow those of the forces in ``Motion.work``.

    max_steps: accepted and rejected steps together.

    drift: for a mechanism with loops, rolling contacts or other constraints. Every state and row of the motion satisfies
    the equations of position to within this, in rad or the mechanism's own unit of length (a metre from 3 cm to 32 m),
    and the equations of velocity to within this times the largest rate (or one); ``Motion.drift`` is how far they were
    found to be off. The state integrated is (q, dq/dt), projected onto the constraints after each step, so that the
    motion passes through dead centres of the speeds v; it cannot begin at one (``DeadCentreError``). q0 must satisfy the
    equations to within drift (``InconsistentStateError``): ``arm.assemble(q0)`` gives one that does.
    ``IntegrationError``: a step led so far from the constraints that they cannot be reached again.

    A tau that jumps with the state, such as dry friction written as sign(v), makes "dopri5" hunt for the jump with ever
    shorter steps until max_steps are used up. Smooth it, as tanh(v / v_0) with a v_0 below the speeds of interest; the
    steps then stay above about v_0 over the acceleration that the friction causes. Or sample it, or use "rk4".

    A motion that cannot be carried to its end (``Motion.statistics.status`` says why) is returned as far as it came,
    the rows after that not a number, with a ``RuntimeWarning``; one that begins where a spring or a damper has no direction
    is a ``DeadCentreError``, as its call is. There is a warning, too, where stability kept the steps of
    "dopri5" short or those of "rk4" were too long for it; it names the fastest mode of flexible links. And there is one,
    with a time, where a row (or, with rows far apart, one of 64 times of the run) shows that a force acted which the steps
    have not seen: dy/dt of the interpolated motion is not that of the dynamics there, by far more than the tolerance leaves
    (with "rk4", which has none: by over a third of what its stages differ by, where tau jumps or turns with time alone).
    What acts between these times is not seen, and where tau does not vary between steps nothing is looked for.

    An exception of a Python controller comes through, with its traceback. Arguments that are wrong raise ``ValueError``; so
    does a controller's result that is not (nv,). ``MissingKernelError``: the mechanism lacks a kernel that this needs.

    The work is done in C, which calls Python for a Python controller and for the kernels of an interpreted mechanism, with
    the interpreter lock released otherwise. Where there is no compiled integrator (said by a ``RuntimeWarning`` for a
    compiled mechanism), the same schemes run in NumPy, but for "rodas4" and events (``NotCompiledError``).
    """
    with boundary("simulating", getattr(arm, "name", ""), TypeError, ValueError):
        check_mechanism(arm)
        begin, end = checked_span(t0, duration)
        each = checked_every(every, times)
        rows = np.zeros(0) if each else checked_times(times, begin, end)
        bound = positive_number("drift", drift)
        start_q, start_v = checked_configuration(arm, q0), checked_speeds(arm, "v0", v0)
        most = positive_count("max_steps", max_steps)
        request = Request(
            method=checked_method(arm, method),
            q0=start_q,
            v0=start_v,
            t0=begin,
            t_end=end,
            times=rows,
            rtol=checked_rtol(rtol),
            atol=checked_atol(atol),
            step=checked_step(method, step),
            sample_period=checked_sample_period(sample_period, end - begin, most),
            max_steps=most,
            drift=bound,
            rates0=initial_rates(arm, start_q, start_v, bound, begin),
            quaternions=tuple(arm.quaternions),
            max_step=checked_max_step(method, max_step),
            breaks=checked_breaks(breaks, begin, end),
            probes=probes_between(rows, begin, end),
            events=checked_events(arm, events),
            every=each,
            progress=progress,
            wrenches=checked_wrenches(arm, wrenches),
        )
        recognized = recognize_controller(controller, arm, controller_data)
        inputs = law_inputs(recognized, x0, references or {}, end)
        kinks = np.concatenate([inputs.kinks, kinks_of(request.wrenches)])
        inside = kinks[(kinks > begin) & (kinks < end)]
        request = dataclasses.replace(request, breaks=np.union1d(request.breaks, inside))
        is_foreign = request.method in FOREIGN
        if is_foreign:
            check_library(request)
        integrators = None if is_foreign else find_integrators()
        if integrators is not None:
            motion = simulate_in_c(integrators, arm, request, recognized, inputs)
        elif request.method == "rodas4" or request.events:
            what = "method 'rodas4' is" if request.method == "rodas4" else "events are"
            raise NotCompiledError(
                f"{what} compiled, and the compiled integrators are missing. Install kanegen again where there "
                "is a C compiler and the headers of Python, or use 'dopri5' without events"
            )
        else:
            if has_compiled_kernels(arm) and not is_foreign:
                warnings.warn(
                    "the compiled integrators are missing: simulating with NumPy, which is slow. Install kanegen again "
                    "where there is a C compiler and the headers of Python.",
                    RuntimeWarning,
                    stacklevel=2,
                )
            motion = simulate_in_numpy(arm, request, as_python(recognized, arm, inputs), inputs.x0)
    statistics = motion.statistics
    if statistics.status is Status.OPEN:
        raise IntegrationError(
            f"the simulation of {arm.name} left the constraints after t = {statistics.t!r} s: the next state could not "
            f"be brought back to within drift={request.drift!r}. Take smaller steps (rtol, atol, step) or allow more "
            "drift; at a singular configuration, where the mechanism can go on in different ways, neither helps",
            statistics.t,
        )
    told = []
    if statistics.status in (Status.EVENT, Status.STOPPED):
        motion = motion.within(motion.t <= statistics.t)
    elif statistics.status is not Status.DONE:
        told.append(
            f"the simulation of {arm.name} ended at t = {statistics.t!r} s instead of {request.t_end!r} s: "
            f"{statistics.status.value}{_instead_of_shorter_steps(arm, statistics.status)}"
        )
        _refuse_singular_start(arm, motion)
    if statistics.defect > 1.0 and statistics.status is not Status.NOT_FINITE:
        told.append(stepped_over(arm.name, request.method, statistics.defect_t))
    if limited_by_stability(arm, request, statistics):
        told.append(stiffness_hint(arm, request, motion))
    if told:
        warnings.warn(". ".join(told), RuntimeWarning, stacklevel=2)
    if statistics.status is Status.DONE:
        _warn_of_large_deflections(arm, motion)
    limits = dict(getattr(arm, "joint_limits", {}))
    frames = tuple(wrench.frame for wrench in request.wrenches)
    moved = Moved(arm.name, tuple(arm.coordinate_names), tuple(arm.speed_names), limits, frames)
    _warn_of_limits(moved, dict(getattr(arm, "followers", {})), motion)
    return dataclasses.replace(motion, energy_of=_energy_of(arm), of=moved, arm=arm)


def _instead_of_shorter_steps(arm: SimulatedArm, status: Status) -> str:
    """What may help where steps were too long to be solved for."""
    if status is not Status.NOT_SOLVED:
        return ""
    if why_not_stiff_method(arm) is None:
        return ", or 'rodas4' for stiff motions"
    singular = (
        "; at a singular configuration, where the mechanism can go on in different ways, they do not help"
    )
    return singular if active_constraints(arm) is not None else ""


def _refuse_singular_start(arm: SimulatedArm, motion: Motion) -> None:
    """Raise DeadCentreError, as a call does, where a motion ended because forces have no value where it began."""
    if motion.statistics.status is Status.NOT_FINITE and motion.statistics.t == 0:
        arm.at(motion.t[0]).forward_dynamics(motion.q[0], motion.v[0], np.zeros_like(motion.v[0]))


def _warn_of_large_deflections(arm: SimulatedArm, motion: Motion) -> None:
    """Flexible links are modelled for small deflections; say where a motion led far beyond, by what their ends do."""
    for link, modes in arm.link_ends.items():
        places = [list(arm.coordinate_names).index(mode) for mode in modes]
        ends = motion.q[:, places] @ np.array(list(modes.values()))
        turn, shift = (
            float(np.nanmax(np.linalg.norm(x, axis=1), initial=0.0)) for x in (ends[:, :3], ends[:, 3:])
        )
        if max(turn, shift) > _FAR:
            warnings.warn(
                f"the simulation of {arm.name} bends a link far: the end of {link} turns by {turn:.3g} rad and moves by "
                f"{shift:.3g} of its distance; the model is for small deflections, up to about 0.2, and its results are not "
                "to be trusted there",
                RuntimeWarning,
                stacklevel=3,
            )
            return


def _warn_of_limits(moved: Moved, following: Mapping[str, Coupling], motion: Motion) -> None:
    """Say which joint is the first to be beyond its range in a row, where no stop keeps it there."""
    found = []
    joints = with_followers(moved.coordinates, motion.q, following)
    for name, limits in moved.limits.items():
        if name not in joints:
            continue
        values = joints[name]
        lower, upper = (
            None if stopped else end
            for end, stopped in ((limits.lower, limits.stops_below), (limits.upper, limits.stops_above))
        )
        rows = np.flatnonzero(passed(values, lower, upper))
        if rows.size:
            found.append((float(motion.t[rows[0]]), name, float(values[rows[0]]), limits))
    if found:
        t, name, value, limits = min(found, key=lambda first: first[0])
        more = "" if len(found) == 1 else f", and {counted(len(found) - 1, 'other joint')} later"
        follows = f", which follows {following[name].leader}," if name in following else ""
        warn(
            f"the simulation of {moved.name} passes a limit: joint {name}{follows} is at {value:.6g} at t = {t:.6g} s, and "
            f"its range is {limits.lower} to {limits.upper}{more}. Limits are data, which nothing here enforces: "
            "stops do (force_laws.with_joint_stops)"
        )


def _energy_of(arm: SimulatedArm) -> EnergyOf | None:
    """What gives the kinetic and potential energy of rows t, q, v (k,), J; not a number on a dead centre of the speeds."""
    if not {"kinetic_energy", "potential_energy"} <= set(arm.kernels):
        return None

    def energy(t: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
        now = arm.at(t)
        try:
            total: FloatArray = now.kinetic_energy(q, v) + now.potential_energy(q)
        except DeadCentreError:
            if len(q) == 1:
                return np.full(1, np.nan)
            return np.concatenate([energy(t[i : i + 1], q[i : i + 1], v[i : i + 1]) for i in range(len(q))])
        return total

    return energy
