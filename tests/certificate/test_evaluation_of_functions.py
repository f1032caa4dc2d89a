"""Derivatives of functions by table by complex steps, on both sides of their kinks and at them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import sympy

from kanegen.codegen import pipeline
from kanegen.codegen.certificate.evaluation import Evaluate, Precisely, slope, stepped, values
from kanegen.codegen.graph import Argument, Expression, Graph, Program, inputs
from kanegen.codegen.graph.evaluate import UNIT_ROUNDOFF, rounding_errors
from kanegen.codegen.mechanism import BASE, JointRate, MechanismBuilder, force_laws


def of(function: Callable[[Expression], Expression]) -> Program:
    """One number x, and a function of it."""
    graph = Graph()
    (x,) = inputs(graph, "x", 1)
    f = function(x)
    return Program(
        "f", "", "", (Argument("x", (1,), "", ""),), (Argument("f", (), "", ""),), graph, ((f.ref,),)
    )


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (lambda x: x.function("absolute"), -0.5, -1.0),
        (lambda x: x.function("absolute"), 0.0, 1.0),
        (lambda x: x.function("absolute"), 0.5, 1.0),
        (lambda x: x.function("sign"), 0.5, 0.0),
        (lambda x: x.function("minimum", x * x), 0.25, 0.5),
        (lambda x: x.function("minimum", x * x), 2.0, 1.0),
        (lambda x: x.function("maximum", x * x), 0.25, 1.0),
        (lambda x: x.function("maximum", x * x), 2.0, 4.0),
        (lambda x: x.function("atan2", x * x), 0.5, -0.8),
        (lambda x: (-x).function("atan2", -(x * x)), 0.5, -0.8),
        (lambda x: x.compared("<", 1).selected(x * x, 3 * x), 0.5, 1.0),
        (lambda x: x.compared("<", 1).selected(x * x, 3 * x), 1.0, 3.0),
        (lambda x: x.function("exp"), 0.5, math.exp(0.5)),
        (lambda x: x.function("log"), 0.5, 2.0),
        (lambda x: x.function("log"), -0.5, math.nan),
        (lambda x: x.function("tanh"), 0.5, 1 / math.cosh(0.5) ** 2),
        (lambda x: x.function("asin"), 0.6, 1.25),
        (lambda x: x.function("acos"), 0.6, -1.25),
        (lambda x: x.function("asin"), 1.5, math.nan),
    ],
)
@pytest.mark.parametrize("evaluate", [values, Precisely()])
def test_slopes(
    evaluate: Evaluate, function: Callable[[Expression], Expression], x: float, expected: float
) -> None:
    """Derivatives by hand; atan2(x, x^2) is acot x, so that its derivative is -1 / (1 + x^2)."""
    found = slope(evaluate(of(function), {"x": stepped(np.array([x]), np.ones(1))}, {})["f"])
    assert found == pytest.approx(expected, rel=1e-14, nan_ok=True)


def test_many_digits() -> None:
    """(1 + x) - 1 has none of 1e-17 in doubles; 1 / x has no value at zero, and doubles say that it is infinite."""
    x = np.array([[1e-17], [2e-17], [0.0]])
    difference = of(lambda x: (x + 1) * (x + 1) - 1 - x - x)
    assert Precisely()(difference, {"x": x}, {})["f"] == pytest.approx([1e-34, 4e-34, 0], rel=1e-15, abs=0)
    assert values(difference, {"x": x}, {})["f"].tolist() != [1e-34, 4e-34, 0]
    assert Precisely()(of(lambda x: 1 / x), {"x": x}, {})["f"].tolist() == [1e17, 5e16, np.inf]


def test_rounding_errors_of_selections() -> None:
    """They are those of what is taken, by any condition; and the step, where errors may turn the condition round."""

    def errors(function: Callable[[Expression], Expression], x: float) -> float:
        return float(rounding_errors(of(function), {"x": np.array([x])})["f"]) / UNIT_ROUNDOFF

    def between(x: Expression) -> Expression:
        return (x.compared("<", 1) * (-x).compared("<", 0)).selected(x * x, 3 * x + 1)

    taken = (  # what moves an operand is a number of its last digits: a factor of two is rounding
        (lambda x: x.compared("<", 1).selected(x * x, 3 * x), ((0.5, 0.25), (1.5, 4.5))),
        (between, ((0.5, 0.25), (1.5, 4.5 + 5.5), (-0.5, 1.5 + 0.5))),
    )
    for function, expected in taken:
        for x, error in expected:
            assert error / 2 <= errors(function, x) <= error * 2
    at = errors(lambda x: (x + 1 - 1).compared("<", 0).selected(5 * x / x, x), 1e-17)
    assert at == 0 or at == pytest.approx(5 / UNIT_ROUNDOFF)


def test_a_table_and_a_law_with_pieces_are_certified() -> None:
    b = MechanismBuilder("door")
    b.body("leaf", 20, (0.4, 0, 0), (0.1, 1, 1))
    b.revolute("hinge", BASE, "leaf", (0, 0, 1))
    b.force_element("closer", "hinge", force_laws.tabular([(-3, -9), (0, 4), (0.2, 9), (1.6, 15)]))
    hinge = sympy.Symbol("hinge")
    b.law("push", [sympy.Piecewise((1, hinge > 0.1), (hinge, True))])
    assert pipeline.interpret(b.build()).programs


@pytest.mark.parametrize("speed", ["j", "x"])
@pytest.mark.parametrize(
    "written", ["Abs(j)", "atan2(sin(j), 2 + cos(j))", "Piecewise((j**2, j > 0), (0, True))"]
)
def test_equations_with_kinks_and_angles_are_certified(written: str, speed: str) -> None:
    """A hinge j that moves a slide: x = f(j); at home j = 1/2."""
    b = MechanismBuilder("cam", gravity=(0, 0, -9.81))
    b.body("cam", 1, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.body("slide", 1)
    b.revolute("j", BASE, "cam", (0, 1, 0))
    b.prismatic("x", BASE, "slide", (1, 0, 0))
    j, x = sympy.symbols("j x")
    f = sympy.sympify(written, {"j": j})
    b.position_constraint("follows", f - x, [j, x])
    b.speeds([JointRate(speed)])
    b.home([0.5, float(f.subs(j, 0.5))])
    assert pipeline.interpret(b.build()).programs
