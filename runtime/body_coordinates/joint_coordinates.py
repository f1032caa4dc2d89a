"""Coordinates of joints from those of bodies.

The drive of a turn is sin(theta - q) = sin(theta) cos(q) - cos(theta) sin(q), with theta the angle between directions on
the two bodies: at q = 0 it is the sine of theta, at q = pi / 2 minus its cosine, so both are known and the angle with
them.  The drive of a slide is its length less q.
"""

from __future__ import annotations

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.body_coordinates.kernels import BodyKernels


def joint_coordinates(kernels: BodyKernels, x: FloatArray, near: FloatArray | None = None) -> FloatArray:
    """q (nq,) of the bodies at x (7n,): angles next to those of ``near`` (nq,), by default within half a turn of zero."""
    turns = np.isfinite(kernels.turns)
    at_zero = kernels.drive(x, np.zeros(kernels.nq))
    at_quarter = kernels.drive(x, np.full(kernels.nq, np.pi / 2))
    q = np.where(turns, np.arctan2(at_zero, -at_quarter), at_zero)
    return q if near is None else near + shortest(kernels, q - near)


def shortest(kernels: BodyKernels, difference: FloatArray) -> FloatArray:
    """A difference of coordinates (nq,) without whole turns: angles from -pi to pi."""
    turns = np.isfinite(kernels.turns)
    whole = np.round(np.where(turns, difference, 0.0) / (2 * np.pi))
    result: FloatArray = difference - 2 * np.pi * whole
    return result
