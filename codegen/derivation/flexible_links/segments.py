"""A tree with flexible links as segments: what moves as one, with everything that is fixed to it.

A rigid body behind a fixed joint is an appendage of what carries it.  Points of a body on the axis of its own revolute joint
move as points of its parent: they may be counted there (``regrouped``), which leaves most segments without mass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.flexible.appendages import MassMoments, carrying
from kanegen.codegen.mechanism.flexible_records import FlexibleLink, ModalIntegrals, Station
from kanegen.codegen.mechanism.records import (
    BASE,
    IDENTITY3,
    ZERO3,
    Frame,
    Joint,
    JointKind,
    Matrix3,
    Mechanism,
    Vector3,
)
from kanegen.codegen.mechanism.vectors import matrix, vector

_FIXED_STATION = Station(ZERO3, (), ())


@dataclass(frozen=True, slots=True)
class Placement:
    """Axes in a segment: r = rotation @ y + position of what carries them, which is a station of segment ``segment``.

    ``position`` is from that station, where the link is undeflected; segment -1 is the base.
    """

    segment: int
    station: Station
    rotation: Matrix3
    position: Vector3

    def then(self, rotation: Matrix3, position: Vector3) -> Placement:
        """The placement of axes that are placed in these."""
        moved = vec.add(self.position, vec.apply(self.rotation, position))
        return replace(self, rotation=matrix(vec.multiply(self.rotation, rotation)), position=vector(moved))


@dataclass(frozen=True, slots=True)
class Segment:
    """A body with all that is fixed to it, and the joint that carries it.

    ``coordinate`` is the joint's place in q, None of a flexible link that is held fast; ``modes`` are those of its
    modes.
    ``affine`` says that a link before it bends, so that its axes are not orthogonal.
    """

    name: str
    joint: Joint
    coordinate: int | None
    parent: int
    place: Placement
    integrals: ModalIntegrals
    modes: tuple[int, ...]
    link: FlexibleLink | None
    affine: bool

    @property
    def revolute(self) -> bool:
        """Whether it turns in its joint."""
        return self.joint.kind is JointKind.REVOLUTE

    @property
    def bends(self) -> bool:
        """Whether it has modes."""
        return bool(self.modes)


@dataclass(frozen=True, slots=True)
class Arm:
    """The segments of a mechanism of this name, parents first, and where every frame is."""

    name: str
    segments: tuple[Segment, ...]
    frames: Mapping[str, Placement]
    gravity: Vector3


def arm_of(mechanism: Mechanism) -> Arm:
    """The segments of a mechanism, nothing regrouped."""
    segments: list[Segment] = []
    places = {BASE: Placement(-1, _FIXED_STATION, IDENTITY3, ZERO3)}
    index = {name: i for i, name in enumerate(mechanism.coordinates)}
    for joint in mechanism.joints:
        link = mechanism.flexible_link(joint.child)
        place = places[joint.parent].then(joint.rotation, joint.position)
        if joint.kind is JointKind.FIXED and link is None:
            places[joint.child] = place
            _append(segments, place, MassMoments.of(mechanism.body(joint.child).inertia))
            continue
        carrier = segments[place.segment] if place.segment >= 0 else None
        segments.append(
            Segment(
                joint.child,
                joint,
                index.get(joint.name),
                place.segment,
                place,
                _rigid(MassMoments.of(mechanism.body(joint.child).inertia))
                if link is None
                else link.integrals,
                () if link is None else tuple(index[mode] for mode in link.modes),
                link,
                carrier is not None and (carrier.affine or carrier.bends),
            )
        )
        places[joint.child] = _own(len(segments) - 1, link)
    own = (Frame(body.name, body.name) for body in mechanism.bodies)
    frames = {frame.name: _frame(mechanism, frame, places, segments) for frame in (*own, *mechanism.frames)}
    return Arm(mechanism.name, tuple(segments), frames, mechanism.gravity)


def _rigid(body: MassMoments) -> ModalIntegrals:
    return ModalIntegrals(body.mass, body.first, body.second, (), (), ())


def _own(segment: int, link: FlexibleLink | None) -> Placement:
    """Where what is attached to a segment is placed: at its end, from there."""
    if link is None:
        return Placement(segment, _FIXED_STATION, IDENTITY3, ZERO3)
    return _at(segment, link.end)


def _at(segment: int, station: Station) -> Placement:
    return Placement(segment, station, IDENTITY3, vector(vec.scale(-1, station.position)))


def _frame(
    mechanism: Mechanism, frame: Frame, places: Mapping[str, Placement], segments: Sequence[Segment]
) -> Placement:
    link = mechanism.flexible_link(frame.body)
    if link is None:
        return places[frame.body].then(frame.rotation, frame.position)
    segment = places[frame.body].segment
    if frame.name == frame.body:  # the link's own frame is that of its near end
        none = tuple(ZERO3 for _ in link.modes)
        near = Station(ZERO3, none, none)
        return _at(segment, near).then(frame.rotation, frame.position)
    return _at(segment, link.station(frame.name) or link.end).then(frame.rotation, frame.position)


def _append(segments: list[Segment], place: Placement, body: MassMoments) -> None:
    """Count a rigid body with the segment that carries it."""
    if place.segment < 0:
        return
    carrier = segments[place.segment]
    placed = body.placed(place.rotation, place.position)
    segments[place.segment] = replace(carrier, integrals=carrying(carrier.integrals, place.station, placed))


def regrouped(arm: Arm) -> Arm:
    """The same arm, with mass on the axis of a revolute joint counted with the parent: motions and forces are the same.

    With a for the axis: the mass, the part of the first moments along a, and that of the second moments along a on both
    sides.  What belongs to the base so does not move.
    """
    segments = list(arm.segments)
    for i in reversed(range(len(segments))):
        segment = segments[i]
        if not segment.revolute:
            continue
        axis, m = segment.joint.axis, segment.integrals
        along = vec.dot(axis, m.first)
        twice = vec.dot(axis, vec.apply(m.second, axis))
        on_axis = MassMoments(
            m.mass,
            vector(vec.scale(along, axis)),
            matrix(vec.matrix_scale(twice, vec.outer(axis, axis))),
        )
        left = MassMoments(m.mass, m.first, m.second).less(on_axis)
        segments[i] = replace(
            segment, integrals=replace(m, mass=Fraction(0), first=left.first, second=left.second)
        )
        _append(segments, segment.place, on_axis)
    return replace(arm, segments=tuple(segments))
