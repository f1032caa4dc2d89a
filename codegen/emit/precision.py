"""The floating-point types of generated C, and exact numbers printed as their literals."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction

import numpy as np


class Precision(Enum):
    """A floating-point type: its name in C, the endings of functions and literals, its range."""

    DOUBLE = ("double", "", "", "", 53, 1023, -1074)
    SINGLE = ("float", "_f32", "f", "f", 24, 127, -149)

    def __init__(
        self,
        c_type: str,
        ending: str,
        literal_ending: str,
        math_ending: str,
        digits: int,
        top: int,
        lowest: int,
    ) -> None:
        """Name the parts of the value."""
        self.c_type = c_type
        self.ending = ending
        self.literal_ending = literal_ending
        self.math_ending = math_ending
        self.digits = digits
        self.top_exponent = top
        self.lowest_exponent = lowest


def nearest(value: Fraction, precision: Precision) -> float:
    """The number of the given precision nearest to an exact one, ties to even, rounded once.

    Raises OverflowError when it is beyond the largest finite number.
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
        raise OverflowError(f"a number of magnitude 2^{exponent} does not fit in {precision.c_type}")
    return float(rounded) if value > 0 else -float(rounded)


def literal(value: Fraction, precision: Precision) -> str:
    """C literal of a number that is not negative: the shortest decimal that reads back as the nearest number.

    Always with a point or an exponent, so that no division is ever one of integers.
    """
    number = nearest(value, precision)
    text = repr(number) if precision is Precision.DOUBLE else str(np.float32(number))
    if "." not in text and "e" not in text:
        text += ".0"
    return text + precision.literal_ending
