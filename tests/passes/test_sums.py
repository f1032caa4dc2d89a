"""Sums and products: what meets, what cancels, what is shared, and what must stay as it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from kanegen.codegen.graph import Argument, Expression, Graph, Program, count, evaluate, inputs
from kanegen.codegen.passes.optimize import Pass
from kanegen.codegen.passes.sums import cancel, factor, flatten

from .graphs import Build, from_inputs, operations, same_values, sums_of_products

# what is built from x; multiplications and additions before and after
TABLE: list[tuple[Pass, str, Build, tuple[int, int], tuple[int, int]]] = [
    (flatten, "cancels across a definition", lambda x: [(x[0] + x[1]) - x[1]], (0, 2), (0, 0)),
    (
        flatten,
        "cancels in a nested sum",
        lambda x: [(x[0] * x[1] + x[2]) + (x[3] - x[0] * x[1])],
        (1, 3),
        (0, 1),
    ),
    (flatten, "shared sums stay", lambda x: [(x[0] + x[1]) + x[2], (x[0] + x[1]) * x[3]], (1, 2), (1, 2)),
    (flatten, "products merge", lambda x: [(x[0] * x[1]) * (x[2] * x[3])], (3, 0), (3, 0)),
    (flatten, "two numbers in one product", lambda x: [(2 * x[0] * x[1]) * (3 * x[2])], (4, 0), (3, 0)),
    (flatten, "x + x is not made 2 x", lambda x: [(x[0] + x[1]) + (x[0] + x[2])], (0, 3), (0, 3)),
    (flatten, "merging coefficients", lambda x: [(3 * x[0] + x[1]) + (2 * x[0] + x[2])], (2, 3), (1, 2)),
    (flatten, "a negative inner sum", lambda x: [x[2] - (x[0] - x[1] + x[2])], (0, 3), (0, 1)),
    (factor, "two terms", lambda x: [x[0] * x[1] + x[2] * x[1]], (2, 1), (1, 1)),
    (factor, "three terms", lambda x: [x[0] * x[1] + x[2] * x[1] - x[3] * x[1] + x[4]], (3, 3), (1, 3)),
    (factor, "one is the factor itself: left", lambda x: [x[0] * x[1] + x[1]], (1, 1), (1, 1)),
    (factor, "numbers too", lambda x: [3 * x[0] + 3 * x[1]], (2, 1), (1, 1)),
    (factor, "negative numbers", lambda x: [3 * x[0] - 3 * x[1]], (2, 1), (1, 1)),
    (factor, "squares", lambda x: [x[0] * x[0] + x[0] * x[1]], (2, 1), (1, 1)),
    (factor, "shared products stay", lambda x: [x[0] * x[1] + x[2] * x[1], x[0] * x[1]], (2, 1), (2, 1)),
    (
        factor,
        "a shared product as the factor",
        lambda x: [x[0] * x[1] * x[2] + x[0] * x[1] * x[3]],
        (3, 1),
        (2, 1),
    ),
    (factor, "nested", lambda x: [x[0] * (x[1] * x[2] + x[3] * x[2]) + x[0] * x[4]], (4, 2), (2, 2)),
    (factor, "nothing in common", lambda x: [x[0] * x[1] + x[2] * x[3]], (2, 1), (2, 1)),
]


@pytest.mark.parametrize(
    ("change", "build", "before", "after"),
    [(row[0], *row[2:]) for row in TABLE],
    ids=[row[1] for row in TABLE],
)
def test_table(change: Pass, build: Build, before: tuple[int, int], after: tuple[int, int]) -> None:
    plain = from_inputs(build)
    assert operations(plain) == before
    changed = change(plain)
    assert operations(changed) == after
    same_values(changed, plain)


@pytest.mark.parametrize("change", [flatten, factor])
@settings(max_examples=80, deadline=None, derandomize=True)
@given(plain=sums_of_products())
def test_values_are_kept(change: Pass, plain: Program) -> None:
    same_values(change(plain), plain)


def program(graph: Graph, *values: Expression) -> Program:
    outputs = tuple(Argument(f"y{k}", (), "", "") for k in range(len(values)))
    return Program(
        "", "", "", (Argument("q", (3,), "", ""),), outputs, graph, tuple((x.ref,) for x in values)
    )


def test_products_in_lowest_terms() -> None:
    graph = Graph()
    a, b, c = inputs(graph, "q", 3)
    three = Expression(graph, graph.product([a.ref, b.ref, (1 / (a * c)).ref, c.ref]))
    made = program(graph, a * (1 / a), a * (b / a), -(a * b) * (c / (2 * a)), three)
    found = cancel(made)
    counts = count(found)
    assert counts.divisions == 0
    values = evaluate(found, {"q": np.array([0.0, 3.0, 5.0])})
    # at a = 0, where 0 / 0 stood before, as the limit
    assert [float(values[f"y{k}"]) for k in range(4)] == [1.0, 3.0, -7.5, 3.0]


def test_a_reciprocal_that_others_use_stays() -> None:
    graph = Graph()
    a, b, c = inputs(graph, "q", 3)
    share = 1 / (a * b)
    made = program(graph, share * c, share * a)
    assert count(cancel(made)) == count(made)
