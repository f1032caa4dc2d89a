"""Integrals along a link: exact for polynomials, to forty digits by Gauss and Legendre's rule for other functions.

Functions that are known by their values alone are doubles; the rule is applied to the pieces on which they are smooth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import pairwise

import mpmath

from kanegen.codegen.graph.exact import tidy
from kanegen.codegen.mechanism.flexible.pieces import pieces, value_of
from kanegen.codegen.mechanism.flexible.shapes import DIGITS, Function, Polynomial, Waves
from kanegen.errors import ModelError

_EIGHTHS = tuple(Fraction(k, 8) for k in range(9))
"""Ends of the parts of the length, each with a rule of 48 points: 40 digits for waves of the fiftieth mode, 15 for
those of the hundredth."""

_RULES = 512
"""Columns of values that are kept."""

Ends = tuple[Fraction, ...]


def integral(where: str, *factors: Function) -> Fraction:
    """The integral from 0 to 1 of a product of functions.  Raises ModelError where one gives no finite number."""
    if all(isinstance(factor, Polynomial) for factor in factors):
        product = Polynomial((Fraction(1),))
        for factor in factors:
            assert isinstance(factor, Polynomial)
            product = product.times(factor)
        return product.integral()
    given = [factor for factor in factors if not isinstance(factor, Polynomial | Waves)]
    ends = tuple(sorted({*_EIGHTHS, *(end for factor in given for end in pieces(where, factor))}))
    with mpmath.workdps(DIGITS + 20):
        columns = [_values(where, factor, ends) for factor in factors]
        total = mpmath.mpf(0)
        for k, (_, weight) in enumerate(_rule(ends)):
            term = weight
            for column in columns:
                term *= column[k]
            total += term
        return number(total)


def number(value: mpmath.mpf) -> Fraction:
    """A number of DIGITS digits as a ratio."""
    with mpmath.workdps(DIGITS):
        rounded = +value
    if rounded == 0:
        return Fraction(0)
    sign, mantissa, exponent, _ = rounded._mpf_
    found = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return tidy(-found if sign else found)


def check_nowhere_negative(where: str, function: Polynomial | Callable[[float], float]) -> None:
    """Raise ModelError where something per length is negative, or no finite number, at one of 65 points."""
    for k in range(65):
        value = _at(where, function, Fraction(k, 64))
        if value < 0:
            raise ModelError(
                where, f"is {value!r} at {k / 64:.3g} of the length", "at least 0", "Mend its sign."
            )


def _at(where: str, function: Polynomial | Callable[[float], float], s: Fraction) -> float:
    if isinstance(function, Polynomial):
        return float(function.at(s))
    return value_of(where, function, float(s))


@lru_cache(maxsize=_RULES)
def _rule(ends: Ends) -> Sequence[tuple[mpmath.mpf, mpmath.mpf]]:
    """Points in [0, 1] and their weights, piece by piece."""
    with mpmath.workdps(DIGITS + 20):
        return tuple(
            (_mpf(a) + (x + 1) / 2 * _mpf(b - a), w * _mpf(b - a) / 2)
            for a, b in pairwise(ends)
            for x, w in _nodes()
        )


@cache
def _nodes() -> Sequence[tuple[mpmath.mpf, mpmath.mpf]]:
    """The rule on [-1, 1]."""
    with mpmath.workdps(DIGITS + 20):
        rule = mpmath.calculus.quadrature.GaussLegendre(mpmath.mp)
        return tuple(rule.calc_nodes(5, mpmath.mp.prec))


@lru_cache(maxsize=_RULES)
def _sampled(function: Waves | Polynomial, ends: Ends) -> Sequence[mpmath.mpf]:
    with mpmath.workdps(DIGITS + 20):
        if isinstance(function, Waves):
            return tuple(function.at(x) for x, _ in _rule(ends))
        found = []
        for x, _ in _rule(ends):
            value = mpmath.mpf(0)
            for c in reversed(function.coefficients):
                value = value * x + _mpf(c)
            found.append(value)
        return tuple(found)


def _values(where: str, function: Function, ends: Ends) -> Sequence[mpmath.mpf]:
    if isinstance(function, Waves | Polynomial):
        return _sampled(function, ends)
    return tuple(_at_points(where, function, ends))


def _at_points(where: str, function: Callable[[float], float], ends: Ends) -> Iterator[mpmath.mpf]:
    for x, _ in _rule(ends):
        yield mpmath.mpf(value_of(where, function, float(x)))


def _mpf(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator
