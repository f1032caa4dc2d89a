"""Dual numbers a + epsilon b with epsilon^2 = 0 over expressions of the graph."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.graph import Expression, constant

Scalar = Expression | Fraction | int


@dataclass(frozen=True, slots=True)
class DualNumber:
    """real + epsilon dual.

    Where it measures a joint, ``real`` is an angle [rad] and ``dual`` a displacement [m] along the same line (a dual
    angle), or their rates.  Where it is the dual product of a motion and a force, ``real`` is a force [N] and ``dual`` a
    moment [N m] or a power [W].
    """

    real: Expression
    dual: Expression

    def __add__(self, other: DualNumber) -> DualNumber:
        return DualNumber(self.real + other.real, self.dual + other.dual)

    def __sub__(self, other: DualNumber) -> DualNumber:
        return DualNumber(self.real - other.real, self.dual - other.dual)

    def __neg__(self) -> DualNumber:
        return DualNumber(-self.real, -self.dual)

    def __mul__(self, other: DualNumber | Scalar) -> DualNumber:
        if not isinstance(other, DualNumber):
            return DualNumber(self.real * other, self.dual * other)
        return DualNumber(self.real * other.real, self.real * other.dual + self.dual * other.real)

    def __rmul__(self, other: Scalar) -> DualNumber:
        return self * other

    def times_epsilon(self) -> DualNumber:
        """epsilon times the number: epsilon (a + epsilon b) = epsilon a."""
        return DualNumber(constant(self.real.graph, 0), self.real)

    def sine(self) -> DualNumber:
        """sin(theta + epsilon d) = sin theta + epsilon d cos theta (12)."""
        return DualNumber(self.real.sine(), self.dual * self.real.cosine())

    def cosine(self) -> DualNumber:
        """cos(theta + epsilon d) = cos theta - epsilon d sin theta (11)."""
        return DualNumber(self.real.cosine(), -(self.dual * self.real.sine()))
