"""Exact and 60-digit constants."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanegen.codegen.graph import Graph, constant, exact
from kanegen.codegen.graph.exact import (
    MOST_BITS,
    bounded,
    exact_cosine,
    exact_sine,
    exact_square_root,
    from_number,
    tidy,
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (0.1, Fraction(1, 10)),
        (-2.5e-3, Fraction(-1, 400)),
        (9.81, Fraction(981, 100)),
        (7, Fraction(7)),
        ("1/3", Fraction(1, 3)),
        ("0.06", Fraction(3, 50)),
        (Fraction(2, 7), Fraction(2, 7)),
        (5e-324, Fraction(5, 10**324)),
    ],
)
def test_numbers_are_what_a_person_meant(written: float | int | str | Fraction, meant: Fraction) -> None:
    assert from_number(written) == meant


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_only_finite_numbers(value: float) -> None:
    with pytest.raises(ValueError, match="expected a finite number"):
        from_number(value)


@pytest.mark.parametrize("turns", range(-5, 6))
def test_quarter_turns_are_exact(turns: int) -> None:
    angle = from_number(turns * math.pi / 2)  # pi as a double
    assert exact_sine(angle) == (0, 1, 0, -1)[turns % 4]
    assert exact_cosine(angle) == (1, 0, -1, 0)[turns % 4]


@pytest.mark.parametrize("angle", [Fraction(1, 10), Fraction(-7, 3), Fraction(1000)])
def test_other_angles_have_sixty_digits(angle: Fraction) -> None:
    with mpmath.workdps(80):
        x = mpmath.mpf(angle.numerator) / angle.denominator
        for found, exact in ((exact_sine(angle), mpmath.sin(x)), (exact_cosine(angle), mpmath.cos(x))):
            # half a unit of the 60th digit
            assert (
                abs(mpmath.mpf(found.numerator) / found.denominator - exact)
                <= abs(exact) * mpmath.mpf(10) ** -59
            )


def test_square_roots() -> None:
    assert exact_square_root(Fraction(49, 64)) == Fraction(7, 8)
    assert exact_square_root(Fraction(0)) == 0
    root = exact_square_root(Fraction(2))
    assert abs(root * root - 2) < Fraction(1, 10**58)
    with pytest.raises(ValueError, match="negative"):
        exact_square_root(Fraction(-1))


def test_long_fractions_are_rounded_and_residues_vanish() -> None:
    assert tidy(Fraction(1, 3)) == Fraction(1, 3)
    long = Fraction(3**200 + 1, 3**200 * 7)
    assert tidy(long) != long
    assert abs(tidy(long) - long) < Fraction(1, 10**59)
    assert tidy(long).denominator <= 10**60
    assert tidy(Fraction(1, 10**70)) == 0


def test_structure_found_by_cancellation_of_irrational_numbers() -> None:
    """cos^2 + sin^2 - 1 of a fixed angle is zero, not 1e-17."""
    graph = Graph()
    angle = constant(graph, "0.3")
    s, c = angle.sine(), angle.cosine()
    assert (s * s + c * c - 1).is_zero


@settings(max_examples=300, derandomize=True)
@given(
    st.integers(-(10**150), 10**150),
    st.integers(1, 10**150),
    st.integers(-160, 160).map(lambda e: Fraction(10) ** e),
)
def test_rounding_is_to_the_nearest_of_sixty_digits(n: int, d: int, power: Fraction) -> None:
    """Either nothing happens, or at most half a unit of the sixtieth digit is lost, and sixty digits remain."""
    value = Fraction(n, d) * power
    rounded = tidy(value)
    if abs(value) < Fraction(1, 10**50):
        assert rounded == 0
    elif value.denominator <= 10**60:
        assert rounded == value
    else:
        assert abs(rounded - value) <= abs(value) * Fraction(5, 10**60)
        digits = abs(rounded.numerator) * 10**400 // rounded.denominator
        assert len(str(digits).rstrip("0")) <= 60


@pytest.mark.parametrize("number", [Fraction(2**MOST_BITS), Fraction(1, 2**MOST_BITS)])
def test_exact_numbers_are_bounded(number: Fraction) -> None:
    just_below = number / 2 if number > 1 else number * 2
    assert bounded(just_below) == just_below
    with pytest.raises(ValueError, match="digits"):
        bounded(number)


def _numbers(digits: int) -> st.SearchStrategy[Fraction]:
    """Numbers as they are met: whole ones, decimals whose denominators have factors in common, and any others."""
    tops = st.integers(-(10**digits), 10**digits)
    bottoms = st.integers(1, 10**digits) | st.integers(0, digits).map(lambda power: 10**power)
    return st.integers(-3, 3).map(Fraction) | st.builds(Fraction, tops, bottoms)


NUMBERS = _numbers(3) | _numbers(60)


@pytest.mark.parametrize(
    "of_ratio", [exact.of_ratio, Fraction]
)  # Fraction: a Python whose Fractions have other slots
@given(a=NUMBERS, b=NUMBERS)
def test_arithmetic_is_that_of_fractions(
    of_ratio: Callable[[int, int], Fraction], a: Fraction, b: Fraction
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "of_ratio", of_ratio)
        pairs = [
            (exact.plus(a, b), a + b),
            (exact.minus(a, b), a - b),
            (exact.times(a, b), a * b),
            (exact.negative(a), -a),
            (exact.magnitude(a), abs(a)),
        ]
        if b:
            pairs.append((exact.over(a, b), a / b))
    for found, expected in pairs:
        assert type(found) is Fraction
        # two Fractions in other terms would not be equal, and would have other hashes
        assert found.as_integer_ratio() == expected.as_integer_ratio()
        assert hash(found) == hash(expected)
        assert pickle.loads(pickle.dumps(found)) == expected


def test_nothing_is_divided_by_zero() -> None:
    with pytest.raises(ZeroDivisionError, match="2/3 by zero"):
        exact.over(Fraction(2, 3), Fraction(0))
