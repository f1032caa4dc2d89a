"""Forward dynamics in body coordinates: ``simulate_bodies``."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, positive_number
from kanegen.body_coordinates.dynamics import BodyDynamics, PartitionedDynamics
from kanegen.body_coordinates.kernels import BodyRobot, normalised
from kanegen.body_coordinates.system import BodySystem
from kanegen.errors import InconsistentStateError, IntegrationError
from kanegen.simulation.arm import ControllerFunction
from kanegen.simulation.controllers import Force
from kanegen.simulation.hints import stepped_over
from kanegen.simulation.motion import Statistics, Status
from kanegen.simulation.numpy_methods import integrate
from kanegen.simulation.request import (
    Request,
    checked_breaks,
    checked_span,
    checked_state,
    checked_times,
    positive_count,
    probes_between,
    real_numbers,
)

METHODS = {"partitioning": PartitionedDynamics, "stabilised": BodyDynamics}


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """A simulated motion, one row for each requested time.

    t (k,) s.  x, xdot (k, 7n): body coordinates and their rates.  q, v (k, nq): coordinates of the tree, whose angles do
    not jump, and their rates.  tau (k, driven) N m or N.  Rows that were not reached (see ``statistics.status``) are not a
    number, except for t.

    drift: how far states and rows were found from the joints at most: residuals of the constraints [m, 1], and the last
    correction of xdot, relative where rates exceed one.  choices: how often independent coordinates were chosen; 0
    without partitioning.
    """

    t: FloatArray
    x: FloatArray
    xdot: FloatArray
    q: FloatArray
    v: FloatArray
    tau: FloatArray
    statistics: Statistics
    drift: float
    choices: int


def simulate_bodies(
    robot: BodyRobot,
    q0: ArrayLike | None,
    v0: ArrayLike,
    duration: float,
    controller: ControllerFunction | None = None,
    method: str = "partitioning",
    rtol: float = 1e-9,
    atol: float = 1e-12,
    times: ArrayLike | None = None,
    max_steps: int = 10_000_000,
    *,
    x0: ArrayLike | None = None,
    drift: float = 1e-9,
    driven: Sequence[str] | None = None,
    max_step: float | None = None,
    breaks: ArrayLike = (),
    t0: float = 0.0,
) -> BodyMotion:
    """The motion of the bodies from t = t0 to t = t0 + duration, in seconds.

    It begins at the coordinates q0 (nq,) of the tree, or at body coordinates x0 (7n,) where q0 is None, whose Euler
    parameters may have any norm but zero, with the rates v0 (driven,) of the driven coordinates and struts (``BodySystem``
    says which these are).  ``controller(t, q, v) -> tau`` gets all coordinates and rates of the tree (nq,) and gives the
    forces (driven,) on the driven ones, in N m or N, positive where a strut pushes; None for no force.  Rows are at
    ``times``, by default 1001 equally spaced.

    method: "partitioning" integrates independent coordinates, chosen anew when needed, and finds the others from the
    constraints at every evaluation.  "stabilised" integrates all of them with multipliers and projects the state onto the
    constraints after every step.  Both take the steps of Dormand and Prince's method of order 5(4) with errors of about
    atol + rtol |y| for y = (x, xdot), in NumPy, none longer than max_step.  Where the force jumps in time, name the times in
    ``breaks``, as in ``simulate``.

    drift: every state and row satisfies the equations of joints and norms to within this, and their derivatives to within
    this times the largest rate (or one); ``BodyMotion.drift`` is how far they were found to be off.

    Raises ValueError for wrong arguments, InconsistentStateError for a beginning with open joints, DeadCentreError where v0
    does not determine the rates, IntegrationError where a step left the constraints for good.  A motion that ends early for
    another reason is returned as far as it came, with a RuntimeWarning; there is one, too, where steps missed a force.
    """
    if method not in METHODS:
        raise ValueError(f"method must be 'partitioning' or 'stabilised', got {method!r}")
    bodies = BodySystem(robot, driven)
    begin, end = checked_span(t0, duration)
    at = checked_times(times, begin, end)
    bound = positive_number("drift", drift)
    x = _beginning(bodies, q0, x0, bound)
    y0 = np.concatenate([x, bodies.velocity(x, v0)])
    request = Request(
        method="dopri5",
        q0=y0[: len(x)],
        v0=y0[len(x) :],
        t0=begin,
        t_end=end,
        times=at,
        rtol=positive_number("rtol", rtol),
        atol=positive_number("atol", atol),
        step=0.0,
        sample_period=0.0,
        max_steps=positive_count("max_steps", max_steps),
        drift=bound,
        rates0=None,
        max_step=math.inf if max_step is None else positive_number("max_step", max_step),
        breaks=checked_breaks(breaks, begin, end),
        probes=probes_between(at, begin, end),
    )
    dynamics = METHODS[method](bodies.kernels, bodies.drives, bodies.rank_report(x).rank, y0, bound)
    if q0 is not None:
        dynamics.follow_from(checked_state("q0", q0, bodies.kernels.nq))
    run, statistics = integrate(dynamics, request, _checked(controller, len(bodies.driven)), np.zeros(0))
    _report(robot.name, end, bound, statistics)
    rows = run.rows()
    xs, rates = rows.y[:, : len(x)], rows.y[:, len(x) :]
    return BodyMotion(
        t=request.times,
        x=xs,
        xdot=rates,
        q=rows.q,
        v=rows.v,
        tau=rows.tau,
        statistics=statistics,
        drift=dynamics.drift,
        choices=dynamics.choices if isinstance(dynamics, PartitionedDynamics) else 0,
    )


def _beginning(bodies: BodySystem, q0: ArrayLike | None, x0: ArrayLike | None, bound: float) -> FloatArray:
    """x (7n,) to begin with, closed to within rounding.  Raises InconsistentStateError, PositionError, ValueError."""
    kernels = bodies.kernels
    if q0 is not None and x0 is None:
        given, start, remedy = (
            "q0",
            kernels.coordinates(checked_state("q0", q0, kernels.nq)),
            "robot.assemble(q0)",
        )
    elif x0 is not None and q0 is None:
        start = normalised(bodies.body_names, checked_state("x0", x0, kernels.size))
        given, remedy = "x0", "BodySystem(robot).closed(x0)"
    else:
        raise ValueError(
            "give either q0, the coordinates of the tree, or x0, those of the bodies, and None for the other"
        )
    phi = np.abs(kernels.phi(start))
    worst = int(np.argmax(phi))
    if phi[worst] > bound:
        raise InconsistentStateError(
            f"{given} leaves {kernels.names.rows[worst]} of {bodies.robot.name} open by {phi[worst]:.2g}, and "
            f"drift={bound!r} is allowed. Begin with a position that satisfies the joints: {remedy}"
        )
    return bodies.closed(start)


def _checked(controller: ControllerFunction | None, width: int) -> Force | None:
    if controller is None:
        return None
    function = controller

    def call(t: float, q: FloatArray, v: FloatArray, x: FloatArray) -> FloatArray:
        del x  # of which there are none
        returned = function(t, q, v)
        try:
            tau = real_numbers(returned)
        except ValueError as error:
            raise ValueError(f"tau returned by the controller: {error}") from None
        if tau.shape != (width,):
            raise ValueError(
                f"the controller must return ({width},), a force for each driven coordinate; got {tau.shape}"
            )
        return tau

    return call


def _report(name: str, end: float, bound: float, statistics: Statistics) -> None:
    """Raise or warn where the motion ended early."""
    if statistics.status is Status.OPEN:
        raise IntegrationError(
            f"the simulation of {name} left the joints after t = {statistics.t!r} s: the next state could not be brought "
            f"back to within drift={bound!r}. Take smaller steps (rtol, atol) or allow more drift; at a singular position, "
            "where the mechanism can go on in different ways, neither helps",
            statistics.t,
        )
    if statistics.status is not Status.DONE:
        warnings.warn(
            f"the simulation of {name} ended at t = {statistics.t!r} s instead of {end!r} s: {statistics.status.value}",
            RuntimeWarning,
            stacklevel=3,
        )
    if statistics.defect > 1.0 and statistics.status is not Status.NOT_FINITE:
        warnings.warn(stepped_over(name, "dopri5", statistics.defect_t), RuntimeWarning, stacklevel=3)
