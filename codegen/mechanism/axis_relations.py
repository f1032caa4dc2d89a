"""How neighbouring joint axes lie to each other, without the rounding of the numbers they were written with.

Programs write link frames where they like, with the digits of a double or fewer, and axes that are perpendicular, parallel
or meet come out so but for 1e-16.  Seen from frames that hang on the axes themselves (z along the axis, x along the common
normal to the next one, after Denavit & Hartenberg 1955), such noise stands where zeros and ones are meant.  What is within
the rounding of the numbers written is taken for these, and the joints are written again in the file's own frames, to 60
digits, so that all that follows describes one and the same mechanism.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from kanegen.codegen.mechanism.records import (
    BASE,
    IDENTITY3,
    ZERO3,
    Joint,
    JointKind,
    Matrix3,
    Mechanism,
    Value,
    Vector3,
)
from kanegen.codegen.mechanism.rotations import orthonormalized
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE, AngleRule, noise_of
from kanegen.codegen.mechanism.values import plain, square_root
from kanegen.codegen.mechanism.vectors import (
    add,
    cross,
    dot,
    matrix_multiply,
    matrix_vector,
    scale,
    subtract,
    transpose,
)

ROUNDINGS = 16
"""Roundings between two axes at most: three angles and three lengths at either end, axes, and the arithmetic that made them."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a frame sits in another: r_other = rotation @ r + position."""

    rotation: Matrix3 = IDENTITY3
    position: Vector3 = ZERO3

    def then(self, other: _Frame) -> _Frame:
        """A frame that sits in this one, seen from where this one sits."""
        position = add(self.position, matrix_vector(self.rotation, other.position))
        return _Frame(_plain(matrix_multiply(self.rotation, other.rotation)), _plain_vector(position))

    def back(self) -> _Frame:
        """The other frame in this one."""
        turned = transpose(self.rotation)
        return _Frame(turned, scale(Fraction(-1), matrix_vector(turned, self.position)))


@dataclass(frozen=True, slots=True)
class _Link:
    """A link that moves, or the base: its joint, and that joint's frame in the link before."""

    joint: Joint | None
    parent: str
    frame: _Frame


def with_exact_relations(mechanism: Mechanism, angles: AngleRule) -> Mechanism:
    """The mechanism with its axes parallel, perpendicular and meeting where they are so but for the rounding of its numbers.

    ``angles`` knows how its angles were written, and is told how far joints were turned.
    """
    if angles.tolerance < ANGLE_TOLERANCE:
        return mechanism
    turn, shift = _tolerances(mechanism, angles)
    if turn == 0 and shift == 0:
        return mechanism
    carriers = {BASE: (BASE, _Frame())}  # by body: the link that carries it, and where it sits there
    links = {BASE: _Link(None, "", _Frame())}
    for joint in mechanism.joints:
        carrier, place = carriers[joint.parent]
        if not _is_numeric(joint):
            return mechanism
        placed = place.then(_Frame(joint.rotation, joint.position))
        if joint.kind is JointKind.FIXED:
            carriers[joint.child] = (carrier, placed)
        else:
            carriers[joint.child] = (joint.child, _Frame())
            links[joint.child] = _Link(joint, carrier, placed)
    frames = _natural_frames(links, turn, shift)
    joints = []
    for joint in mechanism.joints:
        if joint.kind is JointKind.FIXED:
            joints.append(joint)
            continue
        link, place = links[joint.child], carriers[joint.parent][1]
        before, own = frames[link.parent], frames[joint.child]
        seen = before.back().then(link.frame).then(own)
        meant = _Frame(_meant_rotation(seen.rotation, turn), _meant_position(seen.position, shift))
        if meant == seen:
            joints.append(joint)
            continue
        angles.turned(max(abs(x - y) for x, y in zip(_entries(meant), _entries(seen), strict=True)))
        found = place.back().then(before).then(meant).then(own.back())
        joints.append(replace(joint, rotation=found.rotation, position=found.position))
    return replace(mechanism, joints=tuple(joints))


def _tolerances(mechanism: Mechanism, angles: AngleRule) -> tuple[Fraction, Fraction]:
    """How far axes may be turned [rad] and shifted [m] by the rounding of the numbers that they were written with."""
    turn = ROUNDINGS * angles.noise + 2 * max(angles.distances, default=Fraction(0))
    lengths = [x for joint in mechanism.joints for x in joint.position if isinstance(x, Fraction)]
    longest = max(map(abs, lengths), default=Fraction(0))
    return turn, ROUNDINGS * noise_of(lengths) + turn * longest


def _is_numeric(joint: Joint) -> bool:
    return all(isinstance(x, Fraction) for row in (*joint.rotation, joint.position, joint.axis) for x in row)


def _natural_frames(links: dict[str, _Link], turn: Fraction, shift: Fraction) -> dict[str, _Frame]:
    """By link: the frame that hangs on its axis and on the common normal to the axis of what it carries."""
    children: dict[str, list[_Link]] = {name: [] for name in links}
    for link in links.values():
        if link.joint is not None:
            children[link.parent].append(link)
    origins: dict[str, Vector3] = {}
    for name, link in reversed(links.items()):
        origins[name] = _origin(link, children[name], links, origins, turn)
    frames: dict[str, _Frame] = {}
    for name, link in links.items():
        if link.joint is None or link.joint.still:
            frames[name] = _Frame()
            continue
        z = link.joint.axis
        x = _normal(link, children[name], origins, turn, shift)
        if x is None:
            # the x axis before, as far as it is perpendicular to this axis; else any other
            carried = matrix_multiply(transpose(link.frame.rotation), frames[link.parent].rotation)
            columns = [across(z, column) for column in transpose(carried)]
            x = next(column for column in columns if dot(column, column) > Fraction(1, 4))
        x = scale(1 / square_root(dot(x, x)), x)
        rotation = transpose((x, _plain_vector(cross(z, x)), z))
        frames[name] = _Frame(_plain(rotation), origins[name])
    return frames


def across(z: Vector3, v: Vector3) -> Vector3:
    """What of a vector is perpendicular to a unit vector."""
    return subtract(v, scale(dot(v, z), z))


def _axis_in(link: _Link) -> Vector3:
    """The axis of a link, in the link before."""
    assert link.joint is not None
    return matrix_vector(link.frame.rotation, link.joint.axis)


def _origin(
    link: _Link, below: list[_Link], links: dict[str, _Link], origins: dict[str, Vector3], turn: Fraction
) -> Vector3:
    """A point of the link that does not depend on where its frame was put along its axis."""
    joint = link.joint
    if joint is None or joint.still:
        return ZERO3
    carried = [
        add(child.frame.position, matrix_vector(child.frame.rotation, origins[child.joint.child]))
        for child in below
        if child.joint is not None
    ]
    if joint.kind is JointKind.PRISMATIC:
        return _plain_vector(carried[0]) if carried else ZERO3
    z = joint.axis
    for child in below:
        if child.joint is not None and child.joint.kind is JointKind.REVOLUTE and not child.joint.still:
            t = _foot(z, _axis_in(child), child.frame.position, turn)
            if t is not None:
                return scale(t, z)
    before = links[link.parent].joint
    if before is not None and before.kind is JointKind.REVOLUTE:
        back = link.frame.back()
        t = _foot(z, matrix_vector(back.rotation, before.axis), back.position, turn)
        if t is not None:
            return scale(t, z)
    return scale(plain(dot(carried[0], z)), z) if carried else ZERO3


def _foot(z: Vector3, other: Vector3, point: Vector3, turn: Fraction) -> Value | None:
    """Where on the axis z through zero the common normal to the line through a point begins; None for parallel lines."""
    cosine = dot(z, other)
    square = 1 - cosine * cosine
    if square <= turn * turn:
        return None
    return plain((dot(point, z) - cosine * dot(point, other)) / square)


def _normal(
    link: _Link, below: list[_Link], origins: dict[str, Vector3], turn: Fraction, shift: Fraction
) -> Vector3 | None:
    """The direction of the common normal to the first axis below that has one."""
    assert link.joint is not None
    z = link.joint.axis
    for child in below:
        assert child.joint is not None
        if child.joint.still:
            continue
        normal = cross(z, _axis_in(child))
        if dot(normal, normal) > turn * turn:
            return _plain_vector(normal)
        if JointKind.PRISMATIC not in (link.joint.kind, child.joint.kind):
            point = add(child.frame.position, matrix_vector(child.frame.rotation, origins[child.joint.child]))
            apart = across(z, subtract(point, origins[link.joint.child]))
            if dot(apart, apart) > shift * shift:
                return _plain_vector(apart)
    return None


def _meant_rotation(rotation: Matrix3, turn: Fraction) -> Matrix3:
    rows = []
    for row in rotation:
        nearest = [Fraction(round(x)) for x in row]
        x, y, z = (n if abs(e - n) <= turn else e for e, n in zip(row, nearest, strict=True))
        rows.append((x, y, z))
    if rows == list(rotation):
        return rotation
    return orthonormalized((rows[0], rows[1], rows[2]))


def _meant_position(position: Vector3, shift: Fraction) -> Vector3:
    x, y, z = (Fraction(0) if abs(e) <= shift else e for e in position)
    return x, y, z


def _entries(frame: _Frame) -> Iterable[Fraction]:
    return (x for row in frame.rotation for x in row if isinstance(x, Fraction))


def _plain(m: Matrix3) -> Matrix3:
    x, y, z = map(_plain_vector, m)
    return x, y, z


def _plain_vector(v: Vector3) -> Vector3:
    x, y, z = map(plain, v)
    return x, y, z
