"""Forces along an arm and its mass matrix: from what every segment needs to joints and modes, by virtual work.

Of everything outboard, f is the integral of d2p/dt2 dm and T that of d2p/dt2 y^T dm, y from the segment's origin in its axes
(with B not orthogonal a moment alone would not do).  Turning the axes by a joint does the work axis . axial(B^T T), a mode
that moves the end by d and turns it by theta the work d . B^T f + theta . axial(B^T T).  Where B is a rotation and nothing
inboard bends, only the moment axial(T) is carried on.

A unit acceleration of one coordinate, with everything at rest, loads everything outboard at once: its moments are those of
one composite segment, found from the tips inwards (Book 1983, eqs 66 to 81, and for rigid links Walker & Orin 1982).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kanegen.codegen.derivation.flexible_links.motion import Motion, Shape, say
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Matrix, Vector
from kanegen.codegen.mechanism.flexible_records import Station
from kanegen.codegen.mechanism.records import JointKind


@dataclass(frozen=True, slots=True)
class Load:
    """f and T, or the moment in place of T where that is all that is needed."""

    f: Vector
    T: Matrix | None
    moment: Vector | None = None

    def plus(self, other: Load) -> Load:
        """Two loads on the same axes."""
        T = None if self.T is None or other.T is None else vec.matrix_add(self.T, other.T)
        return Load(
            vec.add(self.f, other.f), T, None if T is not None else vec.add(self.turning, other.turning)
        )

    @property
    def turning(self) -> Vector:
        """The moment about the origin where B = 1."""
        return vec.axial(self.T) if self.T is not None else self.moment or vec.NONE


class Loads:
    """Loads on an arm in a configuration, and the generalized forces that go with them."""

    def __init__(self, motion: Motion) -> None:
        self.motion, self.segments = motion, motion.arm.segments

    def inertial(self) -> list[Any]:
        """Generalized forces (nq) that move the segments as ``motion`` says; weight is part of the accelerations."""
        found, _ = self._gathered({i: self._own(i) for i in range(len(self.segments))})
        for i, segment in enumerate(self.segments):
            for place, x in zip(segment.modes, self._own_modes(i), strict=True):
                found[place] += x
            rotor = self.motion.number(segment.joint.rotor_inertia)
            if segment.coordinate is not None and rotor != 0 and self.motion.a[segment.coordinate] != 0:
                driven = rotor * self.motion.a[segment.coordinate]
                found[segment.coordinate] += driven
        return found

    def momentum(self) -> tuple[Vector, Vector]:
        """Linear momentum, and angular momentum about the base's origin, in the base's axes.

        Velocities in place of accelerations make momenta of forces; they are carried to the base like these.
        """
        _, found = self._gathered({i: self._own_momentum(i) for i in range(len(self.segments))})
        return found.f, found.turning

    def along(self, i: int, load: Load) -> dict[int, Any]:
        """What a load on one segment does on its coordinates and on those before it, by their places."""
        found = [0] * len(self.motion.q)
        self._carry_inwards(i, load, found)
        return {k: x for k, x in enumerate(found) if not vec.is_zero(x)}

    def from_joint(self, i: int, load: Load) -> dict[int, Any]:
        """What a load on the station that carries a segment does before its joint."""
        found: list[Any] = [0] * len(self.motion.q)
        parent, station = self.segments[i].parent, self.segments[i].place.station
        if parent >= 0 and not self.segments[parent].bends and not self.segments[i].affine:
            load = Load(load.f, None, load.turning)
        if parent >= 0 and self.segments[parent].bends:
            self._on_modes(parent, station, load, found)
            load = self.from_station(parent, station, load)
        self._carry_inwards(parent, load, found)
        return {k: x for k, x in enumerate(found) if not vec.is_zero(x)}

    def _gathered(self, own: Mapping[int, Load]) -> tuple[list[Any], Load]:
        """Generalized forces of loads on all segments, and what reaches the base."""
        base = Load(vec.NONE, None, vec.NONE)
        found: list[Any] = [0] * len(self.motion.q)
        waiting: dict[int, Load] = dict(own)
        ends: dict[tuple[int, Station], Load] = {}
        for i in reversed(range(len(self.segments))):
            load = waiting[i]
            for (at, station), end in ends.items():
                if at == i:
                    self._on_modes(i, station, end, found)
                    load = load.plus(self.from_station(i, station, end))
            self._on_joint(i, load, found)
            parent, station, outboard = self._to_station(i, load)
            if parent < 0:
                base = base.plus(outboard)
            elif self.segments[parent].bends:
                key = (parent, station)
                ends[key] = ends[key].plus(outboard) if key in ends else outboard
            else:
                waiting[parent] = waiting[parent].plus(outboard)
        return found, base

    def _carry_inwards(self, i: int, load: Load, found: list[Any]) -> None:
        """Project a load on every coordinate from a segment to the base."""
        while i >= 0:
            self._on_joint(i, load, found)
            i, station, load = self._to_station(i, load)
            if i >= 0 and self.segments[i].bends:
                self._on_modes(i, station, load, found)
                load = self.from_station(i, station, load)

    # -- one segment -------------------------------------------------------------------------------------------------

    def _own(self, i: int) -> Load:
        """f and T of the segment's own mass.

        With s, P the first and second moments of the deflected segment about its origin: the integral of h, h h^T dm.
        """
        at, shape = self.motion.axes(i), Shape(self.motion, i)
        f = vec.add(
            vec.scale(shape.mass, at.acceleration),
            vec.apply(at.ddB, shape.first),
            vec.scale(2, vec.apply(at.dB, shape.first_rate)),
            vec.apply(at.B, shape.first_acceleration),
        )
        T = vec.matrix_add(
            vec.outer(at.acceleration, shape.first),
            vec.multiply(at.ddB, shape.second),
            vec.matrix_scale(2, vec.multiply(at.dB, shape.mixed(self.motion.v))),
            vec.multiply(at.B, shape.mixed(self.motion.a)),
        )
        say(self.segments[i].name, {"segment force": (f,), "segment moments": T})
        return Load(f, T)

    def _own_momentum(self, i: int) -> Load:
        """Momentum of the segment, and the integral of dp/dt h^T dm."""
        at, shape = self.motion.axes(i), Shape(self.motion, i)
        f = vec.add(
            vec.scale(shape.mass, at.velocity),
            vec.apply(at.dB, shape.first),
            vec.apply(at.B, shape.first_rate),
        )
        T = vec.matrix_add(
            vec.outer(at.velocity, shape.first),
            vec.multiply(at.dB, shape.second),
            vec.multiply(at.B, shape.mixed(self.motion.v)),
        )
        return Load(f, T)

    def _own_modes(self, i: int) -> list[Any]:
        """Forces on the modes by the segment's own mass, stiffness and damping."""
        segment, motion = self.segments[i], self.motion
        if segment.link is None:
            return []
        at, shape = motion.axes(i), Shape(motion, i)
        back = vec.transpose(at.B)
        acceleration, turning = vec.apply(back, at.acceleration), vec.multiply(back, at.ddB)
        spinning, metric = vec.matrix_scale(2, vec.multiply(back, at.dB)), vec.multiply(back, at.B)
        found = []
        for k in range(len(segment.modes)):
            terms = [
                vec.dot(acceleration, shape.mode_first(k)),
                vec.double_dot(turning, vec.transpose(shape.mode_mixed(k))),
            ]
            for n, place in enumerate(segment.modes):
                pair = shape.mode_product(k, n)
                rate, acc = motion.v[place], motion.a[place]
                if rate != 0:
                    terms.append(rate * vec.double_dot(spinning, pair))
                if acc != 0:
                    terms.append(acc * vec.double_dot(metric, pair))
                terms.append(motion.q[place] * motion.number(segment.link.stiffness[k][n]))
                if rate != 0:
                    terms.append(rate * motion.number(segment.link.damping[k][n]))
            found.append(sum(terms))
        return found

    def _on_joint(self, i: int, load: Load, found: list[Any]) -> None:
        segment = self.segments[i]
        if segment.coordinate is None:
            return
        if segment.joint.kind is JointKind.PRISMATIC:
            at = self.motion.at_station(segment.parent, segment.place.station)
            direction = vec.apply(at.B, self.motion.sliding(i))
            if not segment.affine:
                direction = self.motion.axis(i)
            x = vec.dot(direction, load.f)
        elif segment.affine:
            assert load.T is not None
            x = vec.dot(
                self.motion.axis(i), vec.axial(vec.multiply(vec.transpose(self.motion.axes(i).B), load.T))
            )
        else:
            x = vec.dot(self.motion.axis(i), load.turning)
        found[segment.coordinate] += x

    def _to_station(self, i: int, load: Load) -> tuple[int, Station, Load]:
        """The same load on the axes of the station that carries the segment."""
        segment, motion = self.segments[i], self.motion
        r, R = motion.offset(i), motion.turn(i)
        parent, station = segment.parent, segment.place.station
        if segment.affine:
            assert load.T is not None
            T = vec.matrix_add(vec.multiply(load.T, vec.transpose(R)), vec.outer(load.f, r))
            return parent, station, Load(load.f, T)
        f = vec.apply(R, load.f)
        return parent, station, Load(f, None, vec.add(vec.apply(R, load.turning), vec.apply(vec.skew(r), f)))

    def _on_modes(self, i: int, station: Station, load: Load, found: list[Any]) -> None:
        """Work of a load on a station in the modes of its link."""
        assert load.T is not None
        segment, motion = self.segments[i], self.motion
        back = vec.transpose(motion.axes(i).B)
        f, turning = vec.apply(back, load.f), vec.axial(vec.multiply(back, load.T))
        for place, d, theta in zip(segment.modes, station.displacements, station.rotations, strict=True):
            work = [found[place], vec.dot(motion.lifted(d), f), vec.dot(motion.lifted(theta), turning)]
            found[place] = sum(work)

    def from_station(self, i: int, station: Station, load: Load) -> Load:
        """The same load on the axes of the link: h = t + E y."""
        assert load.T is not None
        segment, motion = self.segments[i], self.motion
        E, t = motion.bent(segment, station), motion.tip(segment, station)
        return Load(load.f, vec.matrix_add(vec.multiply(load.T, vec.transpose(E)), vec.outer(load.f, t)))


# -- mass matrix --------------------------------------------------------------------------------------------------------


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
