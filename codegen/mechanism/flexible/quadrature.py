"""Integrals along a link: exact for polynomials, to forty digits by Gauss and Legendre's rule for other functions.

Functions that are known by their values alone are doubles; the rule is applied to the pieces on which they are smooth, but
for rounding.  Stiffness and mass of real links jump where sections change and have kinks where tapers begin: a rule of Gauss
over such a place is wrong in the fourth digit, however many points it has, and over pieces that end there it is not.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.graph.exact import tidy
from kanegen.codegen.mechanism.flexible.shapes import DIGITS, Function, Polynomial, Waves
from kanegen.errors import ModelError

_DEGREE = 20
"""Of the polynomial that a function is compared with on a piece."""

_ROUNDING = 2e-15
"""Relative to the largest value of the function: the error of the integral over a piece that counts as rounding."""

_HALVINGS = 2000
"""At most so many: a kink takes twenty, a jump forty, and a function that is noise throughout is not worth more."""

_START = 8

Given = Callable[[float], float]
"""A function of s in [0, 1] as a user gives it."""


def value_of(where: str, function: Given, s: float) -> float:
    """One value.  Raises ModelError where it is no finite number."""
    try:
        value: Any = function(s)
    except Exception as error:  # a function of the user: whatever it raises is told with the place
        raise ModelError(
            where,
            f"raises {type(error).__name__} at {s:.3g} of the length: {error}",
            "a number",
            "Mend the function.",
        ) from error
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise ModelError(
            where, f"is {value!r} at {s:.3g} of the length", "a number", "Mend the function."
        ) from None
    if not np.isfinite(found):
        raise ModelError(
            where, f"is {found!r} at {s:.3g} of the length", "a finite number", "Mend the function."
        )
    return found


def pieces(where: str, function: Given) -> tuple[Fraction, ...]:
    """Ends of the pieces, from 0 to 1.  Raises ModelError where the function gives no finite number."""
    return _Division(where, function).ends()


class _Division:
    """One function as it is divided."""

    def __init__(self, where: str, function: Given) -> None:
        self.where, self.function = where, function
        self.allowed = _ROUNDING * max(abs(value_of(where, function, k / 64)) for k in range(65))

    def ends(self) -> tuple[Fraction, ...]:
        """Halved, the worst first, until every piece is resolved; then neighbours are joined where they are together."""
        fine = self._halved()
        joined = [Fraction(0)]
        for here, after in pairwise(fine[1:]):
            if self._error(joined[-1], after) > self.allowed:
                joined.append(here)
        return (*joined, Fraction(1))

    def _halved(self) -> list[Fraction]:
        ends = [Fraction(k, _START) for k in range(_START + 1)]
        waiting = [(-self._error(a, b), a, b) for a, b in pairwise(ends)]
        heapq.heapify(waiting)
        for _ in range(_HALVINGS):
            error, a, b = waiting[0]
            if -error <= self.allowed:
                break
            middle = (a + b) / 2
            ends.append(middle)
            heapq.heapreplace(waiting, (-self._error(a, middle), a, middle))
            heapq.heappush(waiting, (-self._error(middle, b), middle, b))
        return sorted(ends)

    def _error(self, a: Fraction, b: Fraction) -> float:
        """Of the polynomial through the function's values on a piece, times the length of the piece."""
        nodes, between, interpolation = _points()
        at, width = float(a), float(b - a)
        values = np.array([value_of(self.where, self.function, at + width * x) for x in nodes])
        others = np.array([value_of(self.where, self.function, at + width * x) for x in between])
        return float(np.abs(interpolation @ values - others).max()) * width


@cache
def _points() -> tuple[list[float], list[float], NDArray[np.float64]]:
    """Chebyshev's points on [0, 1] with both ends, points between them, and what interpolates from these to those."""
    angles = np.linspace(0, np.pi, _DEGREE + 1)
    nodes = (1 - np.cos(angles)) / 2
    between = (1 - np.cos((angles[1:] + angles[:-1]) / 2)) / 2
    weights = (-1.0) ** np.arange(_DEGREE + 1)
    weights[[0, -1]] /= 2
    terms = weights / (between[:, None] - nodes)  # second barycentric formula
    return nodes.tolist(), between.tolist(), terms / terms.sum(axis=1, keepdims=True)


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
