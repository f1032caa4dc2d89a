"""The moments of a segment as it is deflected: Book's G and D (1983, eqs 36, 37) without their first row and column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanegen.codegen.derivation.flexible_links.motion import Motion
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Matrix, Vector


class Shape:
    """Integrals over a segment's mass, with h a point of it in its axes and phi_k the shape of a mode there.

    Terms of second order in the deflections are kept: without them energy is not (see ``book``).
    """

    def __init__(self, motion: Motion, i: int) -> None:
        self.motion, self.segment = motion, motion.arm.segments[i]
        self._m = self.segment.integrals
        self.mass: Any = motion.number(self._m.mass)
        self._by_mode = [(motion.q[place], k) for k, place in enumerate(self.segment.modes)]

    @property
    def first(self) -> Vector:
        """h dm."""
        undeflected = self.motion.lifted(self._m.first)
        moved = self.motion.over_modes(self.segment, self._m.mode_first, self.motion.q)
        return vec.add(undeflected, moved) if self._by_mode else undeflected

    @property
    def first_rate(self) -> Vector:
        """dh/dt dm."""
        return self.motion.over_modes(self.segment, self._m.mode_first, self.motion.v)

    @property
    def first_acceleration(self) -> Vector:
        """d2h/dt2 dm."""
        return self.motion.over_modes(self.segment, self._m.mode_first, self.motion.a)

    @property
    def second(self) -> Matrix:
        """h h^T dm."""
        found = self.motion.lifted(self._m.second)
        for delta, k in self._by_mode:
            N = self.motion.lifted(self._m.mode_mixed[k])
            both = vec.matrix_add(N, vec.transpose(N))
            quadratic = [vec.matrix_scale(other, self.mode_product(k, n)) for other, n in self._by_mode]
            found = vec.matrix_add(found, vec.matrix_scale(delta, vec.matrix_add(both, *quadratic)))
        return found

    def mixed(self, by: Sequence[Any]) -> Matrix:
        """The sum over the modes of entries of v or a times phi_k h^T dm."""
        found = vec.NO_MATRIX
        for k, place in enumerate(self.segment.modes):
            if by[place] != 0:
                found = vec.matrix_add(found, vec.matrix_scale(by[place], vec.transpose(self.mode_mixed(k))))
        return found

    def mode_first(self, k: int) -> Vector:
        """phi_k dm."""
        return self.motion.lifted(self._m.mode_first[k])

    def mode_mixed(self, k: int) -> Matrix:
        """h phi_k^T dm, Book's D."""
        N = self.motion.lifted(self._m.mode_mixed[k])
        return vec.matrix_add(
            N, *(vec.matrix_scale(delta, self.mode_product(n, k)) for delta, n in self._by_mode)
        )

    def mode_product(self, k: int, n: int) -> Matrix:
        """phi_k phi_n^T dm."""
        return self.motion.lifted(self._m.mode_products[k][n])
