"""How coordinates q and speeds v move the joints of the tree, and what forces on these are on the speeds.

Every joint of the tree has the rate of one speed times a constant (1, or a mimic's multiplier); its coordinate is an entry
of q times that constant plus an offset, or zero for the joints of a ball.  These begin anew at every instant: along them
the child's velocity is v itself, but a turn about one axis leans the ones before, so that for angular velocity w and
linear velocity u along the child's axes

    x'' = du/dt + w x u,     (angular)  x1'' = dw1/dt - w2 w3,   x2'' = dw2/dt + w1 w3,   x3'' = dw3/dt - w1 w2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.derivation.joint_motion.tree import orientation_name, position_name
from kanegen.codegen.graph import Expression, constant, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import BallJoint, Mechanism, Value
from kanegen.codegen.mechanism.values import Lift

Vector = Sequence[Expression]


@dataclass(frozen=True, slots=True)
class _Slot:
    """A joint of the tree: index of its speed, index of its coordinate (None for balls), multiplier and offset."""

    speed: int
    coordinate: int | None
    multiplier: Value
    offset: Value


class JointCoordinates:
    """The motion of the tree's joints for coordinates ``q``, expressions of the graph of ``lift``."""

    def __init__(self, mechanism: Mechanism, q: Vector, lift: Lift) -> None:
        self.mechanism, self.q, self.lift, self.graph = mechanism, tuple(q), lift, lift.graph
        self.zero = constant(self.graph, 0)
        self._slots = _slots(mechanism)
        self.rotations = {ball.name: self._rotation(ball) for ball in mechanism.balls}

    # -- motion of the tree ------------------------------------------------------------------------------------------

    def placements(self) -> dict[str, Expression]:
        """What the parameters of the tree that stand for placements of ball joints are."""
        found: dict[str, Expression] = {}
        for ball in self.mechanism.balls:
            for r in range(3):
                for c in range(3):
                    found[orientation_name(ball, r, c)] = self.rotations[ball.name][r][c]
            if ball.free:
                first = self._first(ball)
                for m in range(3):
                    found[position_name(ball, m)] = self.q[first + m]
        return found

    def positions(self) -> list[Expression]:
        """Coordinates of the tree's joints."""
        return [
            self.zero
            if slot.coordinate is None
            else self._times(slot, self.q[slot.coordinate]) + self.lift(slot.offset)
            for slot in self._slots
        ]

    def rates(self, v: Vector) -> list[Expression]:
        """Rates of the tree's joints for speeds v; also their accelerations for dv/dt = v in a state of rest."""
        return [self._times(slot, v[slot.speed]) for slot in self._slots]

    def accelerations(self, v: Vector, a: Vector) -> list[Expression]:
        """Accelerations of the tree's joints for speeds v and their derivatives a."""
        found = self.rates(a)
        for j, extra in self.turning(v).items():
            found[j] = found[j] + extra
        return found

    def turning(self, v: Vector) -> dict[int, Expression]:
        """What speeds that do not change add to the accelerations of the joints of balls, by index of the joint."""
        return turning(self.mechanism, v)

    def leaning(self, v: Vector) -> dict[tuple[int, int], Expression]:
        """The matrix D(v), by entries, with turning(v) = -D v: the rate at which the axes of balls lean."""
        return leaning(self.mechanism, v)

    def speed_of(self, joint: int) -> int:
        """Index of the speed that moves a joint of the tree."""
        return self._slots[joint].speed

    def on_speeds(self, forces: Vector) -> list[Expression]:
        """Forces on the speeds for forces on the tree's joints (or a row of a Jacobian): each with its multiplier."""
        terms: list[list[Expression]] = [[] for _ in self.mechanism.rates]
        for slot, force in zip(self._slots, forces, strict=True):
            terms[slot.speed].append(self._times(slot, force))
        return [total(self.graph, entries) for entries in terms]

    # -- rates of the coordinates ------------------------------------------------------------------------------------

    def coordinate_rates(self, v: Vector) -> list[Expression]:
        """dq/dt = N(q) v."""
        found: list[Expression] = [self.zero] * len(self.q)
        for slot in self._slots[: len(self.mechanism.rates)]:
            if slot.coordinate is not None:
                found[slot.coordinate] = v[slot.speed]
        half = Fraction(1, 2)
        for ball in self.mechanism.balls:
            at, speed = self._first(ball), self.mechanism.rates.index(ball.joints[0])
            if ball.free:
                turn = self.rotations[ball.name]
                found[at : at + 3] = vec.apply_total(self.graph, turn, v[speed : speed + 3])
                at, speed = at + 3, speed + 3
            x, y, z, w = self.q[at : at + 4]
            wx, wy, wz = v[speed : speed + 3]
            found[at] = (w * wx + y * wz - z * wy) * half
            found[at + 1] = (w * wy + z * wx - x * wz) * half
            found[at + 2] = (w * wz + x * wy - y * wx) * half
            found[at + 3] = -(x * wx + y * wy + z * wz) * half
        return found

    def speeds(self, qdot: Vector) -> list[Expression]:
        """v of dq/dt = N(q) v; what of dq/dt changes the length of a quaternion is no motion."""
        found: list[Expression] = [self.zero] * len(self.mechanism.rates)
        for j, slot in enumerate(self._slots[: len(found)]):
            if slot.coordinate is not None:
                found[j] = qdot[slot.coordinate]
        for ball in self.mechanism.balls:
            at, speed = self._first(ball), self.mechanism.rates.index(ball.joints[0])
            if ball.free:
                turn = self.rotations[ball.name]
                found[speed : speed + 3] = vec.apply_total(self.graph, vec.transpose(turn), qdot[at : at + 3])
                at, speed = at + 3, speed + 3
            x, y, z, w = self.q[at : at + 4]
            dx, dy, dz, dw = qdot[at : at + 4]
            two = self._twice_inverse_square(ball)
            found[speed] = (w * dx - x * dw - y * dz + z * dy) * two
            found[speed + 1] = (w * dy - y * dw - z * dx + x * dz) * two
            found[speed + 2] = (w * dz - z * dw - x * dy + y * dx) * two
        return found

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _twice_inverse_square(self, ball: BallJoint) -> Expression:
        """2 over the square of a quaternion's length."""
        at = self._first(ball) + (3 if ball.free else 0)
        return constant(self.graph, 2) / vec.dot_total(self.graph, self.q[at : at + 4], self.q[at : at + 4])

    def _first(self, ball: BallJoint) -> int:
        return self.mechanism.coordinates.index(ball.coordinates[0])

    def _times(self, slot: _Slot, x: Expression) -> Expression:
        return x if slot.multiplier == 1 else self.lift(slot.multiplier) * x

    def _rotation(self, ball: BallJoint) -> list[list[Expression]]:
        """The rotation matrix of a quaternion (x, y, z, w) of any length other than zero."""
        at = self._first(ball) + (3 if ball.free else 0)
        x, y, z, w = self.q[at : at + 4]
        two = self._twice_inverse_square(ball)
        tx, ty, tz = two * x, two * y, two * z
        xx, yy, zz = tx * x, ty * y, tz * z
        xy, xz, yz = tx * y, tx * z, ty * z
        wx, wy, wz = tx * w, ty * w, tz * w
        return [
            [1 - (yy + zz), xy - wz, xz + wy],
            [xy + wz, 1 - (xx + zz), yz - wx],
            [xz - wy, yz + wx, 1 - (xx + yy)],
        ]


def turning(mechanism: Mechanism, v: Vector) -> dict[int, Expression]:
    """What speeds v that do not change add to the accelerations of the joints of balls, by index of the joint."""
    found: dict[int, Expression] = {}
    for ball in mechanism.balls:
        first = mechanism.rates.index(ball.joints[0])
        n = len(ball.joints)
        w = v[first + n - 3 : first + n]
        found |= {
            first + n - 3: -(w[1] * w[2]),
            first + n - 2: w[0] * w[2],
            first + n - 1: -(w[0] * w[1]),
        }
        if ball.free:
            u = v[first : first + 3]
            for m in range(3):
                b, c = (m + 1) % 3, (m + 2) % 3
                found[first + m] = w[b] * u[c] - w[c] * u[b]
    return found


def leaning(mechanism: Mechanism, v: Vector) -> dict[tuple[int, int], Expression]:
    """The matrix D(v), by entries, with turning(v) = -D v: the rate at which the axes of balls lean."""
    found: dict[tuple[int, int], Expression] = {}
    for ball in mechanism.balls:
        first = mechanism.rates.index(ball.joints[0])
        n = len(ball.joints)
        at = first + n - 3
        w = v[at : at + 3]
        found |= {(at + 1, at): -w[2], (at + 2, at): w[1], (at, at + 1): w[2]}
        if ball.free:
            # -(w x) on the linear part
            for m in range(3):
                b, c = (m + 1) % 3, (m + 2) % 3
                found[first + m, first + c] = -w[b]
                found[first + m, first + b] = w[c]
    return found


def level_rotors(mechanism: Mechanism) -> dict[str, Value]:
    """Rotor inertias by joint that resist the derivative of the joint's speed alone; those of leaning drives are left out.

    Drives that turn a ball resist dw/dt, whatever way its axes lean.  Those that shift a free body are equal (see
    ``BallJoint``) and resist the acceleration of its origin, dv/dt + w x v along its axes: what the joints of the chain do.
    """
    shifting = {name for ball in mechanism.balls if ball.free for name in ball.joints[:3]}
    return {
        joint.name: joint.rotor_inertia
        for joint in mechanism.joints
        if joint.rotor_inertia != 0 and joint.name not in shifting
    }


def rotors_do_not_lean(mechanism: Mechanism, v: Vector, lift: Lift) -> dict[int, Expression]:
    """What to add to forces on joints of balls that the tree gives, by index: drives that turn resist dw/dt alone.

    To the tree they resist accelerations of its joints, those that speeds which do not change need included.
    """
    rotors, names = level_rotors(mechanism), mechanism.rates
    return {j: -(lift(rotors[names[j]]) * x) for j, x in turning(mechanism, v).items() if names[j] in rotors}


def _slots(mechanism: Mechanism) -> list[_Slot]:
    """The joints of the tree in its order."""
    one, zero = Fraction(1), Fraction(0)
    by_joint: dict[str, _Slot] = {}
    for speed, joint in enumerate(mechanism.rates):
        coordinate = mechanism.coordinates.index(joint) if joint in mechanism.coordinates else None
        by_joint[joint] = _Slot(speed, coordinate, one, zero)
    mimics = {mimic.joint: mimic for mimic in mechanism.mimics}

    def slot(joint: str) -> _Slot:
        if joint not in by_joint:
            mimic = mimics[joint]
            leader = slot(mimic.leader)
            by_joint[joint] = _Slot(
                leader.speed,
                leader.coordinate,
                mimic.multiplier * leader.multiplier,
                mimic.multiplier * leader.offset + mimic.offset,
            )
        return by_joint[joint]

    return [slot(joint) for joint in (*mechanism.rates, *mimics)]
