"""How neighbouring joint axes lie to each other, without the rounding of the numbers they were written with.

Programs write link frames where they like, with the digits of a double or fewer, and axes that are perpendicular, parallel
or meet come out so but for 1e-16.  Seen from frames that hang on the axes themselves (z along the axis, x along the common
normal to the next one, after Denavit & Hartenberg 1955), such noise stands where zeros and ones are meant.  What is within
the rounding of the numbers written is taken for these, and the joints are written again in the file's own frames, to 60
digits, so that all that follows describes one and the same mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph.exact import exact_cosine, exact_sine
from kanegen.codegen.mechanism.natural_frames import (
    NEARLY_PARALLEL,
    Link,
    Noise,
    Place,
    across,
    exact,
    links_of,
    meant_rotation,
    natural_frames,
    numbers,
    short,
    short_vector,
    squared,
)
from kanegen.codegen.mechanism.records import (
    BASE,
    IDENTITY3,
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
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE, AngleRule, noise_of
from kanegen.codegen.mechanism.values import degrees, plain, square_root
from kanegen.codegen.mechanism.vectors import (
    add,
    cross,
    dot,
    matrix_multiply,
    matrix_vector,
    parallel_axes,
    rotated_tensor,
    scale,
    symmetric,
    transpose,
)

ROUNDINGS = 16
"""Roundings between two axes at most: three angles and lengths at either end, axes, and the arithmetic that made them."""

_TWISTS = {
    angle: (exact_cosine(degrees(angle)), exact_sine(degrees(angle))) for angle in (30, 45, 60, 120, 135, 150)
}
"""Cosines and sines of oblique angles [degrees] that save operations: of 45 degrees they are equal, of the others a half."""

_EXACT = Fraction(1, 10**45)
"""What arithmetic of 60 digits leaves."""

Rows = Sequence[Sequence[Any]]


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
    # those of balls turn about axes that are given by the frames of their bodies
    in_balls = {name for ball in mechanism.balls for name in ball.joints}
    still = [replace(joint, still=joint.still or joint.name in in_balls) for joint in mechanism.joints]
    carriers, links = links_of(replace(mechanism, joints=tuple(still)))
    frames = natural_frames(links, noise)
    joints = [
        _meant_joint(joint, links[joint.child], carriers[joint.parent][1], frames, angles, noise)
        if joint.child in links and links[joint.child].joint is not None
        else joint
        for joint in mechanism.joints
    ]
    back = {carrier: frame.back() for carrier, frame in frames.items()}
    on_axes = {body: back[carrier].then(place) for body, (carrier, place) in carriers.items()}
    return replace(
        mechanism,
        joints=tuple(joints),
        bodies=tuple(_meant_body(body, on_axes[body.name], noise) for body in mechanism.bodies),
        frames=tuple(_meant_frame(frame, on_axes[frame.body], noise) for frame in mechanism.frames),
        gravity=_meant_gravity(mechanism.gravity, joints, carriers, noise),
    )


def _noise(mechanism: Mechanism, angles: AngleRule) -> Noise:
    mended = [
        distance for distance in angles.distances if distance <= ANGLE_TOLERANCE
    ]  # larger ones were asked for
    written = [joint.position for joint in mechanism.joints if numbers(*joint.position)]
    positions = [[exact(x) for x in position] for position in written]
    lengths = [x for position in positions for x in position]
    longest = max(map(abs, lengths), default=Fraction(0))
    # common normals of parallel axes are along lengths
    leaning = [noise_of(position) / max(map(abs, position)) for position in positions if any(position)]
    turn = ROUNDINGS * max([angles.noise, *leaning]) + 2 * max(mended, default=Fraction(0))
    return Noise(turn, ROUNDINGS * noise_of(lengths) + turn * longest)


def _written(mechanism: Mechanism) -> Iterator[Fraction]:
    """The numbers with a unit that a mechanism was described with."""
    vectors = [mechanism.gravity]
    vectors += [joint.position for joint in mechanism.joints] + [frame.position for frame in mechanism.frames]
    for body in mechanism.bodies:
        if body.inertia is not None:
            vectors += [body.inertia.center, *body.inertia.tensor]
    yield from (x for vector in vectors for x in vector if isinstance(x, Fraction))


def _meant_joint(
    joint: Joint,
    link: Link,
    place: Place,
    frames: dict[str, Place],
    angles: AngleRule,
    noise: Noise,
) -> Joint:
    """The joint between frames on its own axis and on the one before.

    ``place`` is where its parent sits in the link that carries it.
    """
    assert link.joint is not None, "joints that are numbers"
    before, own = frames[link.parent], frames[joint.child]
    seen = before.back().then(link.frame).then(own)
    rotation = _with_meant_twist(meant_rotation(seen.rotation, noise.turn), noise.turn)
    if link.parent == BASE or before.rotation == IDENTITY3 or link.joint.still:
        position = short_vector(seen.position, noise.shift)
    else:
        position = _along_axes(seen.position, rotation, noise.shift)
    turned = _apart(rotation, seen.rotation)
    if max(turned, _apart([position], [seen.position])) <= _EXACT:
        return joint
    angles.turned(turned)
    found = place.back().then(before).then(Place(rotation, position)).then(own.back())
    return replace(joint, rotation=found.rotation, position=found.position)


def _with_meant_twist(rotation: Matrix3, turn: Fraction) -> Matrix3:
    """The rotation with axes z and R z at 30, 45, 60 degrees (or 180 less these) to each other, where so is meant."""
    z, other = IDENTITY3[2], transpose(rotation)[2]
    meant = _TWISTS.get(round(math.degrees(math.acos(max(-1.0, min(1.0, float(exact(other[2]))))))))
    if meant is None:
        return rotation
    normal = cross(z, other)
    length = square_root(dot(normal, normal))
    c, s = (
        meant[0] * exact(other[2]) + meant[1] * exact(length),
        meant[1] * exact(other[2]) - meant[0] * exact(length),
    )
    if s == 0 or abs(s) > turn:
        return rotation
    # Rodrigues: a turn about the common normal n by the angle that is missing
    n = scale(1 / length, normal)
    columns = []
    for v in transpose(rotation):
        along = add(scale(c, v), scale(s, cross(n, v)))
        columns.append(add(along, scale(dot(n, v) * (1 - c), n)))
    return transpose((columns[0], columns[1], columns[2]))


def _meant_body(body: Body, place: Place, noise: Noise) -> Body:
    """The body with its inertia as it is meant in the frame on the axis of its link, in which its own is placed so."""
    inertia = body.inertia
    if inertia is None or not numbers(inertia.mass, *inertia.center, *sum(inertia.tensor, ())):
        return body
    center = add(place.position, matrix_vector(place.rotation, inertia.center))
    tensor = rotated_tensor(place.rotation, inertia.tensor)
    small = _error(sum(inertia.tensor, ()), noise)
    meant_center = short_vector(center, noise.shift + _error(inertia.center, noise))
    beyond = parallel_axes(inertia.mass, meant_center)
    xx, yy, zz, xy, xz, yz = (
        _short_about_either(tensor[i][j], beyond[i][j], small)
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    )
    meant_tensor = symmetric(xx, yy, zz, xy, xz, yz)
    if max(_apart([center], [meant_center]), _apart(tensor, meant_tensor)) <= _EXACT:
        return body
    back = place.back()
    meant = Inertia(
        inertia.mass,
        add(back.position, matrix_vector(back.rotation, meant_center)),
        rotated_tensor(back.rotation, meant_tensor),
    )
    return replace(body, inertia=meant)


def _short_about_either(central: Value, beyond: Value, within: Fraction) -> Value:
    """A central moment of inertia, short itself or about the axis, where there is more of it by ``beyond``."""
    found = short(central, within)
    if found is not central:
        return found
    about_axis = plain(central + beyond)
    return plain(short(about_axis, within) - beyond)


def _meant_frame(frame: Frame, place: Place, noise: Noise) -> Frame:
    """The frame with its axes and origin as they are meant on the axis of its link, in which its body's is placed so."""
    if frame.name == frame.body or not numbers(*sum(frame.rotation, ()), *frame.position):
        return frame
    seen = place.then(Place(frame.rotation, frame.position))
    meant = Place(
        meant_rotation(seen.rotation, noise.turn),
        short_vector(seen.position, noise.shift + _error(frame.position, noise)),
    )
    if max(_apart(meant.rotation, seen.rotation), _apart([meant.position], [seen.position])) <= _EXACT:
        return frame
    found = place.back().then(meant)
    return replace(frame, rotation=found.rotation, position=found.position)


def _meant_gravity(
    gravity: Vector3, joints: Sequence[Joint], carriers: dict[str, tuple[str, Place]], noise: Noise
) -> Vector3:
    """Gravity with the components that are meant in the frame of the first joint on the base."""
    moving = [joint for joint in joints if joint.kind is not JointKind.FIXED]
    first = next((joint for joint in moving if carriers[joint.parent][0] == BASE), None)
    if first is None or not numbers(*gravity, *sum(first.rotation, ())):
        return gravity
    rotation = matrix_multiply(carriers[first.parent][1].rotation, first.rotation)
    seen = matrix_vector(transpose(rotation), gravity)
    meant = short_vector(seen, _error(gravity, noise))
    if _apart([meant], [seen]) <= _EXACT:
        return gravity
    return matrix_vector(rotation, meant)


def _along_axes(position: Vector3, rotation: Matrix3, shift: Fraction) -> Vector3:
    """The next origin, as it is meant, by the common normal and what lies along both axes, which are z and R z."""
    z = IDENTITY3[2]
    other = transpose(rotation)[2]
    normal = cross(z, other)
    square = squared(normal)
    if square < NEARLY_PARALLEL:
        return short_vector(position, shift)
    normal = scale(1 / square_root(square), normal)
    height = short(dot(position, normal), shift)
    rest = across(normal, position)
    beyond = plain(dot(rest, across(z, other)) / square)
    along = plain(rest[2] - beyond * other[2])
    parts = (scale(height, normal), scale(short(along, shift), z), scale(short(beyond, shift), other))
    return add(add(parts[0], parts[1]), parts[2])


def _apart(some: Rows, others: Rows) -> Fraction:
    """The largest difference of entries."""
    pairs = [pair for rows in zip(some, others, strict=True) for pair in zip(*rows, strict=True)]
    return max((abs(exact(x) - exact(y)) for x, y in pairs if x is not y), default=Fraction(0))


def _error(entries: Iterable[Value], noise: Noise) -> Fraction:
    """How far components may be off after turns from where they were written with these."""
    written = [exact(entry) for entry in entries]
    return ROUNDINGS * noise_of(written) + noise.turn * max(map(abs, written))
