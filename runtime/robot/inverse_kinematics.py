"""Inverse kinematics: configurations in which a frame has a given pose, by Levenberg and Marquardt's method.

The error of a pose is the way [m] from the frame's origin to the one asked for, and the rotation vector e [rad] from the
frame's axes to those asked for, R_wanted = exp([e]) R, both along the axes of the base.  With directions Z in which the
coordinates may move, dq = Z y, and the frame's Jacobian J for them, the error changes by -B J y, where B is the unit matrix
for the way and the inverse of the right Jacobian of exp at e for the rotation.  A step minimises

    |error - B J y|^2 + mu |y|^2,      mu in proportion to |error|^2 (T. Sugihara, "Solvability-unconcerned inverse
                                       kinematics by the Levenberg-Marquardt method", IEEE Trans. Robotics 27, 2011),

under the limits of joints: a coordinate that would pass one stays on it, and the others make up for it.  Quaternions are
brought back to length one after each step, loops closed again.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kanegen import quaternions
from kanegen.arrays import FloatArray, Values, finite_number, real_array
from kanegen.errors import DeadCentreError, shown
from kanegen.manifest import Argument
from kanegen.model_warnings import warn
from kanegen.robot.assembly import EPSILON, closed_holding, starts_around
from kanegen.robot.configurations import Configurations
from kanegen.robot.constraints import ConstraintKernels
from kanegen.rows import ROWS, checked_rows

MOST_STEPS = 100
LONGEST = 0.5
"""No coordinate [rad, m] moves farther in one step: the error is linear over less than a radian."""
LEAST_DAMPING, MOST_DAMPING = 1e-6, 1e12
"""mu over |error|^2: at the least the steps are Newton's, at the most they move nothing."""
ROTATION = 1e-6
"""How far the axes of a pose may be from orthonormal: they are then taken for what they are rounded from."""
BENT = 0.5
"""The same for frames on bent links, which turn to first order in the deflections."""
INCREMENT = float(np.cbrt(np.finfo(np.float64).eps))
"""Central differences over this have half as many correct digits again as one-sided ones: Newton's steps need no more."""
SETTLED = 1e-15
"""A step below this [rad, m] is rounding."""
STUCK = 1e-9
"""Where a step takes less than this of the squared error off, no number of them reaches the pose."""


@dataclass(frozen=True, eq=False)
class IKSolution:
    """What inverse kinematics found, for one pose or a batch of them.

    q (..., nq): the configuration, where it did not converge the nearest one that was found.  converged (...): whether the
    residual is within the tolerance.  residual (...): the largest error of the rows asked for, m or rad.  iterations (...).
    As an array, it is q.
    """

    q: FloatArray
    converged: Any
    residual: Any
    iterations: Any

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        """The configuration."""
        return np.array(self.q, dtype=dtype, copy=True if copy is None else copy)


class InverseKinematics(ConstraintKernels, Configurations):
    """The part of a robot that finds configurations for poses."""

    def inverse_kinematics(
        self,
        frame: str,
        pose: ArrayLike,
        q0: Values | None = None,
        rows: Sequence[str] | None = None,
        *,
        tolerance: float = 1e-10,
        t: ArrayLike | None = None,
    ) -> IKSolution:
        """The configuration q (..., nq) near q0 (..., nq), home by default, in which a frame has the pose (..., 4, 4).

        The pose is that of the frame in the base, as ``frame_pose`` gives it.  ``rows`` are those of its error that are to
        vanish, all six by default: "x", "y", "z" [m] of the frame's origin, and "rx", "ry", "rz" [rad] of the rotation
        vector from the frame to the pose, along the base's axes.  Poses and q0 broadcast.

        q keeps within ``coordinate_limits``, closes the loops of the mechanism and has quaternions of length one; the speeds
        of rolling contacts do not restrict where it may be.  Of several solutions it is one that the steps from q0 lead to.
        Where none is found, for a pose out of reach first of all, a ``ModelWarning`` says so, ``converged`` is False, and q
        is the nearest configuration that was found.  Wrong arguments raise ValueError, TypeError or MissingKernelError, and
        AssemblyError where the loops cannot be closed near q0.
        """
        if t is not None:
            return self._at(t).inverse_kinematics(frame, pose, q0, rows, tolerance=tolerance)
        wanted = [ROWS.index(row) for row in checked_rows(rows)]
        bound = finite_number("tolerance", tolerance)
        given = real_array("inverse_kinematics", Argument("pose", (4, 4), "", ""), pose)
        poses = _rigid(np.asarray(given, dtype=np.float64), BENT if self.mode_names else ROTATION)
        start = self.home if q0 is None else self._array("inverse_kinematics", "q0", self.nq, q0)
        if not np.isfinite(quaternions.normalised(start, self.quaternions)).all():
            raise ValueError(f"q0 must be finite, and no quaternion zero, got {shown(start.tolist())}")
        batch = np.broadcast_shapes(poses.shape[:-2], start.shape[:-1])
        poses, start = np.broadcast_to(poses, (*batch, 4, 4)), np.broadcast_to(start, (*batch, self.nq))
        q, residual, steps = np.empty((*batch, self.nq)), np.empty(batch), np.empty(batch, dtype=int)
        problem = _Problem(self, frame, wanted, bound)
        for row in np.ndindex(batch):
            q[row], residual[row], steps[row] = problem.solved(poses[row], start[row])
        converged = residual <= bound
        if not converged.all():
            missed = np.argwhere(~converged).tolist()
            first = tuple(missed[0])
            places = ", ".join(map(str, first))
            where = (
                f" for {len(missed)} of {residual.size} poses, the first in row {places}," if batch else ""
            )
            warn(
                f"{self.name}, inverse_kinematics: no configuration was found{where} in which {frame!r} has the pose: "
                f"{residual[first]:.3g} [m, rad] remain. It may be out of reach, or beyond limits of joints; or begin with "
                "a q0 that is nearer. q is the nearest configuration found"
            )
        return IKSolution(q, *(x if batch else x[()] for x in (converged, residual, steps)))


class _Problem:
    """A frame of a robot that is to be somewhere."""

    def __init__(self, robot: Any, frame: str, rows: list[int], tolerance: float) -> None:
        self._robot, self._frame, self._rows, self._tolerance = robot, frame, rows, tolerance
        self._lower, self._upper = robot.coordinate_limits
        report = robot.constraints
        self._equations = 0 if report is None else len(report.position)
        self._rank = 0 if report is None else report.position_rank
        self._rolls = report is not None and len(report.velocity) > self._equations

    def solved(self, pose: FloatArray, q0: FloatArray) -> tuple[FloatArray, float, int]:
        """A configuration, the largest error there, and the steps that it took."""
        start = self._inside(q0)
        if self._equations:
            start = self._robot.assemble(start)
        best, smallest, total = start, math.inf, 0
        for begin in starts_around(start):
            q = start if begin is start else self._closed(begin)
            if q is None:
                continue
            q, error, steps = self._descent(pose, q)
            total += steps
            if error < smallest:
                best, smallest = q, error
            if smallest <= self._tolerance:
                break
        return best, smallest, total

    def _descent(self, pose: FloatArray, q: FloatArray) -> tuple[FloatArray, float, int]:
        """The configuration to which steps from q lead, downhill, the largest error there, and how many steps these were."""
        error, damping, steps = self._error(pose, q), 1.0, 0
        while steps < MOST_STEPS and _largest(error) > self._tolerance:
            directions, jacobian = self._linearised(pose, q)
            size = float(error @ error)
            while damping <= MOST_DAMPING:
                move = self._step(q, directions, jacobian, error, damping * size)
                following = None if _largest(move) <= SETTLED else self._closed(q + move)
                if following is not None:
                    there = self._error(pose, following)
                    if there @ there < size or not self._keeps_limits(q):
                        break
                damping *= 10.0
            else:
                break
            stuck = size - float(there @ there) < STUCK * size
            q, error, damping, steps = following, there, max(0.1 * damping, LEAST_DAMPING), steps + 1
            if stuck and self._keeps_limits(q):
                break
        return q, _largest(error), steps

    def _error(self, pose: FloatArray, q: FloatArray) -> FloatArray:
        return _way(self._robot.frame_pose(q, self._frame), pose)[self._rows]

    def _linearised(self, pose: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Directions Z (nq, f), orthonormal, and what the error loses along them: B J (rows, f)."""
        directions, jacobian = self._directions(q)
        turn = _way(self._robot.frame_pose(q, self._frame), pose)[3:]
        # The inverse of the right Jacobian of exp at e is that of the left one at -e.
        turning = quaternions.velocity_for(-turn, jacobian[3:].T).T
        return directions, np.vstack([jacobian[:3], turning])[self._rows]

    def _directions(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Directions (nq, f) in which the coordinates may move, and the frame's Jacobian (6, f) for them.

        They are those of the speeds, unless rolling contacts restrict these, or they do not determine the motion here.
        Then they are all in which loops stay closed, and the Jacobian is that of ``frame_pose`` by central differences.
        """
        robot = self._robot
        if not (
            self._rolls or robot.mode_names
        ):  # bent links turn frames to first order: no rotation exactly
            with contextlib.suppress(DeadCentreError):
                jacobian = robot.frame_jacobian(q, self._frame)
                if robot.speeds_are_rates:
                    return np.eye(robot.nq), jacobian
                rates = robot.coordinate_rates(q, np.vstack([np.zeros(robot.nv), np.eye(robot.nv)]))
                directions, factor = np.linalg.qr((rates[1:] - rates[0]).T)
                return directions, np.linalg.solve(factor.T, jacobian.T).T
        lengths = np.zeros((len(robot.quaternions), robot.nq))
        for row, start in zip(lengths, robot.quaternions, strict=True):
            row[start : start + 4] = q[start : start + 4]
        equations = robot.constraint_jacobian(q)[: self._equations] if self._equations else lengths[:0]
        directions = _null_space(np.vstack([lengths, equations]), len(lengths) + self._rank)
        ahead, back = (
            robot.frame_pose(quaternions.normalised(q + x * directions.T, robot.quaternions), self._frame)
            for x in (INCREMENT, -INCREMENT)
        )
        moved = np.array([_way(*poses) for poses in zip(back, ahead, strict=True)])
        return directions, moved.T / (2.0 * INCREMENT)

    def _step(
        self, q: FloatArray, directions: FloatArray, jacobian: FloatArray, error: FloatArray, mu: float
    ) -> FloatArray:
        """The step dq (nq,), on a limit where it would pass one."""
        freedoms = directions.shape[1]
        matrix = np.vstack([jacobian, math.sqrt(mu) * np.eye(freedoms)])
        wanted = np.concatenate([error, np.zeros(freedoms)])
        held: dict[int, float] = {}
        while True:
            ties = directions[list(held)]
            free = _null_space(ties, len(held))
            y = _least_squares(ties, np.array(list(held.values()))) if held else np.zeros(freedoms)
            y = y + free @ _least_squares(matrix @ free, wanted - matrix @ y)
            move = directions @ y
            move *= min(1.0, LONGEST / max(_largest(move), LONGEST))
            there = q + move
            passing = np.flatnonzero((there < self._lower) | (there > self._upper))
            onto = np.clip(there, self._lower, self._upper) - q
            new = {int(i): float(onto[i]) for i in passing if i not in held}
            if not new or not free.size:
                return move
            held |= new

    def _closed(self, q: FloatArray) -> FloatArray | None:
        """The configuration with loops closed, quaternions of length one, and within limits; None if that fails."""
        q = self._inside(q)
        if not self._equations:
            return q
        on_limits = np.flatnonzero((q <= self._lower) | (q >= self._upper))  # what is on a limit stays there
        closed = closed_holding(self._robot, q, on_limits.tolist())
        return closed if closed is not None and self._keeps_limits(closed) else None

    def _inside(self, q: FloatArray) -> FloatArray:
        return np.clip(quaternions.normalised(q, self._robot.quaternions), self._lower, self._upper)

    def _keeps_limits(self, q: FloatArray) -> bool:
        return bool(((q >= self._lower) & (q <= self._upper)).all())


def _way(start: FloatArray, end: FloatArray) -> FloatArray:
    """From one pose to another: the way of the origin, and the rotation vector of the axes, along those of the base (6,)."""
    turn = quaternions.logarithm(quaternions.of_matrix(end[:3, :3] @ start[:3, :3].T))
    return np.concatenate([end[:3, 3] - start[:3, 3], turn])


def _largest(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))


def _least_squares(matrix: FloatArray, wanted: FloatArray) -> FloatArray:
    found = np.linalg.lstsq(matrix, wanted, rcond=None)[0]
    return np.asarray(found, dtype=np.float64)


def _null_space(rows: FloatArray, rank: int) -> FloatArray:
    """An orthonormal basis (n, n - r) of what the rows (m, n) take to zero; their rank r is at most the one given."""
    if not len(rows):
        return np.eye(rows.shape[1])
    _, values, directions = np.linalg.svd(rows)
    kept = int(np.sum(values[:rank] > EPSILON * max(rows.shape) * values[0]))
    null: FloatArray = directions[kept:].T
    return null


def _rigid(poses: FloatArray, allowed: float) -> FloatArray:
    """The poses (..., 4, 4), their axes made orthonormal.  Raises ValueError for what are none."""
    axes = poses[..., :3, :3]
    if np.isfinite(poses).all() and np.array_equal(
        poses[..., 3, :], np.broadcast_to((0, 0, 0, 1), poses[..., 3, :].shape)
    ):
        left, values, right = np.linalg.svd(axes)
        nearest = left @ right
        if np.abs(values - 1.0).max(initial=0.0) <= allowed and (np.linalg.det(nearest) > 0.0).all():
            found = poses.copy()
            found[..., :3, :3] = nearest
            return found
    raise ValueError(
        "pose: expected homogeneous matrices with orthonormal, right-handed axes and a last row of 0, 0, 0, 1, got "
        f"{shown(poses.tolist())}"
    )
