"""Position analysis: where the bodies are when joints are closed and coordinates have given values.

First the joints are closed from where the bodies start, by Newton's method.  Closed joints may still be wrong: an axis may
point against its partner, which (5) and its like do not notice.  Where the bodies are is therefore compared with where
the tree puts them at the joint coordinates found, and if they differ, that position is closed instead.  Then the drives
go from the coordinates found to those wanted in steps of at most half a radian or metre, Newton's method following each:
so the sine of a drive, which is also zero half a turn away, cannot mislead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanegen.body_coordinates.joint_coordinates import joint_coordinates, shortest
from kanegen.body_coordinates.kernels import SIZE, BodyKernels
from kanegen.body_coordinates.newton import Equations, Found, solve
from kanegen.body_coordinates.normalisation import normalised
from kanegen.errors import PositionError
from kanegen.protocols import FloatArray

LONGEST = 0.5
"""Steps of the drives [rad, m]."""
SHORTEST = 2.0**-10
"""Steps that fail are halved down to this part of them."""
SAME = 1e-6
"""Difference of coordinates between a position and the tree's, of which Newton's method leaves far less if it is right."""


class PositionAnalysis:
    """Newton's method for Phi(x) = 0 and Phi_A(x, q) = 0, the latter for the coordinates with the indices ``driven``."""

    def __init__(
        self, name: str, kernels: BodyKernels, coordinates: Sequence[str], driven: Sequence[int]
    ) -> None:
        self._name, self._kernels, self._coordinates = name, kernels, coordinates
        self._driven = list(driven)

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
        """x (7n,) with all joints closed and the driven coordinates at ``q`` (driven,), reached from ``start``.

        Raises PositionError, and ValueError for a zero rotation.
        """
        kernels = self._kernels
        x = self.closed(start)
        now = joint_coordinates(kernels, x)
        wanted = now.copy()
        wanted[self._driven] = q
        way = shortest(kernels, wanted - now)
        steps = max(1.0, np.ceil(float(np.abs(way).max(initial=0.0)) / LONGEST))
        done, length = 0.0, 1.0 / steps
        while done < 1.0:
            reached = min(1.0, done + length)
            target = now + reached * way if reached < 1.0 else wanted
            found = self._driven_at(x, target)
            if found.closed and self._right(found.x):
                x, done = found.x, reached
            else:
                length /= 2
                if length * steps < SHORTEST:
                    raise self._failure(found.x, target)
        return x

    def _driven_at(self, x: FloatArray, target: FloatArray) -> Found:
        kernels, rows = self._kernels, self._driven

        def residual(at: FloatArray) -> FloatArray:
            return np.concatenate([kernels.phi(at), kernels.drive(at, target)[rows]])

        def jacobian(at: FloatArray) -> FloatArray:
            return np.concatenate([kernels.jacobian(at), kernels.drive_jacobian(at, target)[rows]])

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
            phi = np.concatenate([phi, np.abs(kernels.drive(x, target)[self._driven])])
            names += [f"the drive of {self._coordinates[k]}" for k in self._driven]
        worst = int(np.argmax(phi))
        where = ""
        if target is not None:
            values = ", ".join(f"{self._coordinates[k]} = {target[k]:.6g}" for k in self._driven)
            where = f" with {values}"
        return PositionError(
            f"no position of {self._name} was found{where}: {names[worst]} stays open by {phi[worst]:.2g} at the best one. "
            "Start nearer to it, with the x of a position beside it, or give coordinates that the bodies can reach"
        )
