"""Where to divide a link so that a function along it, known by its values alone, is a polynomial on every piece to rounding.

Stiffness and mass of real links jump where sections change and have kinks where tapers begin.  A rule of Gauss over such a
place is wrong in the fourth digit, however many points it has; over pieces that end there it is not.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
