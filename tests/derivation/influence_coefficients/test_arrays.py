"""The paper's products of arrays, and inverses of matrices."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.influence_coefficients.arrays import (
    block_array,
    block_diagonal,
    generalized_dot,
    plane_by_plane,
    quadratic,
)
from kanegen.codegen.derivation.influence_coefficients.inverses import inverse
from kanegen.codegen.graph import Graph, inputs
from tests.derivation.comparison import EXACT

from .support import DIGITS, exact_numbers, flat, gap, program, values


def matrix(entries: Any, rows: int) -> list[list[Any]]:
    columns = len(entries) // rows
    return [list(entries[columns * r : columns * (r + 1)]) for r in range(rows)]


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_generalized_dot_product_brings_a_matrix_inside(symmetric: bool) -> None:
    """A (x^T H x) = x^T (A . H) x, and x^T H x for x = B y is y^T (B^T [H] B) y."""
    graph = Graph()
    a, h, b, y = (inputs(graph, name, size) for name, size in (("A", 8), ("H", 36), ("B", 6), ("y", 2)))
    A, B = matrix(a, 2), matrix(b, 3)
    H = [matrix(h[9 * p : 9 * p + 9], 3) for p in range(4)]
    if symmetric:
        H = [[[plane[min(r, c)][max(r, c)] for c in range(3)] for r in range(3)] for plane in H]
    x = [row[0] * y[0] + row[1] * y[1] for row in B]
    inside = quadratic(graph, generalized_dot(graph, A, H), x)
    moved = quadratic(graph, plane_by_plane(graph, B, H), y)
    found = program(
        graph,
        {"A": 8, "H": 36, "B": 6, "y": 2},
        inside=inside,
        moved=moved,
        x=x,
        H=flat(H),
    )
    with mpmath.workdps(DIGITS):
        numbers = dict(zip("AHBy", exact_numbers(1, 8, 36, 6, 2), strict=True))
        m = values(found, **numbers)
        expected = np.array([m["x"] @ plane @ m["x"] for plane in m["H"].reshape(4, 3, 3)])
        assert gap(m["moved"], expected) < EXACT
        assert gap(m["inside"], np.array(numbers["A"], dtype=object).reshape(2, 4) @ expected) < EXACT


def test_blocks() -> None:
    graph = Graph()
    h, x = inputs(graph, "H", 9), inputs(graph, "x", 3)
    one, two = [[[h[0]]]], [matrix(h[1:5], 2), matrix(h[5:9], 2)]
    apart = [*quadratic(graph, one, x[:1]), *quadratic(graph, two, x[1:])]
    assert quadratic(graph, block_array(graph, [one, two]), x) == apart
    found = block_diagonal(graph, [one[0], two[0]])
    assert [[not entry.is_zero for entry in row] for row in found] == [
        [True, False, False],
        [False, True, True],
        [False, True, True],
    ]


@pytest.mark.parametrize("n", range(1, 7))
def test_inverses(n: int) -> None:
    graph = Graph()
    entries = inputs(graph, "A", n * n)
    found = program(graph, {"A": n * n}, inverse=flat(inverse(graph, matrix(entries, n))))
    with mpmath.workdps(DIGITS):
        (numbers,) = exact_numbers(n, n * n)
        product = np.array(numbers, dtype=object).reshape(n, n) @ values(found, A=numbers)["inverse"].reshape(
            n, n
        )
        assert gap(product, np.eye(n)) < EXACT


@pytest.mark.parametrize("n", [4, 6])
def test_a_matrix_whose_pivots_vanish_in_every_order(n: int) -> None:
    """A permutation times what varies: regular, though its diagonal and all leading minors are zero."""
    graph = Graph()
    entries = inputs(graph, "A", n)
    zero = entries[0] * 0
    shifted = [[entries[r] if c == (r + 1) % n else zero for c in range(n)] for r in range(n)]
    found = program(graph, {"A": n}, inverse=flat(inverse(graph, shifted)))
    with mpmath.workdps(DIGITS):
        (numbers,) = exact_numbers(n, n)
        expected = np.zeros((n, n), dtype=object)
        for r, x in enumerate(numbers):
            expected[(r + 1) % n, r] = 1 / x
        assert gap(values(found, A=numbers)["inverse"], expected) < EXACT


@pytest.mark.parametrize("n", [1, 3, 5])
def test_a_matrix_that_is_always_singular(n: int) -> None:
    graph = Graph()
    entries = inputs(graph, "A", n * n)
    rows = matrix(entries, n)
    rows[0] = [entries[0] * 0] * n
    with pytest.raises(ZeroDivisionError):
        inverse(graph, rows)
