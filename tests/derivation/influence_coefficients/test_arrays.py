"""The paper's products of arrays."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.influence_coefficients.arrays import (
    generalized_dot,
    plane_by_plane,
    quadratic,
)
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
