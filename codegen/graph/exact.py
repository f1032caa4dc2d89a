"""Exact and 60-digit numbers: the constants of the graph.

Constants are Fractions, so that structure found by cancellation (a vanishing product of inertia, equal lengths) is found
exactly.  Irrational constants (a cosine of a fixed angle) are Fractions of 60 significant digits; sums of such numbers
that vanish to 50 digits are zero.  Every constant is rounded to double once, when it is printed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import mpmath

from kanegen.errors import ModelError
from kanegen.limits import LARGEST_CONSTANT, LARGEST_NUMBER, MOST_BITS, MOST_DIGITS

DIGITS = 60
_ZERO_BELOW = Fraction(1, 10**50)
_ZERO = Fraction(0)
_LONG = 10**DIGITS
_DECIMALS_OF_A_BIT = math.log10(2)
_LARGEST_BITS = LARGEST_CONSTANT.value.bit_length()


Ratio = tuple[int, int]
"""Numerator and denominator of a number, in lowest terms: hashed far more quickly than a Fraction."""

_REMEMBERED = 1 << 14
"""Results of arithmetic with numbers that are kept: passes over one program after another ask for the same ones."""


def _by_slots(numerator: int, denominator: int) -> Fraction:
    """The Fraction of a ratio in lowest terms, without looking for what both are divisible by."""
    made: Any = object.__new__(Fraction)
    made._numerator = numerator  # noqa: SLF001
    made._denominator = denominator  # noqa: SLF001
    return made  # type: ignore[no-any-return]


def _of_ratio() -> Callable[[int, int], Fraction]:
    """The quickest way to a Fraction: its slots, where they are what they have been since Python 2.6."""
    try:
        made = _by_slots(-3, 4)
        return _by_slots if made == Fraction("-3/4") and made.as_integer_ratio() == (-3, 4) else Fraction
    except (AttributeError, TypeError):
        return Fraction


of_ratio: Final = _of_ratio()
"""The Fraction of a numerator and a positive denominator that have no common divisor."""


def plus(a: Fraction, b: Fraction) -> Fraction:
    """a + b: what Fractions give, in half the time."""
    (p, q), (r, s) = a.as_integer_ratio(), b.as_integer_ratio()
    if not r:
        return a
    if not p:
        return b
    common = math.gcd(q, s)
    if common == 1:
        return of_ratio(p * s + r * q, q * s)
    rest = q // common
    top = p * (s // common) + r * rest
    common = math.gcd(top, common)
    return of_ratio(top, rest * s) if common == 1 else of_ratio(top // common, rest * (s // common))


def minus(a: Fraction, b: Fraction) -> Fraction:
    """a - b: what Fractions give, in half the time."""
    return plus(a, negative(b))


def times(a: Fraction, b: Fraction) -> Fraction:
    """a b: what Fractions give, in half the time."""
    (p, q), (r, s) = a.as_integer_ratio(), b.as_integer_ratio()
    if not p or not r:
        return _ZERO
    common = math.gcd(p, s)
    if common > 1:
        p, s = p // common, s // common
    common = math.gcd(r, q)
    if common > 1:
        r, q = r // common, q // common
    return of_ratio(p * r, q * s)


def over(a: Fraction, b: Fraction) -> Fraction:
    """a / b: what Fractions give.  Raises ZeroDivisionError."""
    r, s = b.as_integer_ratio()
    if not r:
        raise ZeroDivisionError(f"division of {a} by zero")
    return times(a, of_ratio(s, r) if r > 0 else of_ratio(-s, -r))


def negative(a: Fraction) -> Fraction:
    """-a."""
    numerator, denominator = a.as_integer_ratio()
    return of_ratio(-numerator, denominator)


def magnitude(a: Fraction) -> Fraction:
    """The absolute value."""
    return a if a.numerator >= 0 else negative(a)


def from_number(value: float | int | str | Fraction) -> Fraction:
    """The exact number that a person meant: the shortest decimal of a float (0.1 is one tenth), integers, fractions.

    Raises ValueError for NaN and infinities.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, str):
        return Fraction(value)
    number = float(value)
    if number != number or number in (float("inf"), float("-inf")):
        raise ValueError(f"expected a finite number, got {number!r}")
    return Fraction(repr(number))


def bounded(value: Fraction) -> Fraction:
    """The value, if it has not thousands of digits: exact arithmetic would compute for ever.  Raises ValueError."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
        raise ValueError(f"an exact number of more than {MOST_DIGITS.value} digits")
    return value


def quantity(value: Fraction) -> Fraction:
    """The value, if it can be a quantity of mechanics: below 1e60 in magnitude.

    Every number on its way into a mechanism passes here, whatever the format.  Raises ValueError.
    """
    if abs(bounded(value)) >= LARGEST_NUMBER.value:
        raise ValueError(f"{float_text(value)}, which is not below {LARGEST_NUMBER.value:.0e}")
    return value


def float_text(value: Fraction) -> str:
    """A number of any magnitude for a message, with three digits."""
    with mpmath.workdps(15):
        return str(mpmath.nstr(mpmath.mpf(value.numerator) / mpmath.mpf(value.denominator), 3))


def tidy(value: Fraction) -> Fraction:
    """Round numbers whose fraction has grown beyond 60 digits, and treat residues below 1e-50 as zero."""
    numerator, denominator = value.as_integer_ratio()
    if numerator.bit_length() - denominator.bit_length() > _LARGEST_BITS:
        raise ModelError(
            "numbers of the model",
            f"multiply to {float_text(value)} in its equations",
            "numbers whose products doubles can hold",
            "Use SI units, and numbers of similar magnitudes.",
        )
    if denominator <= _ZERO_BELOW.denominator:
        return value
    magnitude = abs(numerator)
    if magnitude * _ZERO_BELOW.denominator < denominator:
        return Fraction(0)
    if denominator <= _LONG:
        return value
    # ten to this power times the number has sixty digits before its point, or one or two more
    power = DIGITS - math.floor((magnitude.bit_length() - denominator.bit_length()) * _DECIMALS_OF_A_BIT)
    while True:
        above, below = (
            (magnitude * 10**power, denominator) if power > 0 else (magnitude, denominator * 10**-power)
        )
        digits, rest = divmod(above, below)
        digits += 2 * rest >= below
        if digits <= _LONG:
            break
        power -= 1
    rounded = Fraction(digits, 10**power) if power > 0 else Fraction(digits * 10**-power)
    return rounded if numerator > 0 else negative(rounded)


@lru_cache(maxsize=_REMEMBERED)
def tidy_sum(a: Ratio, b: Ratio) -> Fraction:
    """The sum of two numbers, tidy."""
    return tidy(plus(of_ratio(*a), of_ratio(*b)))


@lru_cache(maxsize=_REMEMBERED)
def tidy_product(a: Ratio, b: Ratio) -> Fraction:
    """The product of two numbers, tidy."""
    return tidy(times(of_ratio(*a), of_ratio(*b)))


@lru_cache(maxsize=_REMEMBERED)
def tidy_quotient(a: Ratio, b: Ratio) -> Fraction:
    """The quotient of two numbers, tidy."""
    return tidy(over(of_ratio(*a), of_ratio(*b)))


def to_mpf(value: Fraction) -> mpmath.mpf:
    """The number for mpmath, to a few digits more than constants have."""
    with mpmath.workdps(DIGITS + 5):
        return mpmath.mpf(value.numerator) / mpmath.mpf(value.denominator)


def from_mpf(value: mpmath.mpf) -> Fraction:
    """Fraction of 60 significant digits."""
    if value == 0:
        return Fraction(0)
    return Fraction(mpmath.nstr(value, DIGITS, strip_zeros=True))


def nearest_quarter_turns(angle: Fraction) -> int | None:
    """The number of quarter turns when a double-precision angle is a multiple of pi/2 to its last digit, else None."""
    turns = round(float(angle) / (mpmath.pi / 2))
    with mpmath.workdps(DIGITS):
        exact = turns * mpmath.pi / 2
        if abs(to_mpf(angle) - exact) <= abs(exact) * mpmath.mpf(2) ** -52:
            return int(turns)
    return None


def exact_sine(angle: Fraction) -> Fraction:
    """Sine of a fixed angle in radians; exact at multiples of pi/2 given to double precision."""
    turns = nearest_quarter_turns(angle)
    if turns is not None:
        return Fraction((0, 1, 0, -1)[turns % 4])
    with mpmath.workdps(DIGITS + 5):
        return from_mpf(mpmath.sin(to_mpf(angle)))


def exact_cosine(angle: Fraction) -> Fraction:
    """Cosine of a fixed angle in radians; exact at multiples of pi/2 given to double precision."""
    turns = nearest_quarter_turns(angle)
    if turns is not None:
        return Fraction((1, 0, -1, 0)[turns % 4])
    with mpmath.workdps(DIGITS + 5):
        return from_mpf(mpmath.cos(to_mpf(angle)))


def exact_square_root(value: Fraction) -> Fraction:
    """Square root; exact for squares of rationals, else 60 digits.  Raises ValueError for negative numbers."""
    if value < 0:
        raise ValueError(f"square root of the negative number {float(value)!r}")
    with mpmath.workdps(DIGITS + 5):
        root = from_mpf(mpmath.sqrt(to_mpf(value)))
    simple = root.limit_denominator(10**15)
    return simple if simple * simple == value else root
