"""Angles at which the emitted sine and cosine are judged, and what mpmath says they are."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import mpmath
import numpy as np
from numpy.typing import NDArray

Precision = Literal["double", "single"]
Reals = NDArray[np.floating[Any]]

LIMITS = {"double": 1e5, "single": 2e3}
DIGITS = 60
TYPES: dict[str, type[np.floating[Any]]] = {"double": np.float64, "single": np.float32}
MULTIPLES = {name: int(limit / (math.pi / 2)) for name, limit in LIMITS.items()}  # quarter turns: 63661, 1273
PI_BITS = 256  # bits after the point of integers that stand for fractions


@dataclass(frozen=True)
class Judged:
    """Numbers and their exact values as nearest + rest; the rest is rounded to double."""

    nearest: Reals
    rest: NDArray[np.float64]

    def errors(self, found: Reals) -> NDArray[np.float64]:
        """|found - exact| in units in the last place of the number nearest to exact."""
        # found is within a factor two of nearest wherever the error is small, and their difference then exact
        difference = found.astype(np.float64) - self.nearest.astype(np.float64)
        return np.abs(difference - self.rest) / np.spacing(np.abs(self.nearest)).astype(np.float64)


@dataclass(frozen=True)
class Angles:
    """Angles with their sines and cosines."""

    x: Reals
    sine: Judged
    cosine: Judged


def _judged(exact: list[mpmath.mpf], precision: Precision) -> Judged:
    nearest = np.array([float(value) for value in exact]).astype(TYPES[precision])
    with mpmath.workdps(DIGITS):
        rest = [float(value - float(near)) for value, near in zip(exact, nearest, strict=True)]
    return Judged(nearest, np.array(rest))


def _neighbours(value: float, precision: Precision, reach: int) -> list[float]:
    """The number nearest to a value, and so many on either side of it."""
    kind = TYPES[precision]
    middle = kind(value)
    steps = [middle]
    for direction in (-np.inf, np.inf):
        step = middle
        for _ in range(reach):
            step = np.nextafter(step, kind(direction))
            steps.append(step)
    return [float(step) for step in steps]


@cache
def chosen_angles(precision: Precision) -> Angles:
    """About 4000 angles of every size up to the limit, many of them near multiples of pi/4."""
    rng = random.Random(1983)
    kind, limit, most = TYPES[precision], LIMITS[precision], MULTIPLES[precision]
    tiny = float(np.finfo(kind).smallest_subnormal)
    least = math.log(float(np.finfo(kind).tiny))
    values = [0.0, -0.0, tiny, -tiny, 7 * tiny, math.exp(least), *_neighbours(1.0, precision, 2)]
    values += [limit, -limit, float(np.nextafter(kind(limit), kind(0.0)))]
    values += [rng.uniform(-math.pi, math.pi) for _ in range(1000)]
    values += [rng.uniform(-limit, limit) for _ in range(600)]
    values += [rng.choice((-1, 1)) * math.exp(rng.uniform(-20.0, math.log(limit))) for _ in range(300)]
    values += [rng.choice((-1, 1)) * math.exp(rng.uniform(least, 0.0)) for _ in range(100)]
    # no multiple of pi/2 up to 1e5 is nearer to a double than 29 pi/2 (2^-60); its doubles are as near
    # in ulp; at odd multiples of pi/4 the reduced angle is largest, and sine and cosine change places
    turns = [*range(1, 40), *(29 << j for j in range(12)), *(1 << j for j in range(16)), most]
    turns = [turn for turn in turns if turn <= most] + [rng.randrange(1, most) for _ in range(150)]
    with mpmath.workdps(DIGITS):
        for turn in turns:
            sign = rng.choice((-1, 1))
            values += _neighbours(float(sign * turn * mpmath.pi / 2), precision, 2)
            values += _neighbours(float(sign * (turn - mpmath.mpf(1) / 2) * mpmath.pi / 2), precision, 1)
        x = np.array(values).astype(kind)
        pairs = [mpmath.cos_sin(mpmath.mpf(float(value))) for value in x]
    return Angles(x, _judged([s for _, s in pairs], precision), _judged([c for c, _ in pairs], precision))


@cache
def nearest_to_zeros(precision: Precision) -> tuple[Reals, Judged]:
    """The number nearest to every multiple k pi/2 up to the limit, and the function with a zero there.

    With d = x - k pi/2 that function is d - d^3/6, or its negative, to a relative error of d^4/120, which is
    nothing in double precision (|d| < 2^-36), and below 2^-58 in single (|d| < 2^-13).
    """
    kind = TYPES[precision]
    with mpmath.workprec(PI_BITS + 8):
        half_pi = int(mpmath.floor(mpmath.ldexp(mpmath.pi / 2, PI_BITS)))
    x = np.array(
        [math.ldexp(k * half_pi >> PI_BITS - 64, -64) for k in range(1, MULTIPLES[precision] + 1)]
    ).astype(kind)
    nearest = np.empty_like(x)
    rest = np.empty(len(x))
    for i, near in enumerate(x.tolist()):
        k = i + 1
        d = _fraction(near) - k * half_pi
        value = (d - (d**3 >> 2 * PI_BITS) // 6) * (-1 if k % 4 in (1, 2) else 1)
        nearest[i] = math.ldexp(value >> PI_BITS - 128, -128)
        rest[i] = math.ldexp(value - _fraction(float(nearest[i])), -PI_BITS)
    return x, Judged(nearest, rest)


def _fraction(value: float) -> int:
    numerator, denominator = value.as_integer_ratio()
    return (numerator << PI_BITS) // denominator
