"""Where to divide a link so that a function along it, known by its values alone, is a polynomial on every piece to rounding.

Stiffness and mass of real links jump where sections change and have kinks where tapers begin.  A rule of Gauss over such a
place is wrong in the fourth digit, however many points it has; over pieces that end there it is not.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.errors import ModelError

_DEGREE = 20
"""Of the polynomial that a function is compared with on a piece."""

_ROUNDING = 2e-14
"""Relative to the largest value of the function: what two doubles computed in different ways may differ."""

_SMALLEST = Fraction(1, 2**44)
"""Pieces are not halved further: what happens inside has no weight."""

Given = Callable[[float], float]
"""A function of s in [0, 1] as a user gives it."""


def value_of(where: str, function: Given, s: float) -> float:
    """One value.  Raises ModelError where it is no finite number."""
    value: object = function(s)
    try:
        found = float(value)  # type: ignore[arg-type]
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
        samples = [abs(value_of(where, function, k / 64)) for k in range(65)]
        self.allowed = _ROUNDING * max(samples)

    def ends(self) -> tuple[Fraction, ...]:
        """Halved until every piece is resolved; then neighbours are joined as far as they are together."""
        halved = self._halved(Fraction(0), Fraction(1))
        joined = [Fraction(0)]
        for here, after in zip(halved[1:], [*halved[2:], None], strict=True):
            if after is None or not self._resolved(joined[-1], after):
                joined.append(here)
        return tuple(joined)

    def _halved(self, a: Fraction, b: Fraction) -> list[Fraction]:
        if b - a <= _SMALLEST or self._resolved(a, b):
            return [a, b]
        middle = (a + b) / 2
        return [*self._halved(a, middle), *self._halved(middle, b)[1:]]

    def _resolved(self, a: Fraction, b: Fraction) -> bool:
        nodes, between, interpolation = _points()
        at, width = float(a), float(b - a)
        values = np.array([value_of(self.where, self.function, at + width * x) for x in nodes])
        others = np.array([value_of(self.where, self.function, at + width * x) for x in between])
        return bool(np.abs(interpolation @ values - others).max() <= self.allowed)


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
