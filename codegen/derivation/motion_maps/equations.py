"""The equations of a constrained mechanism: loops, contacts, edges and equations of its user, and what its speeds are.

Equations of position are expressions phi(q); every equation of velocity is a row of coefficients and a rest,
row . dq/dt + rest = 0.  Generalized speeds are given likewise: v = row . dq/dt + rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kanegen.codegen.derivation.motion_maps.chains import Chains, dot
from kanegen.codegen.derivation.motion_maps.prescribed import Given, prescribed_joints, time_of, written
from kanegen.codegen.graph import Expression, Graph, constant, partial, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.graph.sympy_bridge import with_exact_exponents
from kanegen.codegen.mechanism.constraints import (
    FrameCoordinate,
    KnifeEdge,
    Loop,
    LoopKind,
    PositionConstraint,
    RollingContact,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.frame_coordinates import place_of
from kanegen.codegen.mechanism.records import BASE, BallJoint, Frame, JointKind, Mechanism
from kanegen.codegen.mechanism.speeds import (
    AngularVelocityComponent,
    CombinedSpeed,
    DistanceRate,
    GeneralizedSpeed,
    JointRate,
    described_speed,
)
from kanegen.codegen.mechanism.values import Lift
from kanegen.errors import ModelError


@dataclass(frozen=True)
class Row:
    """A linear combination of the rates of the coordinates, and a rest: row . dq/dt + rest.

    ``undivided`` are the coefficients times the length by which those of a distance divide: they have values where the
    points meet, and vanish there.
    """

    name: str
    group: str
    coefficients: tuple[Expression, ...]
    rest: Expression
    undivided: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Position:
    """An equation of position phi(q) = 0.  Equations of one group belong together (and are eliminated together)."""

    name: str
    group: str
    value: Expression


@dataclass(frozen=True)
class Equations:
    """All equations of a mechanism over the coordinates q.

    ``rows`` are the derivatives of ``positions``, in their order, then the equations of velocity; ``speeds`` one row for
    each generalized speed.  ``margins``, between 0 and 1, are there for rates of distances: they vanish where the points
    coincide and where no coordinate changes their distance.  ``sines`` are squares of those of axles to the normals of
    the ground, without which a wheel has no lowest point.  ``prescribed`` are the joints that move as given, by name, and
    ``time`` is the input t where anything depends on it.
    """

    graph: Graph
    q: tuple[Expression, ...]
    positions: tuple[Position, ...]
    rows: tuple[Row, ...]
    speeds: tuple[Row, ...]
    margins: tuple[Expression, ...] = ()
    sines: tuple[Expression, ...] = ()
    prescribed: Mapping[str, Given] = field(default_factory=dict)
    time: Expression | None = None


def equations(mechanism: Mechanism, q: Sequence[Expression], lift: Lift) -> Equations:
    """The equations of a mechanism whose coordinates are ``q``, inputs of the graph that ``lift`` copies values into."""
    return _Writer(mechanism, q, lift).equations()


class _Writer:
    def __init__(self, mechanism: Mechanism, q: Sequence[Expression], lift: Lift) -> None:
        self.mechanism, self.q, self.lift, self.graph = mechanism, tuple(q), lift, lift.graph
        self.zero = constant(self.graph, 0)
        self.by_joint = dict(zip(mechanism.coordinates, q, strict=True))
        self.prescribed = prescribed_joints(mechanism, lift)
        moving = {name: given.position for name, given in self.prescribed.items()}
        self.chains = Chains(mechanism, {**self.by_joint, **moving}, lift)
        self.slopes = [partial(self.graph, x) for x in self.q]
        self.time = time_of(mechanism, self.graph)
        self.by_time = None if self.time is None else partial(self.graph, self.time)
        self.sines: list[Expression] = []

    def equations(self) -> Equations:
        positions: list[Position] = []
        velocities: list[Row] = []
        for loop in self.mechanism.loops:
            positions += self._loop(loop)
        for constraint in self.mechanism.constraints:
            if isinstance(constraint, RollingContact):
                touching, slip = self._rolling(constraint)
                positions += touching
                velocities += slip
            elif isinstance(constraint, KnifeEdge):
                velocities.append(self._edge(constraint))
            elif isinstance(constraint, PositionConstraint):
                positions.append(self._position(constraint))
            else:
                velocities.append(self._velocity(constraint))
        derived = [Row(p.name, p.group, *self._change(p.value)) for p in positions]
        speeds = [self._speed(speed) for speed in self.mechanism.generalized_speeds]
        margins = [self._margin(speed) for speed in self.mechanism.speeds if isinstance(speed, DistanceRate)]
        rows = (*derived, *velocities)
        return Equations(
            self.graph,
            self.q,
            tuple(positions),
            rows,
            tuple(speeds),
            tuple(margins),
            tuple(self.sines),
            self.prescribed,
            self.time,
        )

    def _gradient(self, value: Expression) -> tuple[Expression, ...]:
        return tuple(slope.first(value) for slope in self.slopes)

    def _change(self, value: Expression) -> tuple[tuple[Expression, ...], Expression]:
        """Derivatives of a value by the coordinates, and by time alone: coefficients and rest of its rate."""
        return self._gradient(value), self.zero if self.by_time is None else self.by_time.first(value)

    # -- equations of position ---------------------------------------------------------------------------------------

    def _loop(self, loop: Loop) -> list[Position]:
        one, two = (self.mechanism.frame(name).body for name in (loop.first, loop.second))
        above = self.chains.common_ancestor(one, two)
        self._refuse_moving(f"loop {loop.name!r}", (one, two), above)
        first, second = (self.chains.frame(name, above) for name in (loop.first, loop.second))
        apart = vec.subtract(second.position, first.position)
        x, y, z = (first.axis(k) for k in range(3))
        place = dict(zip(("x", "y", "z"), apart, strict=True))
        across = {"across x": dot(apart, x), "across y": dot(apart, y)}
        parallel = {"axis x": dot(x, second.axis(2)), "axis y": dot(y, second.axis(2))}
        turn = {"turn": dot(y, second.axis(0))}
        wanted: Mapping[LoopKind, tuple[dict[str, Expression], dict[str, Expression]]] = {
            LoopKind.SPHERICAL: (place, {}),
            LoopKind.REVOLUTE: (place, parallel),
            LoopKind.UNIVERSAL: (place, {"axes": dot(z, second.axis(2))}),
            LoopKind.CYLINDRICAL: (across, parallel),
            LoopKind.PRISMATIC: (across, {**parallel, **turn}),
            LoopKind.PLANAR: ({"along z": dot(apart, z)}, parallel),
            LoopKind.FIXED: (place, {**parallel, **turn}),
        }
        found = []
        for part, values in zip(("place", "axes"), wanted[loop.kind], strict=True):
            group = f"{loop.name} {part}"
            found += [Position(f"{loop.name} {name}", group, value) for name, value in values.items()]
        return found

    def _position(self, constraint: PositionConstraint) -> Position:
        """An equation of the user's; those of the same frames belong together, as the components of a path do."""
        frames = sorted({part.frame for part in constraint.frames})
        group = f"path of {', '.join(frames)}" if frames else constraint.name
        return Position(constraint.name, group, self._written(constraint.expression, constraint))

    def _written(
        self, expression: sympy.Expr, constraint: PositionConstraint | VelocityConstraint
    ) -> Expression:
        known = dict(zip(constraint.q, self.q, strict=True))
        used = expression.free_symbols
        known |= {
            x.symbol: self._coordinate(x, constraint.name) for x in constraint.frames if x.symbol in used
        }
        return written(expression, self.mechanism, self.lift, known, self.prescribed, constraint.time)

    def _coordinate(self, part: FrameCoordinate, equation: str) -> Expression:
        """A coordinate of a frame; where its rate is meant, what this is the rate of."""
        ends = self.mechanism.frame(part.frame).body, self.mechanism.frame(part.relative_to).body
        self._refuse_moving(f"equation {equation!r}", ends, self.chains.common_ancestor(*ends))
        pose = self.chains.relative(part.frame, part.relative_to)
        row, column = place_of(part.entry)
        found: Expression = (*pose.rotation[row], pose.position[row])[column]
        return found

    # -- equations of velocity ---------------------------------------------------------------------------------------

    def _rolling(self, contact: RollingContact) -> tuple[list[Position], list[Row]]:
        """No slip along ground x and y; touching as an equation of position unless the tree sees to it.

        The point of the wheel nearest the ground lies from the centre along -(n - (n . e) e), n the normal, e the axle.
        """
        wheel, ground = self.mechanism.frame(contact.wheel).body, self.mechanism.frame(contact.ground).body
        above = self.chains.common_ancestor(wheel, ground)
        self._refuse_moving(f"rolling contact {contact.name!r}", (wheel, ground), above)
        pose = self.chains.relative(contact.wheel, contact.ground)
        radius = self.lift(contact.radius)
        touching: list[Position] = []
        if contact.contact is None:
            axle = pose.axis(2)
            square = axle[0] * axle[0] + axle[1] * axle[1]
            sine = square.square_root()
            self.sines.append(square)
            touching.append(
                Position(f"{contact.name} touching", contact.name, pose.position[2] - radius * sine)
            )
            share = radius / sine
            across = (axle[0] * axle[2] * share, axle[1] * axle[2] * share, -radius * sine)
        else:
            point = self.chains.relative(contact.contact, contact.ground)
            across = vec.subtract(point.position, pose.position)
        turning = self.chains.turning(wheel, self.mechanism.frame(contact.ground))
        rows = []
        for k in range(2):
            coefficients, rest = self._change(pose.position[k])
            row = list(coefficients)
            for joint, w in turning.items():
                share = vec.cross(w, across)[k]
                if joint in self.by_joint:
                    j = self.mechanism.coordinates.index(joint)
                    row[j] = row[j] + share
                else:
                    rest = rest + share * self.prescribed[joint].rate
            name = f"{contact.name} slip {'xy'[k]}"
            rows.append(Row(name, contact.name, tuple(row), rest))
        return touching, rows

    def _edge(self, constraint: KnifeEdge) -> Row:
        edge, ground = (
            self.mechanism.frame(constraint.edge).body,
            self.mechanism.frame(constraint.ground).body,
        )
        self._refuse_moving(
            f"knife edge {constraint.name!r}", (edge, ground), self.chains.common_ancestor(edge, ground)
        )
        return Row(
            constraint.name,
            constraint.name,
            *self._along(constraint.edge, (self.zero, constant(self.graph, 1), self.zero), constraint.ground),
        )

    def _velocity(self, constraint: VelocityConstraint) -> Row:
        moving = [part for part in constraint.frames if part.rate]
        at_rest = dict.fromkeys((*constraint.qdot, *(part.symbol for part in moving)), 0)
        expression = with_exact_exponents(constraint.expression)
        coefficients = [self._written(expression.diff(rate), constraint) for rate in constraint.qdot]
        rest = self._written(expression.subs(at_rest), constraint)
        for part in moving:
            factor = self._written(expression.diff(part.symbol), constraint)
            change, by_time = self._change(self._coordinate(part, constraint.name))
            coefficients = [x + factor * y for x, y in zip(coefficients, change, strict=True)]
            rest = rest + factor * by_time
        return Row(constraint.name, constraint.name, tuple(coefficients), rest)

    def _along(
        self, frame: str, direction: vec.Vector, reference: str
    ) -> tuple[tuple[Expression, ...], Expression]:
        """Velocity of a frame's origin relative to another frame's body, along a direction fixed in the first frame.

        Its coefficients, and its rest.
        """
        pose = self.chains.relative(frame, reference)
        turned = vec.apply_total(self.graph, pose.rotation, direction)
        columns, rests = zip(*(self._change(x) for x in pose.position), strict=True)
        return vec.apply_total(self.graph, vec.transpose(columns), turned), dot(rests, turned)

    # -- generalized speeds ------------------------------------------------------------------------------------------

    def _speed(self, speed: GeneralizedSpeed) -> Row:
        n = len(self.q)
        if isinstance(speed, JointRate):
            for ball in self.mechanism.balls:
                if speed.joint in ball.joints:
                    return Row(f"{speed.joint}", "speeds", self._of_ball(ball, speed.joint), self.zero)
            place = self.mechanism.coordinates.index(speed.joint)
            unit = [constant(self.graph, int(j == place)) for j in range(n)]
            return Row(f"d{speed.joint}/dt", "speeds", tuple(unit), self.zero)
        if isinstance(speed, DistanceRate):
            coefficients, rest = self._change(self._distance(speed))
            _, undivided = self._changes(speed)
            return Row(described_speed(speed), "speeds", coefficients, rest, undivided)
        if isinstance(speed, CombinedSpeed):
            return replace(self._velocity(speed.equation), group="speeds")
        direction = self.lift.vector(speed.direction)
        if isinstance(speed, AngularVelocityComponent):
            row, given = [self.zero] * n, [self.zero]
            for joint, w in self.chains.turning(BASE, Frame(speed.body, speed.body)).items():
                share = -dot(w, direction)
                if joint in self.by_joint:
                    row[self.mechanism.coordinates.index(joint)] = share
                else:
                    given.append(share * self.prescribed[joint].rate)
            return Row(described_speed(speed), "speeds", tuple(row), total(self.graph, given))
        one, two = (self.mechanism.frame(name).body for name in (speed.frame, speed.relative_to))
        self._refuse_moving(
            f"speed of the frame {speed.frame!r}", (one, two), self.chains.common_ancestor(one, two)
        )
        return Row(described_speed(speed), "speeds", *self._along(speed.frame, direction, speed.relative_to))

    def _of_ball(self, ball: BallJoint, joint: str) -> tuple[Expression, ...]:
        """A speed of a ball joint: velocity of its child's origin in the parent, or angular velocity, on the child's axes.

        On the chart these are rates of its coordinates where these are zero, and there alone.
        """
        parent, child = (
            self.mechanism.joint(ball.joints[0]).parent,
            self.mechanism.joint(ball.joints[-1]).child,
        )
        pose = self.chains.body(child, parent)
        axis = pose.axis(ball.joints.index(joint) % 3)
        if ball.free and joint in ball.joints[:3]:
            columns = [self._gradient(x) for x in pose.position]
            return vec.apply_total(self.graph, vec.transpose(columns), axis)
        row = [self.zero] * len(self.q)
        for inner in self.chains.path(child, parent):
            if inner.kind is JointKind.REVOLUTE:
                turned = vec.multiply(
                    self.chains.body(inner.parent, parent).rotation, self.lift.matrix(inner.rotation)
                )
                partial_velocity = vec.apply(turned, self.lift.vector(inner.axis))
                row[self.mechanism.coordinates.index(inner.name)] = dot(axis, partial_velocity)
        return tuple(row)

    def _distance(self, speed: DistanceRate) -> Expression:
        ends = (self.mechanism.frame(speed.first).body, self.mechanism.frame(speed.second).body)
        above = self.chains.common_ancestor(*ends)
        self._refuse_moving(described_speed(speed), ends, above)
        length = self.chains.distance(speed.first, speed.second)
        if length.is_number:
            raise ModelError(
                f"speed, {described_speed(speed)}",
                "is zero: no coordinate changes this distance",
                "two points that move apart or together",
                "Mend one of the names.",
            )
        return length

    def _margin(self, speed: DistanceRate) -> Expression:
        """Square of the gradient of half the distance's square over a bound that vanishes nowhere.

        With l from p1 to p2: |l . dl/dq|^2 <= |l|^2 |dl/dq|^2 and |l|^2 <= 2 (|p1|^2 + |p2|^2).
        """
        one, two = self.chains.origins(speed.first, speed.second)
        columns, changes = self._changes(speed)
        reach = total(self.graph, [dot(column, column) for column in columns])
        far = (dot(one, one) + dot(two, two)) * 2
        return vec.dot_total(self.graph, changes, changes) / (reach * far)

    def _changes(self, speed: DistanceRate) -> tuple[vec.Matrix, tuple[Expression, ...]]:
        """dl/dq of the vector l between the two points, a row for each coordinate, and l . dl/dq."""
        apart = self.chains.apart(speed.first, speed.second)
        columns = vec.transpose([self._gradient(x) for x in apart])
        return columns, tuple(vec.apply_total(self.graph, columns, apart))

    def _refuse_moving(self, where: str, ends: tuple[str, ...], above: str) -> None:
        for end in ends:
            for joint in self.chains.path(end, above):
                if self.mechanism.steady_joints.get(joint.name, 0) != 0:
                    raise ModelError(
                        where,
                        f"reaches across joint {joint.name!r}, which moves as prescribed",
                        "frames on the same side of that joint",
                        "Attach both ends to bodies that the prescribed joint carries along.",
                    )


def row_names(system: Equations, prescribed: Sequence[str] = ()) -> str:
    """The rows of the equations by name, in order."""
    return ", ".join([*(row.name for row in system.rows), *(f"force of {name}" for name in prescribed)])
