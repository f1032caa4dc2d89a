"""Constrained mechanisms by multipliers, from a mechanism's records alone: the independent witness.

The bodies' own sums give the generalized forces on every joint of the tree (d'Alembert), the constraints' definitions
their equations of position and velocity, and a linear solve with multipliers the rest:

    M q'' + h = Y^T tau + A^T lambda + f,   A q'' + B = 0,   v = Y q' + y.

f are the forces that move the prescribed joints.  Nothing that kanegen derives is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanegen.codegen.mechanism import Mechanism

from .constraint_equations import position_equations, speed_rows, velocity_equations
from .jets import Array, Jet
from .tree_dynamics import TreeDynamics

RANK = 1e-9
"""Singular values below this share of the largest belong to redundant equations.

Those of the catalogue's mechanisms are either below 1e-14, or above 1e-4 where the tests go.
"""


@dataclass(frozen=True)
class State:
    """A motion that satisfies the constraints: q, q', q'' (nq,), and v, a (nv,) of the same motion."""

    q: Array
    qdot: Array
    qddot: Array
    v: Array
    a: Array


@dataclass(frozen=True)
class Equations:
    """Equations linear in the rates: value = ``rows`` q' + ``drift``, its rate = ``rows`` q'' + ``curvature``.

    ``drift`` comes from the prescribed joints, on whose rates ``on_prescribed`` are the rows.
    """

    rows: Array
    drift: Array
    curvature: Array
    on_prescribed: Array


class ConstrainedWitness(TreeDynamics):
    """Answers about a constrained mechanism.  States are arrays of one state, with kanegen's conventions."""

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.nv = mechanism.dof
        home = [self.tree.number(x) for x in mechanism.home]
        self.home = np.array(home) if home else np.zeros(self.nq)

    def _linear(self, rows: list[Jet], of_position: bool) -> Equations:
        """The equations' matrix from the unit rates, the rest from the motion, whose acceleration is zero."""
        joints, n = len(self.tree.joints), self.nq
        order = int(of_position)
        matrix = np.array([row.terms[order][:joints] for row in rows]).reshape(len(rows), joints)
        curvature = np.array([row.terms[order + 1][-1] for row in rows])
        return Equations(matrix[:, :n], matrix[:, n:] @ self.prescribed_rates, curvature, matrix[:, n:])

    def constraints(self, q: Array, qdot: Array) -> Equations:
        """All of them: the derivatives of the equations of position, then the equations of velocity."""
        motions = self.motions(q, qdot, np.zeros(self.nq))
        poses = self.tree.poses(motions)
        position = self._linear(position_equations(self.tree, poses, motions), of_position=True)
        velocity = self._linear(velocity_equations(self.tree, poses, motions), of_position=False)
        return _stacked(position, velocity)

    def speeds(self, q: Array, qdot: Array) -> Equations:
        """The generalized speeds."""
        motions = self.motions(q, qdot, np.zeros(self.nq))
        return self._linear(speed_rows(self.tree, self.tree.poses(motions), motions), of_position=False)

    def residual(self, q: Array) -> Array:
        """The equations of position, (k,)."""
        still = np.zeros(self.nq)
        motions = self.motions(q, still, still)
        rows = position_equations(self.tree, self.tree.poses(motions), motions)
        return np.array([row.terms[0][-1] for row in rows])

    def assembled(self, q: Array) -> Array:
        """The configuration near ``q`` that satisfies the equations of position, by Gauss-Newton steps."""
        for _ in range(30):
            phi = self.residual(q)
            if not phi.size or np.abs(phi).max() < 1e-15:
                break
            jacobian = self.constraints(q, np.zeros(self.nq)).rows[: phi.size]
            q = q - np.linalg.pinv(jacobian, rcond=RANK) @ phi
        return q

    def rates(self, q: Array, v: Array) -> Array:
        """q' of the speeds ``v``, (nq,)."""
        still = np.zeros(self.nq)
        both = _stacked(self.constraints(q, still), self.speeds(q, still))
        wanted = np.concatenate([np.zeros(len(both.rows) - self.nv), v])
        return _solved(both.rows, wanted - both.drift)

    def accelerations(self, q: Array, qdot: Array, a: Array) -> Array:
        """q'' of the accelerations ``a``, (nq,)."""
        both = _stacked(self.constraints(q, qdot), self.speeds(q, qdot))
        wanted = np.concatenate([np.zeros(len(both.rows) - self.nv), a])
        return _solved(both.rows, wanted - both.curvature)

    def directions(self, q: Array) -> Array:
        """N (nq, nv) of q' = N v + drift: Kane's partial velocities on the coordinates."""
        still = np.zeros(self.nq)
        both = _stacked(self.constraints(q, still), self.speeds(q, still))
        return np.array(np.linalg.pinv(both.rows, rcond=RANK)[:, -self.nv :])

    def state(self, random: np.random.Generator, spread: float, speed: float = 1.0) -> State:
        """A random state: assembled from a disturbed home, with random v and a."""
        q = self.assembled(self.home + random.uniform(-spread, spread, self.nq))
        v, a = random.uniform(-speed, speed, (2, self.nv))
        qdot = self.rates(q, v)
        return State(q, qdot, self.accelerations(q, qdot, a), v, a)

    def condition(self, q: Array) -> float:
        """The condition of the equations that give q' and q'', without their redundancy."""
        still = np.zeros(self.nq)
        both = _stacked(self.constraints(q, still), self.speeds(q, still))
        values = np.linalg.svd(both.rows, compute_uv=False)
        return float(values[0] / values[self.nq - 1])

    def solution(self, state: State) -> tuple[Array, Array, Array]:
        """tau (nv,), A^T lambda (nq,) and the prescribed joints' forces (p,) of a motion, by multipliers."""
        both = _stacked(self.constraints(state.q, state.qdot), self.speeds(state.q, state.qdot))
        forces = self.tree_forces(state.q, state.qdot, state.qddot)
        multipliers = _solved(both.rows.T, forces[: self.nq])
        tau, of_constraints = multipliers[-self.nv :], multipliers[: -self.nv]
        carried = both.rows[: -self.nv].T @ of_constraints
        return tau, carried, forces[self.nq :] - both.on_prescribed.T @ multipliers

    def inverse_dynamics(self, state: State) -> Array:
        """tau (nv,)."""
        return self.solution(state)[0]

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """a (nv,), from the accelerations and the multipliers together."""
        qdot = self.rates(q, v)
        constraints, speeds = self.constraints(q, qdot), self.speeds(q, qdot)
        n = self.nq
        rows, curvature = independent(constraints)
        bias = self.tree_forces(q, qdot, np.zeros(n))[:n]
        mass = self.tree_mass_matrix(q)
        system = np.block([[mass, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
        right = np.concatenate([speeds.rows.T @ tau - bias, -curvature])
        qddot = np.linalg.solve(system, right)[:n]
        return np.array(speeds.rows @ qddot + speeds.curvature)

    def mass_matrix(self, q: Array) -> Array:
        """(nv, nv), on the speeds."""
        N = self.directions(q)
        return np.array(N.T @ self.tree_mass_matrix(q) @ N)

    def gravity_forces(self, q: Array) -> Array:
        """(nv,)."""
        still = np.zeros(self.nq)
        forces = self.tree_forces(q, still, still, inertia=False) - self.tree_forces(
            q, still, still, inertia=False, gravity=False
        )
        return np.array(self.directions(q).T @ forces[: self.nq])

    def frame_pose(self, q: Array, frame: str) -> Array:
        """(4, 4)."""
        still = np.zeros(self.nq)
        pose = self.tree.frame(frame, self.tree.poses(self.motions(q, still, still)))
        found = np.eye(4)
        found[:3, :3], found[:3, 3] = pose.rotation.terms[0][-1], pose.position.terms[0][-1]
        return found

    def frame_jacobian(self, q: Array, frame: str) -> Array:
        """(6, nv) on the speeds: linear rows first, base axes, at the frame's origin."""
        still = np.zeros(self.nq)
        pose = self.tree.frame(frame, self.tree.poses(self.motions(q, still, still)))
        units = slice(0, self.nq)
        rows = np.hstack([pose.position.terms[1][units], pose.angular_velocity().terms[0][units]]).T
        return np.array(rows @ self.directions(q))


def independent(equations: Equations) -> tuple[Array, Array]:
    """Orthonormal rows (r, nq) that say the same, without the redundant ones, and their curvature (r,)."""
    left, values, right = np.linalg.svd(equations.rows, full_matrices=False)
    kept = values > RANK * values[0] if values.size else np.zeros(0, bool)
    return right[kept], (left.T @ equations.curvature)[kept] / values[kept]


def _stacked(first: Equations, second: Equations) -> Equations:
    return Equations(
        np.vstack([first.rows, second.rows]),
        np.concatenate([first.drift, second.drift]),
        np.concatenate([first.curvature, second.curvature]),
        np.vstack([first.on_prescribed, second.on_prescribed]),
    )


def _solved(matrix: Array, right: Array) -> Array:
    """The least solution of consistent equations, redundant ones among them."""
    return np.array(np.linalg.lstsq(matrix, right, rcond=RANK)[0])
