"""Influence coefficients of Freeman & Tesar (1988) on the generalized speeds: I*, P*, and G, H of frames.

The paper transfers the arrays of the tree to other inputs by formulas that follow from differentiating the transfer of
rates once more.  Here the transferred motion is there as a whole: its arrays are derivatives with respect to the speeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.derivation.constraints.dynamics_kernels import mass_matrix
from kanegen.codegen.derivation.constraints.frame_kernels import frame_jacobian
from kanegen.codegen.derivation.constraints.setting import Setting
from kanegen.codegen.derivation.constraints.spanning_tree import tree_accelerations, tree_rates
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.graph import Argument, Expression, Program, partial
from kanegen.codegen.graph import linear as vec


def effective_inertia(s: Setting) -> Program:
    """I* of Freeman & Tesar (1988, eq 15), transferred to the speeds: the mass matrix on them."""
    found = mass_matrix(s)
    inertia = Argument("I", (s.nv, s.nv), "kg m^2, kg m, kg", "effective inertia on the speeds")
    return replace(found, name="effective_inertia", title="effective inertia", outputs=(inertia,))


def inertia_power(s: Setting) -> Program:
    """P* of Freeman & Tesar (1988, eq 16), transferred to the speeds: half the second derivatives of the bias forces."""
    v = s.input("v", s.nv)
    qdot = s.motion.rates(v)
    bias = s.on_speeds(qdot, s.motion.accelerations(qdot, [s.zero] * s.nv))
    entries = _quadratic_form(s, v, bias)
    power = Argument(
        "P",
        (s.nv, s.nv, s.nv),
        "kg m^2, kg m, kg",
        "inertia power: forces v^T P[n] v, symmetric in the last two",
    )
    return s.program("inertia_power", "inertia power array", (s.arguments.q(),), {power: entries})


def influence_G(s: Setting, build: Build, name: str) -> Program:
    """G of a frame (2): its twist for unit speeds, which is its Jacobian."""
    found = frame_jacobian(s, build)
    return replace(found, name=name, outputs=(replace(found.outputs[0], name="G"),))


def influence_H(s: Setting, build: Build, rate: Build, name: str) -> Program:
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
    output = Argument(
        "H",
        (6, s.nv, s.nv),
        "m, 1",
        "acceleration of the frame's origin, then its angular acceleration, in the base frame, are G a + v^T H v",
    )
    title = "second-order influence coefficients of a frame on the speeds"
    return s.program(name, title, (s.arguments.q(),), {output: _quadratic_form(s, v, accelerations)})


def _quadratic_form(s: Setting, v: Sequence[Expression], values: Sequence[Expression]) -> list[Expression]:
    """Half the second derivatives of each value with respect to the speeds, in which it is of second degree."""
    slopes = [partial(s.graph, x) for x in v]
    return [
        slopes[max(m, k)].first(slopes[min(m, k)].first(x)) * Fraction(1, 2)
        for x in values
        for m in range(s.nv)
        for k in range(s.nv)
    ]
