"""What differs from run to run: values of a grid, a Latin hypercube or random numbers, those of any run found alone.

What a run is given depends on the study and on its number, not on which runs are computed with it, and has the same bits on
every processor: what is drawn is made by sums, products and quotients of doubles, not by functions of a library.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.arrays import FloatArray
from kanegen.errors import ModelError, did_you_mean, shown

KINDS = ("grid", "latin", "random")
SCALES = ("linear", "log")

_BLOCK = 256
"""Samples whose random numbers have one seed."""

_ROUNDS = 6
_LN2 = math.log(2.0)
_TERMS = 17
"""Of the power series of exp for arguments up to ln 2 / 2: the next one is below 1e-23."""


@dataclass(frozen=True)
class Draw:
    """A number that differs from run to run: its column, such as "p.mass", and what it is.

    kind "grid": each of ``values``.  "latin", "random": between ``low`` and ``high``, spread evenly, or where there are
    ``octaves``, log2 of high/low, by equal factors.
    """

    column: str
    kind: str
    values: tuple[float, ...] = ()
    low: float = 0.0
    high: float = 0.0
    octaves: float = 0.0

    def at(self, u: FloatArray) -> FloatArray:
        """Values at places u (n,) between 0 and 1."""
        equal = self.low + u * (self.high - self.low)
        found = self.low * _power_of_two(u * self.octaves) if self.octaves else equal
        return np.clip(found, self.low, self.high)


def draw(where: str, column: str, given: Mapping[str, Any]) -> Draw:
    """What is given as ``{"grid": [1, 2]}``, ``{"grid": [0, 1], "count": 5}``, ``{"latin": [1, 9], "scale": "log"}``, ….

    Raises ModelError, which names ``where``.
    """
    kinds = [kind for kind in KINDS if kind in given]
    if len(kinds) != 1:
        raise ModelError(
            where,
            f"is {shown(dict(given))}",
            f"one of {', '.join(KINDS)}",
            "Write {grid = [1, 2, 5]}, {grid = [0, 1], count = 5}, {latin = [0, 1]} or {random = [0, 1]}.",
        )
    kind = kinds[0]
    known = (kind, "scale", *(["count"] if kind == "grid" else []))
    for word in given:
        if word not in known:
            cure = did_you_mean(str(word), known, "Leave it out.")
            raise ModelError(where, f"has the word {word!r}", " and ".join(known), cure)
    scale = given.get("scale", SCALES[0])
    if scale not in SCALES:
        raise ModelError(f"{where}, scale", f"is {shown(scale)}", " or ".join(SCALES), "Write one of these.")
    if kind == "grid" and "count" not in given:
        if "scale" in given:
            raise ModelError(where, "has a scale", "values alone", "Give count as well, or leave scale out.")
        return Draw(column, kind, _grid(f"{where}, grid", given[kind]))
    low, high, octaves = _range(f"{where}, {kind}", given[kind], scale == "log")
    if kind != "grid":
        return Draw(column, kind, low=low, high=high, octaves=octaves)
    spaced = np.geomspace if octaves else np.linspace
    return Draw(column, kind, tuple(spaced(low, high, whole(f"{where}, count", given["count"], 2)).tolist()))


def whole(where: str, given: Any, least: int) -> int:
    """A whole number from ``least`` on.  Raises ModelError."""
    if isinstance(given, int | np.integer) and not isinstance(given, bool) and given >= least:
        return int(given)
    raise ModelError(where, f"is {shown(given)}", f"a whole number from {least} on", "Give one.")


def _numbers(where: str, given: Any) -> tuple[float, ...]:
    listed = given.tolist() if isinstance(given, np.ndarray) else given
    if isinstance(listed, list | tuple):
        right = [isinstance(x, int | float | np.number) and not isinstance(x, bool) for x in listed]
        if all(right) and all(map(math.isfinite, listed)):
            return tuple(map(float, listed))
    raise ModelError(where, f"is {shown(given)}", "a list of finite numbers", "Give one.")


def _grid(where: str, given: Any) -> tuple[float, ...]:
    values = _numbers(where, given)
    if not values:
        raise ModelError(where, "is empty", "a value at least", "Give values, or leave it out.")
    twice = [x for i, x in enumerate(values) if x in values[:i]]
    if twice:
        raise ModelError(where, f"has {twice[0]!r} twice", "each value once", "Leave one out.")
    return values


def _range(where: str, given: Any, log: bool) -> tuple[float, float, float]:
    bounds = _numbers(where, given)
    wide = len(bounds) == 2 and math.isfinite(bounds[1] - bounds[0]) and bounds[0] < bounds[1]
    if not wide:
        raise ModelError(
            where, f"is {shown(given)}", "[LOW, HIGH] with LOW < HIGH", "A value that is fixed is a number."
        )
    low, high = bounds
    if not log:
        return low, high, 0.0
    if low <= 0.0 or math.isinf(high / low):
        raise ModelError(
            where, f"begins at {low!r}", "a positive number for a scale by factors", "Use scale = 'linear'."
        )
    return low, high, math.log2(high / low)


def points(draws: Sequence[Draw]) -> int:
    """The number of points of the grid."""
    return math.prod(len(one.values) for one in draws if one.kind == "grid")


def drawn(draws: Sequence[Draw], samples: int, seed: int, first: int, last: int) -> dict[str, FloatArray]:
    """What the runs from ``first`` to before ``last`` are given, by column (n,).

    Every point of the grid has all ``samples``, the same ones; the last draw of a grid changes first.  Samples have random
    numbers by blocks, of the seed (``seed``, block); in a Latin hypercube they are where in its stratum each is.
    """
    point, sample = np.divmod(np.arange(first, last), samples)
    grid = [one for one in draws if one.kind == "grid"]
    places = np.unravel_index(point, [len(one.values) for one in grid]) if grid else ()
    found = {one.column: np.array(one.values)[place] for one, place in zip(grid, places, strict=True)}
    others = [one for one in draws if one.kind != "grid"]
    numbers = _random(seed, len(others), sample) if others else np.zeros((0, 0))
    for number, one in enumerate(others):
        u = numbers[:, number]
        if one.kind == "latin":
            u = (
                _permuted(sample, samples, np.random.SeedSequence(seed, spawn_key=(number, 1))) + u
            ) / samples
        found[one.column] = one.at(u)
    return {one.column: found[one.column] for one in draws}


def _random(seed: int, columns: int, samples: NDArray[np.int64]) -> FloatArray:
    """Random numbers (n, columns) of samples, from 0 to below 1."""
    blocks, of = np.unique(samples // _BLOCK, return_inverse=True)
    seeds = [np.random.SeedSequence(seed, spawn_key=(int(block),)) for block in blocks]
    rows = [np.random.Generator(np.random.PCG64(one)).random((_BLOCK, columns)) for one in seeds]
    return np.stack(rows)[of, samples % _BLOCK]


def _permuted(places: NDArray[np.int64], count: int, seed: np.random.SeedSequence) -> NDArray[np.uint64]:
    """Where places of 0, …, count - 1 go in a permutation that the seed chooses; each is found alone, whatever the count.

    A Feistel cipher permutes the numbers of an even number of bits; it is repeated until it leads below ``count``.  Black,
    Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002.
    """
    half = np.uint64(max(1, ((count - 1).bit_length() + 1) // 2))
    mask = (np.uint64(1) << half) - np.uint64(1)
    keys = seed.generate_state(_ROUNDS, np.uint64)
    found = places.astype(np.uint64)
    outside = np.ones(found.shape, dtype=bool)
    while outside.any():
        left, right = found[outside] >> half, found[outside] & mask
        for key in keys:
            left, right = right, left ^ (_mixed(right ^ key) & mask)
        found[outside] = left << half | right
        outside = found >= count
    return found


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014."""
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)


def _power_of_two(x: FloatArray) -> FloatArray:
    """2**x, to some units in the last place."""
    exponent = np.floor(x + 0.5)
    rest, found = (x - exponent) * _LN2, np.ones_like(x)
    for k in range(_TERMS, 0, -1):
        found = 1.0 + rest * found / k
    return np.ldexp(found, exponent.astype(np.intc))
