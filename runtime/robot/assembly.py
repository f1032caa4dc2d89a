"""Assembly: the configuration nearest to a given one in which all loops are closed.

With phi(q) the equations of position and J their Jacobian, first Newton's method with steps of least length,

    q <- q - J^+ phi(q),

shortened where phi would not shrink; then, on the set phi = 0, steps along it towards the configuration q0 asked for,

    q <- newton(q + P (q0 - q)),   P = I - J^+ J,

as long as they come nearer.  The two together are the iteration q <- q0 - J^+ (phi(q) + J (q0 - q)) for the problem
min |q - q0|, phi(q) = 0, made safe far from its solution.  J may have dependent rows: the pseudo-inverse leaves out what
belongs to singular values that are zero but for rounding, and all beyond the rank of the equations, which are zero where
the loops are closed.  Coordinates and phi are in the units of ``Constraints``, so that a slide counts as much as a hinge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.errors import AssemblyError
from kanegen.limits import ASSEMBLY_STEPS
from kanegen.manifest import Constraints
from kanegen.quaternions import normalised

Function = Callable[[FloatArray], FloatArray]

EPSILON = float(np.finfo(np.float64).eps)
NEWTON_STEPS = ASSEMBLY_STEPS.value
SHORTEST = 2.0**-20
"""A Newton step shortened below this has nowhere to go: phi has a minimum there that is not zero."""
LONGEST = 1.0
"""No coordinate [rad, units of length] moves farther in one Newton step: near singular configurations these are long, and
lead astray."""
TANGENT_STEPS = 200
ATTEMPTS = 6
NUDGE = 0.01
"""Where Newton's method fails, it begins again beside q0: by 0.02 to 0.32 rad or units of length."""
CLOSURES = 4
"""Loops are closed, then quaternions normalised, so often at most: the second time corrects rounding."""
STRIDES = 20
CLOSED = 1e-12
"""Largest residual in its own unit, relative to the size of the terms of phi (at least 1), that is taken for rounding.

Terms of phi are products of lengths and sines of angles of up to a few radians, chained through the joints of a loop:
a hundred roundings of 1e-16 make 1e-14, and ill-conditioned Jacobians keep Newton's method from the last digits.
"""


def assemble(
    name: str,
    constraints: Constraints,
    residual: Function,
    jacobian: Function,
    q0: FloatArray,
    held: Sequence[int] = (),
) -> FloatArray:
    """The configuration (nq,) nearest to q0 (nq,) with residual(q) = 0; the first k rows of ``jacobian`` derive it.

    The nearest one that can be reached from q0 going downhill, the coordinates at ``held`` staying; distance is |q - q0| in
    the mechanism's own units.  Raises AssemblyError.
    """
    equations = constraints.position
    free = np.ones(q0.size)
    free[list(held)] = 0.0
    problem = Equations(constraints, residual, lambda q: free * jacobian(q)[: len(equations)])
    attempts: list[tuple[float, int, FloatArray]] = []
    for beside in starts_around(q0, problem.columns):
        start = q0 + free * (beside - q0)
        q, open_by = problem.closed(start)
        attempts.append((open_by, len(attempts), q))
        if open_by <= problem.rounding(q):
            break
    else:
        q = min(attempts)[-1]  # by residual, then by order: the arrays themselves are never compared
        phi = np.abs(residual(q))
        worst = int(np.argmax(phi / np.array(constraints.units or (1.0,))))
        raise AssemblyError(
            f"{name} cannot be assembled from q = {_rounded(q0)}: {equations[worst]} stays open by {phi[worst]:.2g} at the "
            f"best configuration found, q = {_rounded(q)}. Begin nearer to a closed configuration, such as home, or check "
            "that the lengths of the bodies let the loop close at all"
        )
    return problem.nearest(q, q0)


def closed_holding(robot: Any, q: FloatArray, held: Sequence[int]) -> FloatArray | None:
    """The configuration (nq,) to which closing the loops leads from q (nq,), the coordinates at ``held`` staying.

    Its quaternions have length one.  None where the loops stay open so.
    """
    free = np.ones(robot.nq)
    free[list(held)] = 0.0
    report = robot.constraints
    rows = len(report.position)
    equations = Equations(
        report, robot.constraint_residual, lambda x: free * robot.constraint_jacobian(x)[:rows]
    )
    for _ in range(CLOSURES):
        q = normalised(equations.closed(q)[0], robot.quaternions)
        if equations.gap(q) <= equations.rounding(q):
            return q
    return None


def led_to(robot: Any, start: FloatArray, q: FloatArray, held: Sequence[int]) -> FloatArray | None:
    """The closed configuration (nq,) reached from a closed one, ``start``, as coordinates at ``held`` go to those of q.

    They go in strides, so that loops do not jump to another way of closing.  None where these cannot be closed on the way.
    """
    places = list(held)
    found: FloatArray | None = start
    for stride in range(1, STRIDES + 1):
        if found is None:
            break
        found = found.copy()
        found[places] = start[places] + stride / STRIDES * (q[places] - start[places])
        found = closed_holding(robot, found, places)
    return found


def starts_around(q0: FloatArray, columns: FloatArray | float = 1.0) -> Iterator[FloatArray]:
    """q0, then a few configurations around it: Newton's method may be unable to leave q0 itself, for example if it is flat.

    The directions are arbitrary, and always the same, in units of the coordinates, ``columns``.
    """
    yield q0
    for attempt in range(1, ATTEMPTS):
        yield q0 + NUDGE * 2.0**attempt * np.sin(attempt * np.arange(1.0, q0.size + 1.0)) * columns


class Equations:
    """Equations of position, and Newton's method for them: residuals, rows and steps are in units of the mechanism's own.

    ``columns`` are those of coordinates.
    """

    def __init__(self, constraints: Constraints, residual: Function, jacobian: Function) -> None:
        self.columns = np.array(constraints.coordinate_units or (1.0,))
        self._heights = np.array(constraints.units or (1.0,))
        self._rank = constraints.position_rank
        self._of_robot = residual, jacobian

    def _residual(self, q: FloatArray) -> FloatArray:
        found: FloatArray = self._of_robot[0](q) / self._heights
        return found

    def _jacobian(self, q: FloatArray) -> FloatArray:
        found: FloatArray = self._of_robot[1](q) / self._heights[:, None] * self.columns
        return found

    def gap(self, q: FloatArray) -> float:
        """The largest residual."""
        return float(np.abs(self._residual(q)).max(initial=0.0))

    def rounding(self, q: FloatArray) -> float:
        """The residual that closed loops may have."""
        size = float(np.abs(self._jacobian(q)).sum(axis=1).max(initial=0.0))
        return CLOSED * max(1.0, size * (1.0 + float(np.abs(q / self.columns).max())))

    def closed(self, start: FloatArray) -> tuple[FloatArray, float]:
        """The configuration to which Newton's method leads from ``start``, and the largest residual there."""
        q, phi = start, self._residual(start)
        for _ in range(NEWTON_STEPS):
            best = _norm(phi)
            if best == 0.0:
                break
            step = -(self._inverse(q) @ phi)
            length = min(1.0, LONGEST / float(np.abs(step).max(initial=LONGEST)))
            while length >= SHORTEST:
                q_next = q + length * step * self.columns
                phi_next = self._residual(q_next)
                if _norm(phi_next) <= (1.0 - 0.25 * length) * best:
                    break
                length *= 0.5
            else:
                break  # rounding, or no way down
            q, phi = q_next, phi_next
        return q, float(np.abs(phi).max(initial=0.0))

    def nearest(self, q: FloatArray, q0: FloatArray) -> FloatArray:
        """From the closed configuration q to the nearest one to q0."""
        length = 1.0
        for _ in range(TANGENT_STEPS):
            towards = (q0 - q) / self.columns
            jacobian = self._jacobian(q)
            step = towards - self._inverse(q) @ (jacobian @ towards)
            # Beyond this, the distance changes by less than its rounding, or the step is rounding itself.
            noise = max(math.sqrt(EPSILON) * _norm(towards), 10.0 * EPSILON * (1.0 + _norm(q / self.columns)))
            if _norm(step) <= noise or length < SHORTEST:
                break
            q_next, open_by = self.closed(q + length * step * self.columns)
            nearer = _norm((q0 - q_next) / self.columns) < _norm(towards)
            if nearer and open_by <= self.rounding(q_next):
                q, length = q_next, min(1.0, 2.0 * length)
            else:
                length *= 0.5
        return q

    def _inverse(self, q: FloatArray) -> FloatArray:
        """The pseudo-inverse (nq, k) of the Jacobian, of the rank that the equations have.

        The Jacobian's entries carry rounding errors of about EPSILON times the largest, which move singular values by
        up to max(k, nq) times that.
        """
        left, values, right = np.linalg.svd(self._jacobian(q), full_matrices=False)
        cut_off = EPSILON * max(left.shape[0], right.shape[1]) * values[0]
        keep = int(np.sum(values[: self._rank] > cut_off))
        inverse: FloatArray = (right[:keep].T / values[:keep]) @ left[:, :keep].T
        return inverse


def _norm(x: FloatArray) -> float:
    return float(np.linalg.norm(x))


def _rounded(q: FloatArray) -> list[float]:
    return [float(f"{value:.6g}") for value in q]
