"""The example of Sim, Yoo & Lee 1985: torques along the straight line, and the motion computed again from them.

The torques come from the multipliers of the driven bodies, as in the paper.  The robot is then released at the beginning
of the line under these torques, as functions of time: nothing corrects it on its way, and where its hand is at the end
shows what torques and integration are worth.  Torques are evaluated exactly, or by one cubic spline for each phase of the
motion.  Integration is restarted where the torques jump, in joint coordinates (``kanegen.simulate``) and in those of the
bodies (``simulate_bodies``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

import kanegen
from kanegen.arrays import FloatArray as Array
from kanegen.body_coordinates import BodyRobot, BodySystem, simulate_bodies
from kanegen.codegen.mechanism.catalogue.sim_yoo_lee_path import StraightLine
from kanegen.simulation.arm import ControllerFunction, SimulatedArm
from kanegen.simulation.motion import Statistics, Status
from kanegen.splines import cubic_pieces

ROWS = 60
"""Intervals of the torque curves in each phase."""
TOLERANCE = 1e-12
"""rtol and atol of the integrations."""

Torques = Callable[[float, int], Array]
"""Torques (6,) [N m] at a time [s] of a phase."""


class JointRobot(SimulatedArm, Protocol):
    """What is needed of the robot in joint coordinates."""

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """Torques (..., 6)."""
        ...

    def frame_pose(self, q: Array, frame: str) -> Array:
        """Pose (..., 4, 4) of a frame."""
        ...


@dataclass(frozen=True)
class Resimulation:
    """A motion computed from torques.  ``error`` [m]: distance of the hand from its place at the end.

    ``drift``: how far the bodies were found from their joints at most; None in joint coordinates.
    """

    error: float
    drift: float | None = None


def exact_torques(robot: JointRobot, line: StraightLine) -> Torques:
    """The torques of the motion itself, by recursive inverse dynamics."""

    def torques(t: float, phase: int) -> Array:
        q, v, a = line.joints(t, phase)
        return robot.inverse_dynamics(q[0], v[0], a[0])

    return torques


def splined_torques(system: BodySystem, line: StraightLine, in_a_ramp: int) -> Torques:
    """One spline for each phase through torques of the multipliers; four times as many intervals between the ramps."""
    splines = []
    for phase, count in enumerate((in_a_ramp, 4 * in_a_ramp, in_a_ramp)):
        times = np.linspace(line.breaks[phase], line.breaks[phase + 1], count + 1)
        columns = torques_by_multipliers(system, *line.joints(times, phase)).T
        splines.append((times, np.stack([cubic_pieces(times, column) for column in columns], axis=2)))

    def torques(t: float, phase: int) -> Array:
        times, pieces = splines[phase]
        i = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(pieces) - 1))
        a, b, c, d = pieces[i]
        s = t - times[i]
        found: Array = a + s * (b + s * (c + s * d))
        return found

    return torques


def in_joint_coordinates(robot: JointRobot, line: StraightLine, torques: Torques) -> Resimulation:
    """The motion of the joints under given torques."""
    q, v = _beginning(line)
    for phase, begin, length in _phases(line):
        motion = kanegen.simulate(
            robot,
            q,
            v,
            length,
            _controller(torques, begin, phase),
            rtol=TOLERANCE,
            atol=TOLERANCE,
            times=[length],
        )
        _require_end(motion.statistics)
        q, v = motion.q[-1], motion.v[-1]
    return Resimulation(_miss(robot, line, q))


def in_body_coordinates(
    robot: JointRobot, bodies: BodyRobot, line: StraightLine, torques: Torques, method: str
) -> Resimulation:
    """The motion of the bodies under given torques; the hand's place follows from the joint coordinates."""
    q, v = _beginning(line)
    drift = 0.0
    for phase, begin, length in _phases(line):
        motion = simulate_bodies(
            bodies,
            q,
            v,
            length,
            _controller(torques, begin, phase),
            method,
            rtol=TOLERANCE,
            atol=TOLERANCE,
            times=[length],
        )
        _require_end(motion.statistics)
        q, v = motion.q[-1], motion.v[-1]
        drift = max(drift, motion.drift)
    return Resimulation(_miss(robot, line, q), drift)


def _controller(torques: Torques, begin: float, phase: int) -> ControllerFunction:
    """Torques of a phase that begins at a time, as a controller that looks at nothing but the time."""
    return lambda t, q, v: torques(begin + t, phase)


def torques_by_multipliers(system: BodySystem, q: Array, v: Array, a: Array) -> Array:
    """Torques (k, 6) by the multipliers."""
    return np.array([system.inverse_dynamics(*state).tau for state in zip(q, v, a, strict=True)])


def _beginning(line: StraightLine) -> tuple[Array, Array]:
    q, v, _ = line.joints(0.0)
    return q[0], v[0]


def _phases(line: StraightLine) -> list[tuple[int, float, float]]:
    """Number, beginning and duration of each phase."""
    return [(k, line.breaks[k], line.breaks[k + 1] - line.breaks[k]) for k in range(3)]


def _miss(robot: JointRobot, line: StraightLine, q: Array) -> float:
    return float(np.linalg.norm(robot.frame_pose(q, "hand")[:3, 3] - line.hand(line.duration).point[0]))


def _require_end(statistics: Statistics) -> None:
    if statistics.status is not Status.DONE:
        raise kanegen.KanegenError(
            f"the motion ended at t = {statistics.t:.6g} s of its phase: {statistics.status.value}"
        )
