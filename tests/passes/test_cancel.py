"""Cancel: products with what they are divided by."""

from __future__ import annotations

import numpy as np

from kanegen.codegen.graph import Argument, Expression, Graph, Program, count, evaluate, inputs
from kanegen.codegen.passes.cancel import cancel


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
