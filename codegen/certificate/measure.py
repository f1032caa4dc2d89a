"""How far two evaluations are apart, by what rounding errors are measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kanegen.codegen.certificate.arrays import Array


@dataclass(frozen=True)
class Measured:
    """A check: the sentence that it makes sure of, the kernels that it is about, and the largest residual found."""

    name: str
    kernels: tuple[str, ...]
    residual: float


Checks = Iterator[Measured]


def largest(x: Array) -> Array:
    """The largest magnitude (states,) of arrays (states, ...)."""
    return np.asarray(abs(x).max(axis=tuple(range(1, x.ndim)), initial=0.0))


def residual(found: Array, expected: Array, scale: Array | float) -> float:
    """The largest difference over states (states, ...), in ``scale`` (states,) and magnitudes of what is expected.

    States in which nothing finite is expected say nothing: a control law need not be defined everywhere.  NaN where no
    state is left or where ``found`` alone is not finite.
    """
    found, expected = np.broadcast_arrays(found, expected)
    magnitude = largest(expected) + scale
    defined = np.isfinite(magnitude)
    if not defined.any():
        return float("nan")
    error = largest((found - expected)[defined])
    return float(np.max(error / np.where(magnitude[defined] > 0, magnitude[defined], 1.0)))
