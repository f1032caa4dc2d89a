"""Placements of MuJoCo's frames in exact numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.readers import read_number, read_rotation, read_vector
from kanegen.codegen.mechanism.records import IDENTITY3, ZERO3, Matrix3, Vector3
from kanegen.codegen.mechanism.vectors import add, cross, matrix_multiply, matrix_vector

Numbers = Sequence[float] | NDArray[np.float64]

_ROUNDING = 2.0**-50
"""Entries of an inertia tensor below this share of its largest moment are what MuJoCo's diagonalisation left of a zero."""


@dataclass(frozen=True)
class Placement:
    """A frame in another one: r_outer = rotation @ r + position."""

    rotation: Matrix3 = field(default=IDENTITY3)
    position: Vector3 = field(default=ZERO3)

    def then(self, rotation: Matrix3, position: Vector3) -> Placement:
        """The placement of a frame that is placed in this one."""
        if self == Placement():
            return Placement(rotation, position)
        at = add(self.position, matrix_vector(self.rotation, position))
        return Placement(matrix_multiply(self.rotation, rotation), at)


def placement(where: str, position: Numbers, quaternion: Numbers) -> Placement:
    """The placement that MuJoCo writes as a position [m] and a quaternion (w, x, y, z)."""
    return Placement(rotation_of(where, quaternion), exact(where, position))


def exact(where: str, vector: Numbers) -> Vector3:
    """Three doubles by their shortest decimals."""
    return read_vector(where, [float(x) for x in vector])


def to_fraction(number: Any) -> Fraction:
    """A double by its shortest decimal."""
    return read_number("a number of the model", float(number))


def rotation_of(where: str, quaternion: Numbers) -> Matrix3:
    """The rotation matrix of a quaternion (w, x, y, z), orthonormal to 50 digits."""
    return read_rotation(where, rotation_rows(quaternion))


def rotation_rows(quaternion: Numbers) -> list[list[float]]:
    """The rotation matrix of a quaternion (w, x, y, z) in doubles."""
    w, x, y, z = (float(entry) for entry in quaternion)
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]


def parallel(a: Vector3, b: Vector3) -> bool:
    """Whether two vectors have the same line, or one of them is zero, to the rounding of doubles."""
    across, one, other = (np.abs(np.array(v, dtype=np.float64)).max() for v in (cross(a, b), a, b))
    return bool(across <= _ROUNDING * one * other)


def central_tensor(moments: Numbers, quaternion: Numbers) -> list[list[float]]:
    """The inertia tensor [kg m^2] along a body's axes; the principal ones are turned by a quaternion (w, x, y, z)."""
    turned_by = np.array(rotation_rows(quaternion))
    tensor = turned_by @ np.diag([float(x) for x in moments]) @ turned_by.T
    tensor = (tensor + tensor.T) / 2
    tensor[np.abs(tensor) < _ROUNDING * np.abs(tensor).max()] = 0.0
    rows: list[list[float]] = tensor.tolist()
    return rows
