"""The mass centre, and momentum about it as a function of the joint rates (Orin, Goswami & Lee 2013).

A unit rate of joint j alone gives everything beyond it the linear momentum f and, about the origin of body j, the angular
momentum n of its composite inertia: the same wrench that a unit acceleration from rest needs (composite_inertia.py).
Column j of the centroidal momentum matrix is that wrench about the mass centre, along the axes of the base.

Inertia that regrouping has moved to the base is at rest there: it adds no momentum, but it counts for the mass centre.
What is fixed to the base in the description counts for neither.
"""

from __future__ import annotations

from kanegen.codegen.derivation.recursive.column_wrenches import ColumnWrenches
from kanegen.codegen.derivation.recursive.composite_inertia import CompositeInertia
from kanegen.codegen.graph import Expression
from kanegen.codegen.graph import linear as vec
from kanegen.errors import ModelError


def center_of_mass(composite: CompositeInertia) -> list[Expression]:
    """The mass centre of the moving bodies in the base frame.  Raises ModelError where they have no mass."""
    motion, tree = composite.motion, composite.tree
    roots = tree.children(-1)
    mass = motion.sum([motion.number(tree.base_mass), *(composite.mass(j) for j in roots)])
    if mass.is_zero:
        raise ModelError(
            f"mechanism {tree.name!r}",
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


def centroidal_momentum_matrix(composite: CompositeInertia) -> list[list[Expression]]:
    """A(q): linear momentum and angular momentum about the mass centre are A v, columns in coordinate order.

    Raises ModelError where the moving bodies have no mass.
    """
    motion, tree = composite.motion, composite.tree
    center = center_of_mass(composite)
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
