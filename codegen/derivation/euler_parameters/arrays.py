"""Vectors and matrices of expressions whose zeros cost nothing."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kanegen.codegen.graph import Expression, Graph, constant, total

Vector = Sequence[Expression]
Matrix = Sequence[Vector]


def inner(graph: Graph, u: Vector, v: Vector) -> Expression:
    """u . v as one sum."""
    return total(graph, [x * y for x, y in zip(u, v, strict=True) if not (x.is_zero or y.is_zero)])


def times(graph: Graph, matrix: Matrix, v: Vector) -> list[Expression]:
    """matrix v."""
    return [inner(graph, row, v) for row in matrix]


def times_transposed(graph: Graph, matrix: Matrix, v: Vector) -> list[Expression]:
    """matrix^T v."""
    return [inner(graph, column, v) for column in zip(*matrix, strict=True)]


def product(graph: Graph, a: Matrix, b: Matrix) -> list[list[Expression]]:
    """a b."""
    columns = list(zip(*b, strict=True))
    return [[inner(graph, row, column) for column in columns] for row in a]


def cross(u: Vector, v: Vector) -> list[Expression]:
    """u x v."""
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def added(*vectors: Vector) -> list[Expression]:
    """The sum of one or more vectors, one n-ary sum a component."""
    graph = vectors[0][0].graph
    return [total(graph, [x for x in entries if not x.is_zero]) for entries in zip(*vectors, strict=True)]


def subtracted(u: Vector, v: Vector) -> list[Expression]:
    """u - v."""
    return [x - y for x, y in zip(u, v, strict=True)]


def scaled(factor: Expression | Fraction | int, v: Vector) -> list[Expression]:
    """factor v."""
    return [x * factor for x in v]


def negated(v: Vector) -> list[Expression]:
    """-v."""
    return [-x for x in v]


def zeros(graph: Graph, count: int) -> list[Expression]:
    """A vector of zeros."""
    return [constant(graph, 0)] * count
