"""The dual quantities of every body at its mass centre: velocity, partial velocities, momentum (8), inertia force (9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanegen.codegen.derivation.dual_vectors.chain import DualBody, dual_chain
from kanegen.codegen.derivation.dual_vectors.dual_vector import DualVector, triple, zeros
from kanegen.codegen.derivation.dual_vectors.equations import dual_inertia_force, dual_momentum
from kanegen.codegen.derivation.dual_vectors.motion import DualMotion
from kanegen.codegen.derivation.motion_maps.own_speeds import own_speeds
from kanegen.codegen.derivation.motion_maps.spanning_tree import spanning_tree
from kanegen.codegen.derivation.open_chains import require_tree
from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.values import Lift


@dataclass(frozen=True, slots=True)
class DualQuantities:
    """A body's dual vectors at its mass centre, along the axes of its description.

    ``velocity``: w + epsilon v*.  ``partial_velocities``: the same for each speed = 1 alone.  ``momentum``: m v* +
    epsilon I w.  ``inertia_force``: m a* + epsilon (I alpha + w x I w), without weight.
    """

    body: str
    velocity: DualVector
    partial_velocities: tuple[DualVector, ...]
    momentum: DualVector
    inertia_force: DualVector


def dual_quantities(
    mechanism: Mechanism,
    graph: Graph,
    q: Sequence[Expression],
    v: Sequence[Expression],
    a: Sequence[Expression],
) -> list[DualQuantities]:
    """Of every moving body, for coordinates q, speeds v and their derivatives a (expressions of ``graph``).

    Partial velocities are holonomic (6) on joint rates, nonholonomic (7) where the mechanism has constraints or speeds of
    its own.  Raises ModelError for ball joints, mimics, springs, friction and flexible links.
    """
    require_tree(mechanism, "dual quantities", ())
    own = own_speeds(mechanism, q, Lift(graph, mechanism.parameters, live=True))
    moved = own.motion(v, a)
    assert moved.v is not None, "speeds were given"
    rates = moved.a or [expression * 0 for expression in moved.v]
    chain = dual_chain(without_fixed_joints(spanning_tree(mechanism)), graph, cylindrical=False)
    resting = type(chain)(chain.bodies, zeros(graph))
    motion = DualMotion(resting, graph, moved.q)
    velocities = motion.velocities(moved.v)
    changes = motion.rates_of_change(velocities, moved.v, rates)
    partials = [motion.velocities(column) for column in zip(*own.columns(), strict=True)]
    found = []
    for i, body in enumerate(chain.bodies):
        velocity = body.to_center.inward(velocities[i])
        force = dual_inertia_force(body, velocity, body.to_center.inward(changes[i]))
        found.append(
            DualQuantities(
                body.name,
                _along(body, velocity),
                tuple(_along(body, body.to_center.inward(partial[i])) for partial in partials),
                _along(body, dual_momentum(body, velocity)),
                _along(body, force),
            )
        )
    return found


def _along(body: DualBody, vector: DualVector) -> DualVector:
    """A dual vector at the mass centre along the axes of the body's description."""
    turn = body.described.rotation
    return DualVector(triple(vec.apply(turn, vector.real)), triple(vec.apply(turn, vector.dual)))
