"""Where the segments and frames of an arm are in the base, and what a unit rate of every coordinate does to a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kanegen.codegen.derivation.flexible_links.motion import Motion
from kanegen.codegen.derivation.flexible_links.segments import Placement
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Matrix, Vector
from kanegen.codegen.mechanism.flexible_records import Station
from kanegen.codegen.mechanism.records import JointKind


@dataclass(frozen=True, slots=True)
class Pose:
    """Axes and origin in the base: p_base = origin + axes @ p."""

    axes: Matrix
    origin: Vector

    def point(self, r: Sequence[Any]) -> Vector:
        """Where a point of these axes is."""
        return vec.add(self.origin, vec.apply(self.axes, r))


class Poses:
    """Poses along an arm (Book 1983, eqs 3 and 13)."""

    def __init__(self, motion: Motion) -> None:
        self.motion, self.segments = motion, motion.arm.segments
        self._segments: list[Pose] = []
        for i, segment in enumerate(self.segments):
            at = self.at_station(segment.parent, segment.place.station)
            self._segments.append(Pose(vec.multiply(at.axes, motion.turn(i)), at.point(motion.offset(i))))

    def segment(self, i: int) -> Pose:
        """Of a segment; -1 is the base."""
        return Pose(vec.UNIT, vec.NONE) if i < 0 else self._segments[i]

    def at_station(self, i: int, station: Station) -> Pose:
        """Of a station of a segment."""
        here = self.segment(i)
        if i < 0 or not self.segments[i].bends:
            return here
        segment, motion = self.segments[i], self.motion
        return Pose(
            vec.multiply(here.axes, motion.bent(segment, station)), here.point(motion.tip(segment, station))
        )

    def placed(self, place: Placement) -> Pose:
        """Of axes that a segment carries."""
        at = self.at_station(place.segment, place.station)
        motion = self.motion
        return Pose(
            vec.multiply(at.axes, motion.lifted(place.rotation)), at.point(motion.lifted(place.position))
        )

    def jacobian(self, place: Placement) -> list[list[Any]]:
        """Rows (6, nq): velocity of the origin of axes, then their angular velocity, in the base.

        Angular velocities add up along the arm: those of joints about their axes, those of modes as small rotations at their
        stations.  That is exact where nothing bends, and to first order in the deflections elsewhere.
        """
        end = self.placed(place).origin
        rows: list[list[Any]] = [[0] * len(self.motion.q) for _ in range(6)]
        i, station = place.segment, place.station
        while i >= 0:
            segment, here = self.segments[i], self.segment(i)
            if segment.bends:
                inside = self._inside(i, place)
                for k, d, theta in zip(segment.modes, station.displacements, station.rotations, strict=True):
                    turning = vec.apply(here.axes, self.motion.lifted(theta))
                    shift = vec.apply(here.axes, self.motion.lifted(d))
                    swept = vec.apply(here.axes, vec.apply(vec.skew(self.motion.lifted(theta)), inside))
                    self._put(rows, k, vec.add(shift, swept), turning)
            self._joint(rows, i, end, self._from_segment(i, place))
            i, station = segment.parent, segment.place.station
        return rows

    def _joint(self, rows: list[list[Any]], i: int, end: Vector, inside: Vector) -> None:
        segment, here = self.segments[i], self.segment(i)
        if segment.coordinate is None:
            return
        axis = vec.apply(here.axes, self.motion.axis(i))
        if segment.joint.kind is JointKind.PRISMATIC:
            self._put(rows, segment.coordinate, axis, vec.NONE)
        elif segment.affine:
            swept = vec.apply(here.axes, vec.apply(vec.skew(self.motion.axis(i)), inside))
            self._put(rows, segment.coordinate, swept, axis)
        else:
            arm = vec.add(end, vec.scale(-1, here.origin))
            self._put(rows, segment.coordinate, vec.apply(vec.skew(axis), arm), axis)

    @staticmethod
    def _put(rows: list[list[Any]], column: int, linear: Vector, angular: Vector) -> None:
        for m in range(3):
            rows[m][column], rows[3 + m][column] = linear[m], angular[m]

    def _inside(self, i: int, place: Placement) -> Vector:
        """The origin of axes, in those of the station of segment i that leads to them, from there."""
        motion = self.motion
        if place.segment == i:
            return motion.lifted(place.position)
        child = self._child(i, place)
        return vec.add(motion.offset(child), vec.apply(motion.turn(child), self._from_segment(child, place)))

    def _from_segment(self, i: int, place: Placement) -> Vector:
        """The origin of axes in those of segment i."""
        motion, segment = self.motion, self.segments[i]
        station = place.station if place.segment == i else self.segments[self._child(i, place)].place.station
        y = self._inside(i, place)
        if not segment.bends:
            return y
        return vec.add(motion.tip(segment, station), vec.apply(motion.bent(segment, station), y))

    def _child(self, i: int, place: Placement) -> int:
        """The segment next to i on the way to the segment that carries axes."""
        child = place.segment
        while self.segments[child].parent != i:
            child = self.segments[child].parent
        return child
