"""The algebra of vectors and matrices, exactly; pairwise and n-ary sums."""

from __future__ import annotations

from fractions import Fraction

from kanegen.codegen.graph import Graph, Kind, count_nodes, inputs
from kanegen.codegen.graph import linear as vec

U, V = (Fraction(1), Fraction(-2), Fraction(3)), (Fraction(4), Fraction(0), Fraction(1, 2))
M = ((Fraction(1), Fraction(2), Fraction(0)), (Fraction(0), Fraction(-1), Fraction(1)), V)


def test_vectors() -> None:
    assert vec.add(U, V) == (5, -2, Fraction(7, 2))
    assert vec.add(U, V, U) == (6, -4, Fraction(13, 2))
    assert vec.subtract(U, V) == (-3, -2, Fraction(5, 2))
    assert vec.scale(2, U) == (2, -4, 6)
    assert vec.dot(U, V) == Fraction(11, 2)
    assert vec.cross(U, V) == (-1, Fraction(23, 2), 8)
    assert vec.dot(vec.cross(U, V), U) == 0
    assert tuple(sum(vec.cross_terms(U, V, k)) for k in range(3)) == vec.cross(U, V)
    assert vec.apply(vec.skew(U), V) == vec.cross(U, V)


def test_matrices() -> None:
    assert vec.apply(M, U) == (-3, 5, Fraction(11, 2))
    assert vec.transpose(vec.transpose(M)) == M
    assert vec.multiply(M, vec.transpose((U, U, U))) == vec.transpose([vec.apply(M, U)] * 3)
    assert vec.outer(U, V)[2] == (12, 0, Fraction(3, 2))
    assert vec.matrix_add(M, vec.matrix_scale(-1, M)) == vec.NO_MATRIX
    assert vec.axial(vec.outer(U, V)) == vec.scale(-1, vec.cross(U, V))
    assert vec.double_dot(M, vec.outer(U, V)) == vec.dot(U, vec.apply(M, V))
    assert vec.congruence(M, vec.outer(U, U)) == vec.outer(vec.apply(M, U), vec.apply(M, U))


def test_products_with_zero_cost_nothing() -> None:
    graph = Graph()
    x, y, z = inputs(graph, "x", 3)
    assert vec.dot((x, y, z), (0, 1, 0)) == y
    assert vec.dot((x, y, z), (0, 0, 0)).is_zero
    assert count_nodes(graph, [vec.dot((x, y, z), (2, 0, 1)).ref]).total == 2


def test_a_turn_about_an_axis_keeps_it_and_lengths() -> None:
    """With cos = 3/5 and sin = 4/5, about (2, 3, 6) / 7."""
    axis = (Fraction(2, 7), Fraction(3, 7), Fraction(6, 7))
    turn = vec.about(axis, Fraction(3, 5), Fraction(4, 5))
    assert vec.apply(turn, axis) == axis
    assert vec.congruence(turn, vec.UNIT) == vec.UNIT
    assert vec.double_dot(turn, vec.UNIT) == 1 + 2 * Fraction(3, 5)


def test_sums_are_pairwise_or_n_ary() -> None:
    graph = Graph()
    x, y = inputs(graph, "x", 3), inputs(graph, "y", 3)
    a, b, c = vec.products(x, y)
    assert vec.dot(x, y) == (a + b) + c
    whole = vec.dot_total(graph, x, y)
    assert graph.kind(whole.ref) is Kind.SUM and graph.operands(whole.ref) == (a.ref, b.ref, c.ref)
    assert vec.apply_total(graph, (x, (0, 2, 0)), y) == (whole, 2 * y[1])
    assert vec.multiply_total(graph, (x,), vec.transpose((y,))) == ((whole,),)
    assert vec.add_total(graph, x, y, x) == tuple(2 * p + q for p, q in zip(x, y, strict=True))
    assert vec.matrix_add_total(graph, (x,), (y,)) == (vec.add(x, y),)


def test_the_n_ary_sum_of_no_products_is_zero() -> None:
    graph = Graph()
    assert vec.dot_total(graph, (), ()).is_zero
    assert vec.dot_total(graph, inputs(graph, "x", 2), (0, 0)).is_zero
    assert all(x.is_zero for x in vec.zeros(graph, 2))


def test_a_symmetric_product_is_computed_once() -> None:
    graph = Graph()
    x, y = inputs(graph, "x", 2), inputs(graph, "y", 2)
    found = vec.multiply_symmetric_total(graph, (x, y), (x, y))
    assert found[0][1] is found[1][0]
    assert found == [[vec.dot(p, q) for q in (x, y)] for p in (x, y)]
