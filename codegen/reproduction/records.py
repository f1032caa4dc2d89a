"""What a paper says and what is computed: the records of which the book is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from kanegen.arrays import FloatArray


class Verdict(StrEnum):
    """How the print and the computed value go together."""

    AGREES = "agrees"
    CORRECTED = "print is wrong, corrected"
    ILLEGIBLE = "not legible in the scan"
    DIFFERS = "differs"
    FAILED = "not reproduced"


@dataclass(frozen=True)
class Claim:
    """One statement of a paper: where it stands, what it says, what is printed, and what is computed.

    ``note`` says why the two differ, how the value was computed, or what was assumed.
    """

    place: str
    says: str
    printed: str
    computed: str
    verdict: Verdict
    note: str = ""


@dataclass(frozen=True)
class Table:
    """A table of a paper made again; cells are text."""

    place: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves (k,) over the figure's abscissa, by the name that the legend has, in one unit.

    ``targets``: values that curves are to reach, drawn as lines and named.
    """

    quantity: str
    unit: str
    curves: Mapping[str, FloatArray]
    targets: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure of a paper drawn again: ``name`` is that of its file, ``t`` (k,) what all panels are drawn over."""

    name: str
    place: str
    title: str
    t: FloatArray
    panels: tuple[Panel, ...]
    abscissa: str = "t [s]"
    note: str = ""


Part = Claim | Table | Figure


@dataclass(frozen=True)
class Section:
    """Parts of a paper that belong together."""

    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Paper:
    """A paper: ``key`` by which it is asked for, and its sections in the order of the paper."""

    key: str
    citation: str
    sections: tuple[Section, ...]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All claims."""
        return tuple(part for section in self.sections for part in section.parts if isinstance(part, Claim))

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures."""
        return tuple(part for section in self.sections for part in section.parts if isinstance(part, Figure))


def relative(found: FloatArray, right: FloatArray) -> float:
    """The largest difference, by the largest value that is right."""
    return float(np.abs(found - right).max() / np.abs(right).max())


def bounded(
    place: str, says: str, printed: str, difference: float, bound: float, unit: str = "", note: str = ""
) -> Claim:
    """A claim that something is equal: it agrees where the difference is within the bound, which is what is told.

    The difference itself is rounding, and another one on another machine.
    """
    told = f"{bound:.0e}{f' {unit}' if unit else ''}"
    if difference <= bound:
        return Claim(place, says, printed, f"differs by less than {told}", Verdict.AGREES, note)
    return Claim(place, says, printed, f"differs by {difference:.1e}, more than {told}", Verdict.FAILED, note)
