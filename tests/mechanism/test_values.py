"""Numbers as people write them, evaluation of expressions, and copying into other graphs."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from kanegen.codegen.graph import Expression, Graph, Kind
from kanegen.codegen.graph.exact import tidy
from kanegen.codegen.mechanism import MechanismBuilder, ModelError, lift, numeric, to_value
from kanegen.codegen.mechanism.records import Parameter
from kanegen.codegen.mechanism.values import Lift, cosine, degrees, settle, sine, square_root
from kanegen.limits import MOST_DIGITS


@pytest.mark.parametrize(
    ("given_number", "meant"),
    [
        (0.1, Fraction(1, 10)),
        (3, Fraction(3)),
        ("1/3", Fraction(1, 3)),
        (" -2.5e-3 ", Fraction(-1, 400)),
        (Fraction(2, 7), Fraction(2, 7)),
        (np.float64(0.2), Fraction(1, 5)),
        (np.float32(0.5), Fraction(1, 2)),
        (np.int64(-4), Fraction(-4)),
        (sympy.Rational(22, 7), Fraction(22, 7)),
        (sympy.Integer(5), Fraction(5)),
        (sympy.Float("0.1"), Fraction(1, 10)),
        (sympy.sin(sympy.pi / 6), Fraction(1, 2)),
    ],
)
def test_numbers_mean_what_is_written(given_number: object, meant: Fraction) -> None:
    assert to_value(given_number) == meant


@pytest.mark.parametrize(
    "wrong",
    [
        math.nan,
        math.inf,
        "0,3",
        "",
        "nan",
        "1_000",
        "1e999999999",
        "1e-999999999",
        "1/0",
        "\u0663",  # an Arabic-Indic digit
        True,
        None,
        (1, 2),
        1j,
        sympy.Symbol("x"),
        sympy.oo,
        sympy.I,
    ],
)
def test_what_is_no_finite_number_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"not a|a truth value|too large|too small"):
        to_value(wrong)


def test_irrational_sympy_numbers_keep_fifty_digits() -> None:
    root = to_value(sympy.sqrt(2) / 2)
    assert isinstance(root, Fraction)
    assert abs(root * root - Fraction(1, 2)) < Fraction(1, 10**50)
    assert settle(root * root) == Fraction(1, 2)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_survives(number: float) -> None:
    value = to_value(number)
    assert isinstance(value, Fraction)
    assert float(value) == number


@pytest.mark.parametrize(
    ("turns", "expected"), [(0, (0, 1)), (1, (1, 0)), (2, (0, -1)), (3, (-1, 0)), (-1, (-1, 0))]
)
def test_quarter_turns_in_doubles_are_exact(turns: int, expected: tuple[int, int]) -> None:
    angle = to_value(turns * math.pi / 2)
    assert (sine(angle), cosine(angle)) == expected


def test_degrees_are_exact_where_cosines_are_rational() -> None:
    assert cosine(degrees(60)) == Fraction(1, 2)
    assert sine(degrees(-30)) == Fraction(-1, 2)
    assert cosine(degrees(90)) == 0
    assert float(degrees(37)) == math.radians(37)


def test_lift_keeps_parameters_live_or_folds_them() -> None:
    own = Graph()
    m, r = (Expression(own, own.parameter(name)) for name in "mr")
    value = m * r * r - 3 / m
    parameters = (Parameter("m", Fraction(2), "kg", ""), Parameter("r", Fraction(1, 3), "m", ""))

    target = Graph()
    live = lift(target, value, True)
    names = {target.payloads[i][0] for i in target.reachable([live.ref]) if target.kinds[i] is Kind.PARAMETER}
    assert live.graph is target
    assert names == {"m", "r"}
    assert lift(target, value, False, parameters).value == Fraction(2, 9) - Fraction(3, 2)
    assert lift(target, -value, False, parameters).value == Fraction(3, 2) - Fraction(2, 9)
    assert lift(target, Fraction(5, 7), True).value == Fraction(5, 7)


def test_lift_covers_every_function() -> None:
    own = Graph()
    angle = Expression(own, own.parameter("angle"))
    value = angle.sine() + 2 * angle.cosine() + (angle * angle).square_root() / angle
    parameters = (Parameter("angle", Fraction(1, 2), "rad", ""),)
    expected = math.sin(0.5) + 2 * math.cos(0.5) + 1
    # a sum of three rounded terms below 4: 3 ulp
    assert float(lift(Graph(), value, False, parameters).value) == pytest.approx(expected, rel=3 * 2**-52)


def test_lift_of_a_long_chain_needs_no_recursion() -> None:
    own = Graph()
    x = Expression(own, own.parameter("x"))
    value = x
    for _ in range(5000):
        value = (value + 1) / x
    assert lift(Graph(), value, False, (Parameter("x", Fraction(1), "", ""),)).value == 5001


def test_a_lift_serves_several_source_graphs() -> None:
    copy = Lift(Graph(), (Parameter("x", Fraction(3), "", ""), Parameter("y", Fraction(4), "", "")))
    first, second = Graph(), Graph()
    assert copy(Expression(first, first.parameter("x"))).value == 3
    assert copy(Expression(second, second.parameter("y"))).value == 4


def test_lift_refuses_inputs_unknown_parameters_and_divisions_by_zero() -> None:
    own = Graph()
    x = Expression(own, own.parameter("x"))
    with pytest.raises(ModelError, match="depends on the input 'q'"):
        lift(Graph(), x + Expression(own, own.input("q", 0)), True)
    with pytest.raises(ModelError, match="parameter 'x': has no number here"):
        lift(Graph(), x, False)
    with pytest.raises(ModelError, match="has no number"):
        lift(Graph(), 1 / x, False, (Parameter("x", Fraction(0), "", ""),))


def test_numeric_uses_the_mechanisms_own_numbers() -> None:
    builder = MechanismBuilder("one")
    m = builder.parameter("m", 0.25, "kg")
    builder.body("link", mass=m * 2, inertia=(m / 2, m / 2, 0))
    builder.revolute("hinge", "base", "link", (1, 0, 0))
    mechanism = builder.build()
    inertia = mechanism.body("link").inertia
    assert inertia is not None
    assert numeric(inertia.mass, mechanism) == Fraction(1, 2)
    assert numeric(inertia.tensor[0][0], mechanism) == Fraction(1, 8)


def test_square_roots_of_ratios_are_exact() -> None:
    assert square_root(Fraction(9, 16)) == Fraction(3, 4)
    with pytest.raises(ValueError, match="negative"):
        square_root(Fraction(-1))


@settings(max_examples=300, derandomize=True)
@given(
    st.integers(-(10**12), 10**12),
    st.integers(1, 2 * 10**9),
    st.integers(-9, 9),
    st.integers(45, 64),
    st.integers(1, 999),
)
def test_simple_ratios_are_found_behind_rounding_errors(
    p: int, q: int, error: int, power: int, odd: int
) -> None:
    """The closest fraction with a denominator up to 1e9 where it agrees to 1e-50, by the library's own search for it."""
    value = Fraction(p, q) + Fraction(error, 10**power * odd)
    simple = value.limit_denominator(10**9)
    long = value.denominator >= 10**50
    expected = simple if long and abs(simple - value) < Fraction(1, 10**50) else tidy(value)
    assert settle(value) == expected


def test_a_literal_is_not_read_beyond_its_length() -> None:
    """Zeros in front make no larger number, but text of any length takes time."""
    assert to_value("0" * (2 * MOST_DIGITS.value - 1) + "1") == 1
    with pytest.raises(ValueError, match="digits"):
        to_value("0" * (2 * MOST_DIGITS.value) + "1")
