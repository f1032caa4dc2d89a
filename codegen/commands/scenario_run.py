"""Running a scenario: a prescribed motion through inverse dynamics, a controlled one through a simulation."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import kanegen
from kanegen.codegen.derivation.kernels.prescribed_motion import prescribed_motion
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.scenarios import ControlledMotion, PrescribedMotion, Scenario
from kanegen.errors import KanegenError
from kanegen.simulation.arm import SimulatedArm
from kanegen.simulation.motion import Statistics, Status

Array = NDArray[np.float64]

ROWS = 1001
"""Equally spaced times of a result, both ends included."""


class ScenarioError(KanegenError):
    """A scenario could not be run to its end, or not be drawn."""


class ScenarioRobot(SimulatedArm, Protocol):
    """What a scenario needs of a robot: see ``kanegen.Robot``."""

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """Generalized forces (..., nv)."""
        ...

    def momentum(self, q: Array, v: Array) -> Array:
        """Linear and angular momentum (..., 6)."""
        ...

    def to_actuator(self, tau: Array) -> Array:
        """Actuator forces (..., nv)."""
        ...


@dataclass(frozen=True, eq=False)
class Result:
    """A scenario that was run, one row per time.

    t (k,) s.  q (k, n) rad or m.  v (k, n) rad/s or m/s.  tau (k, n) N m or N: generalized forces.  forces (k, n):
    the same by the signs of the actuators.  energy (k,) J: kinetic and potential.  momentum (k, 6): linear [kg m/s],
    then angular about the base origin [kg m^2/s], in the base frame.  seconds: the time that inverse dynamics or the
    simulation took.  statistics: what the simulation did; None for a prescribed motion.
    """

    mechanism: Mechanism
    scenario: Scenario
    t: Array
    q: Array
    v: Array
    tau: Array
    forces: Array
    energy: Array
    momentum: Array
    seconds: float
    statistics: Statistics | None

    @property
    def actuator_names(self) -> tuple[str, ...]:
        """Names of the actuators, in the order of the coordinates; a coordinate without one lends its own."""
        names = {actuator.joint: actuator.name for actuator in self.mechanism.actuators}
        return tuple(names.get(coordinate, coordinate) for coordinate in self.mechanism.coordinates)

    @property
    def conserved(self) -> Array | None:
        """The momentum (k,) that the scenario says is conserved, if it does."""
        if not isinstance(self.scenario, ControlledMotion) or self.scenario.conserved is None:
            return None
        component: Array = self.momentum[:, self.scenario.conserved.component]
        return component


def run(robot: ScenarioRobot, mechanism: Mechanism, scenario: Scenario) -> Result:
    """Run a scenario of a mechanism with its robot.  Raises ScenarioError where the simulation cannot reach the end."""
    t = np.linspace(0.0, scenario.duration, ROWS)
    statistics = None
    if isinstance(scenario, PrescribedMotion):
        motion = evaluate(prescribed_motion(scenario.q, scenario.time, mechanism), {"t": t})
        q, v, a = motion["q"], motion["v"], motion["a"]
        tau, seconds = _timed(lambda: robot.inverse_dynamics(q, v, a))
    else:
        _simulate(robot, scenario, t[:2])  # loads what has to be loaded
        simulated, seconds = _timed(lambda: _simulate(robot, scenario, t))
        q, v, tau, statistics = simulated.q, simulated.v, simulated.tau, simulated.statistics
        if statistics.status is not Status.DONE:
            raise ScenarioError(
                f"scenario {scenario.name!r} of {mechanism.name} ended at t = {statistics.t:.6g} s of "
                f"{scenario.duration:g} s: {statistics.status.value}"
            )
    return Result(
        mechanism=mechanism,
        scenario=scenario,
        t=t,
        q=q,
        v=v,
        tau=tau,
        forces=robot.to_actuator(tau),
        energy=robot.kinetic_energy(q, v) + robot.potential_energy(q),
        momentum=robot.momentum(q, v),
        seconds=seconds,
        statistics=statistics,
    )


def _simulate(robot: ScenarioRobot, scenario: ControlledMotion, times: Array) -> Any:
    with warnings.catch_warnings():
        # An early end is reported as an error, with the same reason.
        warnings.filterwarnings("ignore", message="the simulation of ", category=RuntimeWarning)
        return kanegen.simulate(
            robot,
            scenario.start,
            np.zeros(robot.nv),
            scenario.duration,
            controller=scenario.law,
            method="dopri5",
            rtol=scenario.rtol,
            atol=scenario.atol,
            times=times,
        )


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result of some work, and the seconds it took."""
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started
