"""Dual vectors a + epsilon b: a vector and its moment, in components along the axes at one point.

A dual vector is bound to the point whose axes it is given in.  A velocity is w + epsilon v (angular velocity of the body,
linear velocity of its point), a force F + epsilon M (force, moment about the point).  Their dual product is
w.F + epsilon (w.M + v.F): its dual part is the power, and it is the same number in the axes of any point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanegen.codegen.derivation.dual_vectors.dual_number import DualNumber, Scalar
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.graph import linear as vec

Triple = tuple[Expression, Expression, Expression]


@dataclass(frozen=True, slots=True)
class DualVector:
    """real + epsilon dual, three components each."""

    real: Triple
    dual: Triple

    def __getitem__(self, r: int) -> DualNumber:
        """Component r, a dual number."""
        return DualNumber(self.real[r], self.dual[r])

    def __add__(self, other: DualVector) -> DualVector:
        return DualVector(triple(vec.add(self.real, other.real)), triple(vec.add(self.dual, other.dual)))

    def __neg__(self) -> DualVector:
        return DualVector(triple([-x for x in self.real]), triple([-x for x in self.dual]))

    def __sub__(self, other: DualVector) -> DualVector:
        return self + -other

    def __mul__(self, factor: DualNumber | Scalar) -> DualVector:
        """Scaled by a dual number: (a + epsilon b)(x + epsilon y) = a x + epsilon (a y + b x)."""
        components = [self[r] * factor for r in range(3)]
        return DualVector(triple([c.real for c in components]), triple([c.dual for c in components]))

    def __rmul__(self, factor: Scalar) -> DualVector:
        return self * factor

    def times_epsilon(self) -> DualVector:
        """epsilon times the vector: its real part becomes the dual part."""
        return DualVector(zeros(self.real[0].graph), self.real)

    def dot(self, other: DualVector) -> DualNumber:
        """Dual scalar product."""
        return DualNumber(
            vec.dot(self.real, other.real),
            vec.dot(self.real, other.dual) + vec.dot(self.dual, other.real),
        )

    def cross(self, other: DualVector) -> DualVector:
        """Dual vector product a x b + epsilon (a x b' + a' x b)."""
        moment = vec.add(vec.cross(self.real, other.dual), vec.cross(self.dual, other.real))
        return DualVector(triple(vec.cross(self.real, other.real)), triple(moment))


def triple(v: Sequence[Expression]) -> Triple:
    """Three components as a tuple of that length.  Raises ValueError for any other number."""
    x, y, z = v
    return x, y, z


def zeros(graph: Graph) -> Triple:
    """Three zeros."""
    zero = constant(graph, 0)
    return zero, zero, zero


def dual_zero_vector(graph: Graph) -> DualVector:
    """0 + epsilon 0."""
    return DualVector(zeros(graph), zeros(graph))


def unit_vector(graph: Graph, axis: int) -> DualVector:
    """The bound unit vector along coordinate axis 0, 1 or 2 through the point whose axes are used: its moment is 0."""
    x, y, z = (constant(graph, int(r == axis)) for r in range(3))
    return DualVector((x, y, z), zeros(graph))
