"""Scale: what belongs to many products with one number is multiplied by that once.

A number k that belongs to k (c x + s y), k (c z - s w) and more of the kind is multiplied with x, y, z and w, or with the
brackets, one by one.  Where k c and k s are formed in their place, two products serve all sums that hold k times c or s.
So does 2 w for x w + (x w + u) and y w + (y w + v), where the brackets are of no other use.  Each such change is a loss
until the last of these sums is written anew, so they are priced together, exactly.
"""

from __future__ import annotations

from collections.abc import Iterator

from kanegen.codegen.graph import Kind, Program, Ref
from kanegen.codegen.passes.look_through import dissolve
from kanegen.codegen.passes.prices import ADDITION
from kanegen.codegen.passes.terms import Monomial, Terms, TermTable, without

_LEAST = ADDITION // 2
"""Savings up to this are none: a multiplication is not traded for an addition."""

_Key = tuple[Ref, tuple[int, ...]]
"""A number, and values that are multiplied by it: one, or sine and cosine of an angle."""


def scale(program: Program) -> Program:
    """Multiply values by numbers once where that saves operations; what is written anew is looked through again."""
    table = TermTable(program)
    changed = False
    for (number, values), sums in _shared_numbers(table).items():
        changed |= _scaled(table, number, values, sums)
    return dissolve(table.export()) if changed else program


def _shared_numbers(table: TermTable) -> dict[_Key, list[int]]:
    """The sums in which numbers stand before values, where these are more than the values: pairs of an angle first."""
    angles: dict[int, list[int]] = {}
    for index, kind in enumerate(table.kinds):
        if kind in (Kind.SINE, Kind.COSINE) and table.uses[index]:
            angles.setdefault(table.payloads[index][0], []).append(index)
    pair_of = {index: tuple(pair) for pair in angles.values() for index in pair if len(pair) == 2}
    found: dict[_Key, dict[int, set[Monomial]]] = {}
    for index in range(len(table.kinds)):
        if not table.is_open(index):
            continue
        for terms in (table.terms(index), table.expanded(index)):
            for monomial, coefficient in (terms or {}).items():
                if len(monomial) < 2 or abs(coefficient) == table.one:
                    continue
                for factor in dict.fromkeys(monomial):
                    for values in dict.fromkeys((pair_of.get(factor, (factor,)), (factor,))):
                        key = abs(coefficient), values
                        found.setdefault(key, {}).setdefault(index, set()).add(monomial)
    return {
        key: list(found[key])
        for key in sorted(found, key=lambda key: -len(key[1]))
        if sum(map(len, found[key].values())) > len(key[1])
    }


def _scaled(table: TermTable, number: Ref, values: tuple[int, ...], sums: list[int]) -> bool:
    """Write those of the sums anew that hold ``number`` times one of the values, if that saves operations together."""
    before = table.paid
    entries = {value: table.product(number, (value,)) for value in values}
    for entry in entries.values():
        table.hold(entry)
    done: list[tuple[int, tuple[Ref, ...]]] = []
    for index in sums:
        if table.is_open(index):
            done += _rewritten(table, index, number, entries)
    for entry in entries.values():
        table.let_go(entry)
    if table.paid < before - _LEAST:
        for index, old in done:
            table.settle(index, old)
        return True
    for index, old in reversed(done):
        table.detach(index)
        table.attach(index, old)
    return False


def _rewritten(
    table: TermTable, index: int, number: Ref, entries: dict[int, Ref]
) -> list[tuple[int, tuple[Ref, ...]]]:
    """Write a sum with the scaled values where that costs nothing: itself and its former definition; else nothing."""
    before = table.paid
    for terms in (table.terms(index), _opened(table, index, number, entries), table.expanded(index)):
        if terms is None or not _has(terms, number, entries):
            continue
        for plain in (True, False):
            old = table.detach(index)
            operands = tuple(_written(table, terms, number, entries, plain))
            if table.reaches(operands, index):
                table.put_back(index)
                continue
            table.attach(index, operands)
            if table.paid <= before:
                return [(index, old)]
            table.detach(index)
            table.attach(index, old)
    return []


def _has(terms: Terms, number: Ref, entries: dict[int, Ref]) -> bool:
    return any(abs(x) == number and not entries.keys().isdisjoint(m) for m, x in terms.items())


def _opened(table: TermTable, index: int, number: Ref, entries: dict[int, Ref]) -> Terms | None:
    """The terms of a sum with those of its own brackets opened in which scaled values stand; None where there are none."""
    terms = table.terms(index)
    found: Terms = {}
    for monomial, coefficient in (terms or {}).items():
        for factor in monomial if abs(coefficient) == number else ():
            inner = table.terms(factor) if table.uses[factor] == 1 and table.is_open(factor) else None
            if inner and _has(inner, table.one, entries):
                for m, x in inner.items():
                    whole = tuple(sorted(m + without(monomial, factor)))
                    table.accumulate(found, table.times(coefficient, x), whole)
                break
        else:
            table.accumulate(found, coefficient, monomial)
    return found if found != terms else None


def _written(
    table: TermTable, terms: Terms, number: Ref, entries: dict[int, Ref], plain: bool
) -> Iterator[Ref]:
    """Operands of a sum of terms, of which those with scaled values have these in front of a bracket.

    ``plain``: each is written as a product of two values, whatever products there are in use.
    """
    rest: Terms = {}
    having: dict[int, Terms] = {}
    for monomial, coefficient in terms.items():
        factor = next((f for f in monomial if f in entries), 0) if abs(coefficient) == number else 0
        if factor:
            having.setdefault(factor, {})[without(monomial, factor)] = table.over(coefficient, number)
        else:
            rest[monomial] = coefficient
    for factor, inner in having.items():
        ref = table.find_sum(table.written(inner, True))
        if abs(ref) == table.one:
            yield entries[factor] if ref > 0 else -entries[factor]
        elif plain:
            made = table.node(Kind.PRODUCT, tuple(sorted((abs(ref), entries[factor]))))
            yield made if ref > 0 else -made
        else:
            coefficient, monomial = table.term(ref)
            yield table.product(table.times(coefficient, number), tuple(sorted((*monomial, factor))))
    if rest:
        yield from table.written(rest, True)
