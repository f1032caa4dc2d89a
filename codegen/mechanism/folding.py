"""Every value of a record put through a function; so parameters are folded, and the same mechanism has numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import (
    Constraint,
    PositionConstraint,
    Prescribed,
    PrescribedMotion,
    SpringDamper,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.force_elements import ForceElement
from kanegen.codegen.mechanism.records import Mechanism, Value
from kanegen.codegen.mechanism.speeds import on_equation
from kanegen.codegen.mechanism.values import Lift, numeric, plain


def mapped(part: Any, change: Callable[[Value], Any]) -> Any:
    """A record, or numbers in tuples, with every value in it put through ``change``; itself where nothing changes."""
    if isinstance(part, Fraction | Expression):
        return change(part)
    if isinstance(part, tuple):
        entries = tuple(mapped(entry, change) for entry in part)
        return part if all(a is b for a, b in zip(entries, part, strict=True)) else entries
    if not is_dataclass(part):
        return part
    given = {field.name: getattr(part, field.name) for field in fields(part)}
    found = {name: mapped(value, change) for name, value in given.items()}
    changed = {name: value for name, value in found.items() if value is not given[name]}
    record: Any = part
    return replace(record, **changed) if changed else part


def with_numbers(mechanism: Mechanism, kept: Collection[str] = ()) -> Mechanism:
    """The mechanism with its parameters replaced by their values, but for those that are kept."""
    numbers = {
        p.name: sympy.Rational(p.value.numerator, p.value.denominator)
        for p in mechanism.parameters
        if p.name not in kept
    }
    left = tuple(p for p in mechanism.parameters if p.name in kept)
    lift = Lift(Graph(), mechanism.parameters, live=kept)

    def folded(value: Value) -> Value:
        return plain(lift(value)) if kept and isinstance(value, Expression) else numeric(value, mechanism)

    def written(record: Constraint | Prescribed) -> Any:
        if not isinstance(record, PositionConstraint | VelocityConstraint | PrescribedMotion):
            return record
        known = {s: numbers[s.name] for s in record.expression.free_symbols if s.name in numbers}
        return replace(record, expression=record.expression.xreplace(known))

    def element(record: SpringDamper) -> SpringDamper:
        if not isinstance(record, ForceElement):
            return record
        return replace(record, law=record.law.with_numbers(numbers))

    found: Mechanism = mapped(replace(mechanism, parameters=(), rounded=None), folded)
    return replace(
        found,
        parameters=left,
        laws=tuple(law.with_numbers(numbers) for law in mechanism.laws),
        constraints=tuple(map(written, found.constraints)),
        prescribed=tuple(map(written, found.prescribed)),
        speeds=tuple(on_equation(speed, written) for speed in found.speeds),
        springs=tuple(map(element, found.springs)),
        rounded=mechanism.rounded,
    )
