"""Control laws of a TOML file: ``[[law]]``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from kanegen.arithmetic import NotArithmetic
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.control_law import quantity, reference
from kanegen.codegen.mechanism.expression_text import AnyName
from kanegen.codegen.mechanism.importers.toml import schema
from kanegen.codegen.mechanism.importers.toml.expressions import expression
from kanegen.codegen.mechanism.importers.toml.table import Table
from kanegen.codegen.mechanism.motion_builder import state
from kanegen.laws import MAKERS

_IN = "in t, coordinates q1, rate(q1), states, references, parameters and entries of kernels such as gravity_forces[0]"
_FORCE, _RATE, _INPUT = (f"{what} {_IN}" for what in ("a force", "a rate", "an array of entries"))


def add_laws(builder: MechanismBuilder, root: Table) -> None:
    """The control laws of a file.  Raises ModelError."""
    for table in root.tables("law"):
        if "type" in table:
            _add_law_of_library(builder, table)
        else:
            table.check(schema.LAW)
            _add_law(builder, table)


def _add_law_of_library(builder: MechanismBuilder, table: Table) -> None:
    kind = table.choice("type", tuple(schema.LAWS))
    table.check(schema.LAWS[kind])
    keys = [key for key in table.content if key not in ("name", "type")]
    given = {key: _plain(table, key) for key in keys}
    with table.located():
        builder.law(table.text("name"), MAKERS[kind](**given))


def _plain(table: Table, key: str) -> Any:
    """A number, a truth, a text, an array of numbers, or any of these by name."""
    value = table.content[key]
    if isinstance(value, dict):
        inner = table.table(key)
        assert inner is not None, "it is a table"
        return {name: _plain(inner, name) for name in value}
    if isinstance(value, bool) or (isinstance(value, str) and key in ("frame", "target")):
        return value
    if isinstance(value, list):
        return _doubles(table, key, table.numbers(key))
    return _doubles(table, key, table.number(key))


def _doubles(table: Table, key: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_doubles(table, key, entry) for entry in value]
    if not isinstance(value, Fraction):
        raise table.error(key, "depends on parameters", "a number", "Give the number.")
    return float(value)


def _add_law(builder: MechanismBuilder, table: Table) -> None:
    signals = table.names("references")
    symbols = AnyName({"pi": sympy.pi, **{name: reference(name) for name in signals}})

    def rate(name: str) -> sympy.Symbol:
        return reference(name, 1) if name in signals else sympy.Symbol(f"rate({name})", real=True)

    def acceleration(name: str) -> sympy.Symbol:
        if name not in signals:
            raise NotArithmetic(f"{name!r} is none of the references, of which alone a law has accelerations")
        return reference(name, 2)

    named = {"rate": rate, "acceleration": acceleration}

    quantities: dict[str, quantity] = {}

    def entry(name: str, k: int) -> sympy.Expr:
        return quantities.get(name, quantity(name))[k]

    def read(place: Table, key: str, text: Any, expected: str) -> Any:
        return expression(place, key, text, symbols, named, expected, entry)

    for one in table.tables("quantity"):
        inputs = [key for key in one.content if key not in ("name", "kernel")]
        one.check(" ".join([schema.LAW_QUANTITY, *inputs]))
        given = {}
        for key in inputs:
            listed = one.content[key]
            if not isinstance(listed, list):
                raise one.error(key, f"is {listed!r}", _INPUT, "Write it in brackets.")
            given[key] = [read(one, key, text, _INPUT) for text in listed]
        quantities[one.text("name")] = quantity(one.text("kernel"), **given)
    states = []
    for one in table.tables("state"):
        one.check(schema.LAW_STATE)
        found = read(one, "rate", one.content["rate"], _RATE)
        with one.located():
            states.append(state(one.text("name"), found, one.number("initial")))
    listed = table.content["forces"]
    forces: Any
    if isinstance(listed, list):
        forces = [read(table, "forces", text, _FORCE) for text in listed]
    else:
        by_name = table.table("forces")
        assert by_name is not None, "the schema has it"
        forces = {joint: read(by_name, joint, text, _FORCE) for joint, text in by_name.content.items()}
    with table.located():
        builder.law(
            table.text("name"),
            forces,
            title=table.text("title", "control law"),
            source=table.text("source"),
            states=states,
            references=signals,
        )
