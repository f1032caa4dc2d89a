"""Motions of a mechanism: under a controller, ``simulate``, and along a path, ``trajectory``."""

from __future__ import annotations

from kanegen.simulation.arm import SimulatedArm
from kanegen.simulation.events import Event
from kanegen.simulation.many import Motions, simulate_many
from kanegen.simulation.motion import Motion, Statistics, Status
from kanegen.simulation.paths import PassedLimit, Trajectory, trajectory
from kanegen.simulation.run import simulate

__all__ = [
    "Event",
    "Motion",
    "Motions",
    "PassedLimit",
    "SimulatedArm",
    "Statistics",
    "Status",
    "Trajectory",
    "simulate",
    "simulate_many",
    "trajectory",
]
