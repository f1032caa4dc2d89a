"""Cubic splines through points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def cubic_pieces(x: FloatArray, y: FloatArray) -> FloatArray:
    """Coefficients (n - 1, 4) of 1, s, s^2, s^3, s = t - x[i], of the cubic spline with two continuous derivatives.

    ``x`` (n,) increases, ``y`` (n,) are values.  The ends are not-a-knot.

    That is, its third derivative does not jump at the second and the last but one time.  C. de Boor, "A Practical Guide to
    Splines", Springer 1978, chapter IV: a tridiagonal system of the slopes s at the times, m being those of chords.
    """
    h = np.diff(x)
    m = np.diff(y) / h
    n = len(x)
    if n == 2:
        s = np.full(2, m[0])
    elif n == 3:  # the parabola
        bend = (m[1] - m[0]) / (x[2] - x[0])
        s = np.array([m[0] - bend * h[0], m[0] + bend * h[0], m[1] + bend * h[1]])
    else:
        first, last = x[2] - x[0], x[-1] - x[-3]
        lower = np.concatenate([h[1:], [last]])
        upper = np.concatenate([[first], h[:-1]])
        diagonal = np.concatenate([[h[1]], 2 * (h[1:] + h[:-1]), [h[-2]]])
        right = np.concatenate(
            [
                [((h[0] + 2 * first) * h[1] * m[0] + h[0] ** 2 * m[1]) / first],
                3 * (h[1:] * m[:-1] + h[:-1] * m[1:]),
                [(h[-1] ** 2 * m[-2] + (2 * last + h[-1]) * h[-2] * m[-1]) / last],
            ]
        )
        s = _tridiagonal(lower, diagonal, upper, right)
    return np.stack(
        [y[:-1], s[:-1], (3 * m - 2 * s[:-1] - s[1:]) / h, (s[:-1] + s[1:] - 2 * m) / h**2], axis=1
    )


def _tridiagonal(lower: FloatArray, diagonal: FloatArray, upper: FloatArray, right: FloatArray) -> FloatArray:
    """Solve without pivoting: rows below the first dominate, and the first reduces to one that does."""
    d, b = diagonal.copy(), right.copy()
    for i in range(1, len(d)):
        factor = lower[i - 1] / d[i - 1]
        d[i] -= factor * upper[i - 1]
        b[i] -= factor * b[i - 1]
    b[-1] /= d[-1]
    for i in range(len(d) - 2, -1, -1):
        b[i] = (b[i] - upper[i] * b[i + 1]) / d[i]
    return b
