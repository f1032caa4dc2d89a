"""Flexible links of a TOML file: ``[[beam]]``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.flexible import (
    Appendage,
    Beam,
    BeamFunction,
    Mode,
    Polynomial,
    RodFunction,
    Shape,
)
from kanegen.codegen.mechanism.importers.toml import schema
from kanegen.codegen.mechanism.importers.toml.table import Table

_ROD = "rod"


def add_beam(builder: MechanismBuilder, table: Table) -> None:
    """A slender beam with its modes, what it carries, and frames along it."""
    table.check(schema.BEAM)
    modes = [_mode(mode) for mode in table.tables("mode")]
    appendages = [_appendage(carried) for carried in table.tables("appendage")]
    stations = table.table("station")
    at = {} if stations is None else {name: stations.number(name) for name in stations.content}
    with table.located():
        beam = Beam(
            length=table.number("length"),
            mass_per_length=_per_length(table, "mass_per_length"),
            modes=modes,
            EI_y=_per_length(table, "EI_y"),
            EI_z=_per_length(table, "EI_z"),
            GJ=_per_length(table, "GJ"),
            section_y=_per_length(table, "section_y"),
            section_z=_per_length(table, "section_z"),
            stiffness=table.numbers("stiffness", None),
            damping_time=table.number("damping_time"),
            damping=table.numbers("damping", None),
            appendages=appendages,
        )
        builder.flexible(table.text("name"), beam, at)


def _per_length(table: Table, key: str) -> Any:
    """A number, or an array: the coefficients of a polynomial in s = distance / length."""
    if isinstance(table.content.get(key), list):
        with table.located():
            return Polynomial.of(*table.numbers(key))
    return table.number(key)


def _mode(table: Table) -> Mode:
    table.check(schema.MODE)
    y, z, twist = (_shape(table, key) for key in ("y", "z", "twist"))
    return Mode(table.text("name"), y, z, twist)


def _shape(table: Table, key: str) -> Shape | Iterable[Any]:
    """An array of coefficients, or the name of a function and its number: "clamped-free 1", "rod 2"."""
    value = table.content.get(key)
    if not isinstance(value, str):
        return tuple(table.numbers(key, ()))
    name, _, number = value.partition(" ")
    known = (*BeamFunction.SUPPORTS, _ROD)
    if name not in known or not number.strip().isdecimal():
        raise table.error(
            key,
            f"is {value!r}",
            f"one of {', '.join(known)} and a number, or the coefficients of a polynomial",
            'Write "clamped-free 1", "rod 1" or [0, 0, 1.5, -0.5].',
        )
    return RodFunction(int(number)) if name == _ROD else BeamFunction(name, int(number))


def _appendage(table: Table) -> Appendage:
    table.check(schema.APPENDAGE)
    return Appendage(
        table.number("at"), table.number("mass"), table.numbers("center"), table.numbers("inertia")
    )
