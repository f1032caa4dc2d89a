"""What steps can miss: where a motion is looked at for it, and what is said of it.

A force that acts between two stages of a step, and at none of them, leaves no trace in the step or in the estimate of its
error.  It does in the defect, dy/dt of the interpolated motion less that of the dynamics, at any time while it acts.
"""

from __future__ import annotations

import numpy as np

from kanegen.protocols import FloatArray

PROBES = 64
"""Where rows are further apart than this part of the run, the motion is looked at in between."""


def probes_between(rows: FloatArray, t0: float, t_end: float) -> FloatArray:
    """The times of a grid over a simulation that lie where its rows are further apart than those of the grid."""
    spacing = (t_end - t0) / PROBES
    grid = t0 + (np.arange(PROBES) + 0.5) * spacing
    after = np.searchsorted(rows, grid)
    bounds = np.concatenate([[t0], rows, [t_end]])
    return np.ascontiguousarray(grid[bounds[after + 1] - bounds[after] > spacing])


def stepped_over(name: str, method: str, t: float) -> str:
    """What is said of a motion whose steps have not seen what acts at time t."""
    shorter = "shorter steps (step=…)" if method == "rk4" else "a max_step"
    return (
        f"the simulation of {name} stepped over something: at t = {t!r} s forces act that its steps have not seen, so that "
        f"the motion from there on is not to be trusted. Where forces jump in time, name the times: breaks=[…]; else give "
        f"{shorter} below the length of the event"
    )
