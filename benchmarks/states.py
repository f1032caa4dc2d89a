"""The random states that every contestant works on, and the file that native programs read them from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SEED = 1983


@dataclass(frozen=True)
class States:
    """States of a mechanism with n coordinates; every array is (count, n) and contiguous, SI units.

    ``tau`` are generalized forces that have nothing to do with ``a``: they are the input of forward dynamics.
    """

    q: Array
    v: Array
    a: Array
    tau: Array

    @property
    def count(self) -> int:
        """How many states there are."""
        return int(self.q.shape[0])

    def write(self, path: Path) -> None:
        """Write the blocks q, v, a, tau one after another as native doubles, row after row."""
        np.concatenate([self.q, self.v, self.a, self.tau]).tofile(path)


def stanford_arm_states(count: int) -> States:
    """Random states of the Stanford Arm, the same in every run.

    Angles over the full turn, the translation q6 in 0...0.5 m, speeds and accelerations to 3 rad/s or m/s (and per
    second), forces to 20 N m or N.
    """
    random = np.random.default_rng(SEED)
    q = random.uniform(-np.pi, np.pi, (count, 6))
    q[:, 5] = random.uniform(0.0, 0.5, count)
    v, a = random.uniform(-3.0, 3.0, (2, count, 6))
    tau = random.uniform(-20.0, 20.0, (count, 6))
    return States(q=q, v=v.copy(), a=a.copy(), tau=tau)


def read_rows(path: Path, columns: int) -> Array:
    """Rows of ``columns`` doubles that a native program wrote, as (count, columns)."""
    return np.fromfile(path, dtype=np.float64).reshape(-1, columns)


def largest_difference(results: Array, expected: Array, parts: int) -> float:
    """Over rows of ``parts`` vectors or matrices each: the largest error of one over its own largest component."""
    shape = (len(expected), parts, -1)
    errors = np.abs(results - expected).reshape(shape).max(axis=2)
    return float((errors / np.abs(expected).reshape(shape).max(axis=2)).max())
