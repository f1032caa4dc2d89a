"""Simulation by the C integrators of the extension ``kanegen._integrators``, over compiled kernels.

The interpreter lock is released for the whole run and taken back only while a Python controller is being called, and
some twenty times a second to look for signals.
"""

from __future__ import annotations

import functools
import importlib
import math
from types import ModuleType
from typing import Any

import numpy as np

from kanegen.constrained_start import SIMULATION_KERNELS, active_constraints, dynamics_kernel
from kanegen.csrc.sources import DIGEST, sources_digest
from kanegen.errors import NotCompiledError
from kanegen.motion import Motion, Statistics, Status
from kanegen.protocols import FloatArray, SimulatedArm
from kanegen.simulation_callbacks import Interrupts, PythonCalls, with_python_functions
from kanegen.simulation_controllers import (
    CController,
    CLaw,
    Controller,
    KernelController,
    PythonController,
)
from kanegen.simulation_request import Request


def find_integrators() -> ModuleType | None:
    """The extension, or None where it was not built (no C compiler when kanegen was installed), or from other sources."""
    try:
        module = importlib.import_module("kanegen._integrators")
    except ImportError:
        return None
    if not _is_of_these_sources(module):
        return None
    return with_python_functions(module)


def _is_of_these_sources(module: ModuleType) -> bool:
    """Whether an extension was compiled from the C that is here: after an update an older one may still lie about."""
    digest = getattr(module.lib, DIGEST, None)
    return digest is not None and module.ffi.string(digest()).decode("ascii") == _present_digest()


@functools.cache
def _present_digest() -> str:
    try:
        return sources_digest()
    except OSError:
        return ""  # and nothing fits


def has_compiled_kernels(arm: SimulatedArm) -> bool:
    """Whether the mechanism has C functions to integrate."""
    try:
        arm.kernel_address(dynamics_kernel(arm))
    except NotCompiledError:
        return False
    return True


def simulate_compiled(
    integrators: ModuleType, arm: SimulatedArm, request: Request, controller: Controller
) -> Motion:
    """Run the request in C. An exception of a Python controller is raised again once C has returned."""
    ffi, lib = integrators.ffi, integrators.lib
    rows = request.times.size
    q = request.q0.copy()
    v = (request.v0 if request.rates0 is None else request.rates0).copy()
    row_q, row_v, row_tau = (np.full((rows, width), np.nan) for width in (arm.nq, arm.nv, arm.nv))

    def doubles(array: FloatArray) -> Any:
        return ffi.from_buffer("double[]", array)

    stop = ffi.new("int *", 0)
    starts = ffi.new("size_t[]", list(request.quaternions))
    interrupts = Interrupts(stop)
    watching = ffi.new_handle(interrupts)
    system = ffi.new(
        "kanegen_system *",
        {
            "nq": arm.nq,
            "nv": arm.nv,
            "quaternion_count": len(request.quaternions),
            "quaternions": starts,
            "stop": stop,
            "pause": lib.kanegen_python_pause,
            "pause_data": watching,
        },
    )
    constraints = active_constraints(arm)
    if constraints is None:
        stiff = request.method == "rodas4"
        size = lib.kanegen_stiff_workspace_size if stiff else lib.kanegen_workspace_size
        workspace = np.empty(size(arm.nq, arm.nv))
        _set_kernels(ffi, system, arm)
        if stiff:
            _set_derivatives(ffi, system, arm)
    else:
        sizes = len(constraints.position), len(constraints.velocity)
        workspace = np.empty(lib.kanegen_constrained_workspace_size(arm.nq, arm.nv, *sizes))
        restricted = _constraints(ffi, system, arm, sizes, request.drift)
        system.constraints = restricted
    python: PythonCalls | None = None
    if isinstance(controller, PythonController):
        python = PythonCalls(ffi, arm, controller.function, stop)
        handle = ffi.new_handle(python)
        system.controller, system.controller_data = lib.kanegen_python_controller, handle
    else:
        _set_c_controller(ffi, system, arm, controller)

    options = ffi.new(
        "kanegen_options *",
        {
            "t_begin": request.t0,
            "t_end": request.t_end,
            "sample_period": request.sample_period,
            "step": request.step,
            "max_step": 0.0 if math.isinf(request.max_step) else request.max_step,
            "break_count": request.breaks.size,
            "breaks": doubles(request.breaks),
            "rtol": request.rtol,
            "atol": request.atol,
            "max_steps": request.max_steps,
        },
    )
    wanted = ffi.new(
        "kanegen_rows *",
        {
            "count": rows,
            "t": doubles(request.times),
            "q": doubles(row_q),
            "v": doubles(row_v),
            "tau": doubles(row_tau),
            "probe_count": request.probes.size,
            "probes": doubles(request.probes),
        },
    )
    done = ffi.new("kanegen_statistics *")
    method = getattr(lib, f"kanegen_{request.method}")
    status = method(system, options, doubles(q), doubles(v), wanted, doubles(workspace), done)
    interrupts.raise_error()
    if python is not None:
        python.raise_error()

    statistics = Statistics(
        status=_STATUSES[ffi.string(ffi.cast("kanegen_status", status))],
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
    return Motion(t=request.times, q=row_q, v=row_v, tau=row_tau, statistics=statistics, drift=drift)


_STATUSES = {f"KANEGEN_{status.name}": status for status in Status}


def _set_kernels(ffi: Any, system: Any, arm: SimulatedArm) -> None:
    """The mechanism's dynamics and coordinate rates, in the form that goes with live parameters if it has any."""
    form = _prepared_form(ffi, system, arm)
    kinds = {"forward_dynamics": "dynamics"}
    if not arm.speeds_are_rates:
        kinds["coordinate_rates"] = "rates"
    for kernel, kind in kinds.items():
        address = arm.kernel_address(kernel)
        setattr(system, f"{form}{kernel}", ffi.cast(f"kanegen_{form}{kind} *", address))


def _set_derivatives(ffi: Any, system: Any, arm: SimulatedArm) -> None:
    """The derivatives of the accelerations; generated when first asked for, they have a struct of their own."""
    kernel = "forward_dynamics_derivatives"
    address, prepared = arm.kernel_address(kernel), arm.prepared_address_of(kernel)
    form = "" if prepared is None else "prepared_"
    setattr(system, f"{form}{kernel}", ffi.cast(f"kanegen_{form}derivatives *", address))
    if prepared is not None:
        system.prepared_derivatives = ffi.cast("const void *", prepared)


def _constraints(ffi: Any, system: Any, arm: SimulatedArm, sizes: tuple[int, int], drift: float) -> Any:
    """The C struct of a mechanism's constraints; ``sizes`` are the numbers of equations of position and of rows."""
    form = _prepared_form(ffi, system, arm)
    position, rows = sizes
    constraints = ffi.new("kanegen_constraints *", {"position": position, "rows": rows, "drift": drift})
    kinds = dict(zip(SIMULATION_KERNELS, ("multipliers", "speeds", "projection"), strict=True))
    if position:
        kinds["constraint_residual"] = "residual"
    for kernel, kind in kinds.items():
        address = arm.kernel_address(kernel)
        setattr(constraints, f"{form}{kernel}", ffi.cast(f"kanegen_{form}{kind} *", address))
    return constraints


def _set_c_controller(ffi: Any, system: Any, arm: SimulatedArm, controller: Controller) -> None:
    if isinstance(controller, CController):
        system.controller = ffi.cast("kanegen_controller *", controller.address)
        system.controller_data = ffi.cast("void *", controller.data)
    elif isinstance(controller, CLaw):
        system.law = ffi.cast("kanegen_law *", controller.address)
    elif isinstance(controller, KernelController):
        form = _prepared_form(ffi, system, arm)
        for field, kernel in (("law", controller.name), ("closed_loop", f"closed_loop_{controller.name}")):
            if kernel in arm.kernels:
                address = arm.kernel_address(kernel)
                setattr(system, f"{form}{field}", ffi.cast(f"kanegen_{form}law *", address))


def _prepared_form(ffi: Any, system: Any, arm: SimulatedArm) -> str:
    """Prefix of the system's fields for this mechanism's kernels; sets the prepared struct where there is one."""
    address = arm.prepared_address
    if address is None:
        return ""
    system.prepared = ffi.cast("const void *", address)
    return "prepared_"
