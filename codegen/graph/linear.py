"""The one algebra of vectors and matrices: sequences of entries, sequences of rows; results are tuples.

Entries are anything with + - *: Expressions, exact numbers, polynomials, also mixed.  Products with a zero cost nothing.

A sum of products is added up pairwise, ((a + b) + c), or is one n-ary node, (a + b + c).  The value is the same, the graph
is not, and passes may find fewer operations in one of them.  Functions called ``..._total`` make n-ary nodes.  They take
the graph, as ``graph.total`` does, so that the sum of no products is its zero; one factor of every product is an Expression.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from kanegen.codegen.graph import exact
from kanegen.codegen.graph.expression import Expression, constant, total
from kanegen.codegen.graph.graph import Graph

Vector = tuple[Any, ...]
Matrix = tuple[Vector, ...]
Entries = Sequence[Any]
Rows = Sequence[Sequence[Any]]
Expressions = Sequence[Expression]
ExpressionRows = Sequence[Sequence[Expression]]

UNIT: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
NONE: Vector = (0, 0, 0)
NO_MATRIX: Matrix = (NONE, NONE, NONE)


def is_zero(x: Any) -> bool:
    """Whether an entry vanishes identically."""
    return x.is_zero if isinstance(x, Expression) else not x if type(x) is Fraction else bool(x == 0)


def plus(x: Any, y: Any) -> Any:
    """x + y; a zero gives way to what is added, so that numbers stay numbers."""
    if type(x) is Fraction and type(y) is Fraction:
        return exact.plus(x, y)
    return y if is_zero(x) else x + y


def times(x: Any, y: Any) -> Any:
    """x y."""
    return exact.times(x, y) if type(x) is Fraction and type(y) is Fraction else x * y


def minus(x: Any, y: Any) -> Any:
    """x - y."""
    return exact.minus(x, y) if type(x) is Fraction and type(y) is Fraction else x - y


def zeros(graph: Graph, count: int) -> tuple[Expression, ...]:
    """A vector of zeros."""
    return (constant(graph, 0),) * count


def zero_matrix(graph: Graph, rows: int, columns: int) -> list[list[Expression]]:
    """A matrix of zeros, to be filled in."""
    return [[constant(graph, 0)] * columns for _ in range(rows)]


# -- vectors -------------------------------------------------------------------------------------------------------------


def add(*vectors: Entries) -> Vector:
    """The sum of one or more vectors, pairwise."""
    return tuple(reduce(plus, entries) for entries in zip(*vectors, strict=True))


def add_total(graph: Graph, *vectors: Expressions) -> tuple[Expression, ...]:
    """The sum of one or more vectors, n-ary."""
    return tuple(total(graph, entries) for entries in zip(*vectors, strict=True))


def subtract(u: Entries, v: Entries) -> Vector:
    """u - v."""
    return tuple(minus(x, y) for x, y in zip(u, v, strict=True))


def scale(factor: Any, v: Entries) -> Vector:
    """factor v."""
    return tuple(times(factor, x) for x in v)


def products(u: Entries, v: Entries) -> list[Any]:
    """The products of which u . v is the sum, without those that vanish."""
    return [times(x, y) for x, y in zip(u, v, strict=True) if not (is_zero(x) or is_zero(y))]


def dot(u: Entries, v: Entries) -> Any:
    """u . v, pairwise."""
    terms = products(u, v)
    return reduce(plus, terms) if terms else times(u[0], v[0])  # zero of the right type


def dot_total(graph: Graph, u: Entries, v: Entries) -> Expression:
    """u . v, n-ary."""
    return total(graph, products(u, v))


def cross(u: Entries, v: Entries) -> Vector:
    """u x v in three dimensions."""
    return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])


def cross_terms(u: Entries, v: Entries, k: int) -> tuple[Any, Any]:
    """The two terms of component k of u x v, to be added up with others."""
    a, b = (k + 1) % 3, (k + 2) % 3
    return u[a] * v[b], -u[b] * v[a]


# -- matrices ------------------------------------------------------------------------------------------------------------


def skew(v: Entries) -> Matrix:
    """The matrix of v x."""
    return (0, -v[2], v[1]), (v[2], 0, -v[0]), (-v[1], v[0], 0)


def axial(m: Rows) -> Vector:
    """m32 - m23, m13 - m31, m21 - m12: the moment of forces f y^T, twice the axial vector of an antisymmetric matrix."""
    return m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]


def transpose(m: Rows) -> Matrix:
    """Transpose of a matrix."""
    return tuple(zip(*m, strict=True))


def outer(u: Entries, v: Entries) -> Matrix:
    """u v^T."""
    return tuple(tuple(times(x, y) for y in v) for x in u)


def matrix_add(*matrices: Rows) -> Matrix:
    """The sum of one or more matrices, pairwise."""
    return tuple(add(*rows) for rows in zip(*matrices, strict=True))


def matrix_add_total(graph: Graph, *matrices: ExpressionRows) -> tuple[tuple[Expression, ...], ...]:
    """The sum of one or more matrices, n-ary."""
    return tuple(add_total(graph, *rows) for rows in zip(*matrices, strict=True))


def matrix_scale(factor: Any, m: Rows) -> Matrix:
    """factor m."""
    return tuple(scale(factor, row) for row in m)


def apply(m: Rows, v: Entries) -> Vector:
    """m v, pairwise."""
    return tuple(dot(row, v) for row in m)


def apply_total(graph: Graph, m: Rows, v: Entries) -> tuple[Expression, ...]:
    """m v, n-ary."""
    return tuple(dot_total(graph, row, v) for row in m)


def multiply(m: Rows, n: Rows) -> Matrix:
    """m n, pairwise."""
    columns = transpose(n)
    return tuple(apply(columns, row) for row in m)


def multiply_total(graph: Graph, m: Rows, n: Rows) -> tuple[tuple[Expression, ...], ...]:
    """m n, n-ary."""
    columns = transpose(n)
    return tuple(apply_total(graph, columns, row) for row in m)


def multiply_symmetric_total(graph: Graph, rows: Rows, columns: Rows) -> list[list[Expression]]:
    """The product of a matrix given by rows and one given by columns, n-ary, where it is symmetric: one half is computed."""
    found = zero_matrix(graph, len(rows), len(rows))
    for i, row in enumerate(rows):
        for j in range(i, len(rows)):
            found[i][j] = found[j][i] = dot_total(graph, row, columns[j])
    return found


def congruence(r: Rows, m: Rows) -> Matrix:
    """r m r^T, pairwise: components of a tensor in turned axes."""
    return multiply(multiply(r, m), transpose(r))


def double_dot(m: Rows, n: Rows) -> Any:
    """The sum of the products of all entries, trace(m n^T), pairwise."""
    return sum(dot(row, other) for row, other in zip(m, n, strict=True))


def about(axis: Entries, cosine: Any, sine: Any) -> Matrix:
    """The rotation about a unit vector: a a^T + cos (1 - a a^T) + sin skew(a)."""
    along = outer(axis, axis)
    across = matrix_add(UNIT, matrix_scale(-1, along))
    return matrix_add(along, matrix_scale(cosine, across), matrix_scale(sine, skew(axis)))
