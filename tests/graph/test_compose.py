"""Composition: a program's results for inputs that are expressions of another graph."""

from __future__ import annotations

import numpy as np
import pytest

from kanegen.codegen.graph import Argument, Expression, Graph, Program, compose, constant, evaluate, inputs


def polynomial() -> Program:
    """y = (sin x0) x1 - 2 x0 / x1, z = -x0."""
    graph = Graph()
    x = inputs(graph, "x", 2)
    y = x[0].sine() * x[1] - x[0] * 2 / x[1]
    argument = Argument("x", (2,), "", "")
    outputs = (Argument("y", (), "", ""), Argument("z", (), "", ""))
    return Program("p", "", "", (argument,), outputs, graph, ((y.ref,), ((-x[0]).ref,)), {abs(y.ref): "y"})


def test_inputs_become_expressions() -> None:
    graph = Graph()
    t = inputs(graph, "t", 2)
    labels: dict[int, str] = {}
    (y,), (z,) = compose(polynomial(), graph, {"x": (t[0] * t[1], t[0] + t[1])}, labels)
    made = Program(
        "c", "", "", (Argument("t", (2,), "", ""),), (Argument("r", (2,), "", ""),), graph, ((y.ref, z.ref),)
    )
    a, b = 0.7, 1.9
    found = evaluate(made, {"t": np.array([a, b])})["r"]
    expected = [np.sin(a * b) * (a + b) - 2 * a * b / (a + b), -a * b]
    np.testing.assert_allclose(found, expected, rtol=1e-15)
    assert labels[abs(y.ref)].lstrip("-") == "y"


def test_zero_arguments_fold_away() -> None:
    graph = Graph()
    zero = constant(graph, 0)
    (y,), (z,) = compose(polynomial(), graph, {"x": (zero, Expression(graph, graph.input("t")))})
    assert y.is_zero
    assert z.is_zero


def test_a_division_by_zero_is_refused() -> None:
    graph = Graph()
    with pytest.raises(ZeroDivisionError):
        compose(polynomial(), graph, {"x": (inputs(graph, "t", 1)[0], constant(graph, 0))})


def test_inputs_that_are_not_named_stay() -> None:
    graph = Graph()
    (_,), (z,) = compose(polynomial(), graph, {})
    assert -z == Expression(graph, graph.input("x", 0))
