"""Influence coefficients of Freeman & Tesar (1988) on the generalized speeds: I*, P*, and G, H of frames.

The paper transfers the arrays of the tree to other inputs by formulas that follow from differentiating the transfer of
rates once more.  Here the transferred motion is there as a whole: its arrays are derivatives with respect to the speeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial

from kanegen.codegen.derivation.kernels.catalogue import (
    EFFECTIVE_INERTIA,
    INERTIA_POWER,
    INFLUENCE_G,
    INFLUENCE_H,
)
from kanegen.codegen.derivation.kernels.frames import jacobian_of_tree
from kanegen.codegen.derivation.system import Make, System
from kanegen.codegen.graph import Expression, Program
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph import partial as slope
from kanegen.codegen.mechanism.records import Frame


def effective_inertia(s: System) -> Program:
    """I* of Freeman & Tesar (1988, eq 15), transferred to the speeds: the mass matrix on them."""
    return s.program(EFFECTIVE_INERTIA, [s.inertia()])


def inertia_power(s: System) -> Program:
    """P* of Freeman & Tesar (1988, eq 16), transferred to the speeds: half the second derivatives of the bias forces.

    Friction, which is no quadratic form of the speeds, has no part in it.
    """
    v = s.input("v")
    bias = s.map.on_speeds(s.of_tree(lambda tree: tree.forces(), s.map.motion(v, s.rest)))
    return s.program(INERTIA_POWER, [_quadratic_form(s, v, bias)])


def influence_G(s: System, frame: Frame, kernel: str) -> Program:
    """G of a frame (2): its twist for unit speeds, which is its Jacobian."""
    rows = [s.map.on_speeds(row) for row in jacobian_of_tree(s, frame, s.map.motion())]
    return s.program(INFLUENCE_G, [rows], name=kernel, frame=frame.name)


def influence_H(s: System, frame: Frame, kernel: str) -> Program:
    """H of a frame (5): accelerations are G a + v^T H v; all planes are symmetric, those of rotation too."""
    v = s.input("v")
    motion = s.map.motion(v, s.rest)
    assert motion.v is not None and motion.a is not None, "a motion"
    jacobian = jacobian_of_tree(s, frame, motion)
    rates = s.of_tree(lambda tree: tree.frame_jacobian_rate(frame, kernel), motion)
    accelerations = [
        vec.dot_total(s.graph, [*row, *rate], [*motion.a, *motion.v])
        for row, rate in zip(jacobian, rates, strict=True)
    ]
    entries = _quadratic_form(s, v, accelerations)
    return s.program(INFLUENCE_H, [entries], name=kernel, frame=frame.name, planes="all planes are symmetric")


def _quadratic_form(s: System, v: Sequence[Expression], values: Sequence[Expression]) -> list[Expression]:
    """Half the second derivatives of each value with respect to the speeds, in which it is of second degree."""
    slopes = [slope(s.graph, x) for x in v]
    return [
        slopes[max(m, k)].first(slopes[min(m, k)].first(x)) * Fraction(1, 2)
        for x in values
        for m in range(s.nv)
        for k in range(s.nv)
    ]


def influence_kernels(frames: Mapping[str, Frame]) -> dict[str, Make]:
    """I*, P*, and influence_G_<frame>, influence_H_<frame> of ``frames``, by their names as identifiers."""
    made: dict[str, Make] = {EFFECTIVE_INERTIA.name: effective_inertia, INERTIA_POWER.name: inertia_power}
    for identifier, frame in frames.items():
        for contract, make in ((INFLUENCE_G, influence_G), (INFLUENCE_H, influence_H)):
            name = contract.named(identifier)
            made[name] = partial(make, frame=frame, kernel=name)
    return made
