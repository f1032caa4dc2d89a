"""Cubic splines through equally spaced points, with the not-a-knot condition at both ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spline:
    """A spline through ``values`` (n + 1, m) at ``begin``, begin + ``step``, ...; ``curvature`` is its second derivative."""

    begin: float
    step: float
    values: Array
    curvature: Array

    def __call__(self, t: float) -> Array:
        """The values (m,) at t; outside the points the cubics at the ends go on."""
        i = min(max(int((t - self.begin) / self.step), 0), len(self.values) - 2)
        s = (t - self.begin) / self.step - i
        r = 1.0 - s
        bend = (r**3 - r) * self.curvature[i] + (s**3 - s) * self.curvature[i + 1]
        value: Array = r * self.values[i] + s * self.values[i + 1] + self.step**2 / 6.0 * bend
        return value


def spline(begin: float, end: float, values: Array) -> Spline:
    """The spline through ``values`` (n + 1, m), n > 2, at n + 1 equally spaced points from begin to end.

    Second derivatives K satisfy K[i-1] + 4 K[i] + K[i+1] = 6 / h^2 times the second difference; that the third
    derivative does not jump at the second and the last but one point means K[0] - 2 K[1] + K[2] = 0, and likewise there.
    """
    count = len(values) - 1
    step = (end - begin) / count
    matrix = np.zeros((count + 1, count + 1))
    right = np.zeros_like(values)
    for i in range(1, count):
        matrix[i, i - 1 : i + 2] = 1.0, 4.0, 1.0
        right[i] = 6.0 / step**2 * (values[i - 1] - 2.0 * values[i] + values[i + 1])
    matrix[0, :3] = matrix[count, -3:] = 1.0, -2.0, 1.0
    curvature = np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    return Spline(begin, step, values, curvature)
