"""Equations of motion of free bodies under joints: accelerations and multipliers from (10) and (22) together.

    [ M      Phi_x^T ] [ d2x/dt2 ]   [ g + Phi_A,x^T tau ]
    [ Phi_x  0       ] [ lambda  ] = [ gamma             ]

What actuators exert is (29) with lambda_A = -tau: the driving Jacobian times dx/dt is the rate of the coordinate, so that
is the force whose power is tau times this rate.  For a strut of length l, lambda = -tau / (2 l).  Of rows that depend on
each other some are left out.  M is singular (its null vectors are Euler parameters), the whole matrix is not as long as
every motion that the joints allow moves a mass.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanegen.arrays import FloatArray
from kanegen.body_coordinates.drives import Drives
from kanegen.body_coordinates.kernels import BodyKernels, joint_coordinates
from kanegen.simulation.numpy_integration import brought_back, distance_from
from kanegen.simulation.request import Request


class BodyDynamics:
    """State y = (x, dx/dt), integrated as it is, and brought back to the joints after each step by the least change.

    ``drives`` are what forces act on, ``rank`` is the number of independent constraints.
    ``drift``: residuals of Phi, and the last correction of dx/dt (relative where rates exceed one), largest of all states
    and rows.  The bound on both is ``bound``.
    """

    def __init__(self, kernels: BodyKernels, drives: Drives, rank: int, y0: FloatArray, bound: float) -> None:
        self.kernels, self.rank = kernels, rank
        self.drift = 0.0
        self.time = None
        self.widths = (kernels.nq, kernels.nq, len(drives))
        self._drives, self._bound = drives, bound
        self._y0 = y0
        self._near = joint_coordinates(kernels, self.halves(y0)[0])
        self.rows: NDArray[np.intp] = np.arange(0)
        self.choose_rows(self.halves(y0)[0])

    def halves(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """x and dx/dt."""
        return y[: self.kernels.size], y[self.kernels.size :]

    def start(self, request: Request) -> FloatArray:
        """The state to begin with."""
        del request
        return self._y0

    def choose_rows(self, x: FloatArray) -> None:
        """Take as many independent constraints as there are, by pivots."""
        self.rows = np.sort(pivoted_columns(self.kernels.jacobian(x).T, self.rank))

    def follow_from(self, q: FloatArray) -> None:
        """Let the angles of coordinates begin next to ``q`` (nq,)."""
        self._near = q

    def coordinates(self, y: FloatArray) -> FloatArray:
        """Coordinates q (nq,) of the tree; angles go on from those of the last state that was brought to the joints."""
        return self._angles(self.halves(y)[0])

    def _angles(self, x: FloatArray) -> FloatArray:
        return joint_coordinates(self.kernels, x, self._near)

    def speeds(self, y: FloatArray) -> FloatArray:
        """dq/dt (nq,)."""
        x, xdot = self.halves(y)
        rates: FloatArray = self.kernels.drive_jacobian(x, joint_coordinates(self.kernels, x)) @ xdot
        return rates

    def rate(self, y: FloatArray, tau: FloatArray) -> FloatArray:
        """dy/dt under the forces tau (driven,)."""
        x, xdot = self.halves(y)
        return np.concatenate([xdot, self.accelerations(x, xdot, tau)])

    def accelerations(self, x: FloatArray, xdot: FloatArray, tau: FloatArray) -> FloatArray:
        """d2x/dt2 (7n,); not a number where the equations are singular."""
        kernels, n = self.kernels, self.kernels.size
        q = self._angles(x)  # springs on joints ask for the number of turns
        jacobian = kernels.jacobian(x)[self.rows]
        matrix = np.zeros((n + self.rank, n + self.rank))
        matrix[:n, :n] = kernels.mass_matrix(x)
        matrix[:n, n:] = jacobian.T
        matrix[n:, :n] = jacobian
        applied = self._drives.on_bodies(x, q, tau)
        right = np.concatenate([kernels.forces(x, xdot, q) + applied, kernels.gamma(x, xdot)[self.rows]])
        try:
            solution: FloatArray = np.linalg.solve(matrix, right)
        except np.linalg.LinAlgError:
            return np.full(n, np.nan)
        return solution[:n]

    def projected(self, y: FloatArray) -> FloatArray:
        """The state brought back to the joints.  Raises OpenError."""
        y, distance = brought_back(y, self._bound, self._projected_once)
        self.drift = max(self.drift, distance)
        self._near = self.coordinates(y)
        return y

    def _projected_once(self, y: FloatArray) -> tuple[FloatArray, float]:
        try:
            following = self.corrected(*self.halves(y))
        except np.linalg.LinAlgError:
            return y, np.nan
        x, rates = self.halves(following)
        if not np.isfinite(x).all():
            return y, np.nan
        return following, distance_from(rates, self.halves(y)[1], self.kernels.phi(x))

    def corrected(self, x: FloatArray, xdot: FloatArray) -> FloatArray:
        """The state after one step of Newton's method for positions and rates, both with the least change.

        Raises LinAlgError for a Jacobian that is singular.
        """
        kernels, rows = self.kernels, self.rows
        place = x + _least(kernels.jacobian(x)[rows], -kernels.phi(x)[rows])
        jacobian = kernels.jacobian(place)[rows]
        return np.concatenate([place, xdot + _least(jacobian, -(jacobian @ xdot))])


def _least(jacobian: FloatArray, right: FloatArray) -> FloatArray:
    """The shortest solution of jacobian y = right, for independent rows."""
    q, r = np.linalg.qr(jacobian.T)
    solution: FloatArray = q @ np.linalg.solve(r.T, right)
    return solution


STEEPEST = 10.0
"""Growth of d(dependent)/d(independent), over the values when they were chosen, at which others are chosen."""
MOST_STEPS = 12
"""Steps of Newton's method: it begins at the integrator's own estimate, and two or three are enough."""


class PartitionedDynamics(BodyDynamics):
    """Generalized coordinate partitioning (R. A. Wehage & E. J. Haug, Journal of Mechanical Design 104, 1982).

    As many of x as there are degrees of freedom are independent; only these are integrated.  The others follow from the
    constraints: positions by Newton's method, rates by a linear equation.  Pivots of the Jacobian choose the dependent
    ones, so that their columns are as independent as possible.  As the mechanism moves away from there, its dependent
    coordinates come to change faster and faster with the independent ones, and before that goes too far, others are chosen.
    The state holds all of x and dx/dt, so that it outlives the choice; ``choices`` counts how often one was made.
    """

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


def pivoted_columns(matrix: FloatArray, count: int) -> NDArray[np.intp]:
    """Indices of ``count`` columns of a matrix (m, n), each the one farthest from the span of those before it.

    The order of the pivots in a QR decomposition with column pivoting (P. Businger & G. H. Golub, 1965), by Gram and
    Schmidt's method; lengths are computed anew at each step, so that none is lost to cancellation.
    """
    left = matrix.copy()
    chosen: list[int] = []
    for _ in range(count):
        lengths = np.einsum("ij,ij->j", left, left)
        lengths[chosen] = -1.0
        best = int(np.argmax(lengths))
        chosen.append(best)
        length = float(np.sqrt(max(lengths[best], 0.0)))
        if length > 0.0:
            direction = left[:, best] / length
            left -= np.outer(direction, direction @ left)
    return np.array(chosen, dtype=np.intp)
