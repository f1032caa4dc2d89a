"""SymPy expressions into the graph and back."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, cos, pi, sin, sqrt, tan

from kanegen.codegen.graph import (
    Argument,
    Expression,
    Graph,
    OperationCounts,
    Program,
    constant,
    count_nodes,
    inputs,
)
from kanegen.codegen.graph.evaluate import evaluate_entries, multiprecision
from kanegen.codegen.graph.sympy_bridge import (
    UnsupportedExpressionError,
    argument_names,
    from_sympy,
    to_sympy,
)

X, Y, Z = sympy.symbols("x y z")

# SymPy expression, operations of its form in the graph (multiplications, additions, divisions, square roots, sincos)
FORMS: list[tuple[sympy.Expr, OperationCounts]] = [
    (X + Y - Z, OperationCounts(0, 2)),
    (X * Y * Z, OperationCounts(2)),
    (-X, OperationCounts()),
    (X / 3, OperationCounts(1)),
    (X**2, OperationCounts(1)),
    (X**7, OperationCounts(4)),
    (X**8, OperationCounts(3)),
    (X**-1, OperationCounts(0, 0, 1)),
    (X / (Y * Z**2), OperationCounts(2, 0, 1)),
    (X**-3 * Y**-2, OperationCounts(4, 0, 1)),
    (sqrt(X), OperationCounts(0, 0, 0, 1)),
    (X ** Rational(5, 2), OperationCounts(2, 0, 0, 1)),
    (Y / sqrt(X), OperationCounts(0, 0, 1, 1)),
    (tan(X), OperationCounts(0, 0, 1, 0, 1)),
    (sin(X) * cos(X), OperationCounts(1, 0, 0, 0, 1)),
    (sin(X + Y) + cos(X + Y), OperationCounts(0, 2, 0, 0, 1)),
    ((X + Y) ** 2 + 1 / (X + Y), OperationCounts(1, 2, 1)),
    (sympy.Integer(0) * X + 2, OperationCounts()),
    (2 * pi * X / sqrt(2), OperationCounts(1)),
]


def graph_and_symbols() -> tuple[Graph, dict[sympy.Symbol, Expression]]:
    graph = Graph()
    return graph, dict(zip((X, Y, Z), inputs(graph, "x", 3), strict=True))


def number_in_graph(value: object) -> Fraction:
    graph, symbols = graph_and_symbols()
    return from_sympy(graph, value, symbols).value


@pytest.mark.parametrize(("expression", "operations"), FORMS, ids=lambda value: str(value))
def test_forms(expression: sympy.Expr, operations: OperationCounts) -> None:
    graph, symbols = graph_and_symbols()
    assert count_nodes(graph, [from_sympy(graph, expression, symbols).ref]) == operations


def test_structure_of_a_product() -> None:
    graph, symbols = graph_and_symbols()
    x, y, z = symbols.values()
    assert from_sympy(graph, X * Y / Z, symbols) == (x * y) / z
    assert from_sympy(graph, 3 * X - Y, symbols) == 3 * x - y
    assert from_sympy(graph, tan(X), symbols) == x.sine() / x.cosine()
    assert from_sympy(graph, X**3, symbols) == (x * x) * x


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (sympy.Rational(1, 2), Fraction(1, 2)),
        (sympy.Rational(10**40 + 1, 3**30), Fraction(10**40 + 1, 3**30)),
        (sympy.Integer(7) ** 300, Fraction(7**300)),
        (sympy.Float(0.1), Fraction(1, 10)),
        (sympy.Float(1 / 3), Fraction("0.3333333333333333")),
        (sympy.Float("0.1", 40), Fraction(1, 10)),
        (sympy.Float("1e-30"), Fraction(1, 10**30)),
        (2, Fraction(2)),
        (0.25, Fraction(1, 4)),
        (sin(pi / 6), Fraction(1, 2)),
        (cos(pi / 2), Fraction(0)),
        (sympy.Mul(sympy.Float(0.3), sympy.Integer(10), evaluate=False), Fraction(3)),
    ],
)
def test_exact_constants(value: object, exact: Fraction) -> None:
    assert number_in_graph(value) == exact


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (pi, lambda: mpmath.pi),
        (pi / 3, lambda: mpmath.pi / 3),
        (sqrt(2) * pi, lambda: mpmath.sqrt(2) * mpmath.pi),
        (sympy.exp(1) - 2, lambda: mpmath.e - 2),
        (sympy.cbrt(2), lambda: mpmath.cbrt(2)),
        (sympy.acos(Rational(1, 5)), lambda: mpmath.acos(mpmath.mpf(1) / 5)),
        (sympy.GoldenRatio, lambda: mpmath.phi),
        (sympy.Float(0.3) + pi, lambda: mpmath.mpf(3) / 10 + mpmath.pi),
    ],
)
def test_irrational_constants_have_sixty_digits(value: sympy.Expr, exact: object) -> None:
    found = number_in_graph(value)
    with mpmath.workdps(80):
        reference = +exact()  # type: ignore[operator]
        # one unit of the 60th digit
        assert (
            abs(mpmath.mpf(found.numerator) / found.denominator - reference)
            <= abs(reference) * mpmath.mpf(10) ** -59
        )


def test_a_huge_rational_times_a_symbol() -> None:
    """Numerator and denominator need not fit a double: the ratio is rounded, once, when it is printed."""
    graph, symbols = graph_and_symbols()
    ratio = Rational(2**1100 + 1, 2**1099)
    expression = from_sympy(graph, ratio * X, symbols)
    coefficient, _ = graph.split_coefficient(expression.ref)
    assert float(coefficient) == 2.0


def test_other_keys_than_symbols_are_looked_up_first() -> None:
    """Functions of time, as sympy.physics.mechanics writes coordinates."""
    graph = Graph()
    (q,) = inputs(graph, "q", 1)
    coordinate = sympy.Function("q")(sympy.Symbol("t"))
    assert from_sympy(graph, 2 * coordinate, {coordinate: q}) == 2 * q


REFUSED: list[tuple[object, str]] = [
    (sympy.gamma(X), r"gamma in gamma\(x\) is not supported; supported are"),
    (sympy.sinh(X) + 1, "sinh in"),
    (sympy.Piecewise((X, X > 0)), "has no value where no condition holds"),
    (sympy.Heaviside(X), "Heaviside in"),
    (sympy.Function("f")(X), r"f in f\(x\)"),
    (sympy.Derivative(sympy.Function("f")(X), X), "Derivative in"),
    (X ** Rational(1, 3), r"the power x\*\*\(1/3\) with exponent 1/3"),
    (2**X, r"the power 2\*\*x with exponent x"),
    (X**Y, "with exponent y"),
    (sympy.Symbol("w") * X, "the symbol 'w' is unknown; known are x, y, z"),
    (sympy.Symbol("x", positive=True), "the symbol 'x' is known, but with other assumptions"),
    (sympy.I * X, "I is not a finite real number"),
    (sqrt(-2), "not a finite real number"),
    (sympy.oo, "oo is not a finite real number"),
    (sympy.nan, "nan is not a finite real number"),
    (sympy.zoo, "not a finite real number"),
    (sympy.Integer(10) ** 400 * X, "exceeds what a double can hold"),
    (X / sympy.Integer(10) ** 70, "is too small: below 1e-50 it counts as zero"),
    (float("inf"), "not a finite real number"),
    (X > 1, "is no scalar SymPy expression"),
    (sympy.Matrix([X, Y]), "is no scalar SymPy expression"),
    ("x + 1", "'x \\+ 1' is no scalar SymPy expression"),
    (None, "None is no scalar SymPy expression"),
    (1 / sympy.Mul(0, Y, evaluate=False), "zoo is not a finite real number"),
]


@pytest.mark.parametrize(("expression", "message"), REFUSED, ids=lambda value: str(value)[:40])
def test_what_is_refused(expression: object, message: str) -> None:
    graph, symbols = graph_and_symbols()
    with pytest.raises(UnsupportedExpressionError, match=message):
        from_sympy(graph, expression, symbols)


def test_a_root_of_what_turns_out_negative() -> None:
    graph = Graph()
    with pytest.raises(
        UnsupportedExpressionError, match=r"sqrt\(x\): square root of the negative number -3\.0"
    ):
        from_sympy(graph, sqrt(X), {X: constant(graph, -3)})


def test_division_by_what_turns_out_zero() -> None:
    graph = Graph()
    (x,) = inputs(graph, "x", 1)
    with pytest.raises(
        UnsupportedExpressionError, match="division by an expression that is identically zero"
    ):
        from_sympy(graph, 1 / (X - Y), {X: x, Y: x})


def test_symbols_of_another_graph() -> None:
    _, symbols = graph_and_symbols()
    with pytest.raises(ValueError, match="another graph"):
        from_sympy(Graph(), X, symbols)


# -- round trips and values --


def leaves() -> st.SearchStrategy[sympy.Expr]:
    rationals = st.fractions(min_value=-5, max_value=5, max_denominator=9)
    return st.one_of(
        st.sampled_from((X, Y, Z)),
        rationals.map(lambda f: Rational(f.numerator, f.denominator)),
        st.sampled_from((pi, sqrt(2), sympy.Float(0.3))),
    )


def larger(parts: st.SearchStrategy[sympy.Expr]) -> st.SearchStrategy[sympy.Expr]:
    return st.one_of(
        st.tuples(parts, parts).map(lambda p: p[0] + p[1]),
        st.tuples(parts, parts).map(lambda p: p[0] * p[1]),
        st.tuples(parts, parts).map(lambda p: p[0] - 2 * p[1]),
        st.tuples(parts, parts).map(lambda p: p[0] / (p[1] ** 2 + 3)),
        st.tuples(parts, st.integers(-3, 4)).map(lambda p: (p[0] ** 2 + 1) ** p[1]),
        parts.map(lambda p: sqrt(p**2 + 2)),
        parts.map(sin),
        parts.map(cos),
        parts.map(lambda p: tan(sin(p))),
    )


def expressions() -> st.SearchStrategy[sympy.Expr]:
    return st.recursive(leaves(), larger, max_leaves=8)


POINT = {X: Rational(7, 10), Y: Rational(-13, 10), Z: Rational(2, 5)}


def value_in_graph(graph: Graph, expression: Expression) -> mpmath.mpf:
    """At POINT, with 80 digits."""
    argument = Argument("x", (3,), "", "")
    program = Program("p", "", "", (argument,), (Argument("y", (), "", ""),), graph, ((expression.ref,),))
    entries = {("x", i): mpmath.mpf(value.p) / value.q for i, value in enumerate(POINT.values())}
    ((value,),) = evaluate_entries(program, entries, multiprecision())
    return value


# Constants are right to 60 digits; no intermediate value of these expressions exceeds 1e20 or is a cancelled one by
# which anything is divided, so that 35 digits after the point remain.
CLOSE = mpmath.mpf(10) ** -35


@settings(max_examples=40, deadline=None, derandomize=True)
@given(expressions())
def test_values_are_those_of_sympy(expression: sympy.Expr) -> None:
    graph, symbols = graph_and_symbols()
    with mpmath.workdps(80):
        found = value_in_graph(graph, from_sympy(graph, expression, symbols))
        exact = mpmath.mpmathify(_with_exact_floats(expression).subs(POINT).evalf(80))
        assert abs(found - exact) <= CLOSE * max(1, abs(exact))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(expressions())
def test_round_trip(expression: sympy.Expr) -> None:
    graph, symbols = graph_and_symbols()
    there = from_sympy(graph, expression, symbols)
    names = {("x", i): symbol for i, symbol in enumerate((X, Y, Z))}
    back = from_sympy(graph, to_sympy(graph, there.ref, names), symbols)
    with mpmath.workdps(80):
        found, exact = value_in_graph(graph, back), value_in_graph(graph, there)
        assert abs(found - exact) <= CLOSE * max(1, abs(exact))


def _with_exact_floats(expression: sympy.Expr) -> sympy.Expr:
    """0.3 is three tenths for the graph."""
    floats = expression.atoms(sympy.Float)
    return expression.xreplace({f: Rational(repr(float(f))) for f in floats})


# -- printed equations --


def test_printed_equations() -> None:
    graph = Graph()
    q, t = inputs(graph, "q", 2), Expression(graph, graph.input("t"))
    m = Expression(graph, graph.parameter("m_A"))
    expression = 2 * (q[0] + t) * q[1].sine() / m - (m * m).square_root()
    program = Program("p", "", "", (Argument("t", (), "", ""), Argument("q", (2,), "", "")), (), graph, ())
    names = argument_names(program)
    printed = to_sympy(graph, expression.ref, names)
    assert sympy.latex(printed) == (
        r"- \sqrt{m_{A}^{2}} + \frac{2 \left(q_{0} + t\right) \sin{\left(q_{1} \right)}}{m_{A}}"
    )
    assert to_sympy(graph, -q[1].ref) == -sympy.Symbol("q_1")
    third = constant(graph, Fraction(1, 3)) * q[0]
    assert to_sympy(graph, third.ref) == sympy.Symbol("q_0") / 3


def test_a_number_times_a_sum_stays_so() -> None:
    graph, _ = graph_and_symbols()
    x, y, _ = inputs(graph, "x", 3)
    assert str(to_sympy(graph, (2 * (x + y)).ref, {("x", 0): X, ("x", 1): Y})) == "2*(x + y)"


# -- the same in every process, and SymPy only on request --


def test_the_graph_is_the_same_under_any_hash_seed() -> None:
    code = (
        "import sympy; from kanegen.codegen.graph import Graph, inputs;"
        "from kanegen.codegen.graph.sympy_bridge import from_sympy;"
        "g = Graph(); s = sympy.symbols('a b c d e f'); k = dict(zip(s, inputs(g, 'x', 6)));"
        "e = sum(p*q*sympy.sin(p+q)/(1+p) for p in s for q in s);"
        "print(from_sympy(g, e, k).ref, g.payloads)"
    )
    path = ":".join(sys.path)
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(found) == 1


def test_the_graph_room_does_without_sympy() -> None:
    code = "import sys, kanegen.codegen.graph; sys.exit('sympy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, check=False)
    assert done.returncode == 0


def test_pi_of_an_angle_is_an_exact_quarter_turn() -> None:
    assert number_in_graph(sin(X).subs(X, pi / 2)) == 1
    graph, _ = graph_and_symbols()
    assert from_sympy(graph, cos(X), {X: constant(graph, math.pi / 2)}).is_zero
