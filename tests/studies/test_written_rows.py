"""Rows as written: what is understood, what is refused, and what is counted."""

from __future__ import annotations

import numpy as np
import pytest

from kanegen.codegen.graph import Argument, Graph, OperationCounts, Program, evaluate, inputs
from kanegen.codegen.studies.written_rows import Evaluation, Row, count_as_written, needed, parse


@pytest.mark.parametrize(
    ("expr", "multiplications", "additions", "divisions"),
    [
        ("x", 0, 0, 0),
        ("-x", 0, 0, 0),
        ("x*y", 1, 0, 0),
        ("x**2", 1, 0, 0),
        ("x**3", 2, 0, 0),
        ("x+y-z", 0, 2, 0),
        ("x/y", 0, 0, 1),
        ("a*b", 0, 0, 0),
        ("a/b", 0, 0, 0),
        ("a*x*b", 1, 0, 0),  # x by the number a b
        ("-a*x*b", 1, 0, 0),
        ("a*(x*b)", 2, 0, 0),  # what is bracketed is computed
        ("(a-b)*x*y", 2, 0, 0),
        ("2*x", 1, 0, 0),
        ("a+b+x", 0, 1, 0),
        ("x+a+b", 0, 2, 0),  # from left to right
        ("x+(a+b)", 0, 1, 0),
        ("x*y+x*y", 2, 1, 0),  # nothing is shared but what has a name
        ("-(x+y)", 0, 1, 0),
        ("x*(y+z)/2", 1, 1, 1),
    ],
)
def test_operations_of_a_row(expr: str, multiplications: int, additions: int, divisions: int) -> None:
    counted = count_as_written([Row("Z1", expr)], ("a", "b"))
    assert counted == OperationCounts(multiplications, additions, divisions)


def test_rows_of_parameters_are_parameters() -> None:
    rows = [Row("Z1", "a*b"), Row("Z2", "Z1*x*a"), Row("Z3", "0"), Row("Z4", "Z2-Z3")]
    assert count_as_written(rows, ("a", "b")) == OperationCounts(1, 1)
    assert count_as_written(rows) == OperationCounts(3, 1)


@pytest.mark.parametrize(
    "expr",
    [
        "__import__('os').system('true')",
        "x.real",
        "x[0]",
        "sin(x)",
        "x**0.5",
        "x**-1",
        "x**y",
        "x//y",
        "x if y else z",
        "lambda: 0",
        "'text'",
        "True",
        "1j",
        "+x",
        "x +",
        "",
        "x; y",
    ],
)
def test_anything_but_arithmetic_is_refused(expr: str) -> None:
    with pytest.raises(ValueError, match=r"not an arithmetic expression|only names, numbers"):
        parse(expr)


def test_values_and_labels() -> None:
    graph = Graph()
    (x, y) = inputs(graph, "v", 2)
    evaluation = Evaluation(graph, {"x": x, "y": y})
    rows = [Row("Z1", "x*y-y**2/4"), Row("Z2", "-(x+Z1)"), Row("Z3", "x"), Row("Z4", "2.5*x*Z2")]
    evaluation.run(rows)
    results = ("Z1", "Z2", "Z3", "Z4")
    refs = tuple(evaluation[name].ref for name in results)
    program = Program(
        "rows", "", "", (Argument("v", (2,), "", ""),), (Argument("Z", (4,), "", ""),), graph, (refs,)
    )
    z1 = 3 * 2 - 2**2 / 4
    assert np.array_equal(evaluate(program, {"v": [3, 2]})["Z"], [z1, -(3 + z1), 3, 2.5 * 3 * -(3 + z1)])
    assert evaluation.labels[abs(evaluation["Z1"].ref)] == "Z1"
    assert evaluation.labels[abs(evaluation["Z2"].ref)] == "-Z2"
    assert abs(x.ref) not in evaluation.labels


def test_a_name_without_a_value_is_named() -> None:
    with pytest.raises(ValueError, match="row Z2 uses Z1, which has no value there"):
        Evaluation(Graph(), {}).run([Row("Z2", "Z1*Z1"), Row("Z1", "1")])


def test_only_what_results_need_is_kept() -> None:
    rows = (Row("Z1", "x"), Row("Z2", "y"), Row("Z3", "Z1*x"), Row("Z4", "Z3+Z2"))
    assert [row.name for row in needed(rows, ("Z3",))] == ["Z1", "Z3"]
