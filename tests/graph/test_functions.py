"""Functions by table, comparisons and selections: against SymPy and mpmath; folding, signs, kinks, NaN."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from kanegen.codegen.graph import (
    Argument,
    Expression,
    Graph,
    OperationCounts,
    Program,
    count_nodes,
    evaluate,
    evaluate_entries,
    inputs,
    multiprecision,
    partial,
)
from kanegen.codegen.graph.functions import COMPARISONS, FUNCTIONS, SELECTIONS
from kanegen.codegen.graph.jacobian import Order, jacobian
from kanegen.codegen.graph.sympy_bridge import UnsupportedExpressionError, from_sympy, to_sympy

x, y = sympy.symbols("x y", real=True)
AT = {"x": 1.3, "y": -0.7}

EXPRESSIONS = [
    sympy.Abs(x * y - 1),
    sympy.sign(x * y),
    sympy.Min(x, y, 2),
    sympy.Max(x, sympy.Rational(1, 2)),
    sympy.exp(-x * y),
    sympy.log(x**2 + 1),
    sympy.tanh(-3 * x * y),
    sympy.atan2(y, x),
    sympy.atan(x),
    sympy.asin(x * y / 4),
    sympy.acos(-x / 4),
    sympy.Piecewise((sympy.sqrt(x), x > 0), (y, True)),
    sympy.Piecewise((sympy.sqrt(x), x < 0), (y * x**2, True)),
    sympy.Piecewise((x * y, (x > 0) & (y < 1)), (x, sympy.Or(y > 3, x < -1)), (y, True)),
    sympy.Piecewise((x, sympy.Eq(x, y)), (x**2, sympy.Ne(x, 2)), (y, True)),
    sympy.Piecewise((x**3, ~((x >= 0) & (y >= 0))), (y, True)),
]


def made(expression: sympy.Expr) -> tuple[Graph, Expression, list[Expression]]:
    graph = Graph()
    variables = [inputs(graph, name, 1)[0] for name in "xy"]
    return graph, from_sympy(graph, expression, dict(zip((x, y), variables, strict=True))), variables


def program(graph: Graph, *results: Expression) -> Program:
    scalars = tuple(Argument(name, (), "", "") for name in "xy")
    outputs = tuple(Argument(f"r{k}", (), "", "") for k in range(len(results)))
    return Program("p", "t", "s", scalars, outputs, graph, tuple((r.ref,) for r in results))


def values(graph: Graph, *results: Expression, at: dict[str, float] | None = None) -> list[float]:
    return [float(v) for v in evaluate(program(graph, *results), at or AT).values()]


def test_every_function_of_the_table_is_tried() -> None:
    tried = set()
    for expression in EXPRESSIONS:
        graph, _, _ = made(expression)
        tried |= set(graph.names.values())
    assert tried == {*FUNCTIONS, *COMPARISONS, *SELECTIONS}


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_values_and_derivatives_are_sympys(expression: sympy.Expr) -> None:
    """Some ten operations on numbers of order one: 1e-14 is a hundred roundings."""
    graph, made_of, (X, Y) = made(expression)
    along = partial(graph, X)
    by_elimination = jacobian(graph, [made_of], [X, Y], Order.REVERSE)[0]
    found = values(graph, made_of, along.first(made_of), along.second(made_of), *by_elimination)
    dx, dy = sympy.diff(expression, x), sympy.diff(expression, y)
    wanted = [
        float(e.subs({x: sympy.Float(AT["x"], 30), y: sympy.Float(AT["y"], 30)}))
        for e in (expression, dx, sympy.diff(expression, x, 2), dx, dy)
    ]
    np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_there_and_back(expression: sympy.Expr) -> None:
    graph, made_of, _ = made(expression)
    names: dict[Any, sympy.Expr] = {("x", 0): x, ("y", 0): y}
    again = to_sympy(graph, made_of.ref, names)
    for point in ((1.3, -0.7), (-2.1, 0.4), (0.3, 3.5)):
        at = dict(zip((x, y), point, strict=True))
        one, other = expression.subs(at), again.subs(at)
        assert one == other or abs(complex(one.evalf()) - complex(other.evalf())) < 1e-14


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_forty_digits_agree_with_doubles(expression: sympy.Expr) -> None:
    graph, made_of, _ = made(expression)
    with mpmath.workdps(40):
        entries = {(name, 0): mpmath.mpf(value) for name, value in AT.items()}
        exact = evaluate_entries(program(graph, made_of), entries, multiprecision())[0][0]
        assert abs(exact - values(graph, made_of)[0]) < 1e-14


def test_numbers_are_folded() -> None:
    graph = Graph()
    third = graph.constant(Fraction(-1, 3))
    assert graph.value(graph.function("absolute", (third,))) == Fraction(1, 3)
    assert graph.function("sign", (third,)) == -graph.one
    assert graph.value(graph.function("minimum", (third, graph.one))) == Fraction(-1, 3)
    assert graph.function("exp", (graph.zero,)) == graph.one
    assert graph.function("log", (graph.one,)) == graph.zero
    assert graph.comparison("<", third, graph.zero) == graph.one
    assert graph.selection(graph.one, third, graph.zero) == third
    pi = graph.value(graph.function("acos", (-graph.one,)))
    with mpmath.workdps(65):
        assert abs(mpmath.mpf(pi.numerator) / pi.denominator - mpmath.pi) < mpmath.mpf(10) ** -58


@pytest.mark.parametrize(
    ("name", "number"), [("log", 0), ("log", -1), ("asin", 2), ("acos", Fraction(-3, 2))]
)
def test_numbers_without_a_value_are_refused(name: str, number: Fraction) -> None:
    graph = Graph()
    with pytest.raises(ValueError, match="no real value"):
        graph.function(name, (graph.constant(number),))


def test_signs_move_outside() -> None:
    graph = Graph()
    (X,) = inputs(graph, "x", 1)
    assert (-X).function("tanh") == -(X.function("tanh"))
    assert (-X).function("absolute") == X.function("absolute")
    assert X.function("maximum", X) == X


def test_at_kinks_the_side_of_greater_arguments_counts() -> None:
    graph = Graph()
    X, Y = (inputs(graph, name, 1)[0] for name in "xy")
    kinks = [X.function("absolute"), X.function("maximum", 0), X.function("minimum", 0), X.function("sign")]
    found = values(graph, *(partial(graph, X).first(kink) for kink in kinks), at={"x": 0.0, "y": 0.0})
    assert found == [1.0, 1.0, 0.0, 0.0]
    assert values(graph, kinks[-1], at={"x": 0.0, "y": 0.0}) == [0.0]
    both = [X.function("minimum", Y), X.function("maximum", Y)]
    steps = [partial(graph, v).first(e) for e in both for v in (X, Y)]
    assert values(graph, *steps, at={"x": 2.0, "y": 2.0}) == [0.0, 1.0, 1.0, 0.0]


def test_nan_gives_nan() -> None:
    graph = Graph()
    X, Y = (inputs(graph, name, 1)[0] for name in "xy")
    one = [X.function(name) for name, row in FUNCTIONS.items() if row.arity == 1]
    two = [
        f
        for name, row in FUNCTIONS.items()
        if row.arity == 2
        for f in (X.function(name, Y), Y.function(name, X))
    ]
    compared = [c for name in COMPARISONS for c in (X.compared(name, Y), Y.compared(name, X))]
    chosen = [X.selected(1, Y), Y.compared("<", 2).selected(X, 0)]
    assert np.isnan(values(graph, *one, *two, *compared, *chosen, at={"x": np.nan, "y": 1.0})).all()
    left = Y.compared("<", 2).selected(Y, X)
    assert values(graph, left, at={"x": np.nan, "y": 1.0}) == [1.0]


def test_what_is_not_taken_does_not_count() -> None:
    """The derivative of a root that guards itself: at 0 the root has none, and is not taken."""
    guarded = sympy.Piecewise((sympy.sqrt(x), x > 0), (0, True))
    graph, made_of, (X, _) = made(guarded)
    slopes = [partial(graph, X).first(made_of), *jacobian(graph, [made_of], [X], Order.FORWARD)[0]]
    assert values(graph, *slopes, at={"x": 0.0, "y": 0.0}) == [0.0, 0.0]


def test_counts() -> None:
    graph, made_of, _ = made(sympy.Piecewise((sympy.tanh(x) * y, x > 0), (sympy.Min(x, y), True)))
    assert count_nodes(graph, [made_of.ref]) == OperationCounts(1, functions=2, selections=2)


def test_pieces_without_an_end_are_refused() -> None:
    with pytest.raises(UnsupportedExpressionError, match=r"end it with \(value, True\)"):
        made(sympy.Piecewise((x, x > 0)))
