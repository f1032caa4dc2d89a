"""The inverse of the mass matrix, by whichever of two methods counts fewer operations.

Composite inertias and a sparse L D L^T whose inverse is formed in one triangle; or, column by column, the articulated-body
recursion for unit forces on a mechanism at rest without weight, where everything but the columns' own forces is shared
(Carpentier & Mansard 2018).  The first costs the cube of the number of joints in a row, the second its square: long chains
have the choice, which is a decision point.
"""

from __future__ import annotations

from kanegen.codegen.derivation.linear.inverse import inverse
from kanegen.codegen.derivation.linear.solve import chosen_blocks
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive import articulated_body
from kanegen.codegen.derivation.recursive.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression, constant

METHOD = "method of the inverse mass matrix"

_LONG = 20
"""Joints in a row from which on the articulated-body recursion can be the cheaper method (both were counted)."""


def inverse_mass_matrix(motion: Motion) -> tuple[list[list[Expression]], str]:
    """M(q)^-1, full and symmetric, for a mechanism at rest without weight; and how it was found."""
    if motion.choices.pick(METHOD, 2 if motion.tree.depth() >= _LONG else 1, whole=True) == 0:
        found = _by_elimination(motion.tree, motion, motion.choices)
        return found, "composite inertias and the inverse of a sparse L D L^T (Takahashi, Fagan & Chin 1973)"
    found = _by_articulated_bodies(motion.tree, motion)
    return found, "articulated-body recursion for unit forces (Carpentier & Mansard 2018)"


def _by_elimination(tree: PlacedTree, motion: Motion, choices: Choices) -> list[list[Expression]]:
    """In the order of the bodies and the tree's unit of length first: its zeros are the tree's branches."""
    n = len(tree.bodies)
    composite = CompositeInertia(tree, motion)
    matrix = [[motion.zero] * n for _ in range(n)]
    for j in range(n):
        for i, value in composite.column(j).items():
            matrix[i][j] = matrix[j][i] = value
    found = inverse(matrix, chosen_blocks(matrix, choices, "the inverse"))
    entries = [[motion.zero] * n for _ in range(n)]
    for i, row in enumerate(tree.bodies):
        for j, column in enumerate(tree.bodies):
            factor = 1 / (motion.to_unit(i) * motion.to_unit(j))
            entries[row.coordinate][column.coordinate] = found[i][j] * factor
    return entries


def _by_articulated_bodies(tree: PlacedTree, motion: Motion) -> list[list[Expression]]:
    """Accelerations for unit forces; of each pair of equal entries only that nearer to the base in its row is used."""
    n = len(tree.bodies)
    one = constant(motion.graph, 1)
    entries = [[motion.zero] * n for _ in range(n)]
    for j, body in enumerate(tree.bodies):
        tau = [motion.zero] * n
        tau[body.coordinate] = one
        a = articulated_body.forward_dynamics(motion, tau)
        for i in range(j + 1):
            k = tree.bodies[i].coordinate
            entries[k][body.coordinate] = entries[body.coordinate][k] = a[k]
    return entries
