"""Unit quaternions (x, y, z, w), rotations and rigid motions, in arrays whose leading dimensions are a batch.

The exponential of a constant velocity along the moving axes, and its inverse: J. Stuelpnagel, "On the parametrization of
the three-dimensional rotation group", SIAM Review 6 (1964); R. M. Murray, Z. Li, S. S. Sastry, "A Mathematical
Introduction to Robotic Manipulation", CRC Press 1994, section 2.3 and appendix A.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanegen.arrays import FloatArray

IDENTITY = (0.0, 0.0, 0.0, 1.0)

_SMALL = 1e-4
"""Angles [rad] below which series of two or three terms are exact to rounding: the next term is below 1e-16."""


def normalised(q: FloatArray, starts: Sequence[int]) -> FloatArray:
    """The coordinates (..., nq), their quaternions scaled to length one; those of length zero become not a number."""
    found = q.copy()
    for start in starts:
        part = found[..., start : start + 4]
        # By the largest entry first: squares of the entries then neither overflow nor vanish.
        with np.errstate(invalid="ignore", divide="ignore"):
            part /= np.abs(part).max(axis=-1, keepdims=True)
            part /= np.linalg.norm(part, axis=-1, keepdims=True)
    return found


def product(a: FloatArray, b: FloatArray) -> FloatArray:
    """The rotation b, then a (..., 4)."""
    u, v = a[..., :3], b[..., :3]
    w, z = a[..., 3:], b[..., 3:]
    scalar = w * z - np.sum(u * v, axis=-1, keepdims=True)
    return np.concatenate([w * v + z * u + np.cross(u, v), scalar], axis=-1)


def inverse(a: FloatArray) -> FloatArray:
    """The rotation back (..., 4)."""
    found: FloatArray = a * np.array([-1.0, -1.0, -1.0, 1.0])
    return found


def rotated(a: FloatArray, x: FloatArray) -> FloatArray:
    """The vectors x (..., 3), turned."""
    u = a[..., :3]
    across: FloatArray = 2.0 * np.cross(u, x)
    turned: FloatArray = x + a[..., 3:] * across + np.cross(u, across)
    return turned


def exponential(turn: FloatArray) -> FloatArray:
    """The rotation (..., 4) by the vector ``turn`` (..., 3) [rad]: its direction is the axis, its length the angle."""
    angle = np.linalg.norm(turn, axis=-1, keepdims=True)
    half = 0.5 * angle
    ratio = 0.5 * np.sinc(half / np.pi)  # sin(angle/2) / angle, also at zero
    return np.concatenate([ratio * turn, np.cos(half)], axis=-1)


def logarithm(a: FloatArray) -> FloatArray:
    """The shortest rotation vector (..., 3) [rad], of length pi at most, that gives the rotation."""
    signed = np.where(a[..., 3:] < 0.0, -a, a)
    u, w = signed[..., :3], signed[..., 3:]
    sine = np.linalg.norm(u, axis=-1, keepdims=True)
    # 2 atan2(s, w) / s; for small s it is 2 / w to rounding
    safe = np.where(sine < _SMALL**2, 1.0, sine)
    ratio = np.where(sine < _SMALL**2, 2.0, 2.0 * np.arctan2(sine, w) / safe)
    found: FloatArray = ratio * u
    return found


def of_matrix(rotation: FloatArray) -> FloatArray:
    """The unit quaternion (4,) of the rotation nearest to a matrix (3, 3).

    It is an eigenvector of the largest eigenvalue: I. Y. Bar-Itzhack, "New method for extracting the quaternion from a
    rotation matrix", Journal of Guidance, Control and Dynamics 23 (2000).
    """
    trace = np.trace(rotation)
    turn = rotation - rotation.T
    matrix = np.empty((4, 4))
    matrix[:3, :3] = rotation + rotation.T - trace * np.eye(3)
    matrix[3, :3] = matrix[:3, 3] = turn[2, 1], turn[0, 2], turn[1, 0]
    matrix[3, 3] = trace
    found: FloatArray = np.linalg.eigh(matrix)[1][:, 3]
    return found


def travelled(turn: FloatArray, velocity: FloatArray) -> FloatArray:
    """The way (..., 3) in unit time, along the axes at its beginning, at constant velocity along axes that turn by ``turn``.

    V(turn) velocity, with V = 1 + (1 - cos x)/x^2 [turn] + (x - sin x)/x^3 [turn]^2, x the angle.
    """
    x = np.linalg.norm(turn, axis=-1, keepdims=True)
    small = x < _SMALL
    y = np.where(small, 1.0, x)
    first = np.where(small, 0.5 - x**2 / 24.0, 0.5 * np.sinc(y / (2.0 * np.pi)) ** 2)
    second = np.where(small, 1.0 / 6.0 - x**2 / 120.0, (y - np.sin(y)) / y**3)
    once = np.cross(turn, velocity)
    found: FloatArray = velocity + first * once + second * np.cross(turn, once)
    return found


def velocity_for(turn: FloatArray, way: FloatArray) -> FloatArray:
    """The constant velocity (..., 3) that leads along ``way`` while the axes turn by ``turn``: the inverse of ``travelled``.

    V^-1 = 1 - [turn]/2 + (1 - (x/2) cot(x/2))/x^2 [turn]^2, x the angle, which is below 2 pi.
    """
    x = np.linalg.norm(turn, axis=-1, keepdims=True)
    small = x < _SMALL
    y = np.where(small, 1.0, x)
    second = np.where(small, 1.0 / 12.0 + x**2 / 720.0, (1.0 - 0.5 * y / np.tan(0.5 * y)) / y**2)
    once = np.cross(turn, way)
    found: FloatArray = way - 0.5 * once + second * np.cross(turn, once)
    return found


def uniform(rng: np.random.Generator) -> FloatArray:
    """A rotation (4,), all equally likely: a direction in four dimensions."""
    found = rng.standard_normal(4)
    found /= np.linalg.norm(found)
    return found
