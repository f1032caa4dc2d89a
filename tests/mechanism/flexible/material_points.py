"""A beam as many small particles, and its modal integrals as sums over them: nothing but where particles are.

A section of mass mu ds is four particles of mu ds / 4, on the y axis at +-sqrt(2 j_y / mu) and on the z axis at
+-sqrt(2 j_z / mu): its mass, its centre and the integrals of y^2 and z^2 are those of the beam.  Sections stand at the
points of Gauss and Legendre's rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.flexible_records import ModalIntegrals, Station

Array = NDArray[np.float64]
Curve = Callable[[float], float]


def nothing(s: float) -> float:
    """A curve that is zero."""
    return 0.0 * s


@dataclass(frozen=True)
class Bent:
    """A mode: deflections y, z [m] and their slopes by x, and the twist, over s = x / length."""

    y: Curve = nothing
    dy: Curve = nothing
    z: Curve = nothing
    dz: Curve = nothing
    twist: Curve = nothing

    def displacement(self, s: float) -> Array:
        """Of the neutral axis."""
        return np.array([0.0, self.y(s), self.z(s)])

    def rotation(self, s: float) -> Array:
        """Of the section."""
        return np.array([self.twist(s), -self.dz(s), self.dy(s)])


@dataclass(frozen=True)
class Carried:
    """A rigid body at a station: central tensor and mass centre along the link's axes."""

    s: float
    mass: float
    center: Sequence[float] = (0.0, 0.0, 0.0)
    tensor: Sequence[Sequence[float]] = ((0.0,) * 3,) * 3


@dataclass(frozen=True)
class Particles:
    """Masses (p,), places (p, 3) and shapes (modes, p, 3)."""

    masses: Array
    places: Array
    shapes: Array


@dataclass(frozen=True)
class Described:
    """A beam in Python's own numbers."""

    length: float
    mass_per_length: Curve
    modes: Sequence[Bent]
    section_y: Curve = nothing
    section_z: Curve = nothing
    carried: Sequence[Carried] = field(default_factory=tuple)

    def particles(self, breaks: Sequence[float] = (0.0, 1.0), count: int = 40) -> Particles:
        """``count`` sections on each piece between ``breaks``."""
        masses: list[float] = []
        stations: list[float] = []
        offsets: list[Array] = []
        nodes, weights = np.polynomial.legendre.leggauss(count)
        for a, b in pairwise(breaks):
            for x, w in zip(nodes, weights, strict=True):
                s = float(a + (b - a) * (x + 1) / 2)
                mu = self.mass_per_length(s)
                ry, rz = np.sqrt(2 * self.section_y(s) / mu), np.sqrt(2 * self.section_z(s) / mu)
                for offset in ((0, ry, 0), (0, -ry, 0), (0, 0, rz), (0, 0, -rz)):
                    masses.append(float(mu * self.length * w * (b - a) / 8))
                    stations.append(s)
                    offsets.append(np.array(offset, dtype=float))
        for body in self.carried:
            tensor = np.array(body.tensor, dtype=float)
            spreads, axes = np.linalg.eigh(np.trace(tensor) / 2 * np.eye(3) - tensor)
            for spread, axis in zip(spreads, axes.T, strict=True):
                for sign in (1, -1):
                    masses.append(body.mass / 6)
                    stations.append(body.s)
                    offsets.append(
                        np.array(body.center) + sign * np.sqrt(3 * max(spread, 0) / body.mass) * axis
                    )
        places = [
            np.array([s * self.length, 0, 0]) + offset for s, offset in zip(stations, offsets, strict=True)
        ]
        shapes = [
            [
                mode.displacement(s) + np.cross(mode.rotation(s), offset)
                for s, offset in zip(stations, offsets, strict=True)
            ]
            for mode in self.modes
        ]
        return Particles(np.array(masses), np.array(places), np.array(shapes))


def sums(particles: Particles) -> dict[str, Array]:
    """The integrals of ``ModalIntegrals`` by name."""
    m, x, phi = particles.masses, particles.places, particles.shapes
    return {
        "mass": np.array(m.sum()),
        "first": m @ x,
        "second": np.einsum("p,pi,pj->ij", m, x, x),
        "mode_first": np.einsum("p,kpi->ki", m, phi),
        "mode_mixed": np.einsum("p,pi,kpj->kij", m, x, phi),
        "mode_products": np.einsum("p,kpi,npj->knij", m, phi, phi),
    }


def recorded(integrals: ModalIntegrals) -> dict[str, Array]:
    """The same of records."""
    return {name: doubles(getattr(integrals, name)) for name in ModalIntegrals.__dataclass_fields__}


def placed(station: Station) -> tuple[Array, Array, Array]:
    """Position, displacements and rotations of a station."""
    return doubles(station.position), doubles(station.displacements), doubles(station.rotations)


def doubles(values: Any) -> Array:
    """Nested tuples of exact numbers."""
    if isinstance(values, tuple):
        return np.array([doubles(x) for x in values])
    return np.array(float(values))


def apart(found: dict[str, Array], expected: dict[str, Array]) -> float:
    """The largest difference of a group of integrals, relative to the largest of the group.

    First moments are compared with the mass, which they may be nothing beside.
    """
    worst = 0.0
    for name, values in expected.items():
        size = max(float(np.abs(values).max()), 1e-3 * float(expected["mass"]))
        worst = max(worst, float(np.abs(found[name] - values).max()) / size)
    return worst


def ratios(values: Any) -> Any:
    """Values of records that have no parameters, to be compared with integers and fractions."""
    return values
