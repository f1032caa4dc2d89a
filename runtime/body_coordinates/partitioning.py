"""Generalized coordinate partitioning (R. A. Wehage & E. J. Haug, Journal of Mechanical Design 104, 1982).

As many of x as there are degrees of freedom are independent; only these are integrated.  The others follow from the
constraints: positions by Newton's method, rates by a linear equation.  Pivots of the Jacobian choose the dependent ones, so
that their columns are as independent as possible.  As the mechanism moves away from there, its dependent coordinates come to
change faster and faster with the independent ones, and before that goes too far, others are chosen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanegen.arrays import FloatArray
from kanegen.body_coordinates.drives import Drives
from kanegen.body_coordinates.dynamics import BodyDynamics
from kanegen.body_coordinates.kernels import BodyKernels
from kanegen.body_coordinates.pivoting import pivoted_columns

STEEPEST = 10.0
"""Growth of d(dependent)/d(independent), over the values when they were chosen, at which others are chosen."""
MOST_STEPS = 12
"""Steps of Newton's method: it begins at the integrator's own estimate, and two or three are enough."""


class PartitionedDynamics(BodyDynamics):
    """The state holds all of x and dx/dt, so that it outlives the choice; ``choices`` counts how often one was made."""

    def __init__(self, kernels: BodyKernels, drives: Drives, rank: int, y0: FloatArray, bound: float) -> None:
        super().__init__(kernels, drives, rank, y0, bound)
        self.choices = 0
        self.dependent: NDArray[np.intp] = np.arange(0)
        self.independent: NDArray[np.intp] = np.arange(0)
        self._steepest = 0.0
        self._choose(self.halves(y0)[0])

    def _choose(self, x: FloatArray) -> None:
        self.choose_rows(x)
        jacobian = self.kernels.jacobian(x)[self.rows]
        self.dependent = np.sort(pivoted_columns(jacobian, self.rank))
        self.independent = np.setdiff1d(np.arange(self.kernels.size), self.dependent)
        self._steepest = STEEPEST * max(1.0, self._slope(jacobian))
        self.choices += 1

    def _slope(self, jacobian: FloatArray) -> float:
        """The largest derivative of a dependent coordinate; infinite where they do not depend on the others."""
        try:
            slopes = np.linalg.solve(jacobian[:, self.dependent], jacobian[:, self.independent])
        except np.linalg.LinAlgError:
            return np.inf
        return float(np.abs(slopes).max(initial=0.0))

    def rate(self, y: FloatArray, tau: FloatArray) -> FloatArray:
        """dy/dt under the forces tau (driven,), at the state to which the independent coordinates lead."""
        x, xdot = self.halves(y)
        try:
            for _ in range(MOST_STEPS):
                x, size = self._follow(x)
                if size <= 1e-3 * self._bound:  # the next would be shorter than the square of this one
                    break
            xdot = self._rates(x, xdot)
        except np.linalg.LinAlgError:
            return np.full(y.shape, np.nan)
        return np.concatenate([xdot, self.accelerations(x, xdot, tau)])

    def corrected(self, x: FloatArray, xdot: FloatArray) -> FloatArray:
        """The state after one step of Newton's method for the dependent coordinates, and their rates."""
        place, _ = self._follow(x)
        return np.concatenate([place, self._rates(place, xdot)])

    def projected(self, y: FloatArray) -> FloatArray:
        """The state with the dependent coordinates brought to the joints, and others chosen where it is time."""
        found = super().projected(y)
        x, _ = self.halves(found)
        if not self._slope(self.kernels.jacobian(x)[self.rows]) <= self._steepest:
            self._choose(x)
        return found

    def _follow(self, x: FloatArray) -> tuple[FloatArray, float]:
        """One step of Newton's method for the dependent coordinates, and its size."""
        rows, dependent = self.rows, self.dependent
        step = np.linalg.solve(self.kernels.jacobian(x)[np.ix_(rows, dependent)], self.kernels.phi(x)[rows])
        place = x.copy()
        place[dependent] -= step
        return place, float(np.abs(step).max(initial=0.0))

    def _rates(self, x: FloatArray, xdot: FloatArray) -> FloatArray:
        """dx/dt with the dependent rates that go with the independent ones."""
        jacobian = self.kernels.jacobian(x)[self.rows]
        rates = xdot.copy()
        free = jacobian[:, self.independent] @ xdot[self.independent]
        rates[self.dependent] = -np.linalg.solve(jacobian[:, self.dependent], free)
        return rates
