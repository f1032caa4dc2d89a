"""Exact algebra of the sines and cosines of joint angles: SymPy's polynomials, modulo s^2 + c^2 = 1.

Every angle has two generators, which the graph knows as a sine and a cosine; live parameters and displacements of
slides are further generators.  Normal forms have no cosine to a higher power than one, so that equal functions are equal
polynomials.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph import Expression, Graph, constant, total
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.values import settle

Polynomial = Any
"""An element of the algebra's SymPy ring (which is not typed)."""

_SIMPLE = 10**9
"""Quotients are looked through only when their numbers are simple: 60-digit roundings of irrational numbers
divide nothing."""


_QUOTIENTS: dict[tuple[Any, ...], tuple[Polynomial, Polynomial]] = {}
"""Quotients that were formed, by circles, numerator and denominator: a search asks for the same ones in every derivation."""

_REMEMBERED = 1000


class TrigonometricAlgebra:
    """Polynomials in the sines and cosines of a graph, and in what is no number among given values."""

    def __init__(
        self,
        graph: Graph,
        sines: Sequence[Expression],
        cosines: Sequence[Expression],
        values: Iterable[Expression] = (),
    ) -> None:
        """``sines`` and ``cosines`` belong to the same angles, in order; numbers stand for fixed angles."""
        self.graph = graph
        moving = [(c, s) for c, s in zip(cosines, sines, strict=True) if not (c.is_number and s.is_number)]
        pairs = [Expression(graph, abs(x.ref)) for pair in moving for x in pair]
        parameters = {abs(x.ref): Expression(graph, abs(x.ref)) for x in values if not x.is_number}
        self._meaning = [*pairs, *parameters.values()]
        names = [f"x{i}" for i in range(len(self._meaning))]
        self._ring = sympy.ring(names, sympy.QQ)[0]
        self._circles = [(i, i + 1) for i in range(0, len(pairs), 2)]
        self._generator = {x.ref: g for x, g in zip(self._meaning, self._ring.gens, strict=True)}
        self.sines = tuple(self.value(s) for s in sines)
        self.cosines = tuple(self.value(c) for c in cosines)
        self.zero, self.one = self._ring.zero, self._ring.one

    def value(self, value: Expression) -> Polynomial:
        """A number, a sine, a cosine or one of the given values as a polynomial."""
        if value.is_number:
            return self._ring(sympy.QQ(value.value.numerator, value.value.denominator))
        generator = self._generator[abs(value.ref)]
        return generator if value.ref > 0 else -generator

    # -- normal forms ----------------------------------------------------------------------------------------

    def normal(self, polynomial: Polynomial) -> Polynomial:
        """Normal form: cosines to the first power at most, coefficients settled."""
        for cosine, sine in self._circles:
            polynomial = self._without_squares(polynomial, cosine, sine)
        settled = {monomial: _settled(number) for monomial, number in polynomial.terms()}
        return self._ring.from_dict({monomial: number for monomial, number in settled.items() if number})

    def _without_squares(self, polynomial: Polynomial, x: int, y: int) -> Polynomial:
        """The polynomial with the square of generator x replaced by 1 - the square of generator y."""
        if all(monomial[x] < 2 for monomial in polynomial):
            return polynomial
        result = self.zero
        other = 1 - self._ring.gens[y] ** 2
        for monomial, number in polynomial.terms():
            power = monomial[x]
            rest = (*monomial[:x], power % 2, *monomial[x + 1 :])
            result += self._ring.from_dict({rest: number}) * other ** (power // 2)
        return result

    def shortest(self, polynomial: Polynomial) -> Polynomial:
        """An equal polynomial with as few terms as exchanging s^2 and 1 - c^2, angle by angle, can give."""
        best = self.normal(polynomial)
        for cosine, sine in self._circles:
            other = self._without_squares(best, sine, cosine)
            if len(other) < len(best):
                best = other
        return best

    # -- quotients -------------------------------------------------------------------------------------------

    def quotient(self, numerator: Polynomial, denominator: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Numerator and denominator without the factors of the denominator that divide the numerator.

        Division is understood modulo the circles: (1 - s^2) / c is c.  The denominator's leading number is 1.
        """
        key = (*self._circles, numerator, denominator)
        if key not in _QUOTIENTS:
            if len(_QUOTIENTS) >= _REMEMBERED:
                _QUOTIENTS.clear()
            _QUOTIENTS[key] = self._quotient(numerator, denominator)
        return _QUOTIENTS[key]

    def _quotient(self, numerator: Polynomial, denominator: Polynomial) -> tuple[Polynomial, Polynomial]:
        top, bottom = self.normal(numerator), self.shortest(denominator)
        if top == 0:
            return self.zero, self.one
        leading = bottom.LC
        top, bottom = top.quo_ground(leading), bottom.quo_ground(leading)
        if bottom.is_ground or not (_is_simple(top) and _is_simple(bottom)):
            return self.shortest(top), bottom
        _, factors = bottom.factor_list()
        left = self.one
        for factor, power in factors:
            factor = factor.monic()
            for _ in range(power):
                divided = self._divided(top, factor)
                top, left = (top, left * factor) if divided is None else (divided, left)
        return self.shortest(top), left

    def _divided(self, top: Polynomial, factor: Polynomial) -> Polynomial | None:
        """The x with factor x = top modulo the circles, None where there is no such polynomial."""
        used = {i for p in (top, factor) for monomial in p for i, power in enumerate(monomial) if power}
        circles = [pair for pair in self._circles if used.intersection(pair)]
        gens = [self._ring.symbols[i] for i in sorted(used.union(*circles))]
        quotients = sympy.QQ.old_poly_ring(*gens)
        ideal = quotients.ideal(
            factor.as_expr(),
            *(self._ring.symbols[c] ** 2 + self._ring.symbols[s] ** 2 - 1 for c, s in circles),
        )
        element = quotients.convert(top.as_expr())
        if not ideal.contains(element):
            return None
        return self.normal(self._ring.from_expr(quotients.to_sympy(ideal.in_terms_of_generators(element)[0])))

    def determinant(self, matrix: Sequence[Sequence[Polynomial]]) -> Polynomial:
        """Determinant of a square matrix in normal form, by expansion along the first row."""
        if not matrix:
            return self.one
        result = self.zero
        for column, entry in enumerate(matrix[0]):
            if entry != 0:
                minor = self.determinant([[*row[:column], *row[column + 1 :]] for row in matrix[1:]])
                result += entry * minor if column % 2 == 0 else -entry * minor
        return self.normal(result)

    # -- back to the graph -----------------------------------------------------------------------------------

    def expression(self, polynomial: Polynomial) -> Expression:
        """The polynomial in the graph."""
        terms = []
        for monomial, number in polynomial.terms():
            factors = [constant(self.graph, Fraction(int(number.numerator), int(number.denominator)))]
            for meaning, power in zip(self._meaning, monomial, strict=True):
                factors += [meaning] * power
            terms.append(Expression(self.graph, self.graph.product(x.ref for x in factors)))
        return total(self.graph, terms)


def _settled(number: Any) -> Any:
    value = settle(Fraction(int(number.numerator), int(number.denominator)))
    return sympy.QQ(value.numerator, value.denominator)


def _is_simple(polynomial: Polynomial) -> bool:
    return all(abs(x.numerator) < _SIMPLE and x.denominator < _SIMPLE for x in polynomial.coeffs())
