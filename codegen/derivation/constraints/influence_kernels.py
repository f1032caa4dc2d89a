"""Influence coefficients of Freeman & Tesar (1988) on the generalized speeds: I*, P*, and G, H of frames.

The paper transfers the arrays of the tree to other inputs by formulas that follow from differentiating the transfer of
rates once more.  Here the transferred motion is there as a whole: its arrays are derivatives with respect to the speeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.derivation.constraints.dynamics_kernels import mass_matrix
from kanegen.codegen.derivation.constraints.frame_kernels import jacobian_entries
from kanegen.codegen.derivation.constraints.setting import Setting
from kanegen.codegen.derivation.constraints.spanning_tree import tree_accelerations, tree_rates
from kanegen.codegen.derivation.kernels.catalogue import (
    EFFECTIVE_INERTIA,
    INERTIA_POWER,
    INFLUENCE_H,
)
from kanegen.codegen.derivation.standard import FrameBuild
from kanegen.codegen.graph import Expression, Program, partial
from kanegen.codegen.graph import linear as vec


def effective_inertia(s: Setting) -> Program:
    """I* of Freeman & Tesar (1988, eq 15), transferred to the speeds: the mass matrix on them."""
    (inertia,) = EFFECTIVE_INERTIA.gives
    found = mass_matrix(s)
    return replace(
        found, name=EFFECTIVE_INERTIA.name, title=EFFECTIVE_INERTIA.title, outputs=(s.arguments(inertia),)
    )


def inertia_power(s: Setting) -> Program:
    """P* of Freeman & Tesar (1988, eq 16), transferred to the speeds: half the second derivatives of the bias forces."""
    v = s.input("v", s.nv)
    qdot = s.motion.rates(v)
    bias = s.on_speeds(qdot, s.motion.accelerations(qdot, [s.zero] * s.nv))
    return s.program(INERTIA_POWER, _quadratic_form(s, v, bias))


def influence_G(s: Setting, build: FrameBuild) -> Program:
    """G of a frame (2): its twist for unit speeds, which is its Jacobian."""
    return s.of_frame(build, jacobian_entries(s, build), "joint axes crossed with lever arms")


def influence_H(s: Setting, build: FrameBuild, rate: FrameBuild) -> Program:
    """H of a frame (5): accelerations are G a + v^T H v; all planes are symmetric, those of rotation too.

    ``build`` makes the tree's Jacobian of the frame, ``rate`` its derivative.
    """
    v = s.input("v", s.nv)
    qdot = s.motion.rates(v)
    rates = tree_rates(s.mechanism, s.lift, qdot)
    qddot = s.motion.accelerations(qdot, [s.zero] * s.nv)
    still = tree_accelerations(s.mechanism, s.graph, qddot)
    jacobian, turning, n = s.of_tree(build)[0], s.of_tree(rate, qdot)[0], len(rates)
    accelerations = []
    for p in range(6):
        row = slice(n * p, n * (p + 1))
        found = vec.dot_total(s.graph, [*jacobian[row], *turning[row]], [*still, *rates])
        accelerations.append(found)
    return s.program(
        INFLUENCE_H,
        _quadratic_form(s, v, accelerations),
        name=build.name,
        frame=build.frame.name,
        planes="planes are symmetric",
    )


def _quadratic_form(s: Setting, v: Sequence[Expression], values: Sequence[Expression]) -> list[Expression]:
    """Half the second derivatives of each value with respect to the speeds, in which it is of second degree."""
    slopes = [partial(s.graph, x) for x in v]
    return [
        slopes[max(m, k)].first(slopes[min(m, k)].first(x)) * Fraction(1, 2)
        for x in values
        for m in range(s.nv)
        for k in range(s.nv)
    ]
