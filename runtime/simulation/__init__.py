"""Simulation of a mechanism under a controller: ``simulate``, what it takes and what it gives."""

from __future__ import annotations

from kanegen.simulation.arm import SimulatedArm
from kanegen.simulation.events import Event
from kanegen.simulation.motion import Motion, Statistics, Status
from kanegen.simulation.run import simulate

__all__ = ["Event", "Motion", "SimulatedArm", "Statistics", "Status", "simulate"]
