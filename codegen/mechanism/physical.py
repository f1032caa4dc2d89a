"""Whether an inertia can belong to a real body."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from kanegen.codegen.mechanism.errors import ModelError

NumericTensor = tuple[tuple[Fraction, ...], ...]

TOLERANCE = 1e-9
"""Relative to the largest moment.  Doubles and files of ten digits stay within it; rods (0, I, I) and plates
(I1 + I2 = I3) lie exactly on the boundary and must pass."""

_CURE = (
    "Check units, signs and the order of the six entries; if it is meant, allow unphysical models explicitly."
)


def principal_moments(tensor: NumericTensor) -> tuple[float, float, float]:
    """Eigenvalues of a symmetric tensor [kg m^2], ascending."""
    low, middle, high = np.linalg.eigvalsh(np.array([[float(entry) for entry in row] for row in tensor]))
    return float(low), float(middle), float(high)


def check_physical(body: str, mass: Fraction, tensor: NumericTensor) -> None:
    """Raise ModelError for a negative mass, a negative principal moment, or one larger than the sum of the
    others.

    ``tensor`` is the central inertia tensor.
    """
    if mass < 0:
        raise ModelError(
            f"body {body!r}, mass", f"is negative, {float(mass)!r} kg", "a mass of at least 0", _CURE
        )
    low, middle, high = principal_moments(tensor)
    where = f"body {body!r}, inertia"
    listed = f"principal moments {low:.9g}, {middle:.9g}, {high:.9g} kg m^2"
    slack = TOLERANCE * max(abs(low), abs(high))
    if low < -slack:
        raise ModelError(where, f"{listed}: one is negative", "principal moments of at least 0", _CURE)
    if low + middle < high - slack:
        raise ModelError(
            where,
            f"{listed}: the largest exceeds the sum of the others",
            "a tensor that keeps the triangle inequality, as that of every real body",
            _CURE,
        )
