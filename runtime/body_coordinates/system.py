"""A mechanism in body coordinates: position, velocity, acceleration, forces, rank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray
from kanegen.body_coordinates.drives import Drives
from kanegen.body_coordinates.kernels import BodyKernels, BodyRobot, joint_coordinates
from kanegen.body_coordinates.position import PositionAnalysis
from kanegen.body_coordinates.rank import EPSILON, Decomposition, RankReport, decompose
from kanegen.errors import DeadCentreError
from kanegen.simulation.request import checked_state


@dataclass(frozen=True, eq=False)
class DrivenForces:
    """What a driven motion takes.

    ``x``, ``xdot``, ``xddot`` (7n,): the motion of the bodies.  ``tau`` (driven,) [N m, N]: forces of the actuators on
    their coordinates.  ``reactions`` (joints, 6): force [N], then moment [N m] about the joint's point, that each joint
    exerts on its second body, in the base frame.  ``joint_multipliers`` (k,) and ``drive_multipliers`` (driven,): lambda
    of M xddot = g - Phi_x^T lambda, the shortest vector where it is not unique.

    ``indeterminate`` names the joints whose reactions are not unique, because constraints depend on each other: theirs
    are then one possibility out of many, while ``tau`` and the motion are unique all the same.
    """

    x: FloatArray
    xdot: FloatArray
    xddot: FloatArray
    tau: FloatArray
    reactions: FloatArray
    joint_multipliers: FloatArray
    drive_multipliers: FloatArray
    indeterminate: tuple[str, ...]


class BodySystem:
    """A robot with its n bodies in coordinates x (7n,), nq coordinates q of its tree, and what is driven.

    ``driven`` names driven coordinates and struts, as many as there are degrees of freedom: by default those whose rates are
    the speeds of the mechanism, which are all coordinates of a tree.  q, v and a of the methods have an entry for each of
    them, in this order; so has tau.  A strut stands there under the name of its rate among the speeds, with its length
    [m], and with its force [N], positive where it pushes.  Every method takes a single state and raises ValueError for
    wrong shapes and numbers that are not finite.  Not for use in several threads at once.
    """

    def __init__(self, robot: BodyRobot, driven: Sequence[str] | None = None) -> None:
        """Raises MissingKernelError for a robot without body coordinates, ValueError for unknown names."""
        self.robot = robot
        self.kernels = BodyKernels(robot)
        self.driven = tuple(robot.speed_names if driven is None else driven)
        self.drives = Drives(robot.name, self.kernels, list(robot.coordinate_names), self.driven)
        self._position = PositionAnalysis(robot.name, self.kernels, self.drives)

    @property
    def body_names(self) -> tuple[str, ...]:
        """The bodies, in the order of x."""
        return self.kernels.names.bodies

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints, in the order of reactions: those of the tree, then those that close loops."""
        return self.kernels.names.joints

    # ---- kinematic analysis: (6), (8), (10) ----

    def position(self, q: ArrayLike, start: ArrayLike | None = None) -> FloatArray:
        """x (7n,) with all joints closed and the driven coordinates and lengths at q (driven,), by Newton's method.

        It is the position that is reached from ``start`` (7n,) by closing the joints and then driving there; by default
        from the home configuration.  Euler parameters of ``start`` may have any norm but zero.  Raises PositionError, and
        ValueError for a length that is not above zero.
        """
        wanted = self.drives.checked_lengths(checked_state("q", q, len(self.driven)))
        if start is not None:
            return self._position.driven(self._body_vector("start", start), wanted)
        home = np.array(self.robot.home, dtype=np.float64)
        if len(self.driven) == self.kernels.nq:  # no joint has to follow: the tree is driven there at once
            home = self.drives.on_joints(wanted, home)
        return self._position.driven(self.kernels.coordinates(home), wanted)

    def closed(self, start: ArrayLike) -> FloatArray:
        """x (7n,) near ``start`` (7n,) with all joints closed, by Newton's method.  Raises PositionError."""
        return self._position.closed(self._body_vector("start", start))

    def velocity(self, x: ArrayLike, v: ArrayLike) -> FloatArray:
        """dx/dt (7n,) at rates v (driven,) of what is driven.

        Raises DeadCentreError where these do not determine it.
        """
        place = self._body_vector("x", x)
        return self._velocity(place, self._driven_rows(place), checked_state("v", v, len(self.driven)))

    def acceleration(self, x: ArrayLike, xdot: ArrayLike, a: ArrayLike) -> FloatArray:
        """d2x/dt2 (7n,) at accelerations a (driven,) of what is driven.

        Raises DeadCentreError where these do not determine it.
        """
        place, rate = self._body_vector("x", x), self._body_vector("xdot", xdot)
        change = checked_state("a", a, len(self.driven))
        return self._acceleration(place, rate, self._driven_rows(place), change)

    def joint_coordinates(self, x: ArrayLike, near: ArrayLike | None = None) -> FloatArray:
        """All coordinates q (nq,) of the tree at x (7n,).

        Angles are those next to ``near`` (nq,), by default from -pi to pi.
        """
        reference = None if near is None else checked_state("near", near, self.kernels.nq)
        return joint_coordinates(self.kernels, self._body_vector("x", x), reference)

    def joint_rates(self, x: ArrayLike, xdot: ArrayLike) -> FloatArray:
        """dq/dt (nq,) of all coordinates of the tree."""
        place, rate = self._body_vector("x", x), self._body_vector("xdot", xdot)
        rates: FloatArray = self.kernels.drive_jacobian(place, joint_coordinates(self.kernels, place)) @ rate
        return rates

    # ---- forces: (28) to (36) ----

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, start: ArrayLike | None = None
    ) -> DrivenForces:
        """The forces that drive the motion q, v, a (driven,) and the reactions of the joints; see ``position`` for start.

        Raises PositionError and DeadCentreError.
        """
        kernels = self.kernels
        x = self.position(q, start)
        found = self._driven_rows(x)
        xdot = self._velocity(x, found, checked_state("v", v, len(self.driven)))
        xddot = self._acceleration(x, xdot, found, checked_state("a", a, len(self.driven)))
        # springs on joints ask for the number of turns
        near = self.drives.on_joints(np.asarray(q, dtype=np.float64), np.array(self.robot.home))
        angles = joint_coordinates(kernels, x, near)
        balance = kernels.forces(x, xdot, angles) - kernels.mass_matrix(x) @ xddot
        multipliers = found.solve_transposed(balance)
        count = len(kernels.names.rows)
        of_joints, of_drives = multipliers[:count], multipliers[count:]
        return DrivenForces(
            x=x,
            xdot=xdot,
            xddot=xddot,
            tau=self.drives.forces(x, angles, of_drives),
            reactions=kernels.joint_reactions(x, of_joints),
            joint_multipliers=of_joints,
            drive_multipliers=of_drives,
            indeterminate=self._joints_of(found.touched[:count]),
        )

    def rank_report(self, x: ArrayLike | None = None) -> RankReport:
        """How many of the joints' equations are independent at x (7n,), by default at home, and whose reactions are unique.

        The joints must be closed there; Euler parameters may have any norm but zero.  Raises PositionError.
        """
        kernels = self.kernels
        place = self.closed(kernels.coordinates(self.robot.home) if x is None else x)
        found = self._decomposed(kernels.jacobian(place), kernels.phi(place))
        return RankReport(
            name=self.robot.name,
            rows=len(kernels.names.rows),
            rank=found.rank,
            degrees_of_freedom=kernels.size - found.rank,
            dependent=self._joints_of(found.touched),
            threshold=found.noise,
            singular_values=found.values,
        )

    # ---- parts ----

    def _body_vector(self, name: str, values: ArrayLike) -> FloatArray:
        return checked_state(name, values, self.kernels.size)

    def _driven_rows(self, x: FloatArray) -> Decomposition:
        """[Phi_x; Phi_A,x] at a driven position.  Raises DeadCentreError where it leaves the bodies free."""
        kernels = self.kernels
        q = joint_coordinates(kernels, x)
        rows = [kernels.jacobian(x), self.drives.jacobian(x, self.drives.values(x))]
        found = self._decomposed(np.concatenate(rows), kernels.phi(x))
        if found.rank < kernels.size:
            free = np.abs(kernels.drive_jacobian(x, q) @ found.right[found.rank :].T).max(axis=1)
            names = self.robot.coordinate_names
            moving = [names[k] for k in np.argsort(-free, kind="stable") if free[k] > np.sqrt(found.noise)]
            raise DeadCentreError(
                f"{self.robot.name}: driving {', '.join(self.driven) or 'nothing'} does not determine the motion here: "
                f"{', '.join(moving)} can move while these stand still. Drive one coordinate for each degree of freedom, "
                "and others at a dead centre: BodySystem(robot, driven=[...])"
            )
        return found

    def _decomposed(self, jacobian: FloatArray, phi: FloatArray) -> Decomposition:
        """The decomposition at a place where the joints, whose rows come first, are open by ``phi``.

        How far the place is off shows in the step that would close them, along directions that they determine at all.
        """
        first = decompose(jacobian)
        open_by = first.left[: len(phi)].T @ phi
        clear = first.values > math.sqrt(EPSILON) * first.values[0]
        step = open_by[: len(clear)][clear] / first.values[clear]
        return decompose(jacobian, float(np.linalg.norm(step)))

    def _velocity(self, x: FloatArray, found: Decomposition, v: FloatArray) -> FloatArray:
        rates = self.drives.slopes(x) * v
        return found.solve(np.concatenate([np.zeros(len(self.kernels.names.rows)), rates]))

    def _acceleration(
        self, x: FloatArray, xdot: FloatArray, found: Decomposition, a: FloatArray
    ) -> FloatArray:
        return found.solve(np.concatenate([self.kernels.gamma(x, xdot), self.drives.gamma(x, xdot, a)]))

    def _joints_of(self, touched: FloatArray) -> tuple[str, ...]:
        """The joints to which rows belong; the last rows are those of the normalisation."""
        rows = self.kernels.names.rows[: self.kernels.joint_rows]
        found = {row for row, yes in zip(rows, touched, strict=False) if yes}
        return tuple(name for name in self.joint_names if name in found)
