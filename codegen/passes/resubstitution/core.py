"""The compiled core of resubstitution: webs handed to C, and taken back."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from types import ModuleType
from typing import Any

from kanegen.codegen.graph import Program
from kanegen.codegen.passes.prices import PRICES
from kanegen.codegen.passes.resubstitution.residues import (
    MERSENNE,
    Points,
    Residues,
    doubles_of,
    rational,
    residues_of,
)
from kanegen.codegen.passes.resubstitution.web import (
    LEAF,
    OPAQUE,
    PRODUCT,
    SCALED,
    SHIFTED,
    SUM,
    Made,
    Web,
    renumbered,
)

_BELOW = (
    31,
    45,
    229,
    259,
    283,
    339,
    391,
    403,
    465,
    531,
    579,
    675,
    759,
    799,
    819,
    829,
    843,
    859,
    939,
    985,
    1015,
    1153,
    1195,
    1215,
)
PRIMES = tuple(2**61 - below for below in _BELOW)
"""The largest primes below 2^61 - 1: constants are read again from what they leave modulo these."""

_POINTS, _STATES = 3, 4
SEARCHED = Points(
    (MERSENNE,) * _POINTS + tuple(p for p in PRIMES for _ in (0, 1)),
    tuple(range(_POINTS + 2 * len(PRIMES))),
)
"""Where values are told apart in a search."""

_READ_FROM = (4, 10, len(PRIMES))
"""A number is read from the first so many primes, and has to fit the rest: there are short ones, and those of 60 digits, of
which a product of several is read from the most."""
_REMEMBERED = 1 << 12
"""Numbers whose residues are kept, both ways: a search has the same ones in each cycle."""
_ROOM = 4
"""Room for so many times the values that there are: dead ones are closed up when it is full."""


@dataclass(frozen=True)
class Schedule:
    """How long to search, and how warm: temperatures in additions, ``rise`` in thousandths of one."""

    steps: int
    hot: float = 0.4
    cold: float = 0.16
    rise: int = 6000
    seed: int = 1


def core() -> ModuleType | None:
    """The extension, None where it was not compiled."""
    try:
        return importlib.import_module("kanegen._resubstitution")
    except ImportError:
        return None


Numbers = tuple[Residues, list[float]]
"""Residues and doubles of a value."""


@dataclass(frozen=True)
class Source:
    """What stands in a program that webs begin with: numbers of its nodes, and which are given by parameters alone."""

    numbers: Mapping[int, Numbers]
    parametric: Sequence[bool]

    @classmethod
    def of(cls, program: Program) -> Source:
        """Raises ZeroDivisionError where a value of the program is 0 modulo a prime by chance."""
        graph, roots = program.graph, program.roots
        residues, doubles = residues_of(graph, roots, SEARCHED), doubles_of(graph, roots, _STATES)
        return cls({node: (exact, doubles[node]) for node, exact in residues.items()}, graph.parametric)


def resubstituted(
    extension: Any, source: Source, web: Web, schedule: Schedule, window: Sequence[int]
) -> Web | None:
    """The cheapest web that is found for the results of this one, whose leaves stand in ``source``.

    Values with the indices of the ``window``, leaves first, may be made otherwise.  None where it has a number with so many
    digits that it is not known from its residues.

    Raises MemoryError.
    """
    ffi, lib = extension.ffi, extension.lib
    most = _ROOM * len(web.values) + 1000
    given, room = ffi.new("kanegen_web *"), ffi.new("kanegen_web *")
    kept: list[Any] = []

    def array(kind: str, items: Sequence[Any] | int) -> Any:
        made = ffi.new(f"{kind}[]", items if isinstance(items, int) else (items or 1))
        kept.append(made)
        return made

    constants: dict[Fraction, int] = {}
    operands: list[int] = []
    definitions = [_definition(made, source.parametric, constants, operands) for made in web.values]
    given.values, given.leaves, given.constants = len(web.values), web.leaves, len(constants)
    given.outputs, given.operands = len(web.results), len(operands)
    given.definitions = array("kanegen_definition", definitions)
    given.numbers = array("kanegen_numbers", _numbers(source, web))
    given.constant_numbers = array("kanegen_numbers", [_number(x) for x in constants])
    given.output, given.operand = array("int32_t", list(web.results)), array("int32_t", operands)
    room.definitions = array("kanegen_definition", most)
    room.constant_numbers = array("kanegen_numbers", most)
    room.output, room.operand = (
        array("int32_t", max(1, len(web.results))),
        array("int32_t", max(1, len(operands))),
    )
    price = lib.kanegen_resubstitute(
        given,
        room,
        most,
        array("uint64_t", list(PRIMES)),
        schedule.seed,
        array("int32_t", list(window)),
        len(window),
        schedule.steps,
        schedule.hot,
        schedule.cold,
        schedule.rise,
    )
    if price < 0:
        raise MemoryError("the search for other definitions found no room")
    numbers = dict[int, Fraction]()
    for d in room.definitions[0 : room.values]:
        if d.kind in (SCALED, SHIFTED) and d.constant not in numbers:
            number = _fraction(tuple(room.constant_numbers[d.constant].residues))
            if number is None:
                return None
            numbers[d.constant] = number
    opaque = {d[1]: made for d, made in zip(definitions, web.values, strict=True) if made.form == OPAQUE}
    found = [*web.values[: web.leaves]]
    for k in range(web.leaves, room.values):
        d = room.definitions[k]
        if d.kind == OPAQUE:
            found.append(replace(opaque[d.a], operands=tuple(room.operand[d.a : d.a + d.b])))
        elif d.kind in (SUM, PRODUCT):
            found.append(Made(d.kind, (d.a, d.b)))
        else:
            found.append(Made(d.kind, (d.a,), numbers[d.constant]))
    return renumbered(Web(tuple(found), web.leaves, tuple(room.output[k] for k in range(room.outputs))))


def _definition(
    made: Made, parametric: Sequence[bool], constants: dict[Fraction, int], operands: list[int]
) -> tuple[int, int, int, int]:
    if made.form == LEAF:
        return made.form, int(parametric[made.node]), 0, 0
    if made.form == OPAQUE:
        assert made.kind is not None  # which an opaque value has
        operands += made.operands
        price = PRICES.get(made.kind, 0)
        return made.form, len(operands) - len(made.operands), len(made.operands), price
    if made.number is None:
        return made.form, made.operands[0], made.operands[1], -1
    return made.form, made.operands[0], 0, constants.setdefault(made.number, len(constants))


def _numbers(source: Source, web: Web) -> list[tuple[tuple[int, ...], list[float]]]:
    """Residues and doubles of leaves and opaque values, which follow from nothing else that is known of a web."""
    known = (source.numbers[made.node] for made in web.values if made.form in (LEAF, OPAQUE))
    return [(exact.at, inexact) for exact, inexact in known]


@lru_cache(_REMEMBERED)
def _number(value: Fraction) -> tuple[tuple[int, ...], tuple[float, ...]]:
    return SEARCHED.number(value).at, (float(value),) * _STATES


@lru_cache(_REMEMBERED)
def _fraction(residues: tuple[int, ...]) -> Fraction | None:
    """The number with these residues; None where its terms are too long to be read from them."""
    firsts = [residues[0], *(residues[_POINTS + 2 * k] for k in range(len(PRIMES)))]
    primes = (MERSENNE, *PRIMES)
    for some in _READ_FROM:
        found = rational(firsts[:some], primes[:some])
        rest = zip(firsts[some:], primes[some:], strict=True)
        if all((found.numerator - residue * found.denominator) % p == 0 for residue, p in rest):
            return found
    return None
