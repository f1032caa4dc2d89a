"""What another engine has to offer: dynamics of its own model in its own coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.peers.coordinates import CoordinateMap

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """One state in the engine's coordinates."""

    q: Array
    v: Array
    a: Array
    tau: Array


class Side(Enum):
    """How one side of a matrix is carried to kanegen's speeds, v' = B v."""

    FORCES = "forces"
    """Rows are forces on v': B^T from the left.  Columns belong to forces: B^-T from the right."""
    SPEEDS = "speeds"
    """Columns belong to v': B from the right.  Rows are accelerations: B^-1 from the left."""
    PLAIN = "plain"
    """Nothing to carry."""


@dataclass(frozen=True)
class Table:
    """A kernel that is a matrix of a motion, and perhaps of a frame.  Carried only where B is constant."""

    compute: Callable[[Motion, str], Array]
    rows: Side
    columns: Side
    of_frame: bool = False
    springs_matter: bool = False
    """Whether springs, which the engine's model lacks, would change it."""

    @property
    def needs_inverse(self) -> bool:
        """Whether B must have an inverse."""
        return self.rows is Side.SPEEDS or self.columns is Side.FORCES


class Engine(Protocol):
    """An engine with its model."""

    title: str
    """Name and version."""
    coordinates: CoordinateMap
    springs_included: bool
    """Whether its forces include those of the model's springs."""

    @property
    def frames(self) -> Mapping[str, int]:
        """The engine's number for each of the mechanism's frames that it has."""

    def forces(self, q: Array, v: Array, a: Array) -> Array:
        """Inverse dynamics."""

    def mass_matrix(self, q: Array) -> Array:
        """The full matrix."""

    def accelerations(self, q: Array, v: Array, tau: Array) -> Array:
        """Forward dynamics."""

    def kinetic_energy(self, q: Array, v: Array) -> float:
        """[J]."""

    def momentum(self, q: Array, v: Array) -> Array:
        """(6,): linear, then angular about the base origin, base axes."""

    def center_of_mass(self, q: Array) -> Array:
        """(3,), of what moves."""

    def frame_pose(self, q: Array, frame: str) -> Array:
        """(4, 4)."""

    def frame_jacobian(self, q: Array, frame: str) -> Array:
        """(6, nv): linear rows first, base axes, at the frame's origin."""

    def tables(self) -> Mapping[str, Table]:
        """Further kernels by name: ``kernel``, ``kernel.output`` where there are several, ``kernel_`` of each frame."""
