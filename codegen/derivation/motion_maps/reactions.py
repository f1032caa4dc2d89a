"""Which joint reactions are not unique: constraints that repeat one another share a load in ways that motion cannot tell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.derivation.motion_maps.equations import Equations
from kanegen.codegen.mechanism.constraints import KnifeEdge, Loop, RollingContact
from kanegen.codegen.mechanism.records import BASE, Mechanism

_TOUCHED = 1e-7


def indeterminate_joints(
    mechanism: Mechanism, system: Equations, rows: NDArray[np.float64], rank: int
) -> tuple[str, ...]:
    """Loops and joints whose reactions are not unique, in the order of the loops, then of the joints.

    A combination of rows that vanishes is a set of forces in equilibrium by itself; it loads its loops and every joint
    between their ends.  ``rows`` (k, m, n) are the equations' rows in k states.
    """
    if rank == len(system.rows):
        return ()
    _, _, vh = np.linalg.svd(rows[0].T)
    touched = np.abs(vh[rank:]).max(axis=0) > _TOUCHED
    hit = [row for row, loaded in zip(system.rows, touched, strict=True) if loaded]
    loaded = {name for row in hit for name in (row.group, row.name)}
    names: list[str] = []
    joints: set[str] = set()
    for tie in (*mechanism.loops, *mechanism.constraints):
        if not any(group == tie.name or group.startswith(f"{tie.name} ") for group in loaded):
            continue
        names.append(tie.name)
        if isinstance(tie, Loop):
            joints |= _between(mechanism, tie.first, tie.second)
        elif isinstance(tie, RollingContact):
            joints |= _between(mechanism, tie.wheel, tie.ground)
        elif isinstance(tie, KnifeEdge):
            joints |= _between(mechanism, tie.edge, tie.ground)
        else:
            for part in tie.frames:
                joints |= _between(mechanism, part.frame, part.relative_to)
    return (*names, *(joint.name for joint in mechanism.joints if joint.name in joints))


def _between(mechanism: Mechanism, first: str, second: str) -> set[str]:
    """The joints on the way from one frame's body to another's."""
    above = {joint.child: joint for joint in mechanism.joints}

    def line(frame: str) -> set[str]:
        body, joints = mechanism.frame(frame).body, set()
        while body != BASE:
            joints.add(above[body].name)
            body = above[body].parent
        return joints

    return line(first) ^ line(second)
