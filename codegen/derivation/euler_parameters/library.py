"""Constraint library: the rows of every kind of joint, and of the drives of its coordinates.

With P and f, g, h on the first body (index 1) and on the second (index 2), d = P2 - P1:

    spherical     P2 - P1 = 0                                                        3 rows, equation (5)
    revolute      and g1 . f2 = h1 . f2 = 0                                          5
    universal     and f1 . f2 = 0                                                    4
    fixed         and g1 . f2 = h1 . f2 = g1 . h2 = 0                                6
    cylindrical   g1 . f2 = h1 . f2 = 0, g1 . d = h1 . d = 0                         4
    translational (prismatic) and g1 . h2 = 0                                        5
    planar        g1 . f2 = h1 . f2 = 0, f1 . d = 0                                  3

Drives.  (33) is singular where sin(theta) vanishes.  Here its reference direction turns with the coordinate, so that the
angle between the two directions is always a right one: (h1 cos q - g1 sin q) . g2 = sin(theta - q), whose derivative with
respect to theta is 1 wherever it holds.  A slide is driven by the distance along its axis, f1 . d - q, which, other than
(35), stays regular at zero.  So in a driven position Phi_x dx/dt is the rate of the coordinate in either case.
"""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.codegen.derivation.euler_parameters.body_model import Connection, Drive, DriveKind, Mark
from kanegen.codegen.derivation.euler_parameters.rows import Coincidence, Distance, Perpendicular, Row
from kanegen.codegen.derivation.euler_parameters.states import Direction, Point
from kanegen.codegen.graph import Expression, constant
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Expressions
from kanegen.codegen.mechanism.constraints import LoopKind
from kanegen.codegen.mechanism.values import Lift


@dataclass(frozen=True, slots=True)
class Place:
    """A mark in the graph of a derivation."""

    point: Point
    f: Direction
    g: Direction
    h: Direction


@dataclass(frozen=True, slots=True)
class Motion:
    """A coordinate with its first and second derivative."""

    q: Expression
    v: Expression
    a: Expression


class Library:
    """Rows of connections, in the graph of ``lift``; ``places`` maps links of the chain to bodies of the program."""

    def __init__(self, lift: Lift, places: dict[int, int]) -> None:
        self.lift, self._places = lift, places
        self._zero = constant(lift.graph, 0)

    def place(self, mark: Mark) -> Place:
        """A mark's point and triad."""
        body = self._places[mark.body]
        axes = (Direction(body, self.lift.vector(axis)) for axis in (mark.f, mark.g, mark.h))
        return Place(Point(body, self.lift.vector(mark.point)), *axes)

    def joint_rows(self, connection: Connection) -> list[Row]:
        """What the joint does not let happen; drives without a coordinate hold theirs at zero."""
        one, two = self.place(connection.first), self.place(connection.second)
        kind = connection.kind
        coincident: list[Row] = [Coincidence(one.point, two.point, m) for m in range(3)]
        parallel: list[Row] = [Perpendicular(one.g, two.f), Perpendicular(one.h, two.f)]
        straight: list[Row] = [Perpendicular(one.g, two.h)]
        collinear = [self._no_distance(one, two, one.g), self._no_distance(one, two, one.h)]
        rows = {
            LoopKind.SPHERICAL: coincident,
            LoopKind.REVOLUTE: coincident + parallel,
            LoopKind.UNIVERSAL: [*coincident, Perpendicular(one.f, two.f)],
            LoopKind.FIXED: coincident + parallel + straight,
            LoopKind.CYLINDRICAL: parallel + collinear,
            LoopKind.PRISMATIC: parallel + straight + collinear,
            LoopKind.PLANAR: [*parallel, self._no_distance(one, two, one.f)],
        }[kind]
        still = Motion(self._zero, self._zero, self._zero)
        held = [self.drive_row(connection, d, still) for d in connection.drives if d.coordinate is None]
        return rows + held

    def drive_row(self, connection: Connection, drive: Drive, motion: Motion) -> Row:
        """The equation by which a coordinate is driven."""
        one, two = self.place(connection.first), self.place(connection.second)
        if drive.kind is DriveKind.SLIDE:
            return Distance(one.f, one.point, two.point, motion.q, motion.a, drive.sense)
        if drive.kind is DriveKind.TURN:
            across = vec.scale(drive.sense, one.h.components)
            return Perpendicular(_turning(one.g.body, across, vec.scale(-1, one.g.components), motion), two.g)
        if drive.kind is DriveKind.FIRST_CROSS:
            turning = _turning(one.g.body, one.h.components, vec.scale(-1, one.g.components), motion)
            return Perpendicular(turning, two.f)
        back = _turning(two.g.body, two.h.components, two.g.components, motion)
        return Perpendicular(back, one.f, sense=-1)

    def drive_axis(self, connection: Connection, drive: Drive) -> Direction:
        """The direction of the coordinate: u of (34)."""
        one, two = self.place(connection.first), self.place(connection.second)
        place = two if drive.kind in (DriveKind.SECOND_CROSS, DriveKind.TURN) else one
        return Direction(place.f.body, vec.scale(drive.sense, place.f.components))

    def _no_distance(self, one: Place, two: Place, direction: Direction) -> Row:
        return Distance(direction, one.point, two.point, self._zero, self._zero)


def _turning(body: int, at_zero: Expressions, at_quarter: Expressions, motion: Motion) -> Direction:
    """at_zero cos q + at_quarter sin q in a body's axes, with its rate and second derivative in time."""
    c, s = motion.q.cosine(), motion.q.sine()
    value = vec.add_total(c.graph, vec.scale(c, at_zero), vec.scale(s, at_quarter))
    slope = vec.add_total(c.graph, vec.scale(-s, at_zero), vec.scale(c, at_quarter))
    bend = vec.add_total(c.graph, vec.scale(motion.a, slope), vec.scale(-(motion.v * motion.v), value))
    return Direction(body, value, vec.scale(motion.v, slope), bend)
