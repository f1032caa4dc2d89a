"""The small vector algebra, exactly."""

from __future__ import annotations

from fractions import Fraction

from kanegen.codegen.graph import Graph, count_nodes, inputs
from kanegen.codegen.graph import linear as vec

U, V = (Fraction(1), Fraction(-2), Fraction(3)), (Fraction(4), Fraction(0), Fraction(1, 2))
M = ((Fraction(1), Fraction(2), Fraction(0)), (Fraction(0), Fraction(-1), Fraction(1)), V)


def test_vectors() -> None:
    assert vec.add(U, V) == (5, -2, Fraction(7, 2))
    assert vec.subtract(U, V) == (-3, -2, Fraction(5, 2))
    assert vec.scale(2, U) == (2, -4, 6)
    assert vec.dot(U, V) == Fraction(11, 2)
    assert vec.cross(U, V) == (-1, Fraction(23, 2), 8)
    assert vec.dot(vec.cross(U, V), U) == 0


def test_matrices() -> None:
    assert vec.apply(M, U) == (-3, 5, Fraction(11, 2))
    assert vec.transpose(vec.transpose(M)) == M
    assert vec.multiply(M, vec.transpose((U, U, U))) == vec.transpose([vec.apply(M, U)] * 3)
    assert vec.outer(U, V)[2] == (12, 0, Fraction(3, 2))
    assert vec.matrix_add(M, vec.matrix_scale(-1, M)) == ((0, 0, 0),) * 3
    assert vec.congruence(M, vec.outer(U, U)) == vec.outer(vec.apply(M, U), vec.apply(M, U))


def test_products_with_zero_cost_nothing() -> None:
    graph = Graph()
    x, y, z = inputs(graph, "x", 3)
    assert vec.dot((x, y, z), (0, 1, 0)) == y
    assert vec.dot((x, y, z), (0, 0, 0)).is_zero
    assert count_nodes(graph, [vec.dot((x, y, z), (2, 0, 1)).ref]).total == 2
