"""Tips whose joints can be eliminated before any matrix is formed.

Regrouping often leaves the last body of an arm without mass and first moment, only with a constant inertia J about its
origin.  Its joint then gives way in closed form (one step of Featherstone's articulated-body recursion, with constant
numbers): seen from its parent, the body is one of inertia

    J_A = J - J_k J_k^T / J_kk          (J_k the column of the joint axis e_k)

that passes on the moment n - (J_k / J_kk) (n_k - tau), n being the moment its motion would require with the joint at rest.
A constant pivot needs no division, and the row and column of the joint never enter the mass matrix.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from kanegen.codegen.derivation.placed_tree.placement import PlacedBody, PlacedTree, with_inertia
from kanegen.codegen.mechanism.records import Value


def free_tips(tree: PlacedTree) -> list[int]:
    """Bodies on a revolute joint with nothing beyond, without mass, first moment and rotor, but with axial inertia."""
    return [
        i
        for i, body in enumerate(tree.bodies)
        if body.revolute
        and not tree.children(i)
        and body.parent >= 0
        and body.mass == 0
        and body.rotor_inertia == 0
        and all(h == 0 for h in body.first_moment)
        and axis_inertia(body) != 0
    ]


def inertia(body: PlacedBody, r: int, c: int) -> Value:
    """Entry (r, c) of J = tr(S) 1 - S."""
    s = body.second_moment
    trace = s[0][0] + s[1][1] + s[2][2]
    return (trace if r == c else Fraction(0)) - s[r][c]


def axis_inertia(body: PlacedBody) -> Value:
    """J_kk."""
    return inertia(body, body.axis, body.axis)


def articulated_share(body: PlacedBody, t: int) -> Value:
    """J_tk / J_kk."""
    return inertia(body, t, body.axis) / axis_inertia(body)


@lru_cache(maxsize=16)
def articulated_tips(tree: PlacedTree, tips: tuple[int, ...]) -> PlacedTree:
    """The tree with the inertias that these bodies show to their parents when their joints give way."""
    bodies = list(tree.bodies)
    for i in tips:
        body = bodies[i]
        j = [
            [inertia(body, r, c) - articulated_share(body, r) * inertia(body, c, body.axis) for c in range(3)]
            for r in range(3)
        ]
        half = (j[0][0] + j[1][1] + j[2][2]) * Fraction(1, 2)
        second = tuple(tuple((half if r == c else Fraction(0)) - j[r][c] for c in range(3)) for r in range(3))
        bodies[i] = with_inertia(body, body.mass, body.first_moment, second)
    return replace(tree, bodies=tuple(bodies))
