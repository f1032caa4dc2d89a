"""Flexible links of a TOML file: ``[[beam]]``, and ``[[flexible]]`` by their modal integrals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.flexible import (
    Appendage,
    Beam,
    BeamFunction,
    LinkTable,
    Mode,
    Polynomial,
    RodFunction,
    Shape,
    StationTable,
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


def add_flexible(builder: MechanismBuilder, table: Table) -> None:
    """A link of any form by its modal integrals (``LinkTable``)."""
    table.check(schema.FLEXIBLE)
    modes = table.tables("mode")
    for mode in modes:
        mode.check(schema.INTEGRALS)
    end, stations = table.table("end"), table.table("station")
    assert end is not None  # which was checked
    places = {} if stations is None else {name: stations.table(name) for name in stations.content}
    moments = None
    if "first_moment" in table or "second_moment" in table:
        moments = table.numbers("first_moment"), table.numbers("second_moment", ((0, 0, 0),) * 3)
    with table.located():
        link = LinkTable(
            modes=[mode.text("name") for mode in modes],
            mass=table.number("mass"),
            center=table.numbers("center"),
            inertia=table.numbers("inertia"),
            first=[mode.numbers("first") for mode in modes],
            mixed=[mode.numbers("mixed") for mode in modes],
            products=[mode.numbers("products") for mode in modes],
            stiffness=table.numbers("stiffness"),
            damping=table.numbers("damping", None),
            end=_station(end),
            stations={name: _station(place) for name, place in places.items() if place is not None},
            moments=moments,
        )
        builder.flexible(table.text("name"), link)


def _station(table: Table) -> StationTable:
    table.check(schema.STATION)
    return StationTable(table.numbers("position"), table.numbers("displacements"), table.numbers("rotations"))
