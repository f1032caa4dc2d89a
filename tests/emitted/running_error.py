"""Numbers that carry a bound on the rounding error that any order of evaluation can have made.

The reference interpreter evaluates a program in this arithmetic; a compiled kernel must then agree within
``error``.  The bounds are those of Higham, "Accuracy and Stability of Numerical Algorithms", chapter 3: one
relative error of at most u for each operation.  A sum of sums is bounded by the sum of magnitudes of its
terms, which holds for every order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.graph.evaluate import Arithmetic


@dataclass(frozen=True, slots=True)
class Bounded:
    """A double-precision value; its distance from the exact one is at most ``error`` unit roundoffs.

    ``mass`` is the sum of magnitudes of the terms of which it is the sum.
    """

    value: float
    error: float
    mass: float

    def __add__(self, other: Bounded) -> Bounded:
        mass = self.mass + other.mass
        return Bounded(self.value + other.value, self.error + other.error + mass, mass)

    def __sub__(self, other: Bounded) -> Bounded:
        return self + -other

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, self.error, self.mass)

    def __mul__(self, other: Bounded) -> Bounded:
        value = self.value * other.value
        return _rounded(value, abs(self.value) * other.error + abs(other.value) * self.error)

    def __truediv__(self, other: Bounded) -> Bounded:
        value = self.value / other.value
        return _rounded(value, (self.error + abs(value) * other.error) / abs(other.value))


def _rounded(value: float, error: float) -> Bounded:
    return Bounded(value, error + abs(value), abs(value))


def _exact(value: Fraction) -> Bounded:
    return _rounded(float(value), 0.0)


def _sine(angle: Bounded) -> Bounded:
    return _trigonometric(math.sin(angle.value), angle.error)


def _cosine(angle: Bounded) -> Bounded:
    return _trigonometric(math.cos(angle.value), angle.error)


def _trigonometric(value: float, error: float) -> Bounded:
    """Within two units in the last place: at most four unit roundoffs of the value."""
    return Bounded(value, error + 4 * abs(value), abs(value))


def _square_root(argument: Bounded) -> Bounded:
    value = math.sqrt(argument.value)
    return _rounded(value, argument.error / (2 * value) if value else 0.0)


def _no_function(name: str, operands: Sequence[Bounded]) -> Bounded:
    raise ValueError(f"no bound is known of {name}")


RUNNING_ERROR = Arithmetic(_exact, _sine, _cosine, _square_root, _no_function)


def given(value: float) -> Bounded:
    """An input, known exactly."""
    return Bounded(value, 0.0, abs(value))


def tolerance(number: Bounded, unit_roundoff: float) -> float:
    """How far two evaluations may be apart.

    Both err by at most the bound (hence 2); second-order terms are covered by another factor of 2, since all
    chains of operations in these tests are far shorter than 1/u.  Underflow adds what is below the normal
    numbers.
    """
    return 4 * number.error * unit_roundoff + 1e-37
