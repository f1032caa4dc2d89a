"""How the segments of an arm move: Book's kinematics (1983, eqs 3 to 17), joint after joint and link after link.

A segment's axes are B, its origin is o: a point at h in them is at o + B h.  Behind a link that bends, B is a product with
1 + vec.skew(theta) and not orthogonal; before, B is a rotation, and everything is written in the segment's own axes, where
B = 1 and its derivatives follow from the angular velocity.  A segment behind a bending link is written in the axes of the
last segment before, so that B and its derivatives are carried along.

The moments of a segment as it is deflected are Book's G and D (eqs 36, 37) without their first row and column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kanegen.codegen.derivation.flexible_links.segments import Arm, Segment
from kanegen.codegen.derivation.meanings import mean
from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Matrix, Vector
from kanegen.codegen.mechanism.flexible_records import Station
from kanegen.codegen.mechanism.records import JointKind
from kanegen.codegen.mechanism.values import Lift


@dataclass(frozen=True, slots=True)
class Axes:
    """Axes that move: B, dB/dt and d2B/dt2, and velocity and acceleration of the origin, less that of free fall.

    Components are along the same axes as those of the segment's B.  ``w`` and ``alpha`` are the angular velocity and its
    derivative where B is a rotation, and None elsewhere.
    """

    B: Matrix
    dB: Matrix
    ddB: Matrix
    velocity: Vector
    acceleration: Vector
    w: Vector | None
    alpha: Vector | None


def say(name: str, quantities: Mapping[str, Matrix]) -> None:
    """Say what entries are of a segment or its end; a vector is a matrix of one row."""
    for quantity, rows in quantities.items():
        for r, row in enumerate(rows):
            for c, x in enumerate(row):
                if isinstance(x, Expression):
                    mean(x, quantity, (r, c) if len(rows) > 1 else (c,), name)


class Motion:
    """The motion of an arm; quantities are found when they are asked for."""

    def __init__(
        self,
        arm: Arm,
        graph: Graph,
        lift: Lift,
        q: Sequence[Expression],
        v: Sequence[Expression] | None = None,
        a: Sequence[Expression] | None = None,
        *,
        weight: bool = True,
    ) -> None:
        """``v`` None stands for rest, ``a`` None for no accelerations; without ``weight`` nothing falls."""
        self.arm, self.graph, self.lift, self.q = arm, graph, lift, q
        rest: Sequence[Any] = [0] * len(q)
        self.v = rest if v is None else v
        self.a = rest if a is None else a
        self.labels: dict[int, str] = {}
        falling = vec.scale(-1, self.lifted(arm.gravity)) if weight else vec.NONE
        self._base = Axes(vec.UNIT, vec.NO_MATRIX, vec.NO_MATRIX, vec.NONE, falling, vec.NONE, vec.NONE)
        self._turns: dict[int, Matrix] = {}
        self._axes: list[Axes] = []
        for i, segment in enumerate(arm.segments):
            self._axes.append(self._carried(i, segment))

    # -- values ------------------------------------------------------------------------------------------------------

    def lifted(self, values: Sequence[object]) -> Vector:
        """Values of records: numbers stay numbers, expressions in parameters are copied into the graph."""
        return tuple(
            self.lifted(x) if isinstance(x, tuple) else self.lift(x) if isinstance(x, Expression) else x
            for x in values
        )

    def number(self, value: object) -> Any:
        """One value."""
        return self.lifted((value,))[0]

    def label(self, quantity: str, segment: Segment, values: Sequence[object]) -> None:
        """Say what the components of a vector are, to the reader of the C too."""
        for axis, x in enumerate(values):
            if isinstance(x, Expression) and not x.is_number:
                mean(x, quantity, (axis,), segment.name)
                name = f"{quantity}_{'xyz'[axis]} of {segment.name}"
                self.labels.setdefault(abs(x.ref), name if x.ref > 0 else f"-{name}")

    def say(self, name: str, axes: Axes) -> Axes:
        """The same, having said what its components are."""
        say(name, {"axes": axes.B, "rate of axes": axes.dB, "second rate of axes": axes.ddB})
        say(name, {"carried velocity": (axes.velocity,), "carried acceleration": (axes.acceleration,)})
        return axes

    # -- geometry ----------------------------------------------------------------------------------------------------

    def axes(self, i: int) -> Axes:
        """Of a segment; of the base where i is -1."""
        return self._base if i < 0 else self._axes[i]

    def turn(self, i: int) -> Matrix:
        """Rotation of a segment's axes in those of its station, by placement and joint."""
        if i not in self._turns:
            segment = self.arm.segments[i]
            R: Matrix = vec.UNIT
            if segment.revolute:
                assert segment.coordinate is not None
                angle = self.q[segment.coordinate]
                R = vec.about(self.axis(i), angle.cosine(), angle.sine())
            self._turns[i] = vec.multiply(self.lifted(segment.place.rotation), R)
        return self._turns[i]

    def axis(self, i: int) -> Vector:
        """Of a segment's joint, in the joint frame; of a revolute joint also in the segment's axes."""
        return self.lifted(self.arm.segments[i].joint.axis)

    def offset(self, i: int) -> Vector:
        """Of a segment's origin from the station that carries it, in the station's axes."""
        segment = self.arm.segments[i]
        place = self.lifted(segment.place.position)
        if segment.joint.kind is not JointKind.PRISMATIC:
            return place
        assert segment.coordinate is not None
        return vec.add(place, vec.scale(self.q[segment.coordinate], self.sliding(i)))

    def sliding(self, i: int) -> Vector:
        """Direction of a prismatic joint in the axes of its station."""
        return vec.apply(self.lifted(self.arm.segments[i].place.rotation), self.axis(i))

    # -- deflection --------------------------------------------------------------------------------------------------

    def over_modes(
        self, segment: Segment, vectors: Sequence[Sequence[object]], by: Sequence[object]
    ) -> Vector:
        """The sum over a segment's modes of an entry of q, v or a times a vector."""
        return vec.add(
            vec.NONE, *(vec.scale(by[k], self.lifted(x)) for k, x in zip(segment.modes, vectors, strict=True))
        )

    def displaced(self, segment: Segment, station: Station, by: Sequence[object]) -> Vector:
        """Deflection at a station, or one of its derivatives."""
        return self.over_modes(segment, station.displacements, by)

    def turned(self, segment: Segment, station: Station, by: Sequence[object]) -> Vector:
        """The small rotation at a station, or one of its derivatives."""
        return self.over_modes(segment, station.rotations, by)

    def tip(self, segment: Segment, station: Station) -> Vector:
        """Where a station is in the segment's axes."""
        return vec.add(self.lifted(station.position), self.displaced(segment, station, self.q))

    def bent(self, segment: Segment, station: Station) -> Matrix:
        """E = 1 + vec.skew(theta) of a station (Book 1983, eqs 5 to 7, without its first row and column)."""
        return vec.matrix_add(vec.UNIT, vec.skew(self.turned(segment, station, self.q)))

    def at_station(self, i: int, station: Station) -> Axes:
        """Axes of a station of a segment, for what it carries (Book 1983, eqs 13 to 17)."""
        here = self.axes(i)
        if i < 0 or not self.arm.segments[i].bends:
            return here
        segment = self.arm.segments[i]
        E, t = self.bent(segment, station), self.tip(segment, station)
        dE, dt = vec.skew(self.turned(segment, station, self.v)), self.displaced(segment, station, self.v)
        ddE, ddt = vec.skew(self.turned(segment, station, self.a)), self.displaced(segment, station, self.a)
        bent = Axes(
            vec.multiply(here.B, E),
            vec.matrix_add(vec.multiply(here.dB, E), vec.multiply(here.B, dE)),
            vec.matrix_add(
                vec.multiply(here.ddB, E),
                vec.matrix_scale(2, vec.multiply(here.dB, dE)),
                vec.multiply(here.B, ddE),
            ),
            vec.add(here.velocity, vec.apply(here.dB, t), vec.apply(here.B, dt)),
            vec.add(
                here.acceleration,
                vec.apply(here.ddB, t),
                vec.scale(2, vec.apply(here.dB, dt)),
                vec.apply(here.B, ddt),
            ),
            None,
            None,
        )
        return self.say(f"{segment.name} end", bent)

    # -- joints ------------------------------------------------------------------------------------------------------

    def _carried(self, i: int, segment: Segment) -> Axes:
        """A segment's axes from those of the station that carries it (Book 1983, eqs 9 to 12)."""
        at = self.at_station(segment.parent, segment.place.station)
        r = self.offset(i)
        velocity = vec.add(at.velocity, vec.apply(at.dB, r))
        acceleration = vec.add(at.acceleration, vec.apply(at.ddB, r))
        v: Any
        a: Any
        v, a = (
            (0, 0) if segment.coordinate is None else (self.v[segment.coordinate], self.a[segment.coordinate])
        )
        if segment.joint.kind is JointKind.PRISMATIC:
            along = self.sliding(i)
            velocity = vec.add(velocity, vec.scale(v, vec.apply(at.B, along)))
            pushed = vec.add(
                vec.scale(v, vec.apply(vec.matrix_scale(2, at.dB), along)),
                vec.scale(a, vec.apply(at.B, along)),
            )
            acceleration = vec.add(acceleration, pushed)
        if not segment.affine:
            return self._rotated(i, segment, at, velocity, acceleration, v, a)
        R = self.turn(i)
        B, dB, ddB = vec.multiply(at.B, R), vec.multiply(at.dB, R), vec.multiply(at.ddB, R)
        if segment.revolute:
            J = vec.skew(self.axis(i))
            BJ, dBJ = vec.multiply(B, J), vec.multiply(dB, J)
            ddB = vec.matrix_add(
                ddB,
                vec.matrix_scale(2 * v if v != 0 else 0, dBJ),
                vec.matrix_scale(a, BJ),
                vec.matrix_scale(v * v if v != 0 else 0, vec.multiply(BJ, J)),
            )
            dB = vec.matrix_add(dB, vec.matrix_scale(v, BJ))
        return self.say(segment.name, Axes(B, dB, ddB, velocity, acceleration, None, None))

    def _rotated(
        self, i: int, segment: Segment, at: Axes, velocity: Vector, acceleration: Vector, v: Any, a: Any
    ) -> Axes:
        """In the segment's own axes: angular velocity and acceleration of the parent, and what the joint adds."""
        assert at.w is not None and at.alpha is not None
        back = vec.transpose(self.turn(i))
        w, alpha = vec.apply(back, at.w), vec.apply(back, at.alpha)
        if segment.revolute:
            turning = vec.scale(v, self.axis(i))
            alpha = vec.add(alpha, vec.scale(a, self.axis(i)), vec.apply(vec.skew(w), turning))
            w = vec.add(w, turning)
        self.label("w", segment, w)
        self.label("alpha", segment, alpha)
        o = vec.apply(back, velocity)
        oo = vec.apply(back, acceleration)
        self.label("a", segment, oo)
        dB = vec.skew(w)
        square = [x * x if x != 0 else 0 for x in w]
        spread = vec.outer(w, w)
        centripetal = tuple(
            tuple(
                sum([-square[k] for k in range(3) if k != r and square[k] != 0]) if r == c else spread[r][c]
                for c in range(3)
            )
            for r in range(3)
        )
        return Axes(vec.UNIT, dB, vec.matrix_add(vec.skew(alpha), centripetal), o, oo, w, alpha)


class Shape:
    """Integrals over a segment's mass, with h a point of it in its axes and phi_k the shape of a mode there.

    Terms of second order in the deflections are kept: without them energy is not (see ``book``).
    """

    def __init__(self, motion: Motion, i: int) -> None:
        self.motion, self.segment = motion, motion.arm.segments[i]
        self._m = self.segment.integrals
        self.mass: Any = motion.number(self._m.mass)
        self._by_mode = [(motion.q[place], k) for k, place in enumerate(self.segment.modes)]

    @property
    def first(self) -> Vector:
        """h dm."""
        undeflected = self.motion.lifted(self._m.first)
        moved = self.motion.over_modes(self.segment, self._m.mode_first, self.motion.q)
        return vec.add(undeflected, moved) if self._by_mode else undeflected

    @property
    def first_rate(self) -> Vector:
        """dh/dt dm."""
        return self.motion.over_modes(self.segment, self._m.mode_first, self.motion.v)

    @property
    def first_acceleration(self) -> Vector:
        """d2h/dt2 dm."""
        return self.motion.over_modes(self.segment, self._m.mode_first, self.motion.a)

    @property
    def second(self) -> Matrix:
        """h h^T dm."""
        found = self.motion.lifted(self._m.second)
        for delta, k in self._by_mode:
            N = self.motion.lifted(self._m.mode_mixed[k])
            both = vec.matrix_add(N, vec.transpose(N))
            quadratic = [vec.matrix_scale(other, self.mode_product(k, n)) for other, n in self._by_mode]
            found = vec.matrix_add(found, vec.matrix_scale(delta, vec.matrix_add(both, *quadratic)))
        return found

    def mixed(self, by: Sequence[Any]) -> Matrix:
        """The sum over the modes of entries of v or a times phi_k h^T dm."""
        found = vec.NO_MATRIX
        for k, place in enumerate(self.segment.modes):
            if by[place] != 0:
                found = vec.matrix_add(found, vec.matrix_scale(by[place], vec.transpose(self.mode_mixed(k))))
        return found

    def mode_first(self, k: int) -> Vector:
        """phi_k dm."""
        return self.motion.lifted(self._m.mode_first[k])

    def mode_mixed(self, k: int) -> Matrix:
        """h phi_k^T dm, Book's D."""
        N = self.motion.lifted(self._m.mode_mixed[k])
        return vec.matrix_add(
            N, *(vec.matrix_scale(delta, self.mode_product(n, k)) for delta, n in self._by_mode)
        )

    def mode_product(self, k: int, n: int) -> Matrix:
        """phi_k phi_n^T dm."""
        return self.motion.lifted(self._m.mode_products[k][n])
