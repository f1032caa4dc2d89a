"""A mechanism in body coordinates: which bodies have coordinates, and its joints as constraints between them.

A joint is where it sits on two bodies, what it leaves free, and how it is driven.

Two hinges through a body without inertia whose axes meet at a right angle are one universal joint, a hinge and a slide
along the same direction one cylindrical joint, so that such a body needs no coordinates of its own.  It must carry nothing
else: no second joint, no loop, no spring, no strut.  Other bodies without inertia keep their seven coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from kanegen.codegen.derivation.euler_parameters.chain import Chain, Link, axis_in_parent, chain_of
from kanegen.codegen.mechanism.constraints import LoopKind, PrescribedMotion
from kanegen.codegen.mechanism.features import SPRINGS, TIES, require_known
from kanegen.codegen.mechanism.force_elements import tied_by
from kanegen.codegen.mechanism.records import ZERO3, Frame, Mechanism, Vector3
from kanegen.codegen.mechanism.speeds import DistanceRate
from kanegen.codegen.mechanism.values import numeric, square_root
from kanegen.codegen.mechanism.vectors import (
    add,
    cross,
    dot,
    matrix_vector,
    scale,
    subtract,
    transpose,
)
from kanegen.errors import ModelError


class DriveKind(Enum):
    """How a coordinate moves the second body of a connection."""

    TURN = "turn"
    SLIDE = "slide"
    FIRST_CROSS = "turn about the first axis of a universal joint"
    SECOND_CROSS = "turn about the second axis of a universal joint"


@dataclass(frozen=True, slots=True)
class Drive:
    """A joint of the tree within a connection.  ``coordinate`` None: it is held at zero.

    ``sense`` is -1 where the joint's axis points against f of the marks.
    """

    joint: str
    coordinate: int | None
    kind: DriveKind
    sense: int = 1


@dataclass(frozen=True, slots=True)
class Mark:
    """A joint's place on a body: a point, from the mass centre in the body's axes [m], and an orthonormal triad there.

    f is the joint's axis.  ``body`` is the link's index in the chain, -1 for the base.
    """

    body: int
    point: Vector3
    f: Vector3
    g: Vector3
    h: Vector3


@dataclass(frozen=True, slots=True)
class Connection:
    """A joint of the tree or of a loop; forces are counted on the second body."""

    name: str
    kind: LoopKind
    first: Mark
    second: Mark
    drives: tuple[Drive, ...] = ()


@dataclass(frozen=True, slots=True)
class BodyModel:
    """A mechanism in body coordinates.

    ``kept`` are the links of the chain that have coordinates, in order; loops follow the tree in ``connections``.
    """

    chain: Chain
    kept: tuple[int, ...]
    connections: tuple[Connection, ...]

    @property
    def places(self) -> dict[int, int]:
        """From links of the chain to bodies; the base stays -1."""
        return {-1: -1} | {link: body for body, link in enumerate(self.kept)}

    @property
    def bodies(self) -> list[Link]:
        """The bodies with coordinates."""
        return [self.chain.links[i] for i in self.kept]

    @property
    def struts(self) -> list[DistanceRate]:
        """The translational actuators between two points, in the order of the speeds."""
        return [speed for speed in self.chain.mechanism.speeds if isinstance(speed, DistanceRate)]

    def driven(self) -> list[tuple[Connection, Drive]]:
        """Connection and drive of every coordinate, in the order of q."""
        found = {
            drive.coordinate: (connection, drive)
            for connection in self.connections
            for drive in connection.drives
        }
        return [found[k] for k in range(len(self.chain.mechanism.coordinates))]


def body_model(mechanism: Mechanism, live_parameters: bool = False) -> BodyModel:
    """The mechanism in body coordinates.

    Raises ModelError where it has other constraints than joints, as contacts, blades, equations and joints moved at a rate
    are, and where it has ball joints, mimics, flexible links, rotors, or damping or friction of joints.
    """
    require_known(
        TIES | SPRINGS,
        mechanism,
        "rigid bodies on hinges and slides, each with a coordinate of its own, in the coordinates of bodies",
        "Use another formulation for this mechanism.",
    )
    for constraint in mechanism.constraints:
        raise ModelError(
            f"constraint {constraint.name!r}",
            "is no joint between two bodies",
            "joints and loops alone: the constraint library of Euler parameters has no contacts and no equations",
            "Use another formulation for this mechanism.",
        )
    for given in mechanism.prescribed:
        if isinstance(given, PrescribedMotion) or numeric(given.rate, mechanism) != 0:
            raise ModelError(
                f"prescribed joint {given.joint!r}",
                "moves without a coordinate",
                "rate zero: bodies are followed in the base frame, where this motion shows",
                "Make the joint a coordinate and drive it.",
            )
    chain = chain_of(mechanism, live_parameters)
    connections = _connections_of(chain)
    kept = tuple(sorted(c.second.body for c in connections if c.drives))
    return BodyModel(chain, kept, tuple(connections))


def _connections_of(chain: Chain) -> list[Connection]:
    """The joints of the tree, merged where a body without inertia lies between them, then the loops."""
    found = []
    skipped: set[int] = set()
    for i in range(len(chain.links)):
        if i in skipped:
            continue
        inner, outer = chain.links[i], _only_child(chain, i)
        merged = None
        if outer is not None:
            merged = _universal(chain, inner, outer) or _cylindrical(chain, inner, outer)
        if merged is None:
            found.append(_single(chain, i))
        else:
            found.append(merged)
            skipped.add(merged.second.body)
    for loop in chain.mechanism.loops:
        first, second = (_frame_mark(chain, chain.mechanism.frame(end)) for end in (loop.first, loop.second))
        found.append(Connection(loop.name, loop.kind, first, second))
    return found


def triad(axis: Vector3) -> tuple[Vector3, Vector3, Vector3]:
    """A right-handed orthonormal triad f, g, h with f = ``axis``; along the coordinate axes where the axis is."""
    sizes = [abs(float(x)) if isinstance(x, Fraction) else 1.0 for x in axis]
    nonzero = [k for k in range(3) if axis[k] != 0]
    if len(nonzero) == 1:
        g = _unit((nonzero[0] + 1) % 3)
        return axis, g, cross(axis, g)
    least = min(range(3), key=lambda k: (sizes[k], k))
    across = cross(_unit(least), axis)
    g = scale(1 / square_root(dot(across, across)), across)
    return axis, g, cross(axis, g)


def _unit(k: int) -> Vector3:
    x, y, z = (Fraction(int(r == k)) for r in range(3))
    return x, y, z


def _only_child(chain: Chain, i: int) -> int | None:
    """The one link that hangs on body i, where that body has no inertia and nothing else on it."""
    children = chain.children(i)
    if chain.links[i].inertia is not None or len(children) != 1:
        return None
    mechanism = chain.mechanism
    ends = [end for loop in mechanism.loops for end in (loop.first, loop.second)]
    for spring in mechanism.springs:
        ends += [end for line in tied_by(spring) for end in line]
    for speed in mechanism.speeds:
        if isinstance(speed, DistanceRate):
            ends += [speed.first, speed.second]
    used = any(mechanism.frame(end).body == chain.links[i].name for end in ends)
    return None if used else children[0]


def _single(chain: Chain, i: int) -> Connection:
    link = chain.links[i]
    axes = triad(link.axis)
    turned = [matrix_vector(link.rotation, axis) for axis in axes]
    first = Mark(link.parent, chain.from_center(link.parent, link.position), *turned)
    second = Mark(i, chain.from_center(i, ZERO3), *axes)
    if link.revolute:
        drive = Drive(link.joint, link.coordinate, DriveKind.TURN)
        return Connection(link.joint, LoopKind.REVOLUTE, first, second, (drive,))
    drive = Drive(link.joint, link.coordinate, DriveKind.SLIDE)
    return Connection(link.joint, LoopKind.PRISMATIC, first, second, (drive,))


def _universal(chain: Chain, inner: Link, k: int) -> Connection | None:
    """Two hinges as one universal joint: f of the first mark is the first axis, f of the second mark the second one."""
    outer = chain.links[k]
    across = axis_in_parent(outer)
    normal = cross(inner.axis, across)
    if not (inner.revolute and outer.revolute):
        return None
    if dot(inner.axis, across) != 0 or dot(normal, outer.position) != 0:
        return None
    meeting = scale(dot(inner.axis, outer.position), inner.axis)
    back = transpose(outer.rotation)
    on_child = matrix_vector(back, subtract(meeting, outer.position))
    first_seen = matrix_vector(back, inner.axis)
    return Connection(
        f"{inner.joint}+{outer.joint}",
        LoopKind.UNIVERSAL,
        _inner_mark(chain, inner, meeting, (inner.axis, across, normal)),
        Mark(k, chain.from_center(k, on_child), outer.axis, first_seen, cross(outer.axis, first_seen)),
        (
            Drive(inner.joint, inner.coordinate, DriveKind.FIRST_CROSS),
            Drive(outer.joint, outer.coordinate, DriveKind.SECOND_CROSS),
        ),
    )


def _cylindrical(chain: Chain, inner: Link, k: int) -> Connection | None:
    """A hinge and a slide along its direction, in either order, as one cylindrical joint."""
    outer = chain.links[k]
    along = axis_in_parent(outer)
    if inner.revolute is outer.revolute or any(x != 0 for x in cross(inner.axis, along)):
        return None
    sense = 1 if all(x == 0 for x in subtract(inner.axis, along)) else -1
    axes = triad(inner.axis)
    back = transpose(outer.rotation)
    f, g, h = (matrix_vector(back, axis) for axis in axes)
    # the line is fixed in the first body by the hinge if that comes first, and in the second body otherwise
    point = ZERO3 if inner.revolute else outer.position
    on_child = matrix_vector(back, subtract(point, outer.position))
    kinds = (DriveKind.TURN, DriveKind.SLIDE) if inner.revolute else (DriveKind.SLIDE, DriveKind.TURN)
    return Connection(
        f"{inner.joint}+{outer.joint}",
        LoopKind.CYLINDRICAL,
        _inner_mark(chain, inner, point, axes),
        Mark(k, chain.from_center(k, on_child), f, g, h),
        (
            Drive(inner.joint, inner.coordinate, kinds[0]),
            Drive(outer.joint, outer.coordinate, kinds[1], sense),
        ),
    )


def _inner_mark(chain: Chain, link: Link, point: Vector3, axes: tuple[Vector3, Vector3, Vector3]) -> Mark:
    """The mark on the parent of a link, from a point and a triad in the link's joint frame."""
    place = add(link.position, matrix_vector(link.rotation, point))
    f, g, h = (matrix_vector(link.rotation, axis) for axis in axes)
    return Mark(link.parent, chain.from_center(link.parent, place), f, g, h)


def _frame_mark(chain: Chain, frame: Frame) -> Mark:
    """A frame as a mark: f is its z axis, g its x axis."""
    x, y, z = transpose(frame.rotation)
    body = chain.index(frame.body)
    return Mark(body, chain.from_center(body, frame.position), z, x, y)
