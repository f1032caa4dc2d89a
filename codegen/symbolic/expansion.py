"""Expressions multiplied out and grouped as papers write them: parameters before brackets, then speeds, then the rest.

Sums are dictionaries from monomials to numbers, a monomial a sorted tuple of atoms and their exponents.  Atoms are symbols,
sines and cosines, irrational numbers, and what is neither a sum nor a product: a root, or one over a sum.  Squares of
sines and cosines of one angle are written with whichever leaves fewer terms.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy
from sympy.core.parameters import distribute

from kanegen.errors import KanegenError

Monomial = tuple[tuple[int, int], ...]
Polynomial = dict[Monomial, Fraction]
Definition = tuple[sympy.Symbol, sympy.Expr]

_MOST_TERMS = 20_000
"""Of an expression: beyond this it is not to be read, and takes minutes."""

_ONE: Monomial = ()


class Expansion:
    """Expressions over definitions, multiplied out; those of sines and cosines keep their symbols."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self.sines: list[Definition] = []
        self._atoms: list[sympy.Expr] = []
        self._numbers: dict[sympy.Expr, int] = {}
        self._values: dict[sympy.Expr, Polynomial] = {}
        for symbol, value in definitions:
            if isinstance(value, sympy.sin | sympy.cos):
                whole = value.func(self.written(self.polynomial(value.args[0])))
                self.sines.append((symbol, whole))
                self._values[symbol] = self._atom(symbol)
            else:
                self._values[symbol] = self.polynomial(value)

    def polynomial(self, expression: sympy.Expr) -> Polynomial:
        """An expression multiplied out.  Raises KanegenError where it has too many terms."""
        found = self._values.get(expression)
        if found is None:
            found = self._values[expression] = self._multiplied_out(expression)
        return found

    def _multiplied_out(self, expression: sympy.Expr) -> Polynomial:
        if expression.is_Rational or expression.is_Float:
            number = Fraction(str(expression))
            return {_ONE: number} if number else {}
        if expression.is_Add:
            return _sum(self.polynomial(term) for term in expression.args)
        if expression.is_Mul:
            found: Polynomial = {_ONE: Fraction(1)}
            for factor in expression.args:
                found = _product(found, self.polynomial(factor))
            return found
        if expression.is_Pow and expression.exp.is_Integer:
            base, exponent = self.polynomial(expression.base), int(expression.exp)
            if exponent > 0:
                found = base
                for _ in range(exponent - 1):
                    found = _product(found, base)
                return found
            if len(base) == 1:
                ((monomial, number),) = base.items()
                return {tuple((atom, n * exponent) for atom, n in monomial): number**exponent}
            return self._atom(self.written(base) ** exponent)
        if expression.is_Atom:
            return self._atom(expression)
        return self._atom(expression.func(*(self._inner(part) for part in expression.args)))

    def _inner(self, part: Any) -> Any:
        """An argument of a function: an expression, or a condition and a pair within a Piecewise."""
        if isinstance(part, sympy.Expr):
            return self.written(self.polynomial(part))
        return part.func(*(self._inner(inner) for inner in part.args)) if part.args else part

    def _atom(self, expression: sympy.Expr) -> Polynomial:
        if expression not in self._numbers:
            self._numbers[expression] = len(self._atoms)
            self._atoms.append(expression)
        return {((self._numbers[expression], 1),): Fraction(1)}

    def written(self, polynomial: Polynomial) -> sympy.Expr:
        """As a SymPy expression."""
        return sympy.Add(*(_number(x) * self._monomial(m) for m, x in polynomial.items()))

    def _monomial(self, monomial: Monomial) -> sympy.Expr:
        return sympy.Mul(*(self._atoms[atom] ** n for atom, n in monomial))

    # -- grouping ----------------------------------------------------------------------------------------------------

    def grouped(self, expression: sympy.Expr, outer: Sequence[Collection[sympy.Symbol]]) -> sympy.Expr:
        """The expression with the symbols of each collection of ``outer`` before brackets around what is left."""
        levels = [{self._numbers[x] for x in symbols if x in self._numbers} for symbols in outer]
        with distribute(False):
            return self._bracketed(self.polynomial(expression), levels)

    def _bracketed(self, polynomial: Polynomial, levels: Sequence[Collection[int]]) -> sympy.Expr:
        if not levels:
            return self.written(self._shortest(polynomial))
        groups: dict[Monomial, Polynomial] = {}
        for monomial, number in polynomial.items():
            before = tuple(pair for pair in monomial if pair[0] in levels[0])
            inside = tuple(pair for pair in monomial if pair[0] not in levels[0])
            groups.setdefault(before, {})[inside] = number
        return sympy.Add(
            *(
                self._monomial(before) * self._bracketed(inside, levels[1:])
                for before, inside in groups.items()
            )
        )

    def _shortest(self, polynomial: Polynomial) -> Polynomial:
        """With squares of sines or of cosines replaced, angle by angle, where that leaves fewer terms."""
        pairs: dict[sympy.Expr, dict[type, int]] = {}
        for symbol, value in self.sines:
            if symbol in self._numbers:
                pairs.setdefault(value.args[0], {})[value.func] = self._numbers[symbol]
        best = polynomial
        for pair in pairs.values():
            if len(pair) == 2:
                s, c = pair[sympy.sin], pair[sympy.cos]
                best = min((best, _without_square(best, c, s), _without_square(best, s, c)), key=len)
        return best


def _without_square(polynomial: Polynomial, atom: int, other: int) -> Polynomial:
    """With 1 - other^2 for atom^2."""
    found: Polynomial = {}
    for monomial, number in polynomial.items():
        exponents = dict(monomial)
        halves, rest = divmod(exponents.pop(atom, 0), 2)
        if halves <= 0:
            _add(found, monomial, number)
            continue
        if rest:
            exponents[atom] = rest
        part: Polynomial = {tuple(sorted(exponents.items())): number}
        for _ in range(halves):
            part = _product(part, {_ONE: Fraction(1), ((other, 2),): Fraction(-1)})
        for m, x in part.items():
            _add(found, m, x)
    return found


def _add(polynomial: Polynomial, monomial: Monomial, number: Fraction) -> None:
    total = polynomial.get(monomial, 0) + number
    if total:
        polynomial[monomial] = Fraction(total)
    else:
        polynomial.pop(monomial, None)


def _sum(terms: Iterable[Polynomial]) -> Polynomial:
    found: Polynomial = {}
    for term in terms:
        for monomial, number in term.items():
            _add(found, monomial, number)
    return found


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    if len(a) * len(b) > _MOST_TERMS:
        raise KanegenError(
            f"an expression of this kernel, multiplied out, has more than {_MOST_TERMS} terms. Keep its definitions"
        )
    found: Polynomial = {}
    for first, x in a.items():
        for second, y in b.items():
            exponents = dict(first)
            for atom, n in second:
                exponents[atom] = exponents.get(atom, 0) + n
            _add(found, tuple(sorted((atom, n) for atom, n in exponents.items() if n)), x * y)
    return found


def _number(value: Fraction) -> sympy.Rational:
    return sympy.Rational(value.numerator, value.denominator)


def expanded_outputs(
    definitions: Sequence[Definition],
    outputs: Mapping[str, Any],
    outer: Sequence[Collection[sympy.Symbol]],
    sines: bool,
) -> tuple[list[Definition], dict[str, Any]]:
    """Outputs without definitions, but those of sines if these are wanted; see ``Equations.expanded``."""
    expansion = Expansion(definitions)
    explicit = {} if sines else dict(expansion.sines)

    def entry(value: sympy.Expr) -> sympy.Expr:
        found = expansion.grouped(value, outer)
        with distribute(False):
            return found.xreplace(explicit)

    found = {
        name: value.applyfunc(entry) if hasattr(value, "applyfunc") else entry(value)
        for name, value in outputs.items()
    }
    used: set[sympy.Symbol] = set().union(*(value.free_symbols for value in found.values()))
    return [(symbol, value) for symbol, value in expansion.sines if sines and symbol in used], found
