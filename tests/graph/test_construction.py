"""What construction makes of an expression: sharing, signs, like terms, folded constants; (in, out, count)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from kanegen.codegen.graph import (
    Expression,
    Graph,
    Kind,
    OperationCounts,
    constant,
    count_nodes,
    inputs,
    total,
)

Build = Callable[..., Expression]


def number(x: Expression, value: int | Fraction | str) -> Expression:
    return constant(x.graph, value)


SAME: list[tuple[str, Build, Build, OperationCounts]] = [
    # what is written, what it is, operations (multiplications, additions, divisions, square roots, sincos)
    ("like terms", lambda x, y, z: x + x, lambda x, y, z: 2 * x, OperationCounts(1)),
    ("multiples", lambda x, y, z: 3 * x - 5 * x, lambda x, y, z: -(2 * x), OperationCounts(1)),
    ("cancelled", lambda x, y, z: x - x, lambda x, y, z: number(x, 0), OperationCounts()),
    ("cancelled product", lambda x, y, z: x * y - y * x + z, lambda x, y, z: z, OperationCounts()),
    (
        "cancelled multiple",
        lambda x, y, z: 2 * (x * y) - (y * x) * 2 + z,
        lambda x, y, z: z,
        OperationCounts(),
    ),
    ("commuted sum", lambda x, y, z: z + x, lambda x, y, z: x + z, OperationCounts(0, 1)),
    ("commuted product", lambda x, y, z: z * x, lambda x, y, z: x * z, OperationCounts(1)),
    ("sign of a difference", lambda x, y, z: y - x, lambda x, y, z: -(x - y), OperationCounts(0, 1)),
    ("sign of a product", lambda x, y, z: (-x) * y, lambda x, y, z: -(x * y), OperationCounts(1)),
    ("two signs", lambda x, y, z: (-x) * (-y), lambda x, y, z: x * y, OperationCounts(1)),
    ("sign of a quotient", lambda x, y, z: x / (-y), lambda x, y, z: -(x / y), OperationCounts(0, 0, 1)),
    ("one", lambda x, y, z: 1 * x, lambda x, y, z: x, OperationCounts()),
    ("minus one", lambda x, y, z: x * -1, lambda x, y, z: -x, OperationCounts()),
    ("zero", lambda x, y, z: 0 * x + y, lambda x, y, z: y, OperationCounts()),
    ("constants", lambda x, y, z: 2 * (3 * x), lambda x, y, z: 6 * x, OperationCounts(1)),
    ("constants cancel", lambda x, y, z: Fraction(1, 3) * (3 * x), lambda x, y, z: x, OperationCounts()),
    ("added constants", lambda x, y, z: (x + 1) + 0, lambda x, y, z: 1 + x, OperationCounts(0, 1)),
    ("exact third", lambda x, y, z: x / 3, lambda x, y, z: Fraction(1, 3) * x, OperationCounts(1)),
    ("decimal", lambda x, y, z: 0.1 * x, lambda x, y, z: Fraction(1, 10) * x, OperationCounts(1)),
    ("quotient by itself", lambda x, y, z: x / x, lambda x, y, z: number(x, 1), OperationCounts()),
    ("by its negative", lambda x, y, z: x / -x, lambda x, y, z: number(x, -1), OperationCounts()),
    ("zero above", lambda x, y, z: (x - x) / y, lambda x, y, z: number(x, 0), OperationCounts()),
    ("odd sine", lambda x, y, z: (-x).sine(), lambda x, y, z: -(x.sine()), OperationCounts(0, 0, 0, 0, 1)),
    (
        "even cosine",
        lambda x, y, z: (y - x).cosine(),
        lambda x, y, z: (x - y).cosine(),
        OperationCounts(0, 1, 0, 0, 1),
    ),
    ("sine of zero", lambda x, y, z: (x - x).sine(), lambda x, y, z: number(x, 0), OperationCounts()),
    (
        "square root of a square",
        lambda x, y, z: number(x, Fraction(9, 4)).square_root(),
        lambda x, y, z: number(x, Fraction(3, 2)),
        OperationCounts(),
    ),
]


@pytest.mark.parametrize(
    ("built", "expected", "operations"), [row[1:] for row in SAME], ids=[r[0] for r in SAME]
)
def test_construction(built: Build, expected: Build, operations: OperationCounts) -> None:
    graph = Graph()
    x, y, z = inputs(graph, "x", 3)
    result = built(x, y, z)
    assert result.ref == expected(x, y, z).ref
    assert count_nodes(graph, [result.ref]) == operations


DIFFERENT: list[tuple[Build, Build]] = [
    (
        lambda x, y, z: (x + y) + z,
        lambda x, y, z: x + (y + z),
    ),  # rounding differs: regrouping is a pass, not a rule
    (lambda x, y, z: x * y + x * z, lambda x, y, z: x * (y + z)),
    (lambda x, y, z: x / y, lambda x, y, z: y / x),
    (lambda x, y, z: x - y, lambda x, y, z: x + y),
    (lambda x, y, z: x.sine(), lambda x, y, z: x.cosine()),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_is_not_the_same_stays_apart(one: Build, other: Build) -> None:
    x, y, z = inputs(Graph(), "x", 3)
    assert one(x, y, z) != other(x, y, z)
    assert one(x, y, z) != -other(x, y, z)


def test_building_twice_adds_no_node() -> None:
    graph = Graph()
    x, y = inputs(graph, "x", 2)

    def build() -> Expression:
        return ((x + y) * x.sine() - 3 / (y * y)).square_root()

    first, size = build(), len(graph)
    assert build() == first
    assert hash(build()) == hash(first)
    assert len(graph) == size


def test_negation_is_no_node() -> None:
    graph = Graph()
    (x,) = inputs(graph, "x", 1)
    size = len(graph)
    assert (-x).ref == -x.ref
    opposite = -x
    assert -opposite == x == +x
    assert len(graph) == size


def test_sums_begin_with_a_positive_term_and_products_hold_no_signs() -> None:
    graph = Graph()
    x, y, z = inputs(graph, "x", 3)
    for expression in (x - y - z, -x - y, y - x + z, -(x * y) + z, z - 2 * x):
        for index in graph.reachable([expression.ref]):
            operands = graph.operands(index)
            if graph.kind(index) is Kind.SUM:
                assert operands[0] > 0
            elif graph.kind(index) in (Kind.PRODUCT, Kind.QUOTIENT):
                assert all(ref > 0 for ref in operands)


def test_operands_precede_the_nodes_that_use_them() -> None:
    graph = Graph()
    x, y, z = inputs(graph, "x", 3)
    expression = ((x + y * z).cosine() / (1 + z * z).square_root()) - x
    order = graph.reachable([expression.ref])
    assert order == sorted(order)
    for index in order:
        assert all(abs(ref) < index for ref in graph.operands(index))


def test_a_sum_of_many_terms_is_one_node() -> None:
    graph = Graph()
    x, y, z = inputs(graph, "x", 3)
    expression = total(graph, [x, y, -z, constant(graph, 2)])
    assert len(graph.operands(expression.ref)) == 4
    assert total(graph, []) == 0
    assert total(graph, [x]) == x


def test_coefficients_are_split_off() -> None:
    graph = Graph()
    x, y = inputs(graph, "x", 2)
    assert graph.split_coefficient((-3 * (x * y)).ref) == (Fraction(-3), (x * y).ref)
    assert graph.split_coefficient((-x).ref) == (Fraction(-1), x.ref)


def test_numbers_and_values() -> None:
    graph = Graph()
    (x,) = inputs(graph, "x", 1)
    assert constant(graph, "-2.50").value == Fraction(-5, 2)
    assert constant(graph, 0.1).value == Fraction(1, 10)
    assert constant(graph, -3).is_number
    assert (x - x).is_zero
    assert constant(graph, 2) == 2
    assert constant(graph, 2) != x
    assert x != "x"
    with pytest.raises(TypeError, match="not a number"):
        _ = x.value


def test_impossible_operations() -> None:
    graph = Graph()
    x, y = inputs(graph, "x", 2)
    with pytest.raises(ZeroDivisionError, match="identically zero"):
        _ = x / (y - y)
    with pytest.raises(ZeroDivisionError, match="identically zero"):
        _ = 1 / constant(graph, 0)
    with pytest.raises(ValueError, match=r"square root of the negative number -2\.0"):
        constant(graph, -2).square_root()
    with pytest.raises(ValueError, match="two different graphs"):
        _ = x + inputs(Graph(), "x", 1)[0]
    with pytest.raises(ValueError, match="finite number, got nan"):
        _ = x + float("nan")


def test_quotients_are_in_lowest_terms() -> None:
    graph = Graph()
    a, b, c = (Expression(graph, graph.input("q", k)) for k in range(3))
    assert (a * b) / (b * c) == a / c
    assert (a * b) / b == a
    assert -(2 * (a * b)) / (4 * a) == -b / 2
    assert b / (a * b) == 1 / a
    assert (a * a * b) / (a * b) == a


def test_a_whole_sum_is_one_value_of_its_own() -> None:
    graph = Graph()
    a, b = (Expression(graph, graph.input("q", k)) for k in range(2))
    assert (a - b).whole() == (a - b).whole()
    assert (b - a).whole() == -(a - b).whole()
    assert (a * b).whole() == a * b
    assert (a - b).whole() != a - b
