"""Sweeps: many runs of a mechanism with values that differ, kept in a folder, gone on with after any interruption."""

from __future__ import annotations

from kanegen.sweeps.results import Sweep
from kanegen.sweeps.run import sweep

__all__ = ["Sweep", "sweep"]
