"""Where a simulation of a constrained mechanism begins: a state that satisfies the constraints, at no dead centre."""

from __future__ import annotations

import numpy as np

from kanegen.dead_centre import refuse_dead_centre
from kanegen.errors import InconsistentStateError
from kanegen.manifest import Constraints
from kanegen.protocols import FloatArray, SimulatedArm

SIMULATION_KERNELS = ("multiplier_dynamics", "generalized_speeds", "constraint_projection")
"""Kernels that the integrators call; the state they integrate is (q, dq/dt)."""


def active_constraints(arm: SimulatedArm) -> Constraints | None:
    """The constraints of a mechanism, where any are to be kept during a simulation: those with rows of velocity."""
    constraints = arm.constraints
    return constraints if constraints is not None and constraints.velocity else None


def needed_kernels(arm: SimulatedArm) -> tuple[str, ...]:
    """The kernels without which a mechanism cannot be simulated."""
    constraints = active_constraints(arm)
    if constraints is None:
        return ("forward_dynamics",) if arm.speeds_are_rates else ("forward_dynamics", "coordinate_rates")
    residual = ("constraint_residual",) if constraints.position else ()
    return (*SIMULATION_KERNELS, *residual, "constraint_jacobian", "coordinate_rates")


def dynamics_kernel(arm: SimulatedArm) -> str:
    """The kernel of the mechanism's accelerations: if it is compiled, all are."""
    return needed_kernels(arm)[0]


def initial_rates(arm: SimulatedArm, q0: FloatArray, v0: FloatArray, drift: float) -> FloatArray | None:
    """dq/dt (nq,) of the initial state; None for a mechanism without constraints, whose state is (q, v).

    Raises InconsistentStateError where an equation of position is violated by more than ``drift``, and DeadCentreError
    where v does not determine dq/dt, or the constraints are singular.
    """
    constraints = active_constraints(arm)
    if constraints is None:
        return None
    if constraints.position:
        _refuse_open_loops(arm, constraints, q0, drift)
    speeds = arm.call("generalized_speeds", q0, np.vstack([np.zeros(arm.nq), np.eye(arm.nq)]))
    speed_rows = (speeds[1:] - speeds[0]).T
    refuse_dead_centre(
        arm.name,
        arm.coordinate_names,
        arm.speed_names,
        constraints.rank,
        speed_rows,
        arm.call("constraint_jacobian", q0),
    )
    return arm.coordinate_rates(q0, v0)


def _refuse_open_loops(arm: SimulatedArm, constraints: Constraints, q0: FloatArray, drift: float) -> None:
    phi = np.abs(arm.call("constraint_residual", q0))
    worst = int(np.argmax(phi))
    if phi[worst] > drift:
        raise InconsistentStateError(
            f"q0 leaves {constraints.position[worst]} of {arm.name} open by {phi[worst]:.2g}, and drift={drift!r} is "
            f"allowed. Begin with a configuration that satisfies the constraints: q0 = robot.assemble(q0)"
        )
