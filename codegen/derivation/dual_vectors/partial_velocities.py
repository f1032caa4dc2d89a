"""Dual partial velocities of a frame, holonomic (6) and nonholonomic (7): the tables of the paper."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.dual_vectors.chain import dual_chain, frame_displacement
from kanegen.codegen.derivation.dual_vectors.dual_vector import DualVector, dual_zero_vector
from kanegen.codegen.derivation.dual_vectors.motion import DualMotion
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints


def dual_partial_velocities(
    tree: Mechanism,
    graph: Graph,
    q: Sequence[Expression],
    frame: str,
    rates_from_speeds: Sequence[Sequence[Expression]] | None = None,
) -> list[DualVector]:
    """w + epsilon v of a frame of a plain tree, at its origin and along its axes, for each speed u_i = 1 alone.

    Without ``rates_from_speeds`` the speeds are the rates of the coordinates and the partial velocities holonomic (6).  With
    it, N of dq/dt = N u with a row for each coordinate, they are those combinations of the holonomic ones (7).
    """
    reduced = without_fixed_joints(tree)
    fixed = reduced.frame(frame)
    chain = dual_chain(reduced, graph, cylindrical=False)
    n = len(tree.coordinates)
    rows = rates_from_speeds or [[constant(graph, int(r == s)) for s in range(n)] for r in range(n)]
    columns = list(zip(*rows, strict=True))
    if fixed.body == BASE:
        return [dual_zero_vector(graph) for _ in columns]
    i = next(i for i, body in enumerate(chain.bodies) if body.name == fixed.body)
    motion, place = DualMotion(chain, graph, q), frame_displacement(fixed, graph)
    return [
        place.inward(chain.bodies[i].described.outward(motion.velocities(column)[i])) for column in columns
    ]
