"""What a simulation from the command line is asked for: flags and files of scenarios, which have the same words."""

from __future__ import annotations

import contextlib
import csv
import math
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from kanegen.codegen.commands.parser import MOST_THINGS
from kanegen.errors import KanegenError, counted, did_you_mean, shown
from kanegen.files import contents
from kanegen.simulation.request import METHODS
from kanegen.simulation.wrenches import COMPONENTS

Table = tuple[list[float], list[float], str]
Numbers = Mapping[str, float | list[float]]
"""By name a number, or those of a ball or floating joint."""


@dataclass(frozen=True)
class Words:
    """A simulation: seconds, what differs from home and rest, the law and what it follows, and how it is integrated.

    ``q`` and ``v`` have values by the names of coordinates and speeds, ``p`` by those of live parameters, ``references``
    tables (times, values, kind) by the names of signals, ``wrenches`` six numbers or tables by the names of frames.  What is
    None is left to ``kanegen.simulate``.
    """

    time: float | None = None
    law: str | None = None
    method: str | None = None
    step: float | None = None
    rtol: float | None = None
    atol: float | None = None
    sample_period: float | None = None
    t0: float | None = None
    rows: int | None = None
    q: Numbers = field(default_factory=dict)
    v: Numbers = field(default_factory=dict)
    p: Mapping[str, float] = field(default_factory=dict)
    references: Mapping[str, Table] = field(default_factory=dict)
    wrenches: Mapping[str, Any] = field(default_factory=dict)

    def over(self, below: Words) -> Words:
        """These words where they say something, else those below; values of both together."""
        said = {f.name: getattr(self, f.name) for f in fields(self)}
        merged: dict[str, Any] = {
            name: {**getattr(below, name), **value} if isinstance(value, Mapping) else value
            for name, value in said.items()
            if value is not None
        }
        return replace(below, **merged)

    @property
    def settings(self) -> dict[str, Any]:
        """Those that ``kanegen.simulate`` takes as they are."""
        named = ("method", "step", "rtol", "atol", "sample_period", "t0")
        return {name: getattr(self, name) for name in named if getattr(self, name) is not None}


def _number(where: str, given: Any) -> float:
    if isinstance(given, int | float) and not isinstance(given, bool):
        with contextlib.suppress(OverflowError):  # an integer beyond doubles
            if math.isfinite(number := float(given)):
                return number
    raise KanegenError(f"{where}: expected a finite number, got {shown(given)}")


def _whole(where: str, given: Any) -> int:
    if isinstance(given, int) and not isinstance(given, bool) and 0 < given <= MOST_THINGS:
        return given
    raise KanegenError(f"{where}: expected 1 to {MOST_THINGS} rows, got {shown(given)}")


def _text(where: str, given: Any) -> str:
    if isinstance(given, str):
        return given
    raise KanegenError(f"{where}: expected a text, got {shown(given)}")


def _method(where: str, given: Any) -> str:
    if given in METHODS:
        return str(given)
    raise KanegenError(f"{where}: expected one of {', '.join(METHODS)}, got {shown(given)}")


def _numbers(where: str, given: Any) -> dict[str, float]:
    if not isinstance(given, dict):
        raise KanegenError(f"{where}: expected names with numbers, got {shown(given)}")
    return {name: _number(f"{where}.{name}", value) for name, value in given.items()}


def _values(where: str, given: Any) -> dict[str, Any]:
    """Numbers by name, or lists of them."""
    lists = {name: x for name, x in given.items() if isinstance(x, list)} if isinstance(given, dict) else {}
    rows = {name: [_number(f"{where}.{name}", x) for x in row] for name, row in lists.items()}
    return _numbers(where, {**given, **dict.fromkeys(lists, 0.0)} if lists else given) | rows


CHECKS: Mapping[str, Callable[[str, Any], Any]] = {
    "time": _number,
    "law": _text,
    "method": _method,
    "step": _number,
    "rtol": _number,
    "atol": _number,
    "sample_period": _number,
    "t0": _number,
    "rows": _whole,
    "q": _values,
    "v": _values,
    "p": _numbers,
}
"""By word what reads its value, with where it stands in a file.  All raise KanegenError."""


def words_of(path: Path, known: Collection[str], what: str) -> dict[str, Any]:
    """What a file of TOML says, in words that are known.  Raises KanegenError, which says the file, and OSError."""
    try:
        found = tomllib.loads(contents(path).decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise KanegenError(f"{path}: is no TOML ({error})") from None
    for name in found:
        if name not in known:
            cure = did_you_mean(name, known, f"Known are {', '.join(known)}.")
            raise KanegenError(f"{path}: there is no word {name!r} of a {what}. {cure}")
    return found


def from_file(path: Path) -> Words:
    """The words of a scenario in TOML; ``reference`` names a table beside it.  Raises KanegenError, which says the file."""
    found = words_of(path, (*CHECKS, "reference", "wrenches"), "scenario")
    reference, wrenches = found.pop("reference", None), found.pop("wrenches", {})
    words = Words(**{name: CHECKS[name](f"{path}, {name}", value) for name, value in found.items()})
    if not isinstance(wrenches, dict):
        raise KanegenError(
            f"{path}, wrenches: expected frames with six numbers or files, got {shown(wrenches)}"
        )
    acting = {
        frame: _wrench(f"{path}, wrenches.{frame}", value, path.parent) for frame, value in wrenches.items()
    }
    words = replace(words, wrenches=acting)
    if reference is None:
        return words
    return replace(words, references=table_file(path.parent / _text(f"{path}, reference", reference)))


def assignments(given: Iterable[str]) -> Words:
    """``q.NAME=VALUE``, ``v.NAME=VALUE`` and ``p.NAME=VALUE``.  Raises KanegenError."""
    values: dict[str, dict[str, Any]] = {"q": {}, "v": {}, "p": {}}
    for text in given:
        place, assigned, value = text.partition("=")
        group, dot, name = place.partition(".")
        if not (assigned and dot and name and group in values):
            raise KanegenError(f"--set {text}: expected q.NAME=VALUE, v.NAME=VALUE or p.NAME=VALUE")
        try:
            numbers = [_number(f"--set {text}", float(part)) for part in value.split(",")]
        except ValueError:
            raise KanegenError(f"--set {text}: expected a number, got {shown(value)}") from None
        if name in values[group]:
            raise KanegenError(f"--set {text}: {place} is given twice")
        values[group][name] = numbers if len(numbers) > 1 else numbers[0]
    return Words(q=values["q"], v=values["v"], p=values["p"])


def wrench_flags(given: Iterable[str]) -> dict[str, Any]:
    """``FRAME=FX,FY,FZ,MX,MY,MZ``, numbers or expressions, and ``FRAME=FILE`` by frame.  Raises KanegenError."""
    found = {}
    for text in given:
        frame, assigned, value = text.partition("=")
        if not (assigned and frame):
            raise KanegenError(f"--wrench {text}: expected FRAME=FX,FY,FZ,MX,MY,MZ or FRAME=FILE")
        if frame in found:
            raise KanegenError(f"--wrench {text}: {frame} is given twice")
        parts = value.split(",")
        listed: Any = [_number_or_text(part) for part in parts] if len(parts) > 1 else value
        found[frame] = _wrench(f"--wrench {text}", listed, Path())
    return found


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _wrench(where: str, value: Any, folder: Path) -> Any:
    """Six numbers or expressions, or the table of a file: columns t and some of the components; those left out are zero."""
    if isinstance(value, list) and len(value) == len(COMPONENTS):
        return [part if isinstance(part, str) else _number(where, part) for part in value]
    if not isinstance(value, str):
        raise KanegenError(
            f"{where}: expected six numbers or expressions [N, N m], or a file with columns t, {', '.join(COMPONENTS)}, "
            f"got {shown(value)}"
        )
    columns = table_file(folder / value)
    for name in columns:
        if name not in COMPONENTS:
            raise KanegenError(f"{folder / value}: a wrench has no {name!r}, but {', '.join(COMPONENTS)}")
    times = next(iter(columns.values()))[0]
    zero: Table = ([], [0.0] * len(times), "")
    return times, np.transpose([columns.get(name, zero)[1] for name in COMPONENTS])


def table_file(path: Path) -> dict[str, Table]:
    """Signals in comma-separated values: a column t [s], and one for each signal by name, one at least.

    Raises KanegenError.
    """
    try:
        text = contents(path).decode("utf-8-sig")
        lines = [(k, row) for k, row in enumerate(csv.reader(text.splitlines()), start=1) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise KanegenError(f"{path}: is no table of comma-separated values ({error})") from None
    names = [name.strip() for name in lines[0][1]] if lines else []
    if len(lines) < 3 or len(names) < 2 or names[0] != "t":
        raise KanegenError(
            f"{path}: expected a line of names, t and others, and two rows of numbers at least"
        )
    for name in names:
        if names.count(name) > 1:
            raise KanegenError(f"{path}: has two columns {name!r}; expected one of each name. Rename one")
    for k, row in lines[1:]:
        if len(row) != len(names):
            has = counted(len(row), "cell")
            raise KanegenError(f"{path}: has {has} in row {k}; expected {len(names)}, one for each name")
    try:
        columns = [
            [float(cell) for cell in column] for column in zip(*(row for _, row in lines[1:]), strict=True)
        ]
    except ValueError as error:
        raise KanegenError(f"{path}: expected numbers ({error})") from None
    return {name: (columns[0], values, "cubic") for name, values in zip(names[1:], columns[1:], strict=True)}
