"""Frames that hang on the joint axes of a mechanism itself, wherever its description has put its own.

z along the axis, x along the common normal to the axis of what the link carries, the origin where that normal begins (after
Denavit & Hartenberg 1955), from the tips to the base.  In them parallel, perpendicular and meeting axes are zeros and ones,
and lengths are short decimals, but for rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
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

NEARLY_PARALLEL = Fraction(1, 100)
"""Square of the sine below which the common normal is no good measure of where axes lie."""

_COINCIDENCE = Fraction(1, 10**4)
"""How much of the space between short decimals may be taken for them."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a frame sits in another: r_other = rotation @ r + position."""

    rotation: Matrix3 = IDENTITY3
    position: Vector3 = ZERO3

    def then(self, other: Place) -> Place:
        """A frame that sits in this one, seen from where this one sits."""
        position = add(self.position, matrix_vector(self.rotation, other.position))
        return Place(matrix_multiply(self.rotation, other.rotation), position)

    def back(self) -> Place:
        """The other frame in this one."""
        turned = transpose(self.rotation)
        return Place(turned, scale(Fraction(-1), matrix_vector(turned, self.position)))


@dataclass(frozen=True, slots=True)
class Link:
    """A link that moves: its joint, and that joint's frame in the link before.

    No joint has what begins anew: the base, and whatever hangs on live parameters.
    """

    joint: Joint | None
    parent: str
    frame: Place


@dataclass(frozen=True, slots=True)
class Noise:
    """How far axes may be turned [rad] and shifted [m] by the rounding of the numbers that they were written with."""

    turn: Fraction
    shift: Fraction


def links_of(mechanism: Mechanism) -> tuple[dict[str, tuple[str, Place]], dict[str, Link]]:
    """By body: the link that carries it, and where it sits there; and the links."""
    carriers = {BASE: (BASE, Place())}
    links = {BASE: Link(None, "", Place())}
    for joint in mechanism.joints:
        if not numbers(*sum(joint.rotation, ()), *joint.position, *joint.axis):
            carriers[joint.child], links[joint.child] = (joint.child, Place()), Link(None, "", Place())
            continue
        carrier, place = carriers[joint.parent]
        placed = place.then(Place(joint.rotation, joint.position))
        if joint.kind is JointKind.FIXED:
            carriers[joint.child] = (carrier, placed)
        else:
            carriers[joint.child] = (joint.child, Place())
            links[joint.child] = Link(joint, carrier, placed)
    return carriers, links


def natural_frames(links: dict[str, Link], noise: Noise) -> dict[str, Place]:
    """By link: the frame that hangs on its axis and on the common normal to the axis of what it carries."""
    children: dict[str, list[Link]] = {name: [] for name in links}
    for link in links.values():
        if link.joint is not None:
            children[link.parent].append(link)
    origins: dict[str, Vector3] = {}
    for name, link in reversed(links.items()):
        origins[name] = _origin(link, children[name], links, origins, noise.shift)
    frames: dict[str, Place] = {}
    for name, link in links.items():
        if link.joint is None or link.joint.still:
            frames[name] = Place(_of_base(children[BASE], noise)) if name == BASE else Place()
            continue
        z = link.joint.axis
        x = _normal(link, children[name], origins, noise)
        if x is None:
            # the x axis before, as far as it is perpendicular to this axis; else any other
            carried = matrix_multiply(transpose(link.frame.rotation), frames[link.parent].rotation)
            columns = [across(z, column) for column in transpose(carried)]
            x = next(column for column in columns if squared(column) > Fraction(1, 4))
        x = scale(1 / square_root(dot(x, x)), x)
        # where the file's own frame is this one but for noise, it is the better measure of what hangs on it
        rotation = meant_rotation(transpose((x, cross(z, x), z)), noise.turn)
        frames[name] = Place(rotation, origins[name])
    return frames


def _of_base(carried: list[Link], noise: Noise) -> Matrix3:
    """Axes that the links on the base give it where its own are none of theirs, so that these are seen from one another."""
    turning = [link for link in carried if link.joint is not None and not link.joint.still]
    axes = [_axis_in(link) for link in turning]
    if not axes or any(squared(cross(z, e)) <= noise.turn**2 for z in axes for e in IDENTITY3):
        return IDENTITY3
    z, *beside = axes
    beside += [subtract(link.frame.position, turning[0].frame.position) for link in turning[1:]]
    normals = [cross(z, direction) for direction in (*beside, *IDENTITY3)]
    x = next(normal for normal in normals if squared(normal) > NEARLY_PARALLEL * Fraction(1, 100))
    x = scale(1 / square_root(dot(x, x)), x)
    return transpose((x, cross(z, x), z))


def across(z: Vector3, v: Vector3) -> Vector3:
    """What of a vector is perpendicular to a unit vector."""
    return subtract(v, scale(dot(v, z), z))


def _axis_in(link: Link) -> Vector3:
    """The axis of a link, in the link before."""
    assert link.joint is not None
    return matrix_vector(link.frame.rotation, link.joint.axis)


def _origin(
    link: Link, below: list[Link], links: dict[str, Link], origins: dict[str, Vector3], shift: Fraction
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
        return short_vector(carried[0], shift) if carried else ZERO3
    z = joint.axis
    for child in below:
        if child.joint is not None and child.joint.kind is JointKind.REVOLUTE and not child.joint.still:
            t = _foot(z, _axis_in(child), child.frame.position)
            if t is not None:
                return scale(short(t, shift), z)
    before = links[link.parent].joint
    if before is not None and before.kind is JointKind.REVOLUTE:
        back = link.frame.back()
        t = _foot(z, matrix_vector(back.rotation, before.axis), back.position)
        if t is not None:
            return scale(short(t, shift), z)
    if carried:
        return scale(short(dot(carried[0], z), shift), z)
    height = _level(link, links)
    return ZERO3 if height is None else scale(short(height, shift), z)


def _level(link: Link, links: dict[str, Link]) -> Value | None:
    """How far along its axis a link is level with the first foot of a common normal before it, on a parallel axis."""
    at, direction = link.frame.position, _axis_in(link)
    before = links[link.parent]
    while before.joint is not None:
        joint, parent = before.joint, links[before.parent].joint
        if parent is None or any(j.kind is not JointKind.REVOLUTE or j.still for j in (joint, parent)):
            return None
        back = before.frame.back()
        t = _foot(joint.axis, matrix_vector(back.rotation, parent.axis), back.position)
        if t is not None:
            return dot(subtract(scale(t, joint.axis), at), direction)
        at = add(before.frame.position, matrix_vector(before.frame.rotation, at))
        direction = matrix_vector(before.frame.rotation, direction)
        before = links[before.parent]
    return None


def _foot(z: Vector3, other: Vector3, point: Vector3) -> Value | None:
    """Where on the axis z through zero the common normal to another line begins; None for (nearly) parallel lines."""
    cosine = exact(dot(z, other))
    square = 1 - cosine * cosine
    if square <= NEARLY_PARALLEL:
        return None
    return plain((dot(point, z) - cosine * dot(point, other)) / square)


def _normal(link: Link, below: list[Link], origins: dict[str, Vector3], noise: Noise) -> Vector3 | None:
    """The direction of the common normal to the first axis below that has one."""
    assert link.joint is not None
    z = link.joint.axis
    for child in below:
        assert child.joint is not None
        if child.joint.still:
            continue
        normal = cross(z, _axis_in(child))
        if squared(normal) > noise.turn**2:
            return normal
        if JointKind.PRISMATIC not in (link.joint.kind, child.joint.kind):
            point = add(child.frame.position, matrix_vector(child.frame.rotation, origins[child.joint.child]))
            apart = across(z, subtract(point, origins[link.joint.child]))
            if squared(apart) > noise.shift**2:
                return apart
    return None


def meant_rotation(rotation: Matrix3, turn: Fraction) -> Matrix3:
    """A rotation with the zeros that are meant: as many of its entries within ``turn`` as can vanish at once."""
    sizes = [abs(exact(entry)) for row in rotation for entry in row]
    for limit in sorted({size for size in sizes if 0 < size <= turn}, reverse=True):
        x, y, z = ([ZERO3[0] if abs(exact(e)) <= limit else e for e in row] for row in rotation)
        found = orthonormalized(((x[0], x[1], x[2]), (y[0], y[1], y[2]), (z[0], z[1], z[2])))
        entries = [entry for row in found for entry in row]
        if all(entry == 0 for entry, size in zip(entries, sizes, strict=True) if size <= limit):
            return found
    return rotation


def short_vector(vector: Vector3, within: Fraction) -> Vector3:
    """The vector with short decimals for its components."""
    x, y, z = (short(e, within) for e in vector)
    return x, y, z


def short(number: Value, within: Fraction) -> Value:
    """The shortest decimal within this distance, if it is no coincidence that there is one; the number for no distance.

    All such decimals are multiples of the smallest unit that leaves this distance a small part of it.
    """
    number = exact(number)
    units = int(_COINCIDENCE / (2 * within)) if within else 0
    if units == 0:
        return number
    unit = Fraction(1, 10 ** (len(str(units)) - 1))
    nearest = round(number / unit) * unit
    return nearest if abs(number - nearest) <= within else number


def exact(number: Value) -> Fraction:
    """A number that is known to be one."""
    assert isinstance(number, Fraction)
    return number


def squared(v: Vector3) -> Fraction:
    """The square of a vector's length."""
    return exact(dot(v, v))


def numbers(*values: Value) -> bool:
    """Whether values are all numbers, none of them live."""
    return all(isinstance(x, Fraction) for x in values)
