"""Functions of time by their first derivatives: the arithmetic of the constrained mechanisms' witness.

A jet holds a value and its derivatives with respect to time, each an array with a leading axis of independent
motions.  Products follow Leibniz, powers the chain rule, so derivatives are exact up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Jet:
    """``terms[i]`` is the i-th derivative with respect to time."""

    terms: tuple[Array, ...]

    @classmethod
    def constant(cls, value: Array, motions: int, order: int = 2) -> Jet:
        """A value that does not change, for every motion alike."""
        whole = np.broadcast_to(value, (motions, *value.shape))
        return cls((whole, *(np.zeros_like(whole) for _ in range(order))))

    def __add__(self, other: Jet) -> Jet:
        return Jet(tuple(x + y for x, y in zip(self.terms, other.terms, strict=False)))

    def __sub__(self, other: Jet) -> Jet:
        return Jet(tuple(x - y for x, y in zip(self.terms, other.terms, strict=False)))

    def __mul__(self, other: Jet) -> Jet:
        """Of scalars (motions,), or entry by entry."""
        return self._product(other, np.multiply)

    def __matmul__(self, other: Jet) -> Jet:
        """Of matrices (motions, 3, 3)."""
        return self._product(other, np.matmul)

    def apply(self, vector: Jet) -> Jet:
        """This matrix (motions, 3, 3) times a vector (motions, 3)."""
        return self._product(vector, lambda m, x: (m @ x[:, :, None])[:, :, 0])

    def dot(self, other: Jet) -> Jet:
        """The scalar product of vectors (motions, 3)."""
        return self._product(other, lambda x, y: (x * y).sum(axis=1))

    def of_fixed(self, fixed: Array) -> Jet:
        """This matrix (motions, 3, 3) times a vector (3,) or a matrix (3, 3) that does not change."""
        return Jet(tuple(term @ fixed for term in self.terms))

    def scaled(self, scalar: Jet) -> Jet:
        """This vector (motions, 3) times a scalar (motions,)."""
        return self._product(scalar, lambda x, s: x * s[:, None])

    def _product(self, other: Jet, times: Callable[[Array, Array], Array]) -> Jet:
        f, g = self.terms, other.terms
        terms = []
        for n in range(min(len(f), len(g))):
            total = times(f[0], g[n])
            for i in range(1, n + 1):
                total = total + comb(n, i) * times(f[i], g[n - i])
            terms.append(total)
        return Jet(tuple(terms))

    def function(self, *derivatives: Array) -> Jet:
        """A function of this scalar, from its value and its derivatives with respect to the scalar."""
        f, f1, f2 = derivatives
        x = self.terms
        return Jet((f, f1 * x[1], f2 * x[1] ** 2 + f1 * x[2])[: len(x)])

    def sine_and_cosine(self) -> tuple[Jet, Jet]:
        """Both, of an angle (motions,) [rad]."""
        s, c = np.sin(self.terms[0]), np.cos(self.terms[0])
        return self.function(s, c, -s), self.function(c, -s, -c)

    def power(self, exponent: float) -> Jet:
        """A power of a positive scalar (motions,)."""
        x, e = self.terms[0], exponent
        return self.function(x**e, e * x ** (e - 1), e * (e - 1) * x ** (e - 2))

    def rate(self) -> Jet:
        """The derivative with respect to time, one order shorter."""
        return Jet(self.terms[1:])

    def transposed(self) -> Jet:
        """The transposes of matrices (motions, 3, 3)."""
        return Jet(tuple(np.swapaxes(term, 1, 2) for term in self.terms))

    def component(self, *index: int) -> Jet:
        """One entry of vectors or matrices as a scalar."""
        place: tuple[Any, ...] = (slice(None), *index)
        return Jet(tuple(term[place] for term in self.terms))
