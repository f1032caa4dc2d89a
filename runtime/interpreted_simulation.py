"""Simulation in NumPy: the schemes of ``csrc/``, step for step, for mechanisms without compiled kernels.

The names are those of the C files, which say where the methods come from. Results are those of C up to rounding; tests
hold the two against each other.
"""

from __future__ import annotations

import numpy as np

from kanegen.interpreted_dynamics import Dynamics, dynamics_of, kernel_function
from kanegen.interpreted_explicit import DormandPrince, RungeKutta4
from kanegen.interpreted_integration import EndError, Integration
from kanegen.interpreted_rodas4 import Derivatives, Rodas4
from kanegen.motion import Motion, Statistics, Status
from kanegen.protocols import ControllerFunction, SimulatedArm
from kanegen.simulation_request import Request


def simulate_interpreted(
    arm: SimulatedArm, request: Request, controller: ControllerFunction | None
) -> Motion:
    """Run the request in NumPy. Exceptions of the controller pass through."""
    stiff = request.method == "rodas4"
    derivatives = kernel_function(arm, "forward_dynamics_derivatives") if stiff else None
    run, statistics = integrate(dynamics_of(arm, request), request, controller, derivatives)
    return Motion(
        t=request.times,
        q=run.row_q,
        v=run.row_v,
        tau=run.row_tau,
        statistics=statistics,
        drift=run.dynamics.drift,
    )


def integrate(
    dynamics: Dynamics,
    request: Request,
    controller: ControllerFunction | None,
    derivatives: Derivatives | None = None,
) -> tuple[Integration, Statistics]:
    """Carry an integration as far as it goes: its rows, and what it did. Exceptions of the controller pass through.

    ``derivatives`` are those of the accelerations by q, v and tau, which "rodas4" needs.
    """
    run = Integration(dynamics, request, controller)
    method: RungeKutta4 | DormandPrince | Rodas4
    if request.method == "rk4":
        method = RungeKutta4(run)
    elif request.method == "rodas4":
        assert derivatives is not None
        method = Rodas4(run, derivatives)
    else:
        method = DormandPrince(run)
    status = Status.DONE
    # Steps are checked for values that are not finite: NumPy need not warn of them, except in the controller.
    with np.errstate(all="ignore"):
        try:
            run.walk(method.advance)
        except EndError as ended:
            status = ended.status
    statistics = Statistics(
        status=status,
        t=run.t,
        accepted=run.accepted,
        rejected=run.rejected,
        evaluations=run.evaluations,
        controller_calls=run.controller_calls,
        linearisations=run.linearisations,
        stiff_steps=run.stiff_steps,
        looks=run.looks,
        defect=run.defect,
        defect_t=run.defect_t,
        compiled=False,
    )
    return run, statistics
