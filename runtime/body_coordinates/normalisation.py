"""Euler parameters of norm one, whatever was given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.body_coordinates.kernels import SIZE


def normalised(bodies: Sequence[str], x: FloatArray) -> FloatArray:
    """x (7n,) with the Euler parameters of each body scaled to norm one.

    Raises ValueError for parameters that are all zero, which say nothing about the rotation.
    """
    scaled = x.reshape(-1, SIZE).copy()
    largest = np.abs(scaled[:, 3:]).max(axis=1, keepdims=True)
    zero = np.flatnonzero(largest == 0.0)
    if zero.size:
        raise ValueError(
            f"the Euler parameters of {bodies[zero[0]]} are all zero, which is no rotation: give any others, such as "
            "1, 0, 0, 0"
        )
    scaled[:, 3:] /= largest  # their squares may be too large or too small for a double
    scaled[:, 3:] /= np.linalg.norm(scaled[:, 3:], axis=1, keepdims=True)
    return scaled.reshape(-1)
