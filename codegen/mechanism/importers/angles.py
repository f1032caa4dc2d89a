"""Angles and directions as files write them: rounded, and mostly meant to be quarter turns.

A quarter turn has sine and cosine 0 and 1, which the kernels then need not multiply with.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.mechanism.values import degrees

QUARTER_TURN = degrees(90)
"""pi/2 to 60 digits."""


@dataclass(frozen=True, slots=True)
class QuarterTurns:
    """The multiple of pi/2 nearest to an angle, and how far the angle is from it [rad]."""

    count: int
    distance: Fraction

    @property
    def angle(self) -> Fraction:
        """The multiple itself, to 60 digits [rad]."""
        return self.count * QUARTER_TURN

    @property
    def text(self) -> str:
        """For a message: "pi/2", "-pi", "0"."""
        if self.count == 0:
            return "0"
        half, odd = divmod(abs(self.count), 2)
        factor = abs(self.count) if odd else half
        return f"{'-' if self.count < 0 else ''}{'' if factor == 1 else factor}pi{'/2' if odd else ''}"


def nearest_quarter_turns(angle: Fraction) -> QuarterTurns:
    """Which multiple of pi/2 an angle [rad] may stand for."""
    count = round(angle / QUARTER_TURN)
    return QuarterTurns(count, abs(angle - count * QUARTER_TURN))
