"""The mass matrix of an arm with flexible links: composite moments from the tips inwards, and a load for every coordinate.

A unit acceleration of one coordinate, with everything at rest, loads everything outboard at once: its moments are those of
one composite segment (Book 1983, eqs 66 to 81, and for rigid links Walker & Orin 1982).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanegen.codegen.derivation.flexible_links.algebra import (
    Matrix,
    Vector,
    applied,
    axial,
    inner,
    outer,
    plus,
    product,
    scaled,
    skew,
    stretched,
    sum_of,
    times,
    total,
)
from kanegen.codegen.derivation.flexible_links.integrals import Shape
from kanegen.codegen.derivation.flexible_links.loads import Load, Loads
from kanegen.codegen.derivation.flexible_links.motion import Motion
from kanegen.codegen.graph import vectors as vec
from kanegen.codegen.mechanism.flexible_records import Station
from kanegen.codegen.mechanism.records import JointKind


@dataclass(frozen=True, slots=True)
class Moments:
    """dm, y dm, y y^T dm of everything that moves with some axes."""

    mass: Any
    first: Vector
    second: Matrix

    def plus(self, other: Moments) -> Moments:
        """Of both together."""
        return Moments(
            total([self.mass, other.mass]), plus(self.first, other.first), sum_of(self.second, other.second)
        )

    def moved(self, R: Matrix, r: Vector) -> Moments:
        """The same seen from axes in which they are at r + R y; R need not be a rotation."""
        first = applied(R, self.first)
        mixed = outer(first, r)
        second = sum_of(
            times(times(R, self.second), vec.transpose(R)),
            mixed,
            vec.transpose(mixed),
            scaled(self.mass, outer(r, r)),
        )
        lower = tuple(tuple(second[max(i, j)][min(i, j)] for j in range(3)) for i in range(3))
        return Moments(self.mass, plus(first, stretched(self.mass, r)), lower)


class Composites:
    """Composite moments of the segments, and columns of the mass matrix."""

    def __init__(self, motion: Motion) -> None:
        self.motion, self.segments, self.loads = motion, motion.arm.segments, Loads(motion)
        self._on_stations: dict[int, dict[Station, Moments]] = {}
        self._composites: dict[int, Moments] = {}
        for i in reversed(range(len(self.segments))):
            self._composites[i] = self._composite(i)

    def _composite(self, i: int) -> Moments:
        shape, motion = Shape(self.motion, i), self.motion
        found = Moments(shape.mass, shape.first, shape.second)
        for station, carried in self._on_stations.get(i, {}).items():
            if self.segments[i].bends:
                E, t = motion.bent(self.segments[i], station), motion.tip(self.segments[i], station)
                carried = carried.moved(E, t)
            found = found.plus(carried)
        segment = self.segments[i]
        if segment.parent >= 0:
            seen = found.moved(motion.turn(i), motion.offset(i))
            there = self._on_stations.setdefault(segment.parent, {})
            station = segment.place.station
            there[station] = there[station].plus(seen) if station in there else seen
        return found

    def matrix(self) -> list[list[Any]]:
        """All entries, in coordinate order."""
        count = len(self.motion.q)
        found: list[list[Any]] = [[0] * count for _ in range(count)]
        for i, segment in enumerate(self.segments):
            columns = [] if segment.coordinate is None else [(segment.coordinate, self._of_joint(i))]
            columns += [(place, self._of_mode(i, k)) for k, place in enumerate(segment.modes)]
            for place, column in columns:
                for row, x in column.items():
                    found[row][place] = found[place][row] = x
            if segment.coordinate is not None:
                rotor = self.motion.number(segment.joint.rotor_inertia)
                own = found[segment.coordinate][segment.coordinate]
                found[segment.coordinate][segment.coordinate] = total([own, rotor])
        return found

    def _of_joint(self, i: int) -> dict[int, Any]:
        """The column of a joint, as far as its own row: what is outboard has it in its own columns."""
        segment, motion, outboard = self.segments[i], self.motion, self._composites[i]
        axis = motion.axis(i)
        if segment.joint.kind is JointKind.PRISMATIC:
            direction = axis
            if segment.affine:
                direction = applied(
                    motion.at_station(segment.parent, segment.place.station).B, motion.sliding(i)
                )
            load = Load(stretched(outboard.mass, direction), outer(direction, outboard.first))
        else:
            J = skew(axis)
            if segment.affine:
                J = times(motion.axes(i).B, J)
            load = Load(applied(J, outboard.first), times(J, outboard.second))
        return self.loads.along(i, load)

    def _of_mode(self, i: int, k: int) -> dict[int, Any]:
        """The column of a mode: its link's modes up to itself, its joint, and everything before."""
        segment, motion, shape = self.segments[i], self.motion, Shape(self.motion, i)
        B = motion.axes(i).B
        back = vec.transpose(B)
        metric = times(back, B)
        load = Load(applied(B, shape.mode_first(k)), times(B, vec.transpose(shape.mode_mixed(k))))
        own = {n: inner(metric, shape.mode_product(n, k)) for n in range(k + 1)}
        for station, outboard in self._on_stations.get(i, {}).items():
            d, theta = (motion.lifted(x[k]) for x in (station.displacements, station.rotations))
            spread = times(skew(theta), outboard.second)
            f = applied(B, plus(stretched(outboard.mass, d), applied(skew(theta), outboard.first)))
            T = times(B, sum_of(outer(d, outboard.first), spread))
            pulled, turned = applied(back, f), axial(times(back, T))
            for n in range(k + 1):
                other_d, other_theta = (
                    motion.lifted(x[n]) for x in (station.displacements, station.rotations)
                )
                own[n] = total([own[n], product(other_d, pulled), product(other_theta, turned)])
            load = load.plus(self.loads.from_station(i, station, Load(f, T)))
        found = self.loads.along(i, load)
        return found | {segment.modes[n]: x for n, x in own.items()}
