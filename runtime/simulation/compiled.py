"""Simulation by the C integrators of the extension ``kanegen._integrators``, over compiled or interpreted kernels.

The interpreter lock is released for the whole run and taken back only while Python is being called: a controller, kernels
that are interpreted, and some twenty times a second a look for signals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.csrc import extensions
from kanegen.csrc.sources import KERNELS
from kanegen.simulation.arm import (
    ENERGIES,
    SIMULATION_KERNELS,
    SimulatedArm,
    active_constraints,
    constraint_units,
    has_compiled_kernels,
)
from kanegen.simulation.calls_from_c import (
    Callback,
    Interrupts,
    KernelCalls,
    PythonCalls,
    RowsOfSteps,
    with_python_functions,
)
from kanegen.simulation.controllers import (
    CController,
    CLaw,
    Controller,
    KernelController,
    PythonController,
    as_python,
)
from kanegen.simulation.events import EventCalls
from kanegen.simulation.motion import Motion, Statistics, Status
from kanegen.simulation.references import LawInputs, Signal
from kanegen.simulation.request import Request

_DERIVATIVES = "forward_dynamics_derivatives"
"""Generated when first asked for, so that they may have a struct of prepared values of their own."""


ROOM = 1000
"""Rows of steps that C writes before they are taken."""


def find_integrators() -> ModuleType | None:
    """The extension, told what its calls of Python are; None where there is none that was compiled from these sources."""
    module = extensions.integrators()
    return None if module is None else with_python_functions(module)


def simulate_in_c(
    integrators: ModuleType, arm: SimulatedArm, request: Request, controller: Controller, inputs: LawInputs
) -> Motion:
    """Run the request in C. What is raised in Python meanwhile is raised again once C has returned."""
    ffi, lib = integrators.ffi, integrators.lib
    rows = ROOM if request.every else request.times.size
    q = request.q0.copy()
    v = (request.v0 if request.rates0 is None else request.rates0).copy()
    x = inputs.x0.copy()
    widths = (arm.nq, arm.nv, arm.nv, arm.nv + len(request.wrenches), x.size)
    row_q, row_v, row_tau, row_work, row_x = columns = [np.full((rows, width), np.nan) for width in widths]
    row_t = np.empty(rows) if request.every else request.times
    kept: list[Any] = []  # what C refers to

    def new(kind: str, **fields: Any) -> Any:
        kept.append(ffi.new(f"kanegen_{kind} *", fields))
        return kept[-1]

    def handle(python: object) -> Any:
        kept.append(ffi.new_handle(python))
        return kept[-1]

    def doubles(array: FloatArray) -> Any:
        return ffi.from_buffer("double[]", array)

    def signals_in_c(signals: Sequence[Signal]) -> Any:
        fields = [
            {
                "pieces": len(signal.coefficients),
                "knots": doubles(signal.knots),
                "coefficients": doubles(signal.coefficients),
            }
            for signal in signals
        ]
        kept.extend([ffi.new("kanegen_signal[]", fields), fields])
        return kept[-2]

    def in_time(names: Mapping[str, str], place: Any) -> Any:
        """What the functions of a mechanism that depends on time take first, by their names in C and in the mechanism."""
        (address,) = {arm.prepared_address_of(name) for name in names.values()}
        of = new("timed", t=time, prepared=ffi.cast("const void *", address or 0))
        for kernel, name in names.items():
            setattr(of, kernel, ffi.cast("kanegen_function *", arm.kernel_address(name)))
            setattr(place, f"prepared_{kernel}", getattr(lib, f"kanegen_timed_{kernel}"))
        return of

    stop = ffi.new("int *", 0)
    starts = ffi.new("size_t[]", list(request.quaternions))
    done = new("statistics")
    of_steps = RowsOfSteps([row_t, *columns], stop)
    python: list[Callback] = [Interrupts(stop, done, request.progress), of_steps]
    system = new(
        "system",
        nq=arm.nq,
        nv=arm.nv,
        quaternion_count=len(request.quaternions),
        quaternions=starts,
        stop=stop,
        pause=lib.kanegen_python_pause,
        pause_data=handle(python[0]),
    )
    time = None
    if arm.depends_on_time:
        kept.append(ffi.new("double *", request.t0))
        system.time = time = kept[-1]
    constraints = active_constraints(arm)
    if constraints is None:
        place = system
        kernels = ["forward_dynamics"] + ["coordinate_rates"] * (not arm.speeds_are_rates)
        kernels += [_DERIVATIVES] * (request.method == "rodas4")
        stiff = "stiff_" if request.method == "rodas4" else ""
        size = getattr(lib, f"kanegen_{stiff}workspace_size")(arm.nq, arm.nv)
    else:
        sizes = len(constraints.position), len(constraints.velocity)
        place = new("constraints", position=sizes[0], rows=sizes[1], drift=request.drift)
        units = [ffi.new("double[]", x.tolist()) for x in constraint_units(arm, constraints)]
        kept += units
        place.units, place.coordinate_units = units
        kernels = [*SIMULATION_KERNELS, *["constraint_residual"] * bool(constraints.position)]
        size = lib.kanegen_constrained_workspace_size(arm.nq, arm.nv, *sizes)
        system.constraints = place
    if has_compiled_kernels(arm) and time is not None:
        system.prepared = in_time(dict(zip(kernels, kernels, strict=True)), place)
    elif has_compiled_kernels(arm):
        for kernel in kernels:
            field = "prepared_derivatives" if kernel == _DERIVATIVES else "prepared"
            _set_function(ffi, place, arm, kernel, kernel, system, field)
    else:
        python.append(KernelCalls(ffi, arm, dict(zip(kernels, kernels, strict=True)), stop, time))
        system.prepared = system.prepared_derivatives = handle(python[-1])
        for kernel in kernels:
            setattr(place, f"prepared_{kernel}", getattr(lib, f"kanegen_python_{kernel}"))
    if request.method == "gauss4":
        system.energies = energies = new("energies")
        if has_compiled_kernels(arm):
            for kernel, field in zip(ENERGIES, ("prepared_kinetic", "prepared_potential"), strict=True):
                _set_function(ffi, energies, arm, kernel, kernel, energies, field)
        else:
            python.append(KernelCalls(ffi, arm, dict(zip(ENERGIES, ENERGIES, strict=True)), stop))
            energies.prepared_kinetic = energies.prepared_potential = handle(python[-1])
            for kernel in ENERGIES:
                setattr(energies, f"prepared_{kernel}", getattr(lib, f"kanegen_python_{kernel}"))
    general = new("general_law", states=x.size, x=doubles(x))
    in_python = isinstance(controller, KernelController) and not has_compiled_kernels(arm)
    if isinstance(controller, PythonController) or in_python:
        force = as_python(controller, arm, inputs)
        assert force is not None  # there is a controller
        python.append(PythonCalls(ffi, arm, force, arm.nv, x.size, stop))
        if x.size:
            general.written, general.data = lib.kanegen_python_law, handle(python[-1])
            system.general_law = general
        else:
            system.controller, system.controller_data = lib.kanegen_python_controller, handle(python[-1])
    elif isinstance(controller, KernelController) and (x.size or inputs.signals or time is not None):
        _set_general_law(ffi, general, arm, controller.name)
        general.signals, general.signal = len(inputs.signals), signals_in_c(inputs.signals)
        system.general_law = general
    else:
        _set_c_controller(ffi, system, arm, controller)
    acting = ffi.new("kanegen_wrench[]", len(request.wrenches))
    system.wrench_count, system.wrenches = len(request.wrenches), acting
    size += lib.kanegen_wrench_workspace_size(arm.nv, len(request.wrenches))
    for wrench, place in zip(request.wrenches, acting, strict=True):
        if has_compiled_kernels(arm) and time is not None:
            place.prepared = in_time({"frame_jacobian": wrench.jacobian}, place)
        elif has_compiled_kernels(arm):
            _set_function(ffi, place, arm, "frame_jacobian", wrench.jacobian, place, "prepared")
        else:
            python.append(KernelCalls(ffi, arm, {"frame_jacobian": wrench.jacobian}, stop, time))
            place.prepared_frame_jacobian = lib.kanegen_python_frame_jacobian
            place.prepared = handle(python[-1])
        source = wrench.source
        if isinstance(source, tuple):
            place.signal = signals_in_c(source)
        elif isinstance(source, PythonController):
            found = wrench.function(arm)
            python.append(PythonCalls(ffi, arm, lambda t, q, v, x, of=found: of(t, q, v), 6, 0, stop))
            place.function, place.data = lib.kanegen_python_controller, handle(python[-1])
        elif isinstance(source, CLaw):
            place.law = ffi.cast("kanegen_law *", source.address)
        else:
            place.function = ffi.cast("kanegen_controller *", source.address)
    meeting = EventCalls(ffi, arm, request.events, request.drift, stop)
    if request.events:
        python.append(meeting)
        directions = ffi.new("int[]", [event.direction for event, _ in request.events])
        room = ffi.new("double[]", 8 * len(request.events))
        kept += [directions, room]
        system.events = new(
            "events",
            count=len(request.events),
            direction=directions,
            values=lib.kanegen_python_event_values,
            happened=lib.kanegen_python_event_happened,
            data=handle(meeting),
            workspace=room,
        )
    if system.general_law:
        size += lib.kanegen_law_workspace_size(arm.nv, general)

    options = new(
        "options",
        t_begin=request.t0,
        t_end=request.t_end,
        sample_period=request.sample_period,
        step=request.step,
        max_step=0.0 if math.isinf(request.max_step) else request.max_step,
        break_count=request.breaks.size,
        breaks=doubles(request.breaks),
        rtol=request.rtol,
        atol=request.atol,
        max_steps=request.max_steps,
    )
    wanted = new(
        "rows",
        count=rows,
        t=doubles(request.times),
        every=request.every,
        step_t=doubles(row_t),
        full=lib.kanegen_python_rows_full,
        full_data=handle(of_steps),
        q=doubles(row_q),
        v=doubles(row_v),
        tau=doubles(row_tau),
        work=doubles(row_work),
        x=doubles(row_x),
        probe_count=request.probes.size,
        probes=doubles(request.probes),
    )
    method = getattr(lib, f"kanegen_{request.method}")
    status = method(system, options, doubles(q), doubles(v), wanted, doubles(np.empty(size)), done)
    for callback in python:
        callback.raise_error()

    statistics = Statistics(
        status=STATUSES[ffi.string(ffi.cast("kanegen_status", status))],
        t=done.t,
        accepted=done.accepted,
        rejected=done.rejected,
        evaluations=done.evaluations,
        controller_calls=done.controller_calls,
        compiled=True,
        linearisations=done.linearisations,
        stiff_steps=done.stiff_steps,
        looks=done.probes,
        defect=done.defect,
        defect_t=done.defect_t,
    )
    drift = None if constraints is None else done.drift
    if request.every:
        of_steps.take(done.rows)
        row_t, row_q, row_v, row_tau, row_work, row_x = of_steps.all
    return Motion(
        t=row_t,
        q=row_q,
        v=row_v,
        tau=row_tau,
        work=row_work,
        x=row_x,
        statistics=statistics,
        drift=drift,
        events=meeting.happened,
    )


STATUSES = {f"KANEGEN_{status.name}": status for status in Status}


def _set_function(
    ffi: Any, into: Any, arm: SimulatedArm, kernel: str, name: str, values: Any, field: str
) -> None:
    """The C function of a kernel, which has this name in the mechanism, in the form that goes with live parameters.

    Where there are any, ``field`` of ``values`` is what it takes first.
    """
    prepared = arm.prepared_address_of(name)
    form = "" if prepared is None else "prepared_"
    function = ffi.cast(f"kanegen_{form}{KERNELS[kernel][0]} *", arm.kernel_address(name))
    setattr(into, f"{form}{kernel}", function)
    if prepared is not None:
        setattr(values, field, ffi.cast("const void *", prepared))


def _set_general_law(ffi: Any, general: Any, arm: SimulatedArm, name: str) -> None:
    """The C functions of a law with states or signals."""
    for field, kernel in (("law", name), ("closed_loop", f"closed_loop_{name}")):
        if kernel in arm.kernels:
            setattr(general, field, ffi.cast("kanegen_function *", arm.kernel_address(kernel)))
    if arm.prepared_address is not None:
        general.prepared = ffi.cast("const void *", arm.prepared_address)


def _set_c_controller(ffi: Any, system: Any, arm: SimulatedArm, controller: Controller) -> None:
    if isinstance(controller, CController):
        system.controller = ffi.cast("kanegen_controller *", controller.address)
        system.controller_data = ffi.cast("void *", controller.data)
    elif isinstance(controller, CLaw):
        system.law = ffi.cast("kanegen_law *", controller.address)
    elif isinstance(controller, KernelController):
        form = "" if arm.prepared_address is None else "prepared_"
        for field, kernel in (("law", controller.name), ("closed_loop", f"closed_loop_{controller.name}")):
            if kernel in arm.kernels:
                function = ffi.cast(f"kanegen_{form}law *", arm.kernel_address(kernel))
                setattr(system, f"{form}{field}", function)
