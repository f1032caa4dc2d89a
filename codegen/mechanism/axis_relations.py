"""How neighbouring joint axes lie to each other, without the rounding of the numbers they were written with.

Programs write link frames where they like, with the digits of a double or fewer, and axes that are perpendicular, parallel
or meet come out so but for 1e-16.  Seen from frames that hang on the axes themselves (z along the axis, x along the common
normal to the next one, after Denavit & Hartenberg 1955), such noise stands where zeros and ones are meant.  What is within
the rounding of the numbers written is taken for these, and the joints are written again in the file's own frames, to 60
digits, so that all that follows describes one and the same mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.mechanism.records import (
    BASE,
    IDENTITY3,
    ZERO3,
    Body,
    Frame,
    Inertia,
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
    rotated_tensor,
    scale,
    subtract,
    symmetric,
    transpose,
)

ROUNDINGS = 16
"""Roundings between two axes at most: three angles and lengths at either end, axes, and the arithmetic that made them."""


_NEARLY_PARALLEL = Fraction(1, 100)
"""Square of the sine below which the common normal is no good measure of where axes lie."""

_COINCIDENCE = Fraction(1, 10**4)
"""How much of the space between short decimals may be taken for them."""

_EXACT = Fraction(1, 10**45)
"""What arithmetic of 60 digits leaves."""

Rows = Sequence[Sequence[Any]]


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
    """A link that moves: its joint, and that joint's frame in the link before.

    No joint has what begins anew: the base, and whatever hangs on live parameters.
    """

    joint: Joint | None
    parent: str
    frame: _Frame


@dataclass(frozen=True, slots=True)
class _Noise:
    """How far axes may be turned [rad] and shifted [m] by the rounding of the numbers that they were written with."""

    turn: Fraction
    shift: Fraction


def as_meant(mechanism: Mechanism, angles: AngleRule, as_written: Callable[[], Mechanism]) -> Mechanism:
    """The mechanism that a description means, with a record of how far this is from its numbers.

    ``angles`` knows how its angles were written; ``as_written`` gives the mechanism of these very numbers.
    """
    meant = with_exact_relations(mechanism, angles)
    return angles.recorded(meant, as_written()) if angles.distances else meant


def with_exact_relations(mechanism: Mechanism, angles: AngleRule) -> Mechanism:
    """The mechanism with its axes parallel, perpendicular and meeting where they are so but for the rounding of its numbers.

    ``angles`` knows how its angles were written, and is told how far joints were turned.
    """
    noise = _noise(mechanism, angles)
    if angles.tolerance < ANGLE_TOLERANCE or not (noise.turn or noise_of(_written(mechanism))):
        return mechanism
    carriers, links = _links(mechanism)
    frames = _natural_frames(links, noise)
    joints = [
        _meant_joint(joint, links[joint.child], carriers[joint.parent][1], frames, angles, noise)
        if joint.child in links and links[joint.child].joint is not None
        else joint
        for joint in mechanism.joints
    ]
    on_axes = {body: frames[carrier].back().then(place) for body, (carrier, place) in carriers.items()}
    return replace(
        mechanism,
        joints=tuple(joints),
        bodies=tuple(_meant_body(body, on_axes[body.name], noise) for body in mechanism.bodies),
        frames=tuple(_meant_frame(frame, on_axes[frame.body], noise) for frame in mechanism.frames),
        gravity=_meant_gravity(mechanism.gravity, joints, carriers, noise),
    )


def _noise(mechanism: Mechanism, angles: AngleRule) -> _Noise:
    mended = [
        distance for distance in angles.distances if distance <= ANGLE_TOLERANCE
    ]  # larger ones were asked for
    turn = ROUNDINGS * angles.noise + 2 * max(mended, default=Fraction(0))
    lengths = [x for joint in mechanism.joints for x in joint.position if isinstance(x, Fraction)]
    longest = max(map(abs, lengths), default=Fraction(0))
    return _Noise(turn, ROUNDINGS * noise_of(lengths) + turn * longest)


def _written(mechanism: Mechanism) -> Iterator[Fraction]:
    """The numbers with a unit that a mechanism was described with."""
    vectors = [mechanism.gravity]
    vectors += [joint.position for joint in mechanism.joints] + [frame.position for frame in mechanism.frames]
    for body in mechanism.bodies:
        if body.inertia is not None:
            vectors += [body.inertia.center, *body.inertia.tensor]
    yield from (x for vector in vectors for x in vector if isinstance(x, Fraction))


def _links(mechanism: Mechanism) -> tuple[dict[str, tuple[str, _Frame]], dict[str, _Link]]:
    """By body: the link that carries it, and where it sits there; and the links."""
    carriers = {BASE: (BASE, _Frame())}
    links = {BASE: _Link(None, "", _Frame())}
    for joint in mechanism.joints:
        if not _numbers(*sum(joint.rotation, ()), *joint.position, *joint.axis):
            carriers[joint.child], links[joint.child] = (joint.child, _Frame()), _Link(None, "", _Frame())
            continue
        carrier, place = carriers[joint.parent]
        placed = place.then(_Frame(joint.rotation, joint.position))
        if joint.kind is JointKind.FIXED:
            carriers[joint.child] = (carrier, placed)
        else:
            carriers[joint.child] = (joint.child, _Frame())
            links[joint.child] = _Link(joint, carrier, placed)
    return carriers, links


def _meant_joint(
    joint: Joint,
    link: _Link,
    place: _Frame,
    frames: dict[str, _Frame],
    angles: AngleRule,
    noise: _Noise,
) -> Joint:
    """The joint between frames on its own axis and on the one before.

    ``place`` is where its parent sits in the link that carries it.
    """
    before, own = frames[link.parent], frames[joint.child]
    seen = before.back().then(link.frame).then(own)
    rotation = _meant_rotation(seen.rotation, noise.turn)
    if before.rotation == IDENTITY3 or joint.still:
        position = _short_vector(seen.position, noise.shift)
    else:
        position = _along_axes(seen.position, rotation, noise.shift)
    turned = _apart(rotation, seen.rotation)
    if max(turned, _apart([position], [seen.position])) <= _EXACT:
        return joint
    angles.turned(turned)
    found = place.back().then(before).then(_Frame(rotation, position)).then(own.back())
    return replace(joint, rotation=found.rotation, position=found.position)


def _meant_body(body: Body, place: _Frame, noise: _Noise) -> Body:
    """The body with its inertia as it is meant in the frame on the axis of its link, in which its own is placed so."""
    inertia = body.inertia
    if inertia is None or not _numbers(inertia.mass, *inertia.center, *sum(inertia.tensor, ())):
        return body
    center = add(place.position, matrix_vector(place.rotation, inertia.center))
    tensor = rotated_tensor(place.rotation, inertia.tensor)
    small = _error(sum(inertia.tensor, ()), noise)
    meant_center = _short_vector(center, noise.shift + _error(inertia.center, noise))
    xx, yy, zz, xy, xz, yz = (
        _short(tensor[i][j], small) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    )
    meant_tensor = symmetric(xx, yy, zz, xy, xz, yz)
    if max(_apart([center], [meant_center]), _apart(tensor, meant_tensor)) <= _EXACT:
        return body
    back = place.back()
    meant = Inertia(
        inertia.mass,
        _plain_vector(add(back.position, matrix_vector(back.rotation, meant_center))),
        _plain(rotated_tensor(back.rotation, meant_tensor)),
    )
    return replace(body, inertia=meant)


def _exact(number: Value) -> Fraction:
    """A number that is known to be one."""
    assert isinstance(number, Fraction)
    return number


def _apart(some: Rows, others: Rows) -> Fraction:
    """The largest difference of entries."""
    pairs = [pair for rows in zip(some, others, strict=True) for pair in zip(*rows, strict=True)]
    return max(abs(_exact(x) - _exact(y)) for x, y in pairs)


def _error(entries: Iterable[Value], noise: _Noise) -> Fraction:
    """How far components may be off after turns from where they were written with these."""
    written = [_exact(entry) for entry in entries]
    return ROUNDINGS * noise_of(written) + noise.turn * max(map(abs, written))


def _square(v: Vector3) -> Fraction:
    return _exact(dot(v, v))


def _meant_frame(frame: Frame, place: _Frame, noise: _Noise) -> Frame:
    """The frame with its axes and origin as they are meant on the axis of its link, in which its body's is placed so."""
    if not _numbers(*sum(frame.rotation, ()), *frame.position):
        return frame
    seen = place.then(_Frame(frame.rotation, frame.position))
    meant = _Frame(
        _meant_rotation(seen.rotation, noise.turn),
        _short_vector(seen.position, noise.shift + _error(frame.position, noise)),
    )
    if max(_apart(meant.rotation, seen.rotation), _apart([meant.position], [seen.position])) <= _EXACT:
        return frame
    found = place.back().then(meant)
    return replace(frame, rotation=found.rotation, position=found.position)


def _meant_gravity(
    gravity: Vector3, joints: Sequence[Joint], carriers: dict[str, tuple[str, _Frame]], noise: _Noise
) -> Vector3:
    """Gravity with the components that are meant in the frame of the first joint on the base."""
    moving = [joint for joint in joints if joint.kind is not JointKind.FIXED]
    first = next((joint for joint in moving if carriers[joint.parent][0] == BASE), None)
    if first is None or not _numbers(*gravity, *sum(first.rotation, ())):
        return gravity
    rotation = matrix_multiply(carriers[first.parent][1].rotation, first.rotation)
    seen = matrix_vector(transpose(rotation), gravity)
    meant = _short_vector(seen, _error(gravity, noise))
    if _apart([meant], [seen]) <= _EXACT:
        return gravity
    return _plain_vector(matrix_vector(rotation, meant))


def _numbers(*values: Value) -> bool:
    return all(isinstance(x, Fraction) for x in values)


def _natural_frames(links: dict[str, _Link], noise: _Noise) -> dict[str, _Frame]:
    """By link: the frame that hangs on its axis and on the common normal to the axis of what it carries."""
    children: dict[str, list[_Link]] = {name: [] for name in links}
    for link in links.values():
        if link.joint is not None:
            children[link.parent].append(link)
    origins: dict[str, Vector3] = {}
    for name, link in reversed(links.items()):
        origins[name] = _origin(link, children[name], links, origins, noise.shift)
    frames: dict[str, _Frame] = {}
    for name, link in links.items():
        if link.joint is None or link.joint.still:
            frames[name] = _Frame()
            continue
        z = link.joint.axis
        x = _normal(link, children[name], origins, noise)
        if x is None:
            # the x axis before, as far as it is perpendicular to this axis; else any other
            carried = matrix_multiply(transpose(link.frame.rotation), frames[link.parent].rotation)
            columns = [across(z, column) for column in transpose(carried)]
            x = next(column for column in columns if _square(column) > Fraction(1, 4))
        x = scale(1 / square_root(dot(x, x)), x)
        # where the file's own frame is this one but for noise, it is the better measure of what hangs on it
        rotation = _meant_rotation(_plain(transpose((x, cross(z, x), z))), noise.turn)
        frames[name] = _Frame(rotation, origins[name])
    return frames


def across(z: Vector3, v: Vector3) -> Vector3:
    """What of a vector is perpendicular to a unit vector."""
    return subtract(v, scale(dot(v, z), z))


def _axis_in(link: _Link) -> Vector3:
    """The axis of a link, in the link before."""
    assert link.joint is not None
    return matrix_vector(link.frame.rotation, link.joint.axis)


def _origin(
    link: _Link, below: list[_Link], links: dict[str, _Link], origins: dict[str, Vector3], shift: Fraction
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
        return _short_vector(_plain_vector(carried[0]), shift) if carried else ZERO3
    z = joint.axis
    for child in below:
        if child.joint is not None and child.joint.kind is JointKind.REVOLUTE and not child.joint.still:
            t = _foot(z, _axis_in(child), child.frame.position)
            if t is not None:
                return scale(_short(t, shift), z)
    before = links[link.parent].joint
    if before is not None and before.kind is JointKind.REVOLUTE:
        back = link.frame.back()
        t = _foot(z, matrix_vector(back.rotation, before.axis), back.position)
        if t is not None:
            return scale(_short(t, shift), z)
    return scale(_short(plain(dot(carried[0], z)), shift), z) if carried else ZERO3


def _foot(z: Vector3, other: Vector3, point: Vector3) -> Value | None:
    """Where on the axis z through zero the common normal to another line begins; None for (nearly) parallel lines."""
    cosine = _exact(dot(z, other))
    square = 1 - cosine * cosine
    if square <= _NEARLY_PARALLEL:
        return None
    return plain((dot(point, z) - cosine * dot(point, other)) / square)


def _normal(link: _Link, below: list[_Link], origins: dict[str, Vector3], noise: _Noise) -> Vector3 | None:
    """The direction of the common normal to the first axis below that has one."""
    assert link.joint is not None
    z = link.joint.axis
    for child in below:
        assert child.joint is not None
        if child.joint.still:
            continue
        normal = cross(z, _axis_in(child))
        if _square(normal) > noise.turn**2:
            return _plain_vector(normal)
        if JointKind.PRISMATIC not in (link.joint.kind, child.joint.kind):
            point = add(child.frame.position, matrix_vector(child.frame.rotation, origins[child.joint.child]))
            apart = across(z, subtract(point, origins[link.joint.child]))
            if _square(apart) > noise.shift**2:
                return _plain_vector(apart)
    return None


def _meant_rotation(rotation: Matrix3, turn: Fraction) -> Matrix3:
    """A rotation with the zeros and ones that are meant."""
    rows = []
    for row in rotation:
        nearest = [Fraction(round(_exact(e))) for e in row]
        x, y, z = (n if abs(e - n) <= turn else e for e, n in zip(map(_exact, row), nearest, strict=True))
        rows.append((x, y, z))
    found = rows[0], rows[1], rows[2]
    return rotation if found == rotation else orthonormalized(found)


def _along_axes(position: Vector3, rotation: Matrix3, shift: Fraction) -> Vector3:
    """The next origin, as it is meant, by the common normal and what lies along both axes, which are z and R z."""
    z = IDENTITY3[2]
    other = transpose(rotation)[2]
    normal = cross(z, other)
    square = _square(normal)
    if square < _NEARLY_PARALLEL:
        return _short_vector(position, shift)
    normal = scale(1 / square_root(square), normal)
    height = _short(dot(position, normal), shift)
    rest = across(normal, position)
    beyond = plain(dot(rest, across(z, other)) / square)
    along = plain(rest[2] - beyond * other[2])
    parts = (scale(height, normal), scale(_short(along, shift), z), scale(_short(beyond, shift), other))
    return _plain_vector(add(add(parts[0], parts[1]), parts[2]))


def _short_vector(vector: Vector3, within: Fraction) -> Vector3:
    """The vector with short decimals for its components."""
    x, y, z = (_short(e, within) for e in vector)
    return x, y, z


def _short(number: Value, within: Fraction) -> Value:
    """The shortest decimal within this distance, if it is no coincidence that there is one; the number for no distance."""
    number, step = _exact(number), Fraction(1)
    if within == 0:
        return number
    while 2 * within <= _COINCIDENCE * step:
        nearest = round(number / step) * step
        if abs(number - nearest) <= within:
            return nearest
        step /= 10
    return number


def _plain(m: Matrix3) -> Matrix3:
    x, y, z = map(_plain_vector, m)
    return x, y, z


def _plain_vector(v: Vector3) -> Vector3:
    x, y, z = map(plain, v)
    return x, y, z
