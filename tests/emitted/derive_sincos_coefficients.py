"""Derives the numbers in the sines and cosines of kanegen.codegen.emit, with 50 digits.

``python -m tests.emitted.derive_sincos_coefficients`` prints them, with the errors they leave; a test
compares them with the emitted C.

The angle is reduced to |r| <= pi/4, where, with z = r^2,

    sin r = r - r z p(z),    cos r = 1 - z/2 + z^2 q(z).

p and q minimise the largest relative error of the sine and of the cosine: the exchange algorithm of E. Ya.
Remez (1934), here on the Chebyshev points of 0 < z <= (pi/4)^2, so many that the largest error between two of
them is the same to a few thousandths.

pi/2 is split into parts of few bits, so that their products with the number of quarter turns are exact: the
reduction of W. J. Cody and W. Waite, Software Manual for the Elementary Functions (1980).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import mpmath
import numpy as np

DIGITS = 50
POINTS = 256
SERIES_TERMS = 24  # (pi/4)^48 / 48! = 1e-66

Function = Callable[[mpmath.mpf], mpmath.mpf]


@dataclass(frozen=True)
class Format:
    """A precision, and what is derived for it.

    Attributes:
        rounded: the nearest number.
        part_bits: bits of a part of pi/2; with those of the number of quarter turns not more than a number has: 35 and 16 of
            53 up to 1e5, 13 and 11 of 24 up to 2e3.
        terms: of each polynomial.
        margin: by less than this part of it, rounding of x / (pi/2) lets |r| exceed pi/4.
    """

    rounded: Callable[[float], float]
    part_bits: int
    terms: int
    margin: mpmath.mpf


DOUBLE = Format(float, part_bits=35, terms=6, margin=mpmath.mpf(2) ** -30)
SINGLE = Format(lambda x: float(np.float32(x)), part_bits=13, terms=3, margin=mpmath.mpf(2) ** -11)


@dataclass(frozen=True)
class Polynomial:
    """Coefficients, lowest power first, and the largest relative error they leave."""

    coefficients: tuple[float, ...]
    error: float


@dataclass(frozen=True)
class Numbers:
    """What the formulas of one precision contain: 2/pi, the parts of pi/2 from high to low, and the polynomials p and q."""

    two_over_pi: float
    pi_parts: tuple[float, ...]
    sine: Polynomial
    cosine: Polynomial


def split_half_pi(form: Format) -> tuple[float, ...]:
    """pi/2 as a sum of two numbers of few bits, and one of as many as there are."""
    with mpmath.workdps(DIGITS):
        rest = mpmath.pi / 2
        numbers = []
        for _ in range(2):
            unit = mpmath.mpf(2) ** (mpmath.floor(mpmath.log(abs(rest), 2)) - form.part_bits + 1)
            numbers.append(float(mpmath.nint(rest / unit) * unit))
            rest -= numbers[-1]
        return (*numbers, form.rounded(float(rest)))


def minimax(target: Function, weight: Function, form: Format) -> Polynomial:
    """The polynomial in z that minimises the largest weight(z) |polynomial(z) - target(z)|.

    Its coefficients are rounded one after the other, and those that remain fitted anew to what remains.
    """
    with mpmath.workdps(DIGITS):
        end = (mpmath.pi / 4 * (1 + form.margin)) ** 2
        points = [end * (1 - mpmath.cos(mpmath.pi * (i + 1) / POINTS)) / 2 for i in range(POINTS)]
        targets = [target(z) for z in points]
        weights = [weight(z) for z in points]
        rounded = []
        for remaining in range(form.terms, 0, -1):
            rounded.append(form.rounded(float(_exchange(points, targets, weights, remaining)[0])))
            targets = [(t - rounded[-1]) / z for z, t in zip(points, targets, strict=True)]
            weights = [w * z for z, w in zip(points, weights, strict=True)]
        error = max(abs(w * t) for t, w in zip(targets, weights, strict=True))
    return Polynomial(tuple(rounded), float(error))


def _exchange(
    points: Sequence[mpmath.mpf], targets: Sequence[mpmath.mpf], weights: Sequence[mpmath.mpf], terms: int
) -> list[mpmath.mpf]:
    chosen = [(i + 1) * (POINTS - 1) // (terms + 1) for i in range(terms + 1)]
    while True:
        coefficients = _levelled([(points[i], targets[i], weights[i]) for i in chosen], terms)
        polynomial = [mpmath.polyval(coefficients[::-1], z) for z in points]
        errors = [w * (p - t) for p, t, w in zip(polynomial, targets, weights, strict=True)]
        extremes = _alternating(errors, terms + 1)
        if extremes == chosen:
            return coefficients
        chosen = extremes


def _levelled(samples: Sequence[tuple[mpmath.mpf, mpmath.mpf, mpmath.mpf]], terms: int) -> list[mpmath.mpf]:
    """The polynomial whose weighted errors at the samples are equal in size and alternate in sign."""
    rows = [[z**j for j in range(terms)] + [(-1) ** i / weight] for i, (z, _, weight) in enumerate(samples)]
    solution = mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix([target for _, target, _ in samples]))
    return list(solution)[:terms]


def _alternating(errors: Sequence[mpmath.mpf], count: int) -> list[int]:
    """Indices of the largest error of each run of one sign; surplus runs are dropped at the smaller end."""
    runs = [list(run) for _, run in groupby(range(len(errors)), key=lambda i: errors[i] > 0)]
    extremes = [max(run, key=lambda i: abs(errors[i])) for run in runs]
    while len(extremes) > count:
        extremes.pop(0 if abs(errors[extremes[0]]) < abs(errors[extremes[-1]]) else -1)
    return extremes


def _series(first: int) -> Function:
    """Sum over j of (-z)^j / (first + 2 j)!: the sine and cosine series without their first terms."""
    coefficients = [(-1) ** j / mpmath.factorial(first + 2 * j) for j in range(SERIES_TERMS)]
    return lambda z: mpmath.polyval(coefficients[::-1], z)


def derive(form: Format) -> Numbers:
    """All numbers of one precision."""
    with mpmath.workdps(DIGITS):
        sine = minimax(_series(3), lambda z: z / mpmath.sincpi(mpmath.sqrt(z) / mpmath.pi), form)
        cosine = minimax(_series(4), lambda z: z**2 / mpmath.cos(mpmath.sqrt(z)), form)
        two_over_pi = form.rounded(float(2 / mpmath.pi))
    return Numbers(two_over_pi, split_half_pi(form), sine, cosine)


def _lines(title: str, numbers: Numbers) -> list[str]:
    lines = [title, f"  2/pi    {numbers.two_over_pi}", f"  pi/2    {numbers.pi_parts}"]
    for name, polynomial in (("sine", numbers.sine), ("cosine", numbers.cosine)):
        lines.append(f"  {name:6}  {polynomial.coefficients}")
        lines.append(f"          largest relative error {polynomial.error:.2e}")
    return lines


if __name__ == "__main__":
    report = [*_lines("double precision", derive(DOUBLE)), *_lines("single precision", derive(SINGLE))]
    sys.stdout.write("\n".join(report) + "\n")
