"""Functions by table in C: values, NaN and counts are those of NumPy and of the graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kanegen.codegen.graph import Expression, Graph, Program, inputs
from kanegen.codegen.graph.evaluate import evaluate
from kanegen.codegen.graph.functions import COMPARISONS, FUNCTIONS

from .compilation import build
from .programs import model, program
from .test_operation_counts import counted, of_graph

SPECIAL = (0.0, -0.0, 0.25, -0.25, 0.75, -1.0, 1.0, np.inf, -np.inf, np.nan)
ULPS = {"": 4 * 2.0**-53, "_f32": 4 * 2.0**-24}
"""C libraries and NumPy give these functions to an ulp or two each."""


def every_function() -> Program:
    """All functions, comparisons and the selection, of two operands of any value."""
    graph = Graph()
    p, q = inputs(graph, "q", 2)
    results: list[Expression] = []
    for name, row in FUNCTIONS.items():
        results.append(p.function(name, *([q] if row.arity == 2 else [])))
    results += [p.compared(name, q) for name in COMPARISONS]
    results += [p.compared("<", q).selected(p, q), -(p.compared("==", q).selected(-p, 3))]
    return program("functions", graph, {"q": 2}, {"y": results})


@pytest.mark.parametrize("ending", ["", "_f32"])
@pytest.mark.parametrize("flags", [("-ffp-contract=off",), ("-march=native", "-O3")])
def test_values_are_numpys(tmp_path: Path, flags: tuple[str, ...], ending: str) -> None:
    kernel = every_function()
    library = build(model(kernel, single_precision=True), tmp_path, *flags)
    states = [(a, b) for a in SPECIAL for b in SPECIAL]
    expected = evaluate(kernel, {"q": np.array(states)})["y"]
    for state, wanted in zip(states, expected, strict=True):
        found = library(f"arm_functions{ending}", {"q": state}, {"y": wanted.size})["y"]
        np.testing.assert_allclose(found, wanted, rtol=ULPS[ending], atol=0, equal_nan=True)


@pytest.mark.parametrize("ending", ["", "_f32"])
def test_counts_are_the_graphs(ending: str) -> None:
    kernel = every_function()
    assert counted(model(kernel, single_precision=True), f"arm_functions{ending}") == of_graph(kernel)
