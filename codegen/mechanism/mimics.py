"""Mimics in a mechanism with loops or constraints: one more equation of position each."""

from __future__ import annotations

from dataclasses import replace

import sympy

from kanegen.codegen.mechanism.constraints import PositionConstraint
from kanegen.codegen.mechanism.records import Mechanism, Value
from kanegen.codegen.mechanism.values import numeric


def with_mimics_as_constraints(mechanism: Mechanism) -> Mechanism:
    """The same mechanism with every mimic a coordinate that an equation ties to its leader.

    The coordinates of mimics follow the others.  Multipliers and offsets count as the numbers that they have.
    """
    coordinates = (*mechanism.coordinates, *(mimic.joint for mimic in mechanism.mimics))
    q = {name: sympy.Symbol(name, real=True) for name in coordinates}
    equations = []
    for mimic in mechanism.mimics:
        factor, offset = numeric(mimic.multiplier, mechanism), numeric(mimic.offset, mechanism)
        expression = (
            q[mimic.joint]
            - sympy.Rational(factor.numerator, factor.denominator) * q[mimic.leader]
            - sympy.Rational(offset.numerator, offset.denominator)
        )
        equations.append(
            PositionConstraint(f"{mimic.joint} follows {mimic.leader}", tuple(q.values()), expression)
        )
    return replace(
        mechanism,
        coordinates=coordinates,
        mimics=(),
        home=mechanism.home and (*mechanism.home, *_followed(mechanism)),
        constraints=(*mechanism.constraints, *equations),
    )


def _followed(mechanism: Mechanism) -> tuple[Value, ...]:
    """Where mimics stand in the configuration ``home``."""
    home = dict(zip(mechanism.coordinates, mechanism.home, strict=False))
    ends = [mechanism.followed(mimic.joint) for mimic in mechanism.mimics]
    return tuple(end.multiplier * home[end.leader] + end.offset for end in ends)
