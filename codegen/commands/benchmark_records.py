"""What a benchmark report is made of, before it is text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from kanegen.errors import KanegenError

Cell = str | int | float | None
"""None stands for what was not measured or not counted."""


class NoResultsError(KanegenError, ValueError):
    """There is nothing to report of; the message says how to make it."""


class Shown(Enum):
    """How the cells of a column are shown."""

    TEXT = "text"
    COUNT = "count"
    NUMBER = "number"
    RATIO = "ratio"
    DIFFERENCE = "difference"


@dataclass(frozen=True)
class Column:
    """Name, with the unit, and how its cells are shown."""

    name: str
    shown: Shown


@dataclass(frozen=True)
class Table:
    """A table with a title; each row has a cell for each column."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Claim:
    """Something measured and what was aimed at: ``need`` or more, or with ``at_most`` no more than it.

    ``measured`` is None where one of the sides could not take part.
    """

    what: str
    measured: float | None
    need: float
    at_most: bool = False

    @property
    def reached(self) -> bool | None:
        """Whether it was reached; None where it was not measured."""
        if self.measured is None:
            return None
        return self.measured <= self.need if self.at_most else self.measured >= self.need


@dataclass(frozen=True)
class Machine:
    """What a measurement was made on and with, as the benchmark recorded it."""

    processor: str
    cores: int
    vector_extensions: tuple[str, ...]
    system: str
    python: str
    c_compiler: str | None
    cpp_compiler: str | None
    flags: tuple[str, ...]
    packages: dict[str, str]


@dataclass(frozen=True)
class Contents:
    """What a kind of benchmark has to tell: its claims and its tables."""

    claims: tuple[Claim, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class Result:
    """One result file.  ``protocol`` says how was measured, ``left_out`` who could not take part, and why."""

    file: str
    benchmark: str
    machine: Machine
    protocol: dict[str, str | int | float]
    contents: Contents
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class Unread:
    """A file that is not in the report.  ``damaged`` ones were meant to be results, others are something else."""

    file: str
    reason: str
    damaged: bool


@dataclass(frozen=True)
class Report:
    """All results, and the files that are not among them."""

    results: tuple[Result, ...]
    unread: tuple[Unread, ...]

    @property
    def claims(self) -> tuple[tuple[Result, Claim], ...]:
        """Every claim with its result."""
        return tuple((result, claim) for result in self.results for claim in result.contents.claims)

    def count(self, reached: bool | None) -> int:
        """How many claims were reached, not reached, or (None) not measured."""
        return sum(claim.reached is reached for _, claim in self.claims)
