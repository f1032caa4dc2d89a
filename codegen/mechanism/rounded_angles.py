"""Angles as people and programs write them: decimals that stand for fractions of pi.

A decimal of at least ten significant digits that is the rounding or the cutting-off, to the digits written, of k pi/n with
n one of 1, 2, 3, 4, 6, 8, 12 is that angle: the next such decimal of a random angle is one of 1e8.  Decimals of a double
(0.7853981633974483) are, where they are within two of its roundings.  What remains is kept as written, but for the noise
of ``ANGLE_TOLERANCE`` around multiples of pi/2, and whatever a larger tolerance asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from numbers import Real
from typing import Any

from kanegen.codegen.mechanism.records import Mechanism, RoundedAngles
from kanegen.codegen.mechanism.values import degrees
from kanegen.errors import ModelError
from kanegen.limits import LARGEST_ANGLE_TOLERANCE

ANGLE_TOLERANCE = 1e-11
"""Angles [rad] this near to a multiple of pi/2 are taken for it: what sums of doubles and of short decimals leave of pi."""

AS_WRITTEN = 1e-15
"""Tolerance [rad] that only mends what doubles leave of a multiple of pi/2."""

NEAR = Fraction(2, 1000)
"""An angle [rad] this near to a quarter turn, but not to zero, is one of three digits: 1.57, 3.14."""

_NEAR_ZERO = Fraction(1, 10**6)  # rad; smaller angles are no calibration
_DIGITS = 10
_DIGITS_OF_PROGRAMS = 12
"""Digits from which on a number is taken for the rounding that a program wrote; 1.570796325 is what it says."""
_DIGITS_OF_DOUBLES = 16
_UNIT = degrees(Fraction(15, 2))
"""pi/24, of which pi/8 and pi/12 are multiples."""

_IN_A_QUARTER = 12
_DOUBLES = Fraction(1, 2**52)
_DECIMAL = re.compile(r"[+-]?\d*(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?", re.ASCII)


def fraction_of_pi(angle: Fraction, written: int = 0) -> Fraction | None:
    """The angle [rad], to 60 digits, that a decimal of enough digits is rounded from; None for other numbers and zero.

    ``written`` is the number of decimals in the text, where it is known: a number does not tell its trailing zeros.
    """
    count = round(angle / _UNIT)
    if count == 0 or (count % 2 and count % 3):
        return None
    exact = count * _UNIT
    decimals = _decimals(angle)
    if decimals is None:
        return None
    short = abs(exact) - abs(angle)  # positive where digits were cut off
    for places in {decimals, max(decimals, written)}:
        digits = len(str(abs(int(angle * 10**places))))
        step = Fraction(1, 10**places)
        if digits >= _DIGITS and (abs(short) <= step / 2 or 0 <= short < step):
            return exact
    digits = len(str(abs(int(angle * 10**decimals))))
    if digits < _DIGITS_OF_DOUBLES:
        return None
    if abs(short) <= _DOUBLES * abs(exact):
        return exact
    shortest = Fraction(repr(float(angle)))  # 3.1415926535900001 is a double's 3.14159265359
    return None if shortest == angle else fraction_of_pi(shortest)


class Written(float):
    """A number of a file that remembers its text."""

    def __new__(cls, text: str) -> Written:
        """The double nearest to what is written.  Raises ValueError."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str


def decimals_of(number: object) -> int:
    """How many decimals a number was written with, trailing zeros counted; 0 where its text is not known."""
    text = number if isinstance(number, str) else getattr(number, "text", "")
    found = _DECIMAL.fullmatch(text.strip().replace("_", ""))
    return max(0, len(found[1] or "") - int(found[2] or 0)) if found else 0


def _decimals(number: Fraction) -> int | None:
    """How many decimals a number has, trailing zeros left out; None where they do not end."""
    rest, twos, fives = number.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def noise_of(numbers: Iterable[Fraction]) -> Fraction:
    """How large a rounding error is in numbers of twelve digits and more: one of their last digit; zero for shorter ones."""
    return max(map(_rounding, numbers), default=Fraction(0))


def _rounding(number: Fraction) -> Fraction:
    decimals = _decimals(number)
    if decimals is None:
        return _DOUBLES * abs(number)
    digits = len(str(abs(int(number * 10**decimals))))
    if digits < _DIGITS_OF_PROGRAMS:
        return Fraction(0)
    return _DOUBLES * abs(number) if digits >= _DIGITS_OF_DOUBLES else Fraction(1, 10**decimals)


@dataclass
class AngleRule:
    """What becomes of the angles of one description; ``distances`` [rad] has how far each was changed.

    Angles within ``tolerance`` [rad] of a multiple of pi/2 are taken for it, and from ``ANGLE_TOLERANCE`` on decimals for
    the fractions of pi that they are rounded from.  ``near`` has the distances of angles that are nearly quarter turns and
    stay as they are.  ``noise`` [rad] is the largest rounding of those written with many digits.
    """

    tolerance: float = ANGLE_TOLERANCE
    distances: list[Fraction] = field(default_factory=list)
    near: list[Fraction] = field(default_factory=list)
    noise: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        """Raise ModelError for a tolerance that makes no sense."""
        if not isinstance(self.tolerance, Real) or not 0 <= self.tolerance <= LARGEST_ANGLE_TOLERANCE.value:
            raise ModelError(
                "angle_tolerance",
                f"is {self.tolerance!r}",
                f"radians from 0 to {LARGEST_ANGLE_TOLERANCE.value}",
                "1e-5 takes 1.5708 for pi/2, 1e-3 also 1.57.",
            )

    def meant(self, angle: Fraction, written: int = 0) -> Fraction:
        """The angle [rad] that is meant; ``written`` is its number of decimals in the text, where that is known."""
        self.noise = max(self.noise, _rounding(angle))
        quarters = round(angle / (_IN_A_QUARTER * _UNIT))
        quarter = quarters * _IN_A_QUARTER * _UNIT
        away = abs(angle - quarter)
        found = fraction_of_pi(angle, written) if self.tolerance >= ANGLE_TOLERANCE else None
        if found is None and away > self.tolerance:
            if away < (NEAR if quarters else _NEAR_ZERO):
                self.near.append(away)
            return angle
        exact = quarter if found is None else found
        self._changed(abs(exact - angle))
        return exact

    def all_meant(self, angles: Iterable[Fraction], text: str) -> tuple[Fraction, ...]:
        """The angles that are meant by the words of a text."""
        return tuple(
            self.meant(angle, decimals_of(word)) for angle, word in zip(angles, text.split(), strict=True)
        )

    def cleared(self, direction: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """A direction without components that turn it by no more than the tolerance."""
        largest = max(abs(component) for component in direction)
        self.noise = max(self.noise, *(_rounding(component) / largest for component in direction))
        kept = []
        for component in direction:
            small = abs(component) <= Fraction(self.tolerance) * largest
            if small and component:
                self._changed(abs(component) / largest)
            kept.append(Fraction(0) if small else component)
        return tuple(kept)

    def meant_by(self, angle: Any, number: object) -> Any:
        """The angle [rad] that is meant by a number as it is given; rows of matrices and live parameters as they are."""
        return self.meant(angle, decimals_of(number)) if isinstance(angle, Fraction) else angle

    def seen(self, rows: Iterable[Sequence[Any]]) -> None:
        """Take note of the rounding of rows of rotations."""
        entries = [entry for row in rows for entry in row if isinstance(entry, Fraction)]
        self.noise = max(self.noise, noise_of(entries))

    def computed(self) -> None:
        """Take note that orientations come from quaternions in doubles, whose turn is off by twice what a component is."""
        self.noise = max(self.noise, 2 * _DOUBLES)

    def turned(self, distance: Fraction) -> None:
        """Take note that a joint was turned so far [rad]."""
        self._changed(distance)

    def _changed(self, distance: Fraction) -> None:
        if distance > AS_WRITTEN:
            self.distances.append(distance)

    def recorded(self, mechanism: Mechanism, written: Mechanism) -> Mechanism:
        """A mechanism with the record of its changed angles; ``written`` is the same without the changes."""
        largest = float(max(self.distances))
        return replace(
            mechanism, rounded=RoundedAngles(len(self.distances), largest, self.tolerance, written)
        )
