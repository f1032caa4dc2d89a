"""Dual rotation matrices: 3 x 3 matrices of dual numbers that carry dual vectors from one body's axes to another's.

Every dual rotation matrix is (1 + epsilon t x) R with a rotation R and the displacement t of the point, and is kept in
these two factors.  Applied as they stand they cost less than the product of the matrices: for a dual displacement
theta + epsilon d about a coordinate axis, the dual part d dR/dtheta a is d times components of R a, which are there
anyway (the principle of transference).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from kanegen.codegen.derivation.dual_vectors.dual_number import DualNumber
from kanegen.codegen.derivation.dual_vectors.dual_vector import DualVector, Triple, triple
from kanegen.codegen.graph import constant
from kanegen.codegen.graph import linear as vec

Rows = tuple[Triple, Triple, Triple]


@dataclass(frozen=True, slots=True)
class DualRotation:
    """(1 + epsilon t x) R: the inner body is turned by ``rotation`` and its point displaced by ``translation`` [m].

    ``rotation`` carries components from the inner to the outer axes, ``translation`` is given in the outer ones.
    """

    rotation: Rows
    translation: Triple

    def outward(self, vector: DualVector) -> DualVector:
        """A dual vector at the inner point, seen at the outer: R a + epsilon (R a' + t x R a)."""
        real = vec.apply(self.rotation, vector.real)
        moment = vec.add(vec.apply(self.rotation, vector.dual), vec.cross(self.translation, real))
        return DualVector(triple(real), triple(moment))

    def inward(self, vector: DualVector) -> DualVector:
        """A dual vector at the outer point, seen at the inner (the transposed matrix, which is the inverse).

        R^T a + epsilon R^T (a' - t x a); for a velocity this is equation (2).
        """
        back = vec.transpose(self.rotation)
        moment = vec.subtract(vector.dual, vec.cross(self.translation, vector.real))
        return DualVector(triple(vec.apply(back, vector.real)), triple(vec.apply(back, moment)))

    def then(self, inner: DualRotation) -> DualRotation:
        """This displacement, and then another about the axes that it leads to."""
        rotation = vec.multiply(self.rotation, inner.rotation)
        moved = vec.add(self.translation, vec.apply(self.rotation, inner.translation))
        first, second, third = (triple(row) for row in rotation)
        return DualRotation((first, second, third), triple(moved))

    def matrix(self) -> tuple[tuple[DualNumber, ...], ...]:
        """The matrix of dual numbers, outer from inner."""
        columns = vec.transpose(self.rotation)
        moments = vec.transpose([vec.cross(self.translation, column) for column in columns])
        return tuple(
            tuple(DualNumber(x, y) for x, y in zip(row, moment, strict=True))
            for row, moment in zip(self.rotation, moments, strict=True)
        )


def about_axis(axis: int, angle: DualNumber) -> DualRotation:
    """Dual displacement about coordinate axis 0, 1 or 2: the turn ``angle.real`` and the slide ``angle.dual`` along it.

    Its matrix is that of a rotation with the sine and cosine of the dual angle, equations (11) and (12).
    """
    graph = angle.real.graph
    zero, one = constant(graph, 0), constant(graph, 1)
    s, c = angle.real.sine(), angle.real.cosine()
    a, b = (axis + 1) % 3, (axis + 2) % 3
    rows = [[zero] * 3 for _ in range(3)]
    rows[axis][axis] = one
    rows[a][a] = rows[b][b] = c
    rows[a][b], rows[b][a] = -s, s
    slide = [angle.dual if r == axis else zero for r in range(3)]
    return DualRotation((triple(rows[0]), triple(rows[1]), triple(rows[2])), triple(slide))


def displacement(axes: Sequence[int], angles: Sequence[DualNumber], *, space: bool = False) -> DualRotation:
    """Successive dual displacements about coordinate axes: of the body, or of ``space``, which stay where they are.

    The 24 sequences of three turns that give every orientation have neighbouring axes that differ; with dual angles
    they give every displacement (Agrawal 1988, section 1).
    """
    turns = [about_axis(axis, angle) for axis, angle in zip(axes, angles, strict=True)]
    return reduce(DualRotation.then, reversed(turns) if space else turns)
