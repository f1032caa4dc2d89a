"""Small vector algebra on anything with + - *: Fractions, Expressions, floats.  Vectors are tuples, matrices row tuples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Vector = tuple[Any, ...]
Matrix = tuple[Vector, ...]


def add(u: Sequence[Any], v: Sequence[Any]) -> Vector:
    """u + v."""
    return tuple(x + y for x, y in zip(u, v, strict=True))


def subtract(u: Sequence[Any], v: Sequence[Any]) -> Vector:
    """u - v."""
    return tuple(x - y for x, y in zip(u, v, strict=True))


def scale(factor: Any, v: Sequence[Any]) -> Vector:
    """factor v."""
    return tuple(factor * x for x in v)


def dot(u: Sequence[Any], v: Sequence[Any]) -> Any:
    """u . v."""
    terms = [x * y for x, y in zip(u, v, strict=True) if not (x == 0 or y == 0)]
    if not terms:
        return u[0] * v[0]  # zero of the right type
    result = terms[0]
    for term in terms[1:]:
        result = result + term
    return result


def cross(u: Sequence[Any], v: Sequence[Any]) -> Vector:
    """u x v in three dimensions."""
    return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])


def skew(v: Sequence[Any]) -> Matrix:
    """The matrix of v x."""
    return (0, -v[2], v[1]), (v[2], 0, -v[0]), (-v[1], v[0], 0)


def transpose(m: Sequence[Sequence[Any]]) -> Matrix:
    """Transpose of a matrix."""
    return tuple(zip(*m, strict=True))


def apply(m: Sequence[Sequence[Any]], v: Sequence[Any]) -> Vector:
    """m v."""
    return tuple(dot(row, v) for row in m)


def multiply(m: Sequence[Sequence[Any]], n: Sequence[Sequence[Any]]) -> Matrix:
    """m n."""
    columns = transpose(n)
    return tuple(tuple(dot(row, column) for column in columns) for row in m)


def outer(u: Sequence[Any], v: Sequence[Any]) -> Matrix:
    """u v^T."""
    return tuple(tuple(x * y for y in v) for x in u)


def matrix_add(m: Sequence[Sequence[Any]], n: Sequence[Sequence[Any]]) -> Matrix:
    """m + n."""
    return tuple(add(r, s) for r, s in zip(m, n, strict=True))


def matrix_scale(factor: Any, m: Sequence[Sequence[Any]]) -> Matrix:
    """factor m."""
    return tuple(scale(factor, row) for row in m)


def congruence(r: Sequence[Sequence[Any]], m: Sequence[Sequence[Any]]) -> Matrix:
    """r m r^T: components of a tensor in turned axes."""
    return multiply(multiply(r, m), transpose(r))
