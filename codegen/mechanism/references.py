"""What in a mechanism refers to its coordinates, speeds and frames by name or by place, and what becomes of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import (
    Constraint,
    FrameCoordinate,
    PositionConstraint,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.force_elements import ForceElement
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import CombinedSpeed, GeneralizedSpeed, on_equation
from kanegen.codegen.mechanism.validation.symbols import names_of_speeds
from kanegen.errors import ModelError

FRAMES = ("first", "second", "wheel", "ground", "contact", "edge", "frame", "relative_to", "frames")
"""Fields of loops, constraints, springs and speeds that name frames."""

Equation = PositionConstraint | VelocityConstraint


def with_names(record: Any, names: Mapping[str, str], fields: Sequence[str]) -> Any:
    """A record with other names in those of these fields that it has, or its displacement; itself where none changes."""
    if isinstance(record, ForceElement):
        displacement = with_names(record.displacement, names, fields)
        return record if displacement is record.displacement else replace(record, displacement=displacement)
    if isinstance(record, CombinedSpeed):
        return on_equation(record, lambda item: with_names(item, names, fields))
    if isinstance(record, FrameCoordinate):
        fields = ("frame", "relative_to")
    given = {field: getattr(record, field) for field in fields if hasattr(record, field)}
    after = {
        field: tuple(
            names.get(part, part) if isinstance(part, str) else with_names(part, names, fields)
            for part in named
        )
        if isinstance(named, tuple)
        else names.get(named, named)
        for field, named in given.items()
    }
    return record if after == given else replace(record, **after)


def frames_of(record: Any) -> tuple[str, ...]:
    """The frames that a loop, constraint, spring or speed names."""
    if isinstance(record, ForceElement):
        return frames_of(record.displacement)
    if isinstance(record, CombinedSpeed):
        return frames_of(record.equation)
    if isinstance(record, Equation):
        return tuple(name for part in record.frames for name in (part.frame, part.relative_to))
    named = (getattr(record, field, None) for field in FRAMES)
    listed = (name if isinstance(name, tuple) else (name,) for name in named if name is not None)
    return tuple(name for names in listed for name in names)


def constraint_by_names(
    item: Constraint, names: Sequence[str], others: Mapping[sympy.Symbol, sympy.Symbol] | None = None
) -> Constraint:
    """A constraint; an equation with its symbols called like these coordinates and their rates, or by ``others``."""
    if not isinstance(item, Equation):
        return item
    q, frames = (
        _called(item.q, names),
        _called([x.symbol for x in item.frames], [x.name for x in item.frames]),
    )
    known = {**(others or {}), **q, **frames}
    parts = tuple(replace(part, symbol=frames[part.symbol]) for part in item.frames)
    item = replace(item, q=tuple(q.values()), frames=parts)
    if isinstance(item, PositionConstraint):
        return replace(item, expression=item.expression.xreplace(known))
    rates = _called(item.qdot, [f"rate({name})" for name in names])
    return replace(item, qdot=tuple(rates.values()), expression=item.expression.xreplace(known | rates))


def law_by_names(law: ControlLaw, coordinates: Sequence[str], speeds: Sequence[str]) -> ControlLaw:
    """A law with its symbols called like these coordinates and the rates of these joints, other speeds by their place."""
    q = _called(law.q, coordinates)
    v = _called(law.v, [f"rate({name})" if name else f"speed({k})" for k, name in enumerate(speeds)])
    law = law.replaced(lambda expression: expression.xreplace(q | v))
    return replace(law, q=tuple(q.values()), v=tuple(v.values()))


def by_names(mechanism: Mechanism) -> Mechanism:
    """The mechanism with the symbols of its equations and laws called like what they stand for."""
    names, speeds = mechanism.coordinates, names_of_speeds(mechanism)
    return replace(
        mechanism,
        constraints=tuple(constraint_by_names(item, names) for item in mechanism.constraints),
        speeds=tuple(
            on_equation(speed, lambda item: constraint_by_names(item, names)) for speed in mechanism.speeds
        ),
        laws=tuple(law_by_names(law, names, speeds) for law in mechanism.laws),
    )


def refitted_constraint(item: Constraint, coordinates: Sequence[str]) -> Constraint:
    """A constraint by names; an equation with a symbol for each of these coordinates, in their order."""
    if not isinstance(item, Equation):
        return item
    q = _symbols(item.q, coordinates)
    if isinstance(item, PositionConstraint):
        return replace(item, q=q)
    return replace(item, q=q, qdot=_symbols(item.qdot, [f"rate({name})" for name in coordinates]))


def refitted_law(law: ControlLaw, before: Mechanism, after: Mechanism) -> ControlLaw:
    """A law by names, with the coordinates and speeds of ``after``; there is no force on speeds that ``before`` has not.

    Raises ModelError where it has quantities of the mechanism, whose entries would be others.
    """
    old: dict[GeneralizedSpeed, int] = {s: k for k, s in enumerate(before.generalized_speeds)}
    places = [old.get(speed) for speed in after.generalized_speeds]
    if law.quantities() and places != list(range(len(old))):
        raise ModelError(
            f"control law {law.name!r}",
            f"refers to entries of {law.quantities()[0].kernel}, and the speeds are others now",
            "a law without quantities of the mechanism where speeds are added, removed or in another order",
            "Add the law to the mechanism as it is now.",
        )
    forces = tuple(sympy.Integer(0) if k is None else law.forces[k] for k in places)
    names = [
        f"rate({name})" if name else f"speed({places[k]})" for k, name in enumerate(names_of_speeds(after))
    ]
    return replace(law, q=_symbols(law.q, after.coordinates), v=_symbols(law.v, names), forces=forces)


def _called(symbols: Sequence[sympy.Symbol], names: Sequence[str]) -> dict[sympy.Symbol, sympy.Symbol]:
    """For each symbol one of the same assumptions with a name."""
    return {s: sympy.Symbol(name, **s.assumptions0) for s, name in zip(symbols, names, strict=True)}


def _symbols(symbols: Sequence[sympy.Symbol], names: Sequence[str]) -> tuple[sympy.Symbol, ...]:
    """The symbols of these names, new ones where there are none."""
    known = {symbol.name: symbol for symbol in symbols}
    return tuple(known.get(name) or sympy.Symbol(name, real=True) for name in names)
