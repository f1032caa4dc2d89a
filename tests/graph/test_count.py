"""The rules of counting."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kanegen.codegen.graph import Expression, Graph, OperationCounts, count_nodes, inputs, total

Build = Callable[[Expression, Expression, Expression, Expression], list[Expression]]

# what is built from inputs x, y and live parameters m, k; operations
TABLE: list[tuple[str, Build, OperationCounts]] = [
    ("nothing", lambda x, y, m, k: [x, -y, m], OperationCounts()),
    ("square", lambda x, y, m, k: [x * x], OperationCounts(1)),
    ("a multiplication by two counts", lambda x, y, m, k: [2 * x], OperationCounts(1)),
    ("unary minus is free", lambda x, y, m, k: [-(x * y)], OperationCounts(1)),
    ("binary minus counts", lambda x, y, m, k: [x - y], OperationCounts(0, 1)),
    ("n terms", lambda x, y, m, k: [total(x.graph, [x, y, x * y, -(x * x)])], OperationCounts(2, 3)),
    ("n factors", lambda x, y, m, k: [(x * y) * (x * x)], OperationCounts(3)),
    ("shared work counts once", lambda x, y, m, k: [(x + y) * x, (x + y) * y], OperationCounts(2, 1)),
    ("both signs of a value", lambda x, y, m, k: [x - y, y - x], OperationCounts(0, 1)),
    ("division and root", lambda x, y, m, k: [(x / y).square_root()], OperationCounts(0, 0, 1, 1)),
    ("sine and cosine of one angle", lambda x, y, m, k: [x.sine() * x.cosine()], OperationCounts(1, 0, 0, 0, 1)),
    ("angles of both signs", lambda x, y, m, k: [x.sine() * (-x).cosine()], OperationCounts(1, 0, 0, 0, 1)),
    ("two angles", lambda x, y, m, k: [x.sine() * y.cosine()], OperationCounts(1, 0, 0, 0, 2)),
    ("parameters alone are free", lambda x, y, m, k: [(m + k) * m / k.cosine()], OperationCounts()),
    ("one multiplication by parameters", lambda x, y, m, k: [(m * k) * x], OperationCounts(1)),
    ("parameters within a product", lambda x, y, m, k: [(x * y) * ((m + k) * m)], OperationCounts(2)),
    ("parameters within a sum", lambda x, y, m, k: [total(x.graph, [x, m, k, y])], OperationCounts(0, 2)),
    ("division by a parameter counts", lambda x, y, m, k: [x / m], OperationCounts(0, 0, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("build", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_counts(build: Build, expected: OperationCounts) -> None:
    graph = Graph()
    x, y = inputs(graph, "x", 2)
    m, k = (Expression(graph, graph.parameter(name)) for name in "mk")
    assert count_nodes(graph, [e.ref for e in build(x, y, m, k)]) == expected


def test_how_counts_read() -> None:
    assert str(OperationCounts(105, 78)) == "105 / 78"
    assert str(OperationCounts(3, 2, 1, 4, 9)) == "3 / 2 + 1 div + 4 sqrt"
    assert OperationCounts(3, 2, 1, 4, 9).total == 10
