"""Mimics in a mechanism with loops or constraints: one more equation of position each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import PositionConstraint, VelocityConstraint
from kanegen.codegen.mechanism.force_laws import symbolic
from kanegen.codegen.mechanism.records import Mechanism, Value
from kanegen.codegen.mechanism.speeds import on_equation


def with_mimics_as_constraints(mechanism: Mechanism) -> Mechanism:
    """The same mechanism with every mimic a coordinate that an equation ties to its leader.

    The coordinates of mimics follow the others.  Parameters in multipliers and offsets stay parameters.
    """
    coordinates = (*mechanism.coordinates, *(mimic.joint for mimic in mechanism.mimics))
    q = {name: sympy.Symbol(name, real=True) for name in coordinates}
    equations = []
    for mimic in mechanism.mimics:
        followed = symbolic(mimic.multiplier) * q[mimic.leader] + symbolic(mimic.offset)
        expression = q[mimic.joint] - followed
        equations.append(
            PositionConstraint(f"{mimic.joint} follows {mimic.leader}", tuple(q.values()), expression)
        )
    before, more = len(mechanism.coordinates), [q[mimic.joint] for mimic in mechanism.mimics]

    def extended(item: Any) -> Any:
        """An equation or a law with symbols for mimics, too, where it has one for each other coordinate."""
        if len(getattr(item, "q", ())) != before:
            return item
        found = replace(item, q=(*item.q, *more))
        if isinstance(found, VelocityConstraint):
            found = replace(found, qdot=(*found.qdot, *(sympy.Symbol(f"rate({x})", real=True) for x in more)))
        return found

    return replace(
        mechanism,
        coordinates=coordinates,
        mimics=(),
        home=mechanism.home and (*mechanism.home, *_followed(mechanism)),
        constraints=(*map(extended, mechanism.constraints), *equations),
        speeds=tuple(on_equation(speed, extended) for speed in mechanism.speeds),
        laws=tuple(map(extended, mechanism.laws)),
    )


def _followed(mechanism: Mechanism) -> tuple[Value, ...]:
    """Where mimics stand in the configuration ``home``."""
    home = dict(zip(mechanism.coordinates, mechanism.home, strict=False))
    ends = [mechanism.followed(mimic.joint) for mimic in mechanism.mimics]
    return tuple(end.multiplier * home[end.leader] + end.offset for end in ends)
