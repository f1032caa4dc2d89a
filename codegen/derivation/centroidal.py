"""The mass centre, and momentum about it as a function of the joint rates (Orin, Goswami & Lee 2013).

A unit rate of joint j alone gives everything beyond it the linear momentum f and, about the origin of body j, the angular
momentum n of its composite inertia: the same wrench that a unit acceleration from rest needs (composite_inertia.py).
Column j of the centroidal momentum matrix is that wrench about the mass centre, along the axes of the base.

Inertia that regrouping has moved to the base is at rest there: it adds no momentum, but it counts for the mass centre.
What is fixed to the base in the description counts for neither.
"""

from __future__ import annotations

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.column_wrenches import ColumnWrenches
from kanegen.codegen.derivation.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.kernels.catalogue import CENTER_OF_MASS, CENTROIDAL_MOMENTUM_MATRIX
from kanegen.codegen.derivation.kernels.contract import Arguments
from kanegen.codegen.derivation.motion import Motion
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.graph import Expression, Graph, Program, inputs
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.errors import ModelError


def center_of_mass(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
    """Mass centre of the moving bodies in the base frame.  Raises ModelError where they have no mass."""
    motion = _motion(tree, choices)
    center = center_of_mass_entries(CompositeInertia(tree, motion), mechanism.name)
    source = "composite first moment over the mass"
    return CENTER_OF_MASS.program(Arguments.of(mechanism), motion.graph, [center], source, motion.labels)


def centroidal_momentum_matrix(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
    """A(q): linear momentum and angular momentum about the mass centre are A v.

    Raises ModelError where the moving bodies have no mass.
    """
    motion = _motion(tree, choices)
    rows = centroidal_entries(CompositeInertia(tree, motion), mechanism.name)
    source = "composite inertias about the mass centre (Orin, Goswami & Lee 2013)"
    return CENTROIDAL_MOMENTUM_MATRIX.program(
        Arguments.of(mechanism), motion.graph, [rows], source, motion.labels
    )


def center_of_mass_entries(composite: CompositeInertia, name: str) -> list[Expression]:
    """The mass centre in the base frame.  ``name`` is that of the mechanism, for the error where there is no mass."""
    motion, tree = composite.motion, composite.tree
    roots = tree.children(-1)
    mass = motion.sum([motion.number(tree.base_mass), *(composite.mass(j) for j in roots)])
    if mass.is_zero:
        raise ModelError(
            f"mechanism {name!r}",
            "has no moving mass, so its mass centre is undefined",
            "a moving body with mass",
            "Give the moving bodies their masses, or leave this kernel out.",
        )
    share = 1 / mass
    return [
        motion.sum(
            [motion.number(tree.base_first_moment[m]), *(composite.first_in_parent(j, m) for j in roots)]
        )
        * share
        for m in range(3)
    ]


def centroidal_entries(composite: CompositeInertia, name: str) -> list[list[Expression]]:
    """The six rows of the centroidal momentum matrix, columns in coordinate order."""
    motion, tree = composite.motion, composite.tree
    center = center_of_mass_entries(composite, name)
    rows = [[motion.zero] * len(tree.bodies) for _ in range(6)]
    wrenches = ColumnWrenches(composite)
    for j, body in enumerate(tree.bodies):
        root = j
        while tree.bodies[root].parent >= 0:
            root = tree.bodies[root].parent
        factor = motion.to_unit(j)
        f = [wrenches.turned("f", j, root, m) for m in range(3)]
        arm = vec.subtract(motion.position(root), center)
        for m in range(3):
            moment = motion.sum([wrenches.turned("n", j, root, m), *vec.cross_terms(arm, f, m)])
            rows[m][body.coordinate] = f[m] * factor
            rows[3 + m][body.coordinate] = moment * factor
    return rows


def _motion(tree: PlacedTree, choices: Choices) -> Motion:
    graph = Graph()
    n = len(tree.bodies)
    rest = [Expression(graph, graph.zero)] * n
    return Motion(tree, graph, choices, inputs(graph, "q", n), rest, rest)
