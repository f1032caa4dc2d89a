"""Dual partial velocities of a frame, holonomic (6) and nonholonomic (7): the tables of the paper."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.dual_vectors.chain import dual_chain, frame_displacement
from kanegen.codegen.derivation.dual_vectors.dual_vector import DualVector, dual_zero_vector
from kanegen.codegen.derivation.dual_vectors.motion import DualMotion
from kanegen.codegen.derivation.motion_maps.own_speeds import own_speeds
from kanegen.codegen.derivation.motion_maps.spanning_tree import spanning_tree
from kanegen.codegen.derivation.open_chains import require_tree
from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.mechanism.features import TIES
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.values import Lift
from kanegen.errors import ModelError


def dual_partial_velocities(
    mechanism: Mechanism,
    graph: Graph,
    q: Sequence[Expression],
    frame: str,
    rates_from_speeds: Sequence[Sequence[Expression]] | None = None,
) -> list[DualVector]:
    """w + epsilon v of a frame, at its origin and along its axes, for each speed u_i = 1 alone.

    The speeds of a plain tree are the rates of its coordinates and the partial velocities holonomic (6), unless there are
    ``rates_from_speeds``: N of dq/dt = N u with a row for each coordinate makes them those combinations of the holonomic
    ones (7).  The speeds of a mechanism with constraints, prescribed joints or speeds of its own are those that it has, and
    N is its own; prescribed joints stand at zero, where nothing depends on how far they have moved.

    Raises ModelError for a frame that the mechanism lacks, and for ball joints, mimics, springs, friction and flexible
    links.
    """
    require_tree(mechanism, "dual partial velocities", TIES if rates_from_speeds is None else ())
    tree, rows = spanning_tree(mechanism), rates_from_speeds
    if rows is None:
        own = own_speeds(mechanism, q, Lift(graph, mechanism.parameters, live=True))
        q, rows = own.motion().q, own.columns()
    reduced = without_fixed_joints(tree)
    try:
        fixed = reduced.frame(frame)
    except KeyError:
        raise ModelError(
            f"frame {frame!r}",
            f"is not among those of mechanism {mechanism.name!r}",
            f"one of {', '.join(repr(f.name) for f in reduced.frames)}, or {BASE!r}",
            "Mend the name.",
        ) from None
    chain = dual_chain(reduced, graph, cylindrical=False)
    columns = list(zip(*rows, strict=True))
    if fixed.body == BASE:
        return [dual_zero_vector(graph) for _ in columns]
    i = next(i for i, body in enumerate(chain.bodies) if body.name == fixed.body)
    motion, place = DualMotion(chain, graph, q), frame_displacement(fixed, graph)
    return [
        place.inward(chain.bodies[i].described.outward(motion.velocities(column)[i])) for column in columns
    ]
