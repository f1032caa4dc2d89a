"""Newton's method for equations that may depend on each other, damped far from a solution.

Steps are those of Levenberg and Marquardt, -J^T (J J^T + mu)^-1 phi by singular values, with mu = |phi|^2: this converges
quadratically also where rows of J depend on each other at the solution but not beside it, as those of a closed loop do
(N. Yamashita & M. Fukushima, "On the rate of convergence of the Levenberg-Marquardt method", 2001).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.body_coordinates.rank import EPSILON

Equations = Callable[[FloatArray], FloatArray]

STEPS = 100
SHORTEST = 2.0**-16
"""A step shortened below this has nowhere to go."""
CLOSED = 1e-12
"""Largest residual, relative to the size of the terms of phi (at least 1), that is taken for rounding.

Terms are products of up to five coordinates and lengths: some ten roundings of 1e-16, and ill-conditioned Jacobians keep
Newton's method from the last digits.
"""


@dataclass(frozen=True, eq=False)
class Found:
    """Where the method ended, and whether the equations hold there to within rounding."""

    x: FloatArray
    closed: bool


def solve(residual: Equations, jacobian: Equations, start: FloatArray, onto: Equations) -> Found:
    """The solution to which Newton's method leads from ``start``; ``onto`` is applied after each step."""
    x = start
    phi = residual(x)
    matrix = jacobian(x)
    for _ in range(STEPS):
        size = _norm(phi)
        if size <= EPSILON * _terms(matrix, x):
            break  # no step can do better
        step = _step(matrix, phi, size)
        length = 1.0
        while length >= SHORTEST:
            x_next = onto(x + length * step)
            phi_next = residual(x_next)
            if _norm(phi_next) <= (1.0 - 0.1 * length) * size:
                break
            length *= 0.5
        else:
            break  # rounding, or no way down
        x, phi = x_next, phi_next
        matrix = jacobian(x)
    return Found(x, float(np.abs(phi).max(initial=0.0)) <= CLOSED * _terms(matrix, x))


def _terms(matrix: FloatArray, x: FloatArray) -> float:
    """The size of the terms of phi, at least 1."""
    return max(
        1.0, float(np.abs(matrix).sum(axis=1).max(initial=0.0)) * (1.0 + float(np.abs(x).max(initial=0.0)))
    )


def _step(matrix: FloatArray, phi: FloatArray, size: float) -> FloatArray:
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    noise = EPSILON * max(matrix.shape) * values[0]
    gains = values / (values**2 + min(size, size**2) + noise**2)
    step: FloatArray = -(right.T @ (gains * (left.T @ phi)))
    return step


def _norm(x: FloatArray) -> float:
    return float(np.linalg.norm(x))
