"""Whether a vector has unit length, and an inertia can belong to a real body."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from kanegen.codegen.mechanism.records import Mechanism, Vector3
from kanegen.codegen.mechanism.values import numeric
from kanegen.errors import ModelError

NumericTensor = tuple[tuple[Fraction, ...], ...]

ROUNDED = Fraction(1, 10**12)
"""Unit vectors and rotations may depart this much: doubles do, and derivations treat them as exact."""

TOLERANCE = 1e-9
"""Relative to the largest moment.  Doubles and files of ten digits stay within it; rods (0, I, I) and plates
(I1 + I2 = I3) lie exactly on the boundary and must pass."""

POINT = 1e-8
"""A length [m]: moments below the mass times its square are rounding noise, those of a point mass from a CAD program."""

_CURE = (
    "Check units, signs and the order of the six entries; if it is meant, allow unphysical models explicitly."
)


def check_unit(where: str, vector: Vector3, mechanism: Mechanism) -> None:
    """Raise ModelError for a direction that is no unit vector."""
    entries = [numeric(entry, mechanism) for entry in vector]
    if abs(sum((entry * entry for entry in entries), Fraction(-1))) > 2 * ROUNDED:
        listed = " ".join(f"{float(entry):.9g}" for entry in entries)
        raise ModelError(where, f"({listed}) is not a unit vector", "length 1", "Normalise it.")


def principal_moments(tensor: NumericTensor) -> tuple[float, float, float]:
    """Eigenvalues of a symmetric tensor [kg m^2], ascending.  Raises ModelError for what no double can hold."""
    try:
        entries = np.array([[float(entry) for entry in row] for row in tensor])
    except OverflowError:
        raise ModelError("inertia", "is beyond 1e308 kg m^2", "SI units", "Check the units.") from None
    low, middle, high = np.linalg.eigvalsh(entries)
    return float(low), float(middle), float(high)


def check_physical(where: str, mass: Fraction, tensor: NumericTensor, cure: str = _CURE) -> None:
    """Raise ModelError for a negative mass, a negative principal moment, or one larger than the sum of the
    others.

    ``where`` names the body in errors; ``tensor`` is its central inertia tensor.
    """
    if mass < 0:
        raise ModelError(f"{where}, mass", f"is negative, {float(mass)!r} kg", "a mass of at least 0", cure)
    low, middle, high = principal_moments(tensor)
    impossible = impossibility(float(mass), (low, middle, high))
    if impossible is not None:
        what, expected = impossible
        listed = f"principal moments {low:.9g}, {middle:.9g}, {high:.9g} kg m^2"
        raise ModelError(f"{where}, inertia", f"{listed}: {what}", expected, cure)


def impossibility(mass: float, moments: tuple[float, float, float]) -> tuple[str, str] | None:
    """What no real body of this mass has about these principal moments (ascending), and what it would have; or None."""
    low, middle, high = moments
    slack = max(TOLERANCE * max(abs(low), abs(high)), mass * POINT**2)
    if low < -slack:
        return "one is negative", "principal moments of at least 0"
    if low + middle < high - slack:
        return (
            "the largest exceeds the sum of the others",
            "a tensor that keeps the triangle inequality, as that of every real body",
        )
    return None
