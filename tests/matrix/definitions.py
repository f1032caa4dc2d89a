"""What loops, constraints and generalized speeds say, in numbers: from their definitions and the bodies' own motion."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import sympy

from kanegen.codegen.certificate.arrays import Array, cross, dot, times
from kanegen.codegen.certificate.body_motion import BodyMotion, JointMotion, bodies
from kanegen.codegen.certificate.numeric_tree import numeric_tree
from kanegen.codegen.certificate.speeds import TreeSpeeds
from kanegen.codegen.mechanism import (
    AngularVelocityComponent,
    DistanceRate,
    GeneralizedSpeed,
    JointRate,
    KnifeEdge,
    Loop,
    LoopKind,
    Mechanism,
    PositionConstraint,
    RollingContact,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.values import numeric

RANK = 1e-9
"""Singular values below this part of the largest are zero: they are below 1e-13 or above 1e-4 in the states looked at."""


def transposed(matrix: Array) -> Array:
    """Matrices (..., m, n) as (..., n, m)."""
    return np.swapaxes(matrix, -1, -2)


def condition(matrix: Array) -> Array:
    """The ratio of the largest singular value to the smallest that is not zero (states,)."""
    values = np.linalg.svd(matrix, compute_uv=False)
    return np.asarray(values[:, 0] / np.where(values > RANK * values[:, :1], values, np.inf).min(axis=1))


class Placed:
    """A frame that moves: axes (..., 3, 3), origin, velocity and angular velocity, for each unit rate (joints, states)."""

    def __init__(self, moving: dict[str, BodyMotion], at: tuple[str, Array, Array]) -> None:
        body, rotation, offset = at
        self.p, self.v, _ = moving[body].point(offset)
        self.R, self.w = moving[body].R @ rotation, moving[body].w

    def axis(self, k: int) -> Array:
        """An axis along those of the base."""
        return np.asarray(self.R[..., :, k])


class Definitions:
    """The equations and the speeds of a mechanism in configurations q (states, nq).

    Columns belong to the rates of the tree's joints, those of balls along the axes of their bodies, then to those of the
    prescribed joints, which stand at zero and are moved on along ``shift`` times their rates.
    """

    def __init__(self, mechanism: Mechanism, q: Array, shift: complex = 0.0) -> None:
        self.mechanism = m = with_numbers(mechanism)
        self.q, self.shift = q, shift
        self.records, self.tree = numeric_tree(m), TreeSpeeds(m)
        self.joints = (*m.rates, *(p.joint for p in m.prescribed))
        self.free = len(m.rates)
        self.given = np.array([float(numeric(p.rate, m)) for p in m.prescribed])

    @cached_property
    def moving(self) -> dict[str, BodyMotion]:
        """The bodies for unit rates of the joints, one after another."""
        units = np.eye(len(self.joints))
        motion = self.tree.motion(self.q, units[:, None, : self.free], np.zeros(self.free))
        position, rate = dict(motion.position), dict(motion.rate)
        for k, given in enumerate(self.given):
            joint = self.joints[self.free + k]
            rate[joint] = np.broadcast_to(units[:, self.free + k, None], motion.batch)
            position[joint] = np.full(motion.batch, self.shift * given)
        return bodies(
            self.records,
            JointMotion(motion.batch, position, rate, motion.acceleration, motion.rotations, motion.shifts),
        )

    def frame(self, name: str) -> Placed:
        """A frame by name, or that of a body."""
        return Placed(self.moving, self.records.frames[name])

    def rates(self, qdot: Array) -> Array:
        """Rates (states, joints) of all joints for those of the coordinates (states, nq)."""
        free = (self.tree.of_rates(self.q) @ qdot[..., None])[..., 0]
        return np.concatenate([free, np.broadcast_to(self.given, (len(free), len(self.given)))], axis=-1)

    def twist(self, name: str) -> Array:
        """Velocity of a frame's origin and its angular velocity (states, 6, joints) for unit rates."""
        at = self.frame(name)
        return np.moveaxis(np.concatenate(np.broadcast_arrays(at.v, at.w), axis=-1), 0, -1)

    @cached_property
    def equations(self) -> Array:
        """Coefficients (states, rows, joints) of the rates in closed configurations; with the rates they make zero."""
        rows: list[Array] = []
        for loop in self.mechanism.loops:
            rows += self._held(loop)
        for constraint in self.mechanism.constraints:
            if isinstance(constraint, RollingContact):
                rows += self._rolling(constraint)
            elif isinstance(constraint, KnifeEdge):
                _, edge, (dv, _) = self._pair(constraint.ground, constraint.edge)
                rows.append(dot(edge.axis(1), dv))
            else:
                rows.append(self._written(constraint))
        return np.moveaxis(np.array(rows).reshape(len(rows), len(self.joints), len(self.q)), -1, 0)

    def closure(self) -> Array:
        """How far the equations of position are from holding (states, rows)."""
        rows: list[Array] = []
        for loop in self.mechanism.loops:
            rows += self._apart(loop)
        for constraint in self.mechanism.constraints:
            if isinstance(constraint, RollingContact) and constraint.contact is None:
                ground, wheel, arm = self._wheel(constraint)
                rows.append(dot(wheel.p + arm - ground.p, ground.axis(2))[0])
            elif isinstance(constraint, PositionConstraint):
                rows.append(self._numbers(constraint.q, constraint.expression))
        return np.array(rows).reshape(len(rows), len(self.q)).T

    def speeds(self, speeds: Sequence[GeneralizedSpeed]) -> Array:
        """Coefficients (states, nv, joints) of the rates in the speeds."""
        return np.moveaxis(np.array([self._speed(s) for s in speeds]), -1, 0)

    def _pair(self, first: str, second: str) -> tuple[Placed, Placed, tuple[Array, Array]]:
        """Two frames, and the velocity of the second's origin and its angular velocity as seen from the first."""
        one, two = self.frame(first), self.frame(second)
        return one, two, (two.v - one.v - cross(one.w, two.p - one.p), two.w - one.w)

    def _held(self, loop: Loop) -> list[Array]:
        """What the joint that closes a loop forbids of the relative velocities."""
        one, two, (dv, dw) = self._pair(loop.first, loop.second)
        along = [[dot(one.axis(k), x) for k in range(3)] for x in (dv, dw)]
        (vx, vy, vz), (wx, wy, wz) = along
        return {
            LoopKind.SPHERICAL: [vx, vy, vz],
            LoopKind.REVOLUTE: [vx, vy, vz, wx, wy],
            LoopKind.UNIVERSAL: [vx, vy, vz, dot(cross(one.axis(2), two.axis(2)), dw)],
            LoopKind.CYLINDRICAL: [vx, vy, wx, wy],
            LoopKind.PRISMATIC: [vx, vy, wx, wy, wz],
            LoopKind.PLANAR: [vz, wx, wy],
            LoopKind.FIXED: [vx, vy, vz, wx, wy, wz],
        }[loop.kind]

    def _apart(self, loop: Loop) -> list[Array]:
        """The same of the positions."""
        one, two = self.frame(loop.first), self.frame(loop.second)
        x, y, z = (dot(one.axis(k), two.p - one.p)[0] for k in range(3))
        lean = [dot(one.axis(k), two.axis(2))[0] for k in range(2)]
        turn = dot(one.axis(0), two.axis(1))[0]
        return {
            LoopKind.SPHERICAL: [x, y, z],
            LoopKind.REVOLUTE: [x, y, z, *lean],
            LoopKind.UNIVERSAL: [x, y, z, dot(one.axis(2), two.axis(2))[0]],
            LoopKind.CYLINDRICAL: [x, y, *lean],
            LoopKind.PRISMATIC: [x, y, *lean, turn],
            LoopKind.PLANAR: [z, *lean],
            LoopKind.FIXED: [x, y, z, *lean, turn],
        }[loop.kind]

    def _wheel(self, contact: RollingContact) -> tuple[Placed, Placed, Array]:
        """Ground, wheel, and the way from its centre to the lowest point of its rim, or to the given contact."""
        ground, wheel = self.frame(contact.ground), self.frame(contact.wheel)
        if contact.contact is not None:
            return ground, wheel, self.frame(contact.contact).p - wheel.p
        up, axle = ground.axis(2), wheel.axis(2)
        upward = up - times(dot(up, axle), axle)
        radius = float(numeric(contact.radius, self.mechanism))
        return ground, wheel, -times(radius / np.sqrt(dot(upward, upward)), upward)

    def _rolling(self, contact: RollingContact) -> list[Array]:
        """No slip; and the centre rises as the wheel is righted: r sin(angle of axle and normal)."""
        ground, wheel, arm = self._wheel(contact)
        _, _, (dv, dw) = self._pair(contact.ground, contact.wheel)
        slip = dv + cross(dw, arm)
        rows = [dot(ground.axis(k), slip) for k in range(2)]
        if contact.contact is None:
            lean = dot(wheel.axis(2), ground.axis(2))
            leaning = dot(cross(dw, wheel.axis(2)), ground.axis(2))
            radius = float(numeric(contact.radius, self.mechanism))
            rows.append(dot(ground.axis(2), dv) + radius * lean * leaning / np.sqrt(1 - lean**2))
        return rows

    def _written(self, constraint: PositionConstraint | VelocityConstraint) -> Array:
        """Coefficients (joints, states) of an equation in the coordinates."""
        of_position = isinstance(constraint, PositionConstraint)
        moving = constraint.q if of_position else constraint.qdot
        on_q = np.array([self._numbers(constraint.q, constraint.expression.diff(x)) for x in moving])
        free = np.einsum("ks,skj->js", on_q, self.tree.columns(self.q))
        return np.pad(free, ((0, len(self.given)), (0, 0)))

    def _numbers(self, q: Sequence[sympy.Symbol], expression: sympy.Expr) -> Array:
        found = sympy.lambdify(q, expression, "numpy")(*self.q.T)
        return np.broadcast_to(np.asarray(found), len(self.q))

    def _speed(self, speed: GeneralizedSpeed) -> Array:
        if isinstance(speed, JointRate):
            unit = np.eye(len(self.joints))[self.joints.index(speed.joint)]
            return np.tile(unit[:, None], len(self.q))
        if isinstance(speed, DistanceRate):
            one, two = self.frame(speed.first), self.frame(speed.second)
            apart = two.p - one.p
            return dot(apart, two.v - one.v) / np.sqrt(dot(apart, apart))
        along = np.array([float(numeric(x, self.mechanism)) for x in speed.direction])
        if isinstance(speed, AngularVelocityComponent):
            body = Placed(self.moving, (speed.body, np.eye(3), np.zeros(3)))
            return dot(body.R @ along, body.w)
        at = self.records.frames[speed.relative_to][0]
        _, frame, (dv, _) = self._pair(at, speed.frame)
        return dot(frame.R @ along, dv)
