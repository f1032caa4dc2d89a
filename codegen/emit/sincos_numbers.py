"""The numbers in the formulas for sines and cosines, for each precision; a script among the tests derives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kanegen.codegen.emit.precision import Precision


@dataclass(frozen=True)
class SineNumbers:
    """What the formulas are filled with in one precision.

    Attributes:
        limit: largest angle in rad that the formulas take, as it is written in C.
        turn_bits: bits of the number of quarter turns up to it.
        part_bits: bits of the first two parts of pi/2, whose products with that number are exact.
        two_over_pi: 2/pi.
        half_pi: three parts of pi/2, whose sum it is.
        sine: coefficients of p, the lowest power first, in sin r = r - r z p(z), z = r^2, of alternating signs.
        cosine: those of q in cos r = 1 - z/2 + z^2 q(z).
    """

    limit: str
    turn_bits: int
    part_bits: int
    two_over_pi: str
    half_pi: tuple[str, str, str]
    sine: tuple[str, ...]
    cosine: tuple[str, ...]


SINE_NUMBERS: Mapping[Precision, SineNumbers] = {
    Precision.DOUBLE: SineNumbers(
        limit="1e5",
        turn_bits=16,
        part_bits=35,
        two_over_pi="0.6366197723675814",
        half_pi=("1.5707963267923333", "2.5633441515839558e-12", "1.0562999066987428e-23"),
        sine=(
            "0.1666666666666663",
            "0.00833333333332184",
            "0.0001984126982935868",
            "2.755731353865305e-06",
            "2.505073442963833e-08",
            "1.5895437023226674e-10",
        ),
        cosine=(
            "0.041666666666666595",
            "0.0013888888888873342",
            "2.4801587289002032e-05",
            "2.755731421700392e-07",
            "2.0875705388004826e-09",
            "1.1358748652896037e-11",
        ),
    ),
    Precision.SINGLE: SineNumbers(
        limit="2e3",
        turn_bits=11,
        part_bits=13,
        two_over_pi="0.63661975",
        half_pi=("1.5708008", "-4.454516e-06", "6.0771006e-11"),
        sine=("0.16666655", "0.008332188", "0.00019518095"),
        cosine=("0.041666646", "0.001388731", "2.4432327e-05"),
    ),
}
"""Beyond the limit of single precision neighbouring numbers are 1.2e-4 rad apart, and the third part too large."""


def sine_values(precision: Precision) -> dict[str, object]:
    """What templates with the formulas are filled with.

    A negative second part has zero added to its product, which is -0 with no quarter turn: the sine of -0 would be 0.
    """
    numbers, ending = SINE_NUMBERS[precision], precision.literal_ending
    size = precision.number_bytes
    limit = np.array(numbers.limit, f"f{size}").view(f"u{size}")
    return {
        "numbers": numbers,
        "f": ending,
        "zero": f" + 0.0{ending}" if numbers.half_pi[1].startswith("-") else "",
        "number_bytes": size,
        "bits": 8 * size,
        "mantissa": precision.digits - 1,
        "shift": f"{1.5 * 2.0 ** (precision.digits - 1)}{ending}",
        "limit_bits": f"0x{limit:X}",
        "magnitude_bits": f"0x7{(2 * size - 1) * 'F'}",
        "p": _polynomial(numbers.sine, ending),
        "q": _polynomial(numbers.cosine, ending),
    }


def _polynomial(coefficients: tuple[str, ...], ending: str) -> str:
    """A polynomial in z of alternating signs, by pairs of terms; zz is the square of z."""
    first, *others = (f"{number}{ending}" for number in coefficients)
    if not others:
        return first
    pair, rest = f"({first} - z * {others[0]})", coefficients[2:]
    if not rest:
        return pair
    factor = _polynomial(rest, ending)
    return f"{pair}\n        + zz * {f'({factor})' if len(rest) > 2 else factor}"
