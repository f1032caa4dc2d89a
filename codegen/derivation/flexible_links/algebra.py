"""What matrices that are not orthogonal need beside graph.vectors: entries are Expressions or exact numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kanegen.codegen.graph import Expression
from kanegen.codegen.graph import vectors as vec
from kanegen.codegen.graph.vectors import Matrix, Vector

UNIT: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
NONE: Vector = (0, 0, 0)
NO_MATRIX: Matrix = (NONE, NONE, NONE)


def axial(m: Matrix) -> Vector:
    """m32 - m23, m13 - m31, m21 - m12: the moment of forces f y^T, twice the axial vector of an antisymmetric matrix."""
    return m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]


def inner(m: Matrix, n: Matrix) -> Any:
    """The sum of the products of all entries: trace(m n^T)."""
    return total(vec.dot(row, other) for row, other in zip(m, n, strict=True))


def total(terms: Iterable[Any]) -> Any:
    """The sum of any number of terms."""
    found: Any = 0
    for term in terms:
        found = term if is_zero(found) else found + term
    return found


def is_zero(x: Any) -> bool:
    """Whether an entry vanishes identically."""
    return x.is_zero if isinstance(x, Expression) else x == 0


def plus(*parts: Sequence[Any]) -> Vector:
    """The sum of vectors."""
    return tuple(total(entries) for entries in zip(*parts, strict=True))


def sum_of(*parts: Matrix) -> Matrix:
    """The sum of matrices."""
    return tuple(plus(*rows) for rows in zip(*parts, strict=True))


def about(axis: Sequence[Any], cosine: Any, sine: Any) -> Matrix:
    """The rotation about a unit vector: a a^T + cos (1 - a a^T) + sin skew(a)."""
    along = vec.outer(axis, axis)
    across = vec.matrix_add(UNIT, vec.matrix_scale(-1, along))
    return sum_of(along, vec.matrix_scale(cosine, across), vec.matrix_scale(sine, vec.skew(axis)))
