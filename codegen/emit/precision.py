"""The floating-point types of generated C, and exact numbers printed as their literals."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from functools import lru_cache

import numpy as np

from kanegen.errors import ModelError


class Precision(Enum):
    """A floating-point type: its name in C, the endings of functions and literals, its range, its bytes."""

    DOUBLE = ("double", "", "", "", 53, 1023, -1074, 8)
    SINGLE = ("float", "_f32", "f", "f", 24, 127, -149, 4)

    def __init__(
        self,
        c_type: str,
        ending: str,
        literal_ending: str,
        math_ending: str,
        digits: int,
        top: int,
        lowest: int,
        number_bytes: int,
    ) -> None:
        """Name the parts of the value."""
        self.c_type = c_type
        self.ending = ending
        self.literal_ending = literal_ending
        self.math_ending = math_ending
        self.digits = digits
        self.top_exponent = top
        self.lowest_exponent = lowest
        self.number_bytes = number_bytes


@lru_cache(maxsize=2**14)
def nearest(value: Fraction, precision: Precision) -> float:
    """The number of the given precision nearest to an exact one, ties to even, rounded once.

    Raises ModelError when it is beyond the largest finite number.
    """
    if value == 0:
        return 0.0
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    spacing = max(exponent - precision.digits + 1, precision.lowest_exponent)
    units = round(magnitude / Fraction(2) ** spacing)  # round() of a Fraction goes to even in ties
    rounded = units * Fraction(2) ** spacing
    if rounded >= Fraction(2) ** (precision.top_exponent + 1):
        raise _out_of_range(f"of magnitude 2^{exponent} does not fit in {precision.c_type}", precision)
    return float(rounded) if value > 0 else -float(rounded)


def _out_of_range(what: str, precision: Precision) -> ModelError:
    """The error for a number that a precision cannot hold."""
    return ModelError(
        "a number in the equations of the model",
        what,
        f"numbers between 2^{precision.lowest_exponent} and 2^{precision.top_exponent + 1}",
        "Use SI units, and numbers of similar magnitudes"
        + ("." if precision is Precision.DOUBLE else "; or generate without single precision."),
    )


def literal(value: Fraction, precision: Precision) -> str:
    """C literal of a number that is not negative: the shortest decimal that reads back as the nearest number.

    Always with a point or an exponent, so that no division is ever one of integers.  Raises ModelError for a number that is
    too large, or so small that nothing of it is left.
    """
    number = nearest(value, precision)
    if value and not number:
        raise _out_of_range(f"is so small that {precision.c_type} has nothing but zero for it", precision)
    text = repr(number) if precision is Precision.DOUBLE else str(np.float32(number))
    if "." not in text and "e" not in text:
        text += ".0"
    return text + precision.literal_ending
