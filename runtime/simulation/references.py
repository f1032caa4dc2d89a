"""Signals over time that a law follows: tables as pieces of cubic polynomials, which C and NumPy evaluate alike."""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.errors import nearest, shown
from kanegen.quaternions import normalised
from kanegen.simulation.request import real_numbers
from kanegen.splines import cubic_pieces

CUBIC, LINEAR = "cubic", "linear"

EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Signal:
    """A signal in pieces: knots (n + 1,) in s, and coefficients (n, 4) of 1, s, s^2, s^3 with s = t - knots[i].

    Before the first knot and after the last it keeps its value there.  ``kinks`` are the times at which its value, or its
    first or second derivative as far as these are continuous elsewhere, turns abruptly.
    """

    name: str
    knots: FloatArray
    coefficients: FloatArray
    kinks: FloatArray

    def at(self, t: float) -> tuple[float, float, float]:
        """Value, first and second derivative at a time."""
        knots = self.knots
        first = min(max(bisect.bisect_right(knots, t) - 1, 0), len(knots) - 2)
        moves = knots[first] <= t <= knots[first + 1]
        s = min(max(t, knots[first]), knots[first + 1]) - knots[first]
        c = self.coefficients[first]
        value = c[0] + s * (c[1] + s * (c[2] + s * c[3]))
        if not moves:
            return value, 0.0, 0.0
        return value, c[1] + s * (2.0 * c[2] + s * (3.0 * c[3])), 2.0 * c[2] + s * (6.0 * c[3])

    def until(self, end: float) -> Signal:
        """The same signal with a piece for what comes after its last knot, where that is before the end of a motion.

        What begins at the last knot then finds it at rest there; a motion that ends there finds it as it comes.
        """
        last = float(self.knots[-1])
        if end - last <= 4.0 * EPSILON * max(abs(last), abs(end)):  # the end itself, or after it
            return self
        stays = [self.at(last)[0], 0.0, 0.0, 0.0]
        return dataclasses.replace(
            self, knots=np.append(self.knots, end), coefficients=np.vstack([self.coefficients, stays])
        )


@dataclass(frozen=True, eq=False)
class LawInputs:
    """What a law has beside time and the state of the mechanism: ``x0`` (nx,) its states at the beginning, and signals."""

    x0: FloatArray
    signals: tuple[Signal, ...]

    def of(self, t: float, x: FloatArray) -> list[FloatArray]:
        """What a law is given after t, q and v: x where it has states, then r (signals, 3) where it follows signals."""
        return [x] * bool(self.x0.size) + [values_at(self.signals, t)] * bool(self.signals)

    @property
    def kinks(self) -> FloatArray:
        """The times at which signals turn abruptly."""
        return np.concatenate([np.zeros(0), *(signal.kinks for signal in self.signals)])


def constant_signal(name: str, value: float) -> Signal:
    """A signal that never changes."""
    return Signal(name, np.array([0.0, 1.0]), np.array([[value, 0.0, 0.0, 0.0]]), np.zeros(0))


NO_INPUTS = LawInputs(np.zeros(0), ())


def values_at(signals: Sequence[Signal], t: float) -> FloatArray:
    """r (signals, 3): value, first and second derivative of each."""
    return np.array([signal.at(t) for signal in signals], dtype=np.float64).reshape(len(signals), 3)


def checked_signals(
    names: Sequence[str] | None, given: Mapping[str, Any], argument: str = "references"
) -> tuple[Signal, ...]:
    """The signals that a law follows, in its order; all that are given, in theirs, where ``names`` is None.

    Each is (times, values), or (times, values, "linear").  Four called NAME_qx, NAME_qy, NAME_qz and NAME_qw are a
    quaternion, which may be given as NAME with rows of four: see ``continuous``.  ``argument`` is what errors call them.
    Raises ValueError.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"{argument}: expected names with (times, values), got {given!r}")
    for name in given:
        if not isinstance(name, str):
            raise ValueError(f"{argument}: expected names with (times, values), got the name {shown(name)}")
    wanted = tuple(given) if names is None else tuple(names)
    rotations = quaternions_among(wanted)
    given = continuous(spread(given, rotations, argument), rotations.values(), argument)
    for name in given:
        if name not in wanted:
            near = nearest(str(name), wanted)
            meant = f"; did you mean {near!r}?" if near else ""
            raise ValueError(
                f"references: the law follows no {name!r}, but {', '.join(wanted) or 'nothing'}{meant}"
            )
    missing = [name for name in wanted if name not in given]
    if missing:
        turned = next((name for name, parts in rotations.items() if missing[0] in parts), None)
        asked = (
            f"{missing[0]!r}: (times, values)"
            if turned is None
            else f"{turned!r}: (times, rows of x, y, z, w)"
        )
        raise ValueError(
            f"references: the law follows {missing[0]!r}; give references={{{asked}}} (--reference FILE on the command line)"
        )
    return tuple(_signal(f"{argument}, {name!r}", str(name), given[name]) for name in wanted)


def quaternions_among(names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The quaternions among signals: by NAME the names of their entries, NAME_qx to NAME_qw."""
    stems = [name.removesuffix("_qx") for name in names if name.endswith("_qx")]
    parts = {stem: tuple(f"{stem}_q{axis}" for axis in "xyzw") for stem in stems}
    return {stem: entries for stem, entries in parts.items() if set(entries) <= set(names)}


def spread(given: Mapping[str, Any], groups: Mapping[str, Sequence[str]], argument: str) -> dict[str, Any]:
    """Tables by name; one whose name is that of a group as a table for each member.  Raises ValueError."""
    found: dict[str, Any] = {}
    for name, table in given.items():
        members = groups.get(name, (name,))
        if len(members) == 1:
            found[members[0]] = table
            continue
        rows = real_numbers(table[1]) if isinstance(table, tuple | list) and len(table) > 1 else np.zeros(0)
        if rows.ndim != 2 or rows.shape[1] != len(members):
            raise ValueError(f"{argument}, {name!r}: expected (times, rows of {', '.join(members)})")
        found |= {
            member: (table[0], column, *table[2:]) for member, column in zip(members, rows.T, strict=True)
        }
    return found


def continuous(
    given: Mapping[str, Any], quaternions: Iterable[Sequence[str]], argument: str
) -> dict[str, Any]:
    """The tables, with quaternions of length one that go the short way from row to row; one that is not whole is left.

    Splines through the rows, scaled to length one where they are used, turn with continuous rates and accelerations, and
    are the same in whatever frames rotations are measured, as products with unit quaternions are isometries: interpolation
    in the space around the rotations, then projection onto them.  C. Belta, V. Kumar, "An SVD-based projection method for
    interpolation on SE(3)", IEEE Trans. Robotics and Automation 18 (2002).  Straight pieces turn about one axis each.

    Raises ValueError for entries at different times, and for a quaternion of length zero.
    """
    found = dict(given)
    for names in quaternions:
        tables = [given.get(name) for name in names]
        if not all(isinstance(table, tuple | list) and len(table) > 1 for table in tables):
            continue
        times = [real_numbers(table[0]) for table in tables if table]
        columns = [real_numbers(table[1]) for table in tables if table]
        where = f"{argument}: expected {', '.join(names)}"
        if any(not np.array_equal(times[0], x) for x in times) or any(
            x.shape != times[0].shape for x in columns
        ):
            raise ValueError(f"{where} at the same times")
        rows = np.stack(columns, axis=-1)
        if rows.ndim != 2 or not rows.any(axis=1).all():
            raise ValueError(f"{where} of a length that is not zero")
        rows = normalised(rows, (0,))
        back = np.sum(rows[1:] * rows[:-1], axis=1) < 0.0
        rows[1:] *= np.where(np.cumsum(back) % 2, -1.0, 1.0)[:, None]
        found |= {
            name: (times[0], x, *table[2:])
            for name, x, table in zip(names, rows.T, tables, strict=True)
            if table
        }
    return found


def _signal(where: str, name: str, table: Any) -> Signal:
    kind = CUBIC
    if isinstance(table, tuple | list) and len(table) == 3:
        *table, kind = table
    if not isinstance(table, tuple | list) or len(table) != 2 or kind not in (CUBIC, LINEAR):
        raise ValueError(f"{where}: expected (times, values) or (times, values, {LINEAR!r}), got {table!r}")
    try:
        times, values = (real_numbers(column) for column in table)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    if times.ndim != 1 or times.shape != values.shape or times.size < 2:
        raise ValueError(
            f"{where}: expected as many values as times, two at least, got {times.shape}, {values.shape}"
        )
    if not (np.isfinite(times).all() and np.isfinite(values).all() and (np.diff(times) > 0).all()):
        raise ValueError(f"{where}: expected finite values at finite, ascending times")
    slopes = np.diff(values) / np.diff(times)
    if kind == LINEAR:
        zero = np.zeros_like(slopes)
        return Signal(name, times, np.stack([values[:-1], slopes, zero, zero], axis=1), times)
    return Signal(name, times, cubic_pieces(times, values), times[[0, -1]])
