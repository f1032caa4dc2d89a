"""Signals over time that a law follows: tables as pieces of cubic polynomials, which C and NumPy evaluate alike."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.errors import nearest
from kanegen.simulation.request import real_numbers

CUBIC, LINEAR = "cubic", "linear"


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


@dataclass(frozen=True, eq=False)
class LawInputs:
    """What a law has beside time and the state of the mechanism: ``x0`` (nx,) its states at the beginning, and signals."""

    x0: FloatArray
    signals: tuple[Signal, ...]

    def of(self, t: float, x: FloatArray) -> list[FloatArray]:
        """What a law is given after t, q and v: x where it has states, then r (signals, 3) where it follows signals."""
        return [x] * bool(self.x0.size) + [values_at(self.signals, t)] * bool(self.signals)

    def kinks_between(self, t0: float, t_end: float) -> FloatArray:
        """The times inside a simulation at which signals turn abruptly."""
        found = np.concatenate([np.zeros(0), *(signal.kinks for signal in self.signals)])
        return found[(found > t0) & (found < t_end)]


NO_INPUTS = LawInputs(np.zeros(0), ())


def values_at(signals: Sequence[Signal], t: float) -> FloatArray:
    """r (signals, 3): value, first and second derivative of each."""
    return np.array([signal.at(t) for signal in signals], dtype=np.float64).reshape(len(signals), 3)


def checked_signals(
    names: Sequence[str] | None, given: Mapping[str, Any], argument: str = "references"
) -> tuple[Signal, ...]:
    """The signals that a law follows, in its order; all that are given, in theirs, where ``names`` is None.

    Each is (times, values), or (times, values, "linear").  ``argument`` is what errors call them.  Raises ValueError.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"{argument}: expected names with (times, values), got {given!r}")
    wanted = tuple(given) if names is None else tuple(names)
    for name in given:
        if name not in wanted:
            near = nearest(str(name), wanted)
            meant = f"; did you mean {near!r}?" if near else ""
            raise ValueError(
                f"references: the law follows no {name!r}, but {', '.join(wanted) or 'nothing'}{meant}"
            )
    missing = [name for name in wanted if name not in given]
    if missing:
        raise ValueError(
            f"references: the law follows {missing[0]!r}; give references={{{missing[0]!r}: (times, values)}}"
        )
    return tuple(_signal(f"{argument}, {name!r}", str(name), given[name]) for name in wanted)


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
    return Signal(name, times, _cubic(times, values, slopes), times[[0, -1]])


def _cubic(x: FloatArray, y: FloatArray, m: FloatArray) -> FloatArray:
    """Coefficients of the cubic spline with two continuous derivatives; its ends are not-a-knot.

    That is, its third derivative does not jump at the second and the last but one time.  C. de Boor, "A Practical Guide to
    Splines", Springer 1978, chapter IV: a tridiagonal system of the slopes s at the times, m being those of chords.
    """
    h = np.diff(x)
    n = len(x)
    if n == 2:
        s = np.full(2, m[0])
    elif n == 3:  # the parabola
        bend = (m[1] - m[0]) / (x[2] - x[0])
        s = np.array([m[0] - bend * h[0], m[0] + bend * h[0], m[1] + bend * h[1]])
    else:
        first, last = x[2] - x[0], x[-1] - x[-3]
        lower = np.concatenate([h[1:], [last]])
        upper = np.concatenate([[first], h[:-1]])
        diagonal = np.concatenate([[h[1]], 2 * (h[1:] + h[:-1]), [h[-2]]])
        right = np.concatenate(
            [
                [((h[0] + 2 * first) * h[1] * m[0] + h[0] ** 2 * m[1]) / first],
                3 * (h[1:] * m[:-1] + h[:-1] * m[1:]),
                [(h[-1] ** 2 * m[-2] + (2 * last + h[-1]) * h[-2] * m[-1]) / last],
            ]
        )
        s = _tridiagonal(lower, diagonal, upper, right)
    return np.stack(
        [y[:-1], s[:-1], (3 * m - 2 * s[:-1] - s[1:]) / h, (s[:-1] + s[1:] - 2 * m) / h**2], axis=1
    )


def _tridiagonal(lower: FloatArray, diagonal: FloatArray, upper: FloatArray, right: FloatArray) -> FloatArray:
    """Solve without pivoting: rows below the first dominate, and the first reduces to one that does."""
    d, b = diagonal.copy(), right.copy()
    for i in range(1, len(d)):
        factor = lower[i - 1] / d[i - 1]
        d[i] -= factor * upper[i - 1]
        b[i] -= factor * b[i - 1]
    b[-1] /= d[-1]
    for i in range(len(d) - 2, -1, -1):
        b[i] = (b[i] - upper[i] * b[i + 1]) / d[i]
    return b
