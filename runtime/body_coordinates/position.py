"""Position analysis: where the bodies are when joints are closed and coordinates have given values.

First the joints are closed from where the bodies start, by Newton's method.  Closed joints may still be wrong: an axis may
point against its partner, which (5) and its like do not notice.  Where the bodies are is therefore compared with where
the tree puts them at the joint coordinates found, and if they differ, that position is closed instead.  Then the drives
go from the coordinates found to those wanted in steps of at most half a radian or metre, Newton's method following each:
so the sine of a drive, which is also zero half a turn away, cannot mislead.  Struts change by at most a tenth of their
length in a step, since the same length often belongs to a second position.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.body_coordinates.drives import Drives
from kanegen.body_coordinates.kernels import SIZE, BodyKernels, joint_coordinates, normalised
from kanegen.body_coordinates.rank import EPSILON
from kanegen.errors import PositionError

LONGEST = 0.5
"""Steps of the drives [rad, m]."""
OF_LENGTH = 0.1
"""Steps of struts, as a share of their lengths."""
SHORTEST = 2.0**-10
"""Steps that fail are halved down to this part of them."""
SAME = 1e-6
"""Difference of coordinates between a position and the tree's, of which Newton's method leaves far less if it is right."""


class PositionAnalysis:
    """Newton's method for Phi(x) = 0 and Phi_A(x, q) = 0, the latter for what is driven."""

    def __init__(self, name: str, kernels: BodyKernels, drives: Drives) -> None:
        self._name, self._kernels, self._drives = name, kernels, drives

    def closed(self, start: FloatArray) -> FloatArray:
        """x (7n,) near ``start`` with all joints closed.  Raises PositionError, and ValueError for a zero rotation."""
        kernels = self._kernels
        begin = normalised(kernels.names.bodies, start)
        found = self._solved(kernels.phi, kernels.jacobian, begin)
        if found.closed and self._right(found.x):
            return found.x
        tree = kernels.coordinates(joint_coordinates(kernels, begin))
        again = self._solved(kernels.phi, kernels.jacobian, tree)
        if again.closed and self._right(again.x):
            return again.x
        raise self._failure(again.x, None)

    def driven(self, start: FloatArray, q: FloatArray) -> FloatArray:
        """x (7n,) with all joints closed and what is driven at ``q`` (driven,), reached from ``start``.

        Raises PositionError, and ValueError for a zero rotation.
        """
        x = self.closed(start)
        now = self._drives.values(x)
        way = self._drives.way(x, q)
        longest = np.where(
            self._drives.is_joint, LONGEST, np.minimum(LONGEST, OF_LENGTH * np.maximum(now, q))
        )
        steps = max(1.0, np.ceil(float((np.abs(way) / longest).max(initial=0.0))))
        done, length = 0.0, 1.0 / steps
        while done < 1.0:
            reached = min(1.0, done + length)
            target = now + reached * way if reached < 1.0 else q
            found = self._driven_at(x, target)
            if found.closed and self._right(found.x):
                x, done = found.x, reached
            else:
                length /= 2
                if length * steps < SHORTEST:
                    raise self._failure(found.x, target)
        return x

    def _driven_at(self, x: FloatArray, target: FloatArray) -> Found:
        kernels, drives = self._kernels, self._drives

        def residual(at: FloatArray) -> FloatArray:
            return np.concatenate([kernels.phi(at), drives.residual(at, target)])

        def jacobian(at: FloatArray) -> FloatArray:
            return np.concatenate([kernels.jacobian(at), drives.jacobian(at, target)])

        return self._solved(residual, jacobian, x)

    def _solved(self, residual: Equations, jacobian: Equations, start: FloatArray) -> Found:
        bodies = self._kernels.names.bodies
        return solve(residual, jacobian, start, lambda x: normalised(bodies, x))

    def _right(self, x: FloatArray) -> bool:
        """Whether the bodies are where the tree puts them, up to the sign of their Euler parameters."""
        kernels = self._kernels
        here = x.reshape(-1, SIZE)
        there = kernels.coordinates(joint_coordinates(kernels, x)).reshape(-1, SIZE)
        sign = np.where(np.einsum("ij,ij->i", here[:, 3:], there[:, 3:]) < 0.0, -1.0, 1.0)
        scale = 1.0 + float(np.abs(here[:, :3]).max(initial=0.0))
        off = max(
            float(np.abs(here[:, :3] - there[:, :3]).max(initial=0.0)) / scale,
            float(np.abs(here[:, 3:] - sign[:, None] * there[:, 3:]).max(initial=0.0)),
        )
        return off <= SAME

    def _failure(self, x: FloatArray, target: FloatArray | None) -> PositionError:
        kernels = self._kernels
        names = [*kernels.names.rows]
        phi = np.abs(kernels.phi(x))
        if target is not None:
            phi = np.concatenate([phi, np.abs(self._drives.residual(x, target))])
            names += [f"the drive of {name}" for name in self._drives.names]
        worst = int(np.argmax(phi))
        where = ""
        if target is not None:
            given = zip(self._drives.names, target, strict=True)
            values = ", ".join(f"{name} = {value:.6g}" for name, value in given)
            where = f" with {values}"
        return PositionError(
            f"no position of {self._name} was found{where}: {names[worst]} stays open by {phi[worst]:.2g} at the best one. "
            "Start nearer to it, with the x of a position beside it, or give coordinates that the bodies can reach"
        )


Equations = Callable[[FloatArray], FloatArray]

STEPS = 100
SHORTEST_NEWTON = 2.0**-16
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
    """The solution to which Newton's method leads from ``start``; ``onto`` is applied after each step.

    It is for equations that may depend on each other, and damped far from a solution: steps are those of Levenberg and
    Marquardt, -J^T (J J^T + mu)^-1 phi by singular values, with mu = |phi|^2.  This converges quadratically also where rows
    of J depend on each other at the solution but not beside it, as those of a closed loop do (N. Yamashita & M. Fukushima,
    "On the rate of convergence of the Levenberg-Marquardt method", 2001).
    """
    x = start
    phi = residual(x)
    matrix = jacobian(x)
    for _ in range(STEPS):
        size = _norm(phi)
        if size <= EPSILON * _terms(matrix, x):
            break  # no step can do better
        step = _step(matrix, phi, size)
        length = 1.0
        while length >= SHORTEST_NEWTON:
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
