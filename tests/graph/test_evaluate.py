"""The reference interpreter: batches, shapes, parameters, and other arithmetic than doubles."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from kanegen.codegen.graph import (
    Argument,
    Expression,
    Graph,
    Program,
    constant,
    evaluate,
    evaluate_entries,
    inputs,
    multiprecision,
)
from kanegen.codegen.graph.evaluate import DOUBLE


def program() -> Program:
    """Every kind of node: f = sqrt(x0^2 + k^2) - sin(x1) / (2 - t), and the matrix [[-x0, cos x1], [1/3, t]]."""
    graph = Graph()
    t = Expression(graph, graph.input("t"))
    x0, x1 = inputs(graph, "x", 2)
    k = Expression(graph, graph.parameter("k"))
    f = (x0 * x0 + k * k).square_root() - x1.sine() / (2 - t)
    matrix = (-x0, x1.cosine(), constant(graph, Fraction(1, 3)), t)
    return Program(
        name="p",
        title="",
        source="",
        inputs=(Argument("t", (), "", ""), Argument("x", (2,), "", "")),
        outputs=(Argument("f", (), "", ""), Argument("m", (2, 2), "", "")),
        graph=graph,
        results=((f.ref,), tuple(e.ref for e in matrix)),
    )


def expected(t: float, x0: float, x1: float, k: float) -> tuple[float, list[list[float]]]:
    return np.sqrt(x0 * x0 + k * k) - np.sin(x1) / (2 - t), [[-x0, np.cos(x1)], [1 / 3, t]]


# Each value is rounded fewer than ten times, and none exceeds 4.
TOLERANCE = 10 * 4 * 2**-53


def test_one_state() -> None:
    out = evaluate(program(), {"t": 0.5, "x": [1.0, -2.0]}, {"k": 3.0})
    f, m = expected(0.5, 1.0, -2.0, 3.0)
    assert out["f"].shape == ()
    assert out["m"].shape == (2, 2)
    np.testing.assert_allclose(out["f"], f, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(out["m"], m, rtol=0, atol=TOLERANCE)


def test_leading_dimensions_broadcast() -> None:
    rng = np.random.default_rng(1)
    t, x = rng.uniform(-1, 1, (3, 1)), rng.uniform(-1, 1, (5, 2))
    out = evaluate(program(), {"t": t, "x": x}, {"k": 1.0})
    assert out["f"].shape == (3, 5)
    assert out["m"].shape == (3, 5, 2, 2)
    for i in range(3):
        for j in range(5):
            f, m = expected(float(t[i, 0]), float(x[j, 0]), float(x[j, 1]), 1.0)
            np.testing.assert_allclose(out["f"][i, j], f, rtol=0, atol=TOLERANCE)
            np.testing.assert_allclose(out["m"][i, j], m, rtol=0, atol=TOLERANCE)


def test_empty_batch_and_not_a_number() -> None:
    assert evaluate(program(), {"t": 0.0, "x": np.zeros((0, 2))}, {"k": 1.0})["m"].shape == (0, 2, 2)
    out = evaluate(program(), {"t": [0.0, 2.0, np.nan], "x": np.ones(2)}, {"k": 1.0})
    assert np.isfinite(out["f"][0])
    assert np.isinf(out["f"][1])  # the division by zero is the caller's, silently, as in C
    assert np.isnan(out["f"][2])


def test_wrong_shapes_and_missing_values() -> None:
    with pytest.raises(ValueError, match=r"x: expected \(\.\.\., 2\), got \(3,\)"):
        evaluate(program(), {"t": 0.0, "x": np.zeros(3)}, {"k": 1.0})
    with pytest.raises(KeyError, match="'k'"):
        evaluate(program(), {"t": 0.0, "x": np.zeros(2)})


def test_multiprecision() -> None:
    entries = {
        ("t", 0): mpmath.mpf("0.5"),
        ("x", 0): mpmath.mpf(1),
        ("x", 1): mpmath.mpf(-2),
        ("k", 0): mpmath.mpf(3),
    }
    with mpmath.workdps(50):
        (f,), m = evaluate_entries(program(), entries, multiprecision())
        exact = mpmath.sqrt(10) - mpmath.sin(-2) / mpmath.mpf("1.5")
        assert abs(f - exact) < mpmath.mpf(10) ** -48
        assert abs(m[2] - mpmath.mpf(1) / 3) < mpmath.mpf(10) ** -49


def test_operations_are_done_in_the_order_of_the_operands() -> None:
    """A sum is added up from its first operand on: what rounding does is what C will do."""
    graph = Graph()
    x = inputs(graph, "x", 3)
    total = Expression(graph, graph.sum(e.ref for e in x))
    p = Program(
        "s", "", "", (Argument("x", (3,), "", ""),), (Argument("s", (), "", ""),), graph, ((total.ref,),)
    )
    entries = {("x", 0): 1e16, ("x", 1): 1.0, ("x", 2): -1e16}
    assert evaluate_entries(p, entries, DOUBLE) == [[(1e16 + 1.0) - 1e16]]
    assert evaluate(p, {"x": [1e16, 1.0, -1e16]})["s"] == 0.0
