"""Residues of 60-digit numbers: what vanishes to 50 digits is zero, wherever it arises."""

from __future__ import annotations

from fractions import Fraction

from kanegen.codegen.graph import Expression, Graph, constant, count_nodes, inputs, total

RESIDUE = Fraction(1, 10**60)
THIRD = Fraction(1, 3) + RESIDUE  # one third to 59 digits


def test_like_terms_that_cancel_to_a_residue_leave_room_for_a_third() -> None:
    """a x - a' x + b x is b x: zero has no coefficient that b could be added to."""
    graph = Graph()
    (x,) = inputs(graph, "x", 1)
    found = total(graph, [constant(graph, Fraction(1, 3)) * x, -(constant(graph, THIRD) * x), 5 * x])
    assert found == 5 * x


def test_a_residue_by_itself_is_zero() -> None:
    """However few digits it has itself: the numbers that left it had sixty."""
    graph = Graph()
    (x,) = inputs(graph, "x", 1)
    for residue in (RESIDUE, -6 * RESIDUE, Fraction(3, 7 * 10**59)):
        assert constant(graph, residue).is_zero
        assert total(graph, [constant(graph, residue) * x, x]) == x


def test_residues_add_nothing() -> None:
    graph = Graph()
    x, y = inputs(graph, "x", 2)
    found = total(graph, [constant(graph, Fraction(1, 3)) * x, -(constant(graph, THIRD) * x), y])
    assert found == y
    assert total(graph, [x, constant(graph, Fraction(1, 3)), -constant(graph, THIRD)]) == x
    assert count_nodes(graph, [found.ref]).total == 0


def test_products_of_residues_are_zero() -> None:
    graph = Graph()
    (x,) = inputs(graph, "x", 1)
    small = Fraction(1, 10**31)
    assert ((constant(graph, small) * x) * small).is_zero
    assert (constant(graph, -small) * small).is_zero
    assert Expression(graph, graph.product([x.ref, graph.constant(small), -graph.constant(small)])).is_zero
