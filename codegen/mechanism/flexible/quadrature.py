"""Integrals along a link: exact for polynomials, to forty digits by Gauss and Legendre's rule for other functions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import mpmath

from kanegen.codegen.graph.exact import tidy
from kanegen.codegen.mechanism.errors import ModelError
from kanegen.codegen.mechanism.flexible.shapes import DIGITS, Function, Polynomial, Waves

_PIECES = 8
"""Parts of the length, each with a rule of 96 points: far more than a wave of the hundredth mode needs."""


def integral(where: str, *factors: Function) -> Fraction:
    """The integral from 0 to 1 of a product of functions.  Raises ModelError where one gives no finite number."""
    if all(isinstance(factor, Polynomial) for factor in factors):
        product = Polynomial((Fraction(1),))
        for factor in factors:
            assert isinstance(factor, Polynomial)
            product = product.times(factor)
        return product.integral()
    with mpmath.workdps(DIGITS + 20):
        columns = [_values(where, factor) for factor in factors]
        total = mpmath.mpf(0)
        for k, (_, weight) in enumerate(_rule()):
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


@cache
def _rule() -> Sequence[tuple[mpmath.mpf, mpmath.mpf]]:
    """Points in [0, 1] and their weights."""
    with mpmath.workdps(DIGITS + 20):
        rule = mpmath.calculus.quadrature.GaussLegendre(mpmath.mp)
        nodes = rule.calc_nodes(5, mpmath.mp.prec)
        found = []
        for piece in range(_PIECES):
            for x, w in nodes:
                found.append(((piece + (x + 1) / 2) / _PIECES, w / (2 * _PIECES)))
        return tuple(found)


@cache
def _sampled(function: Waves | Polynomial) -> Sequence[mpmath.mpf]:
    with mpmath.workdps(DIGITS + 20):
        if isinstance(function, Waves):
            return tuple(function.at(x) for x, _ in _rule())
        found = []
        for x, _ in _rule():
            value = mpmath.mpf(0)
            for c in reversed(function.coefficients):
                value = value * x + mpmath.mpf(c.numerator) / c.denominator
            found.append(value)
        return tuple(found)


def _values(where: str, function: Function) -> Sequence[mpmath.mpf]:
    if isinstance(function, Waves | Polynomial):
        return _sampled(function)
    found = []
    for x, _ in _rule():
        value = float(function(float(x)))
        if not mpmath.isfinite(value):
            raise ModelError(
                where,
                f"is {value!r} at {float(x):.3g} of the length",
                "a finite number",
                "Mend the function.",
            )
        found.append(mpmath.mpf(value))
    return found
