"""The mass matrix of an arm with flexible links: composite moments from the tips inwards, and a load for every coordinate.

A unit acceleration of one coordinate, with everything at rest, loads everything outboard at once: its moments are those of
one composite segment (Book 1983, eqs 66 to 81, and for rigid links Walker & Orin 1982).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanegen.codegen.derivation.flexible_links.integrals import Shape
from kanegen.codegen.derivation.flexible_links.loads import Load, Loads
from kanegen.codegen.derivation.flexible_links.motion import Motion
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Matrix, Vector
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
            self.mass + other.mass,
            vec.add(self.first, other.first),
            vec.matrix_add(self.second, other.second),
        )

    def moved(self, R: Matrix, r: Vector) -> Seen:
        """The same seen from axes in which they are at r + R y; R need not be a rotation."""
        half = vec.matrix_add(vec.multiply(self.second, vec.transpose(R)), vec.outer(self.first, r))
        first = vec.add(vec.apply(R, self.first), vec.scale(self.mass, r))
        second = vec.matrix_add(vec.multiply(R, half), vec.outer(r, first))
        lower = tuple(tuple(second[max(i, j)][min(i, j)] for j in range(3)) for i in range(3))
        return Seen(half, Moments(self.mass, first, lower))


@dataclass(frozen=True, slots=True)
class Seen:
    """Moments seen from other axes, and y (r + R y)^T dm, which is half way to them."""

    half: Matrix
    moments: Moments


class Composites:
    """Composite moments of the segments, and columns of the mass matrix."""

    def __init__(self, motion: Motion) -> None:
        self.motion, self.segments, self.loads = motion, motion.arm.segments, Loads(motion)
        self._carried: dict[int, dict[Station, Moments]] = {}
        self._on_stations: dict[int, dict[Station, tuple[Moments, Seen]]] = {}
        self._composites: dict[int, Moments] = {}
        self._in_parents: dict[int, Seen] = {}
        for i in reversed(range(len(self.segments))):
            self._composite(i)

    def _composite(self, i: int) -> None:
        """Moments of everything outboard, and as the station sees them that carries it."""
        shape, motion, segment = Shape(self.motion, i), self.motion, self.segments[i]
        found = Moments(shape.mass, shape.first, shape.second)
        for station, carried in self._carried.get(i, {}).items():
            seen = Seen(carried.second, carried)
            if segment.bends:
                seen = carried.moved(motion.bent(segment, station), motion.tip(segment, station))
            self._on_stations.setdefault(i, {})[station] = (carried, seen)
            found = found.plus(seen.moments)
        self._composites[i] = found
        self._in_parents[i] = found.moved(motion.turn(i), motion.offset(i))
        if segment.parent >= 0:
            there, here = self._carried.setdefault(segment.parent, {}), self._in_parents[i].moments
            station = segment.place.station
            there[station] = there[station].plus(here) if station in there else here

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
                found[segment.coordinate][segment.coordinate] = own + rotor
        return found

    def _of_joint(self, i: int) -> dict[int, Any]:
        """The column of a joint, as far as its own row: what is outboard has it in its own columns."""
        segment, motion, outboard = self.segments[i], self.motion, self._composites[i]
        seen, axis = self._in_parents[i], motion.axis(i)
        assert segment.coordinate is not None
        if segment.joint.kind is JointKind.PRISMATIC:
            station = motion.at_station(segment.parent, segment.place.station)
            direction = vec.apply(station.B, motion.sliding(i))
            load = Load(vec.scale(outboard.mass, direction), vec.outer(direction, seen.moments.first))
            return {segment.coordinate: vec.dot(direction, load.f)} | self.loads.from_joint(i, load)
        J = vec.skew(axis)
        if not segment.affine:
            return self.loads.along(i, Load(vec.apply(J, outboard.first), vec.multiply(J, outboard.second)))
        B = motion.axes(i).B
        own = vec.double_dot(
            vec.multiply(vec.multiply(vec.transpose(B), B), J), vec.multiply(J, outboard.second)
        )
        BJ = vec.multiply(B, J)
        load = Load(vec.apply(BJ, outboard.first), vec.multiply(BJ, seen.half))
        return {segment.coordinate: own} | self.loads.from_joint(i, load)

    def _of_mode(self, i: int, k: int) -> dict[int, Any]:
        """The column of a mode: its link's modes up to itself, its joint, and everything before."""
        segment, motion, shape = self.segments[i], self.motion, Shape(self.motion, i)
        B = motion.axes(i).B
        metric = vec.multiply(vec.transpose(B), B)
        pushed, spread = shape.mode_first(k), vec.transpose(shape.mode_mixed(k))
        own = {n: vec.double_dot(metric, shape.mode_product(n, k)) for n in range(k + 1)}
        for station, (outboard, seen) in self._on_stations.get(i, {}).items():
            d, theta = (motion.lifted(x[k]) for x in (station.displacements, station.rotations))
            turning = vec.skew(theta)
            f = vec.add(vec.scale(outboard.mass, d), vec.apply(turning, outboard.first))
            T = vec.matrix_add(vec.outer(d, outboard.first), vec.multiply(turning, outboard.second))
            pulled, turned = vec.apply(metric, f), vec.axial(vec.multiply(metric, T))
            for n in range(k + 1):
                other_d, other_theta = (
                    motion.lifted(x[n]) for x in (station.displacements, station.rotations)
                )
                own[n] = sum([own[n], vec.dot(other_d, pulled), vec.dot(other_theta, turned)])
            pushed = vec.add(pushed, f)
            spread = vec.matrix_add(
                spread, vec.outer(d, seen.moments.first), vec.multiply(turning, seen.half)
            )
        found = self.loads.along(i, Load(vec.apply(B, pushed), vec.multiply(B, spread)))
        return found | {segment.modes[n]: x for n, x in own.items()}
