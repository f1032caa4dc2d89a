"""How coordinates q and speeds v move the joints of the tree, and what forces on these are on the speeds.

Every joint of the tree has the rate of one speed times a constant (1, or a mimic's multiplier); its coordinate is an entry
of q times that constant plus an offset, or zero for the joints of a ball.  These begin anew at every instant: along them
the child's velocity is v itself, but a turn about one axis leans the ones before, so that for angular velocity w and
linear velocity u along the child's axes

    x'' = du/dt + w x u,     (angular)  x1'' = dw1/dt - w2 w3,   x2'' = dw2/dt + w1 w3,   x3'' = dw3/dt - w1 w2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.derivation.motion_maps.ball_steps import changes_of_balls
from kanegen.codegen.derivation.motion_maps.joint_tree import orientation_name, position_name
from kanegen.codegen.derivation.motion_maps.leaning import leaning, turning
from kanegen.codegen.derivation.motion_maps.motion_map import FreeSpeeds, Rows, TreeForces, TreeMotion, Vector
from kanegen.codegen.graph import Expression, constant, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import BallJoint, Mechanism, Value
from kanegen.codegen.mechanism.values import Lift


@dataclass(frozen=True, slots=True)
class _Slot:
    """A joint of the tree: index of its speed, index of its coordinate (None for balls), multiplier and offset."""

    speed: int
    coordinate: int | None
    multiplier: Value
    offset: Value


class JointMap(FreeSpeeds):
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
        for j, extra in turning(self.mechanism, v).items():
            found[j] = found[j] + extra
        return found

    def speed_of(self, joint: int) -> int:
        """Index of the speed that moves a joint of the tree."""
        return self._slots[joint].speed

    def on_speeds(self, forces: Vector) -> list[Expression]:
        """Forces on the speeds for forces on the tree's joints (or a row of a Jacobian): each with its multiplier."""
        terms: list[list[Expression]] = [[] for _ in self.mechanism.rates]
        for slot, force in zip(self._slots, forces, strict=True):
            terms[slot.speed].append(self._times(slot, force))
        return [total(self.graph, entries) for entries in terms]

    # -- what kernels ask of any map (motion_map.py) ----------------------------------------------------------------------

    @property
    def _identity(self) -> bool:
        """Whether speeds are the rates of the tree's joints."""
        return not (self.mechanism.mimics or self.mechanism.balls)

    @property
    def carried(self) -> str:
        """Nothing to say where the speeds are the tree's own."""
        return "" if self._identity else ", carried to the speeds"

    @property
    def rates_from(self) -> str:
        """The definition of the joint rates, where these are the speeds."""
        return "definition of the joint rates" if self._identity else "equations of velocity"

    @property
    def one_to_one(self) -> bool:
        """Whether no joint follows another."""
        return not self.mechanism.mimics

    def motion(self, v: Vector | None = None, a: Vector | None = None) -> TreeMotion:
        """The motion of the tree for speeds and their derivatives."""
        if v is None:
            return TreeMotion(self.positions())
        rates = self.rates(v)
        return TreeMotion(self.positions(), rates, None if a is None else self.accelerations(v, a))

    def columns(self) -> Rows:
        """T, with one entry in each row."""
        one = constant(self.graph, 1)
        return [
            [
                self._times(slot, one) if slot.speed == k else self.zero
                for k in range(len(self.mechanism.rates))
            ]
            for slot in self._slots
        ]

    def on_both_sides(self, matrix: Sequence[Vector]) -> Rows:
        """T^T M T of a symmetric matrix."""
        n = len(self.mechanism.rates)
        half = [self.on_speeds(row) for row in matrix]
        columns = [self.on_speeds([row[r] for row in half]) for r in range(n)]
        return [[columns[max(r, c)][min(r, c)] for c in range(n)] for r in range(n)]

    def rate_of_rows(self, rates: Rows, rows: Callable[[], Rows], v: Vector) -> Rows:
        """(dA/dt - A D) T, D being the rate at which the axes of balls lean."""
        return [self.on_speeds(row) for row in self._less_leaning(rates, rows, v)]

    def coriolis(
        self, c: Rows, mass_matrix: Callable[[], Rows], v: Vector, rotors: Mapping[str, Value]
    ) -> Rows:
        """T^T (C - (M - rotors) D) T."""

        def leaning_inertia() -> Rows:
            m = [list(row) for row in mass_matrix()]
            for j, joint in enumerate(self.mechanism.rates):
                if joint in rotors:
                    m[j][j] = m[j][j] - self.lift(rotors[joint])
            return m

        n = len(self.mechanism.rates)
        half = self.rate_of_rows(c, leaning_inertia, v)
        columns = [self.on_speeds([row[r] for row in half]) for r in range(n)]
        return [[columns[c][r] for c in range(n)] for r in range(n)]

    def changes(self, forces: TreeForces, steps: Vector) -> Mapping[Expression, Vector]:
        """What steps along the speeds of balls change of the forces (ball_steps.py)."""
        return changes_of_balls(self.mechanism, self.lift, forces, steps)

    def unit_rates(self) -> Rows:
        """dq/dt for each speed = 1."""
        n, one = len(self.mechanism.rates), constant(self.graph, 1)
        return [self.coordinate_rates([one if i == j else self.zero for i in range(n)]) for j in range(n)]

    def _less_leaning(self, rates: Rows, rows: Callable[[], Rows], v: Vector) -> Rows:
        """rates - rows D(v)."""
        if not self.mechanism.balls:
            return rates
        slopes = leaning(self.mechanism, v)
        found = []
        for rate, row in zip(rates, rows(), strict=True):
            terms: list[list[Expression]] = [[x] for x in rate]
            for (i, j), d in slopes.items():
                terms[j].append(-row[i] * d)
            found.append([total(self.graph, t) for t in terms])
        return found

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


def _slots(mechanism: Mechanism) -> list[_Slot]:
    """The joints of the tree in its order."""
    rates, coordinates = mechanism.rates, mechanism.coordinates
    ends = [mechanism.followed(joint) for joint in (*rates, *(mimic.joint for mimic in mechanism.mimics))]
    return [
        _Slot(
            rates.index(end.leader),
            coordinates.index(end.leader) if end.leader in coordinates else None,
            end.multiplier,
            end.offset,
        )
        for end in ends
    ]
