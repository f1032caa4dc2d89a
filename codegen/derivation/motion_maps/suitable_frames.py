"""Frames of bodies that suit the equations of loops, contacts and springs, wherever a description has put its own.

Poses along the chains of joints between two frames are products of rotations, and every fixed one among them that is no
permutation of axes turns all that comes after it.  With all joints at zero a mechanism is one rigid figure: lines that are
its axes, and points.  A body's frame may have any axes there, one of which is that of its joint, and its origin anywhere on
this (anywhere at all for a slide); the joint's frame goes with it, so that coordinates and speeds mean what they did.  Which
of a few likely places serves each body best, among those of its neighbours, is found by dynamic programming over the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.derivation.placed_tree.turn_prices import COMPONENT, VECTORS, WEIGHT
from kanegen.codegen.mechanism.constraints import (
    KnifeEdge,
    Loop,
    LoopKind,
    PositionConstraint,
    RollingContact,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.force_elements import Bushing, tied_by
from kanegen.codegen.mechanism.moved_frames import moved
from kanegen.codegen.mechanism.natural_frames import NEARLY_PARALLEL, Place, exact, numbers, squared
from kanegen.codegen.mechanism.records import BASE, IDENTITY3, Joint, JointKind, Matrix3, Mechanism, Vector3
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.speeds import (
    AngularVelocityComponent,
    CombinedSpeed,
    DistanceRate,
    PointVelocityComponent,
)
from kanegen.codegen.mechanism.values import square_root
from kanegen.codegen.mechanism.vectors import add, cross, dot, matrix_vector, scale, subtract, transpose

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

CHAIN = 6
"""Times that a vector is turned by a fixed rotation on a chain between two frames, or shifted, in most kernels."""

GATE = 3
"""Columns of the rotation of a frame that equations use; rows that the position of any frame of a body is turned by."""

_LUCK = 2 * CHAIN
"""What must be gained for any frame to be moved: less than this is within the luck of common factors."""

_OBLIQUE = 12
"""Operations of a joint whose axis is no coordinate axis, beside those of a fixed rotation."""

_MOST = 12
"""Places that are tried for the origin of a body."""

_SAME = 1e-11
"""Numbers of the size of one that differ by no more are equal to the estimate."""

_EXACT = Fraction(1, 10**40)
"""What arithmetic of 60 digits leaves of zero."""


@lru_cache(maxsize=8)
def in_suitable_frames(mechanism: Mechanism, results_on_axes: bool) -> Mechanism:
    """The mechanism in the frames that serve its equations best; itself where its own do.

    Balls' children stay where they are, and so does what hangs on live parameters.  ``results_on_axes``: so do the base, and
    the bodies in whose axes equations of loops are written, as results along these must be.
    """
    if mechanism.flexible or not (
        mechanism.constrained or mechanism.balls or any(map(tied_by, mechanism.springs))
    ):
        return mechanism
    figure = _Figure(without_fixed_joints(mechanism), results_on_axes)
    places = figure.places()
    return moved(figure.mechanism, places) if places else mechanism


@dataclass(frozen=True, slots=True)
class _Used:
    """A frame on a body, with all joints at zero: how often its origin is needed, and whether its axes are."""

    place: Place
    times: int
    axes: bool


class _Figure:
    """A mechanism with all joints at zero, seen from the base."""

    def __init__(self, mechanism: Mechanism, results_on_axes: bool) -> None:
        self.mechanism = mechanism
        self.above = {joint.child: joint for joint in mechanism.joints}
        self.below: dict[str, list[str]] = {name: [] for name in (BASE, *self.above)}
        for joint in mechanism.joints:
            self.below[joint.parent].append(joint.child)
        self.crossed: set[str] = set()
        self.used: dict[str, list[_Used]] = {}
        self.in_balls = {name: name == ball.joints[0] for ball in mechanism.balls for name in ball.joints}
        self.kept = self._kept(results_on_axes)
        self.at = {BASE: Place()}
        for joint in mechanism.joints:
            geometry = (*sum(joint.rotation, ()), *joint.position)
            within = Place(joint.rotation, joint.position) if numbers(*geometry) else Place()
            self.at[joint.child] = self.at[joint.parent].then(within)
        for first, second, axes in _chains(mechanism):
            self._cross(mechanism.frame(first).body, mechanism.frame(second).body)
            self._use(first, CHAIN, axes)
            self._use(second, CHAIN, axes)
        for speed in mechanism.speeds:
            if isinstance(speed, AngularVelocityComponent):
                self._cross(speed.body, BASE)
        for frame in mechanism.frames if results_on_axes else ():
            self._use(frame.name, GATE, False)
        self.axis = {
            joint.child: matrix_vector(self.at[joint.child].rotation, joint.axis)
            for joint in mechanism.joints
            if numbers(*joint.axis)
        }

    def places(self) -> dict[str, Place]:
        """Where the frames of bodies go, in their described ones; of those alone that move."""
        found = _best(self, self._triads(), self._origins())
        moving: dict[str, Place] = {}
        settled = {BASE: IDENTITY3}
        for name, (rotation, origin) in found.items():
            rotation = self.at[name].rotation if rotation is None else rotation
            origin = self.at[name].position if origin is None else origin
            if name not in self.kept:
                carried = self.below[name][:1]  # by which a base that is turned gets its axes
                before = (
                    settled[self.above[name].parent] if name in self.above else self.at[carried[0]].rotation
                )
                rotation = _nearest(rotation, before)
            settled[name] = rotation
            place = self.at[name].back().then(Place(rotation, origin))
            if place != Place():
                moving[name] = place
        return moving

    def _use(self, name: str, times: int, axes: bool) -> None:
        frame = self.mechanism.frame(name)
        if numbers(*sum(frame.rotation, ()), *frame.position):
            place = self.at[frame.body].then(Place(frame.rotation, frame.position))
            self.used.setdefault(frame.body, []).append(_Used(place, times, axes))

    # -- what stays -----------------------------------------------------------------------------------------------------

    def _kept(self, results_on_axes: bool) -> set[str]:
        mechanism = self.mechanism
        kept = {mechanism.joint(name).child for name in self.in_balls}
        for joint in mechanism.joints:
            if not numbers(*sum(joint.rotation, ()), *joint.position, *joint.axis):
                kept |= {joint.parent, joint.child}
        for speed in mechanism.speeds:
            if isinstance(speed, AngularVelocityComponent) and not numbers(*speed.direction):
                kept.add(speed.body)
        kept |= {
            frame.body for frame in mechanism.frames if not numbers(*sum(frame.rotation, ()), *frame.position)
        }
        if results_on_axes or not numbers(*mechanism.gravity):
            kept.add(BASE)
        if results_on_axes:
            ends = [(loop.first, loop.second) for loop in mechanism.loops]
            ends += [(s.first, s.second) for s in mechanism.speeds if isinstance(s, DistanceRate)]
            kept |= {self._common(*(mechanism.frame(name).body for name in pair)) for pair in ends}
        return kept

    def _line(self, body: str) -> list[str]:
        line = [body]
        while line[-1] != BASE:
            line.append(self.above[line[-1]].parent)
        return line

    def _common(self, first: str, second: str) -> str:
        line = self._line(first)
        return next(name for name in self._line(second) if name in line)

    def _cross(self, first: str, second: str) -> None:
        """Note the bodies whose joints lie between two of them."""
        above = self._common(first, second)
        for body in (first, second):
            line = self._line(body)
            self.crossed.update(line[: line.index(above)])

    # -- likely places --------------------------------------------------------------------------------------------------

    def _neighbours(self, name: str) -> list[str]:
        return [*self.below[name], *([self.above[name].parent] if name in self.above else [])]

    def _near(self, name: str) -> list[str]:
        """Bodies to whose axes a body's own frame may be turned: it may also serve as that of the one that carries it."""
        beside = self.below[self.above[name].parent] if name in self.above else self.below[name]
        return [*self._neighbours(name), *(other for other in beside if other != name)]

    def _points(self, name: str) -> Iterator[Vector3]:
        """Points of a body that its own frame may well begin at, or point to."""
        yield from (used.place.position for used in self.used.get(name, ()))
        if name in self.kept:
            yield self.at[name].position

    def _origins(self) -> dict[str, list[Vector3 | None]]:
        """Likely origins by body; None is the described one."""
        found: dict[str, list[Vector3]] = {}
        for name in self.at:
            found[name] = [self.at[name].position]
            if name in self.axis and name not in self.kept:
                near = list(self._points(name))
                for other in self._neighbours(name):
                    near += self._points(other)
                    foot = self._foot(name, other)
                    if foot is not None:
                        found[name].append(foot)
                found[name] += (self._onto(name, point) for point in near)
        order = list(self.at)
        for name, others in (
            *((name, [self.above[name].parent]) for name in order if name in self.above),
            *((name, self.below[name]) for name in reversed(order)),
        ):
            if name in self.axis and name not in self.kept:
                for other in others:
                    found[name] += (self._onto(name, point) for point in found[other])
            found[name] = list(dict.fromkeys(found[name]))[:_MOST]
        return {name: [None, *points[1:]] for name, points in found.items()}

    def _onto(self, name: str, point: Vector3) -> Vector3:
        """The point itself for what slides, and else its foot on the axis."""
        if self.above[name].kind is JointKind.PRISMATIC:
            return point
        at, axis = self.at[name].position, self.axis[name]
        return add(at, scale(dot(axis, subtract(point, at)), axis))

    def _foot(self, name: str, other: str) -> Vector3 | None:
        """Where on the axis of a body the common normal to that of another begins."""
        if not self._turns(name) or not self._turns(other):
            return None
        z, w = self.axis[name], self.axis[other]
        at, cosine = self.at[name].position, exact(dot(z, w))
        square = 1 - cosine * cosine
        if square <= NEARLY_PARALLEL:
            return None
        apart = subtract(self.at[other].position, at)
        t = (exact(dot(apart, z)) - cosine * exact(dot(apart, w))) / square
        return add(at, scale(t, z))

    def _turns(self, name: str) -> bool:
        return name in self.axis and self.above[name].kind is JointKind.REVOLUTE

    def _triads(self) -> dict[str, list[Matrix3 | None]]:
        """Likely axes by body; None are the described ones."""
        found: dict[str, list[Matrix3]] = {}
        for name in self.at:
            found[name] = [self.at[name].rotation]
            if name in self.kept or name not in self.axis:
                continue
            directions: list[Vector3] = list(IDENTITY3)
            for other in self._near(name):
                directions += [self.axis[other]] if other in self.axis else []
                directions += transpose(self.at[other].rotation) if other in self.kept else ()
                directions.append(subtract(self.at[other].position, self.at[name].position))
                directions += (subtract(point, self.at[name].position) for point in self._points(other))
            for used in self.used.get(name, ()):
                directions += transpose(used.place.rotation) if used.axes else ()
                directions.append(subtract(used.place.position, self.at[name].position))
            found[name] += _triads_about(self.axis[name], directions)
        order = list(self.at)
        for name, others in (
            *((name, [self.above[name].parent]) for name in order if name in self.above),
            *((name, self.below[name]) for name in reversed(order)),
        ):
            if name not in self.kept:
                for other in others:
                    found[name] += (t for t in found[other] if self._suits(name, t))
            found[name] = _different(found[name])
        return {name: [None, *triads[1:]] for name, triads in found.items()}

    def _suits(self, name: str, triad: Matrix3) -> bool:
        """Whether the axis of a body is among those of a triad."""
        if name not in self.axis:
            return True
        return any(squared(cross(axis, self.axis[name])) < _EXACT for axis in transpose(triad))


def _triads_about(axis: Vector3, directions: Iterable[Vector3]) -> Iterator[Matrix3]:
    """Triads with an axis as z and y across it and another direction."""
    for direction in directions:
        y = cross(axis, direction)
        if squared(y) < Fraction(1, 10**20):
            continue
        y = scale(1 / square_root(dot(y, y)), y)
        yield transpose((cross(y, axis), y, axis))


def _different(triads: Sequence[Matrix3]) -> list[Matrix3]:
    """The triads without those that have the same axes as another, in any order and sense."""
    kept: list[tuple[Array, Matrix3]] = []
    for triad in triads:
        m = _rough(triad)
        if not any(_permutes(other.T @ m) for other, _ in kept):
            kept.append((m, triad))
    return [triad for _, triad in kept]


def _permutes(rotation: Array) -> bool:
    entries = np.abs(rotation)
    return bool((np.minimum(entries, np.abs(1 - entries)) < _SAME).all())


def _nearest(triad: Matrix3, before: Matrix3) -> Matrix3:
    """The triad with its axes in the order and sense that turn it least from another."""
    columns, seen = transpose(triad), _rough(before).T @ _rough(triad)
    best: tuple[float, Matrix3] | None = None
    for order in permutations(range(3)):
        parity = 1 if order in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1
        for signs in product((1, -1), repeat=3):
            if parity * signs[0] * signs[1] * signs[2] != 1:
                continue
            trace = sum(float(sign * seen[k, order[k]]) for k, sign in enumerate(signs))
            if best is None or trace > best[0] + _SAME:
                x, y, z = (scale(Fraction(sign), columns[k]) for k, sign in zip(order, signs, strict=True))
                best = trace, transpose((x, y, z))
    assert best is not None, "there are 24 of them"
    return best[1]


# -- what the equations use ----------------------------------------------------------------------------------------------


def _chains(mechanism: Mechanism) -> Iterator[tuple[str, str, bool]]:
    """Pairs of frames between which poses are formed, and whether their axes are used."""
    for item in (*mechanism.loops, *mechanism.constraints):
        if isinstance(item, Loop):
            yield item.first, item.second, item.kind is not LoopKind.SPHERICAL
        elif isinstance(item, RollingContact):
            yield item.wheel, item.ground, True
            if item.contact is not None:
                yield item.contact, item.ground, False
        elif isinstance(item, KnifeEdge):
            yield item.edge, item.ground, True
        else:
            yield from _named(item)
    for speed in mechanism.speeds:
        if isinstance(speed, DistanceRate):
            yield speed.first, speed.second, False
        elif isinstance(speed, PointVelocityComponent):
            yield speed.frame, speed.relative_to, True
        elif isinstance(speed, CombinedSpeed):
            yield from _named(speed.equation)
    for spring in mechanism.springs:
        for first, second in tied_by(spring):
            yield first, second, isinstance(spring, Bushing)


def _named(item: PositionConstraint | VelocityConstraint) -> Iterator[tuple[str, str, bool]]:
    """The pairs whose coordinates an equation of the user's has; those of one pair once."""
    yield from dict.fromkeys((part.frame, part.relative_to, True) for part in item.frames)


# -- which serve best ----------------------------------------------------------------------------------------------------

_Found = dict[str, tuple[Matrix3 | None, Vector3 | None]]


class _Body:
    """The places tried for a body, and what they cost by themselves: a row for each triad, a column for each origin."""

    def __init__(
        self,
        figure: _Figure,
        name: str,
        triads: Sequence[Matrix3 | None],
        origins: Sequence[Vector3 | None],
    ) -> None:
        at = figure.at[name]
        self.triads = np.array([_rough(at.rotation if t is None else t) for t in triads])
        self.origins = np.array([_doubles(at.position if x is None else x) for x in origins])
        shape = len(triads), len(origins)
        self.price = np.zeros(shape)
        self.price[1:] += 1e-2  # what is described is left alone where nothing is gained
        self.price[:, 1:] += 1e-3
        if name in figure.axis:
            along = np.abs(self.triads.transpose(0, 2, 1) @ _doubles(figure.axis[name]))
            oblique = (along > _SAME).sum(axis=1) > 1
            times = VECTORS + CHAIN * (name in figure.crossed)
            self.price += (oblique * times * _OBLIQUE)[:, None]
        for speed in figure.mechanism.speeds:
            if isinstance(speed, AngularVelocityComponent) and speed.body == name:
                along = _doubles(matrix_vector(at.rotation, speed.direction))
                self.price += (
                    CHAIN * (np.abs(self.triads.transpose(0, 2, 1) @ along) > _SAME).sum(axis=1)[:, None]
                )
        for used in figure.used.get(name, ()):
            self.price += used.times * _shifts(self, _doubles(used.place.position)[None])[:, :, 0]
            if used.axes:
                self.price += GATE * _turns(self.triads, _rough(used.place.rotation)[None])
        if name in figure.above:
            self._add_moments(figure, name, at)

    def _add_moments(self, figure: _Figure, name: str, at: Place) -> None:
        joint, inertia = figure.above[name], figure.mechanism.body(name).inertia
        if joint.parent == BASE and joint.kind is JointKind.REVOLUTE and numbers(*figure.mechanism.gravity):
            g, axis = _doubles(figure.mechanism.gravity), _doubles(figure.axis[name])
            seen = self.triads.transpose(0, 2, 1) @ (g - axis * (axis @ g))
            across = (np.abs(seen) > _SAME * max(1.0, float(np.abs(g).max()))).sum(axis=1)
            self.price += np.array(WEIGHT)[np.minimum(across, 2)][:, None]
        if inertia is None or not numbers(inertia.mass, *inertia.center, *sum(inertia.tensor, ())):
            return
        back = self.triads.transpose(0, 2, 1) @ _rough(at.rotation)
        tensor = back @ _rough(inertia.tensor) @ back.transpose(0, 2, 1)
        products = np.abs(tensor[:, [0, 1, 2], [1, 2, 0]]) > _SAME * max(1e-300, float(np.abs(tensor).max()))
        self.price += COMPONENT * products.sum(axis=1)[:, None]


def _best(
    figure: _Figure, triads: dict[str, list[Matrix3 | None]], origins: dict[str, list[Vector3 | None]]
) -> _Found:
    """For each body the places that cost least together; none where these cost not much less than the described ones."""
    bodies = {name: _Body(figure, name, triads[name], origins[name]) for name in figure.at}
    described = sum(float(body.price[0, 0]) for body in bodies.values())
    chosen: dict[str, Indices] = {}
    for name in reversed(list(figure.at)):
        if name == BASE:
            continue
        joint = figure.above[name]
        parent = bodies[joint.parent]
        costs = _edge(figure, joint, parent, bodies[name])
        described += float(costs[0, 0, 0, 0])
        costs = costs + bodies[name].price
        flat = costs.reshape(*parent.price.shape, -1)
        chosen[name] = flat.argmin(axis=2)
        parent.price += flat.min(axis=2)
    if described - float(bodies[BASE].price.min()) < _LUCK:
        return {}
    found: _Found = {}
    state: dict[str, tuple[int, int]] = {}
    for name in figure.at:
        shape = bodies[name].price.shape
        at = bodies[name].price.argmin() if name == BASE else chosen[name][state[figure.above[name].parent]]
        k, x = np.unravel_index(int(at), shape)
        state[name] = int(k), int(x)
        found[name] = triads[name][int(k)], origins[name][int(x)]
    return found


def _edge(figure: _Figure, joint: Joint, parent: _Body, child: _Body) -> Array:
    """What a joint costs: axes and origins of the parent, then those of the child."""
    turns = _turns(parent.triads, child.triads)
    shifts = _shifts(parent, child.origins)
    first = figure.in_balls.get(joint.name)
    if first is not None:
        turned, shifted = GATE * first, VECTORS * first
    else:
        turned = shifted = CHAIN * (joint.child in figure.crossed)
        turned += VECTORS * (joint.parent != BASE)
    return turned * turns[:, None, :, None] + shifted * shifts[:, :, None, :]


def _turns(outer: Array, inner: Array) -> Array:
    """Operations of the rotations between triads: of each to each of the others."""
    entries = np.abs(np.einsum("iab,jac->ijbc", outer, inner))
    some = entries > _SAME
    odd = some & (np.abs(entries - 1) > _SAME)
    return np.array(some.sum(axis=(2, 3)) + odd.sum(axis=(2, 3)) - 3)


def _shifts(body: _Body, points: Array) -> Array:
    """Components of the way from each origin of a body to points, along each of its triads."""
    apart = points[None, :, :] - body.origins[:, None, :]
    seen = np.abs(np.einsum("iab,xpa->ixpb", body.triads, apart))
    return np.array((seen > _SAME).sum(axis=3))


def _doubles(vector: Vector3) -> Array:
    return np.array([float(x) for x in vector if isinstance(x, Fraction)])


def _rough(matrix: Matrix3) -> Array:
    return np.array([_doubles(row) for row in matrix])
