"""Integrals against the integrals of textbooks, and SciPy's and mpmath's where these have none."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy.integrate

from kanegen.codegen.mechanism import ModelError
from kanegen.codegen.mechanism.flexible import BeamFunction, Polynomial, RodFunction
from kanegen.codegen.mechanism.flexible.quadrature import integral, pieces
from kanegen.codegen.mechanism.flexible.shapes import Function, Waves, function_of

WHOLE = Fraction(0), Fraction(1)
SQUARE = Polynomial.of(0, 0, 1)


def wave(number: int) -> Waves:
    found = function_of("test", BeamFunction("clamped-free", number))
    assert isinstance(found, Waves)
    return found


def over(*factors: Function) -> float:
    return float(integral("test", *factors))


def test_polynomials_are_exact() -> None:
    assert integral("test", SQUARE) == Fraction(1, 3)
    assert integral("test", SQUARE, Polynomial.of(1, -1), SQUARE) == Fraction(1, 30)
    assert integral("test", Polynomial(()), SQUARE) == 0


def test_waves_to_forty_digits() -> None:
    """Against mpmath's adaptive rule of another kind."""
    f = wave(2)
    with mpmath.workdps(45):
        expected = mpmath.quad(lambda x: x * x * f.at(x) ** 2, mpmath.linspace(0, 1, 5), method="tanh-sinh")
        found = integral("test", SQUARE, f, f)
        assert abs(mpmath.mpf(found.numerator) / found.denominator - expected) < 1e-38


def test_rod_with_polynomial() -> None:
    """The integral of s sin(pi s / 2) is 4 / pi^2."""
    f = function_of("test", RodFunction(1))
    assert over(Polynomial.of(0, 1), f) == pytest.approx(4 / math.pi**2, rel=1e-15)


TAPERS: list[tuple[str, Callable[[float], float], list[float], float]] = [
    ("exponential", math.exp, [], math.e - 1),
    ("step", lambda s: 1.0 if s < 0.37 else 0.25, [0.37], 0.37 + 0.63 / 4),
    ("kink", lambda s: abs(s - 0.3), [0.3], 0.3**2 / 2 + 0.7**2 / 2),
    ("root", lambda s: math.sqrt(1 - s), [], 2 / 3),
    ("wavy", lambda s: math.cos(60 * s), [], math.sin(60) / 60),
    ("steps", lambda s: math.floor(7 * s) + 1.0, [k / 7 for k in range(1, 7)], 4.0),
    ("narrow step", lambda s: 2.0 if 0.51 < s < 0.515 else 1.0, [0.51, 0.515], 1.005),
]


@pytest.mark.parametrize(
    ("function", "breaks", "expected"), [case[1:] for case in TAPERS], ids=[case[0] for case in TAPERS]
)
def test_functions_with_steps_and_kinks_to_rounding(
    function: Callable[[float], float], breaks: list[float], expected: float
) -> None:
    """Pieces end where functions have a step: the rule of one piece across it would be wrong in the fourth digit.

    The bound is a roundoff of 1.1e-16 for each of some 50 pieces, alone and weighed by a mode.
    """
    assert over(function) == pytest.approx(expected, abs=1e-14)
    f = wave(3)
    weighed, _ = scipy.integrate.quad(
        lambda s: function(s) * float(f.at(Fraction(s))) ** 2,
        0,
        1,
        points=[0.5, *breaks],
        epsabs=1e-12,
        epsrel=1e-12,
        limit=200,
    )
    assert over(function, f, f) == pytest.approx(weighed, abs=2e-12)


def test_tables_read_linearly_between_points() -> None:
    x = np.linspace(0, 1, 14)
    y = 1 + np.sin(5 * x) ** 2
    assert over(lambda s: float(np.interp(s, x, y))) == pytest.approx(np.trapezoid(y, x), rel=1e-14)


def test_smooth_functions_are_one_piece() -> None:
    assert pieces("test", lambda s: 2 - s) == WHOLE
    assert pieces("test", math.exp) == WHOLE
    ends = pieces("test", lambda s: float(s > 0.37))
    assert len(ends) == 4
    assert all(abs(float(end) - 0.37) < 1e-12 for end in ends[1:3])


@pytest.mark.parametrize("result", [math.nan, math.inf, None, "stiff"])
def test_what_is_no_number_is_refused(result: object) -> None:
    with pytest.raises(ModelError, match=r"test: is .* of the length"):
        integral("test", lambda s: 1.0 if s < 0.8 else result, SQUARE)  # type: ignore[return-value, arg-type]
