"""3 x 3 matrices that are not orthogonal, and what they do to moments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanegen.codegen.graph import Expression
from kanegen.codegen.graph import vectors as vec

Vector = tuple[Any, ...]
Matrix = tuple[Vector, ...]
"""Entries are Expressions or Fractions."""

UNIT: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
NONE: Vector = (0, 0, 0)
NO_MATRIX: Matrix = (NONE, NONE, NONE)


def skew(v: Sequence[Any]) -> Matrix:
    """The matrix of v x."""
    return (0, -v[2], v[1]), (v[2], 0, -v[0]), (-v[1], v[0], 0)


def axial(m: Matrix) -> Vector:
    """m32 - m23, m13 - m31, m21 - m12: the moment of forces f y^T, twice the axial vector of an antisymmetric matrix."""
    return m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]


def inner(m: Matrix, n: Matrix) -> Any:
    """The sum of the products of all entries: trace(m n^T)."""
    return total(m[i][j] * n[i][j] for i in range(3) for j in range(3) if not (m[i][j] == 0 or n[i][j] == 0))


def total(terms: Any) -> Any:
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


def times(m: Matrix, n: Matrix) -> Matrix:
    """m n, without what vanishes."""
    columns = vec.transpose(n)
    return tuple(tuple(product(row, column) for column in columns) for row in m)


def applied(m: Matrix, v: Sequence[Any]) -> Vector:
    """m v, without what vanishes."""
    return tuple(product(row, v) for row in m)


def product(u: Sequence[Any], v: Sequence[Any]) -> Any:
    """u . v, without what vanishes."""
    return total(x * y for x, y in zip(u, v, strict=True) if not (is_zero(x) or is_zero(y)))


def scaled(factor: Any, m: Matrix) -> Matrix:
    """factor m, without what vanishes."""
    return tuple(stretched(factor, row) for row in m)


def stretched(factor: Any, v: Sequence[Any]) -> Vector:
    """factor v, without what vanishes."""
    return tuple(0 if is_zero(factor) or is_zero(x) else factor * x for x in v)


def outer(u: Sequence[Any], v: Sequence[Any]) -> Matrix:
    """u v^T, without what vanishes."""
    return tuple(tuple(0 if is_zero(x) or is_zero(y) else x * y for y in v) for x in u)


def about(axis: Sequence[Any], cosine: Any, sine: Any) -> Matrix:
    """The rotation about a unit vector: a a^T + cos (1 - a a^T) + sin skew(a)."""
    along = vec.outer(axis, axis)
    across = vec.matrix_add(UNIT, vec.matrix_scale(-1, along))
    return sum_of(along, scaled(cosine, across), scaled(sine, skew(axis)))
