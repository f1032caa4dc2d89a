"""The unrolled solution of symmetric positive definite systems, for every order and every way to take pivots."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from kanegen.codegen.derivation.linear.solve import blockings, elimination_orders, pattern_cost, solve
from kanegen.codegen.graph import Expression, Graph, constant, count_nodes, evaluate, inputs
from tests.derivation.comparison import Array
from tests.emitted.programs import program


def sparse_matrix(
    seed: int, n: int, density: float, numbers: bool
) -> tuple[Graph, list[list[Expression]], Array]:
    """A symmetric diagonally dominant matrix: inputs m[k] above the diagonal, some numbers, structural zeros."""
    rng = np.random.default_rng([seed, n])
    graph = Graph()
    entries = iter(inputs(graph, "m", n * n))
    matrix = [[constant(graph, 0)] * n for _ in range(n)]
    values = rng.uniform(-1, 1, n * n)
    taken = 0
    for i in range(n):
        for j in range(i + 1):
            if i != j and rng.random() > density:
                continue
            entry = next(entries)
            if i == j:
                values[taken] = n + rng.uniform(1, 2)
            taken += 1
            if numbers and rng.random() < 0.4:
                entry = constant(graph, round(float(values[taken - 1]), 3))
                values[taken - 1] = round(float(values[taken - 1]), 3)
            matrix[i][j] = matrix[j][i] = entry
    return graph, matrix, values


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("density", [0.3, 1.0])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_order_solves(n: int, density: float, numbers: bool) -> None:
    graph, matrix, values = sparse_matrix(3, n, density, numbers)
    right = inputs(graph, "b", n)
    b = np.random.default_rng(n).uniform(-1, 1, n)
    dense = program("M", graph, {"m": n * n}, {"M": [x for row in matrix for x in row]})
    wanted = np.linalg.solve(evaluate(dense, {"m": values})["M"].reshape(n, n), b)
    for order in permutations(range(n)):
        for blocks in blockings(order, matrix):
            assert sorted(i for block in blocks for i in block) == list(range(n))
            x = solve(matrix, right, blocks)
            found = evaluate(program("x", graph, {"m": n * n, "b": n}, {"x": x}), {"m": values, "b": b})["x"]
            # diagonally dominant, condition below 5: some fifty roundings
            assert np.abs(found - wanted).max() < 1e-14 * np.abs(wanted).max()


def arrow(n: int) -> tuple[list[list[bool]], list[list[bool]]]:
    """A full first row and column and the diagonal."""
    nonzero = [[i == j or 0 in (i, j) for j in range(n)] for i in range(n)]
    return nonzero, [[False] * n for _ in range(n)]


@pytest.mark.parametrize("n", [3, 5, 9])
def test_the_point_of_an_arrow_is_eliminated_last(n: int) -> None:
    """Any other order fills the matrix; beyond seven unknowns minimum degree finds the same."""
    nonzero, varying = arrow(n)
    orders = elimination_orders(nonzero, varying)
    position = orders[0].index(0)
    assert position >= n - 2  # last, or next to last where that comes to the same
    first = tuple(range(n))
    assert pattern_cost(nonzero, varying, orders[0]) < pattern_cost(nonzero, varying, first)


def test_orders_are_ranked_and_reproducible() -> None:
    nonzero, varying = arrow(4)
    orders = elimination_orders(nonzero, varying, 24)
    costs = [pattern_cost(nonzero, varying, order) for order in orders]
    assert costs == sorted(costs)
    assert elimination_orders(nonzero, varying) == orders[:4]


def test_numbers_as_pivots_need_no_division() -> None:
    graph = Graph()
    (c,) = inputs(graph, "c", 1)
    two, three = constant(graph, 2), constant(graph, 3)
    x = solve([[two, c], [c, three]], inputs(graph, "b", 2), [[0], [1]])
    assert count_nodes(graph, [e.ref for e in x]).divisions == 1
    x = solve([[two, constant(graph, 1)], [constant(graph, 1), three]], inputs(graph, "b", 2), [[0], [1]])
    assert count_nodes(graph, [e.ref for e in x]).divisions == 0


def test_two_unknowns_at_once_take_one_division() -> None:
    graph = Graph()
    m = inputs(graph, "m", 3)
    matrix = [[m[0], m[1]], [m[1], m[2]]]
    divisions = [
        count_nodes(graph, [e.ref for e in solve(matrix, inputs(graph, "b", 2), blocks)]).divisions
        for blocks in ([[0], [1]], [[0, 1]])
    ]
    assert divisions == [2, 1]
