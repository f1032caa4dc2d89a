"""Small vectors and matrices in batches: leading dimensions broadcast, real or complex (for complex steps) alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""Doubles, or complex numbers whose imaginary parts are a step of a derivative."""


def cross(x: Array, y: Array) -> Array:
    """x × y of vectors (..., 3)."""
    return np.stack(
        [x[..., i - 2] * y[..., i - 1] - x[..., i - 1] * y[..., i - 2] for i in range(3)], axis=-1
    )


def dot(x: Array, y: Array) -> Array:
    """x . y of vectors (..., 3), without conjugation."""
    return np.asarray((x * y).sum(axis=-1))


def turned(rotation: Array, x: Array) -> Array:
    """R x of matrices (..., 3, 3) and vectors (..., 3)."""
    return np.asarray((rotation @ x[..., None])[..., 0])


def turned_back(rotation: Array, x: Array) -> Array:
    """R^T x of matrices (..., 3, 3) and vectors (..., 3)."""
    return turned(np.swapaxes(rotation, -1, -2), x)


def times(factor: Array, x: Array) -> Array:
    """Vectors (..., 3) times numbers (...)."""
    return factor[..., None] * x


def length(x: Array) -> Array:
    """Lengths of the real parts of vectors (..., 3)."""
    return np.asarray(np.sqrt((x.real**2).sum(axis=-1)))


def about_axis(axis: Array, angle: Array) -> Array:
    """Rotation matrices (..., 3, 3) by angles (...) about a unit vector (3,): Rodrigues' formula."""
    x, y, z = axis
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sine, versine = np.sin(angle)[..., None, None], (1 - np.cos(angle))[..., None, None]
    return np.asarray(np.eye(3) + sine * skew + versine * (skew @ skew))


def of_quaternion(quaternion: Array) -> Array:
    """Rotation matrices (..., 3, 3) of quaternions (x, y, z, w) (..., 4) of any length: r -> Q r Q^-1."""
    u, w = quaternion[..., :3], quaternion[..., 3]
    square = dot(u, u) + w * w
    columns = []
    for k in range(3):
        e = np.broadcast_to(np.eye(3)[k], u.shape)
        turn = times(w * w - dot(u, u), e) + 2 * times(u[..., k], u) + 2 * times(w, cross(u, e))
        columns.append(turn / square[..., None])
    return np.stack(columns, axis=-1)
