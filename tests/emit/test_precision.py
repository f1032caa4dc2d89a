"""Constants: exact numbers rounded once, to double and to single precision."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanegen.codegen.emit.precision import Precision, literal, nearest
from kanegen.errors import ModelError

POSITIVE = st.fractions(min_value=0).filter(bool)
SCALES = st.integers(-300, 290).map(lambda exponent: Fraction(10) ** exponent)


@given(POSITIVE, SCALES)
def test_double_is_the_nearest_as_python_rounds_fractions(value: Fraction, scale: Fraction) -> None:
    value = value * scale
    if value < Fraction(10) ** 300:
        assert nearest(value, Precision.DOUBLE) == float(value)
        assert nearest(-value, Precision.DOUBLE) == -float(value)


@given(POSITIVE, st.integers(-42, 36).map(lambda exponent: Fraction(10) ** exponent))
def test_single_is_no_farther_than_its_neighbours(value: Fraction, scale: Fraction) -> None:
    value = value * scale
    if value >= Fraction(2) ** 127:
        return
    found = np.float32(nearest(value, Precision.SINGLE))
    assert float(found) == nearest(value, Precision.SINGLE)
    distance = abs(Fraction(float(found)) - value)
    for neighbour in (np.nextafter(found, np.float32(0)), np.nextafter(found, np.float32(np.inf))):
        if np.isfinite(neighbour):
            assert distance <= abs(Fraction(float(neighbour)) - value)


def test_single_is_rounded_once() -> None:
    """A little more than half way from 1 to its successor: double would make it a tie, and that 1."""
    value = 1 + Fraction(1, 2**24) + Fraction(1, 2**60)
    assert np.float32(float(value)) == 1.0
    assert nearest(value, Precision.SINGLE) == 1.0 + 2.0**-23


@pytest.mark.parametrize(
    ("value", "precision", "text"),
    [
        (Fraction(0), Precision.DOUBLE, "0.0"),
        (Fraction(2), Precision.DOUBLE, "2.0"),
        (Fraction(1, 3), Precision.DOUBLE, "0.3333333333333333"),
        (Fraction(10) ** 22, Precision.DOUBLE, "1e+22"),
        (Fraction(1, 10**7), Precision.DOUBLE, "1e-07"),
        (Fraction(1, 2**1074), Precision.DOUBLE, "5e-324"),
        (Fraction(2) ** 1024 - Fraction(2) ** 970 - 1, Precision.DOUBLE, "1.7976931348623157e+308"),
        (Fraction(10**400 + 1, 3 * 10**399), Precision.DOUBLE, "3.3333333333333335"),
        (Fraction(0), Precision.SINGLE, "0.0f"),
        (Fraction(2), Precision.SINGLE, "2.0f"),
        (Fraction(1, 3), Precision.SINGLE, "0.33333334f"),
        (Fraction(1, 10), Precision.SINGLE, "0.1f"),
        (Fraction(2) ** 127, Precision.SINGLE, "1.7014118e+38f"),
        (Fraction(1, 2**149), Precision.SINGLE, "1e-45f"),
    ],
)
def test_literals(value: Fraction, precision: Precision, text: str) -> None:
    assert literal(value, precision) == text


@given(POSITIVE)
def test_literals_read_back_and_are_no_integers(value: Fraction) -> None:
    for precision, number in ((Precision.DOUBLE, np.float64), (Precision.SINGLE, np.float32)):
        if value < 2**127:
            text = literal(value, precision)
            digits = text.removesuffix("f")
            assert re.search(r"[.e]", digits)
            assert float(number(digits)) == nearest(value, precision)


@pytest.mark.parametrize(
    ("value", "precision"),
    [(Fraction(2) ** 1024 - Fraction(2) ** 970, Precision.DOUBLE), (Fraction(2) ** 128, Precision.SINGLE)],
)
def test_too_large(value: Fraction, precision: Precision) -> None:
    with pytest.raises(ModelError, match=f"does not fit in {precision.c_type}"):
        literal(value, precision)


@pytest.mark.parametrize("precision", Precision)
def test_too_small(precision: Precision) -> None:
    """Half of the smallest number and a little less rounds to zero; a little more does not."""
    half = Fraction(2) ** (precision.lowest_exponent - 1)
    with pytest.raises(ModelError, match=f"{precision.c_type} has nothing but zero for it"):
        literal(half * Fraction(999, 1000), precision)
    assert float(literal(half * Fraction(1001, 1000), precision).rstrip("f")) > 0.0
