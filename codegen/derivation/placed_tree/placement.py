"""Placement: where the frame of each moving body sits for the derivations.

The described frames are moved, without changing the mechanism, so that the recursions have little to do:
every joint axis becomes a coordinate axis of its body, and origins slide along their joint axes to where axes meet
(then most linear accelerations vanish or are shared).  Inertia is expressed about these
origins as mass m, first moment h = m c and second-moment (pseudo-inertia) tensor S = integral of r r^T dm, with
J = tr(S) 1 - S the moment of inertia about the origin.

Notation: for body i with parent p, r_p = rotation @ Rot(axis, sense q) @ r_i + position for a revolute joint and
r_p = rotation @ (r_i + e_axis sense q) + position for a prismatic one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.graph import Expression
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.exact import exact_square_root
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import IDENTITY3, Frame, Inertia, Joint, JointKind, Mechanism, Value
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.values import plain

POINT = "origin of"
"""How the names of this module's decision points begin."""

_NEARLY_PARALLEL = Fraction(1, 100)
"""Square of the sine below which two axes do not meet: an origin more than ten times as far away as the other axis would
spend digits on inertia about it that cancels again (an angle of 3.1416 would put it 10^5 lengths away)."""

Vector3 = tuple[Value, Value, Value]
Matrix3 = tuple[Vector3, Vector3, Vector3]


class ExchangedBodyError(Exception):
    """A tree was asked for a body that it does not have, since joints have been exchanged around it (exchange.py)."""


@dataclass(frozen=True, slots=True)
class PlacedBody:
    """One moving body: its joint to the parent body (index ``parent``, -1 for the base) and its inertia about its origin.

    ``frame_rotation`` and ``frame_position`` lead back to the described body frame:
    r_described = frame_rotation @ r_placed + frame_position.  ``inertial`` is False where the description has no inertia.
    ``rotor_inertia`` resists the acceleration of the joint alone; the coordinate of a ``still`` joint is zero at all times;
    a ``carrier`` is no body of the description.  A revolute joint turns by sense q + ``offset`` (orientation.py).
    ``instead_of`` is the body of the description whose place this one has, where joints were exchanged (exchange.py).
    """

    name: str
    joint: str
    parent: int
    revolute: bool
    axis: int
    sense: int
    coordinate: int
    rotation: Matrix3
    position: Vector3
    mass: Value
    first_moment: Vector3
    second_moment: Matrix3
    inertial: bool
    frame_rotation: Matrix3
    frame_position: Vector3
    rotor_inertia: Value = Fraction(0)
    still: bool = False
    carrier: bool = False
    offset: Fraction = Fraction(0)
    instead_of: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedTree:
    """Moving bodies in an order in which parents precede children; gravity and frames of the mechanism.

    Trees are told apart by identity, so that what is derived from one can be remembered without comparing its numbers.

    ``base_mass`` and ``base_first_moment`` are what regrouping has moved to the base: it has weight but no motion, and only
    the potential energy (as a constant) and the mass centre need it.  ``as_described`` is this tree before regrouping, with
    the inertias that its bodies have; None where nothing was regrouped.  Lengths are in units of ``length_unit`` metres
    (unit_gauge.py).  The coordinates of a ``tied`` tree stand in equations too, so that their angles are needed as they are;
    the angles of ``shared`` joints are those of others, but for factors, so that sines and whole rotations are alike.
    """

    name: str
    bodies: tuple[PlacedBody, ...]
    gravity: Vector3
    frames: tuple[Frame, ...]
    coordinates: tuple[str, ...]
    base_first_moment: Vector3 = (Fraction(0), Fraction(0), Fraction(0))
    base_mass: Value = Fraction(0)
    length_unit: Fraction = Fraction(1)
    tied: bool = False
    shared: frozenset[str] = frozenset()
    as_described: PlacedTree | None = field(default=None, compare=False, repr=False)

    @property
    def live(self) -> bool:
        """Whether there are live parameters, or placements of balls that stand for such."""
        values = list(self.gravity)
        for body in self.bodies:
            values += [body.mass, *body.first_moment, *body.position, *body.frame_position]
            for matrix in (body.second_moment, body.rotation, body.frame_rotation):
                values += [x for row in matrix for x in row]
        return any(not isinstance(x, Fraction) for x in values)

    def children(self, index: int) -> list[int]:
        """Indices of the bodies whose parent is ``index`` (-1: the base)."""
        return [j for j, body in enumerate(self.bodies) if body.parent == index]

    def depth(self) -> int:
        """How many bodies hang one on another at most."""
        depths: list[int] = []
        for body in self.bodies:
            depths.append(1 if body.parent < 0 else depths[body.parent] + 1)
        return max(depths, default=0)

    def index(self, name: str) -> int:
        """Index of the body of that name; -1 for the base.  Raises KeyError, and ExchangedBodyError."""
        for i, body in enumerate(self.bodies):
            if body.instead_of == name:
                raise ExchangedBodyError(name)
            if body.name == name and not body.instead_of:
                return i
        if name == "base":
            return -1
        raise KeyError(name)


_Meant = tuple[str, int, *tuple[int, ...]]
InertialMeanings = Mapping[int, _Meant]
"""For references to inertial values that depend on live parameters: a quantity, its body and components."""


def inertial_meanings(tree: PlacedTree) -> InertialMeanings:
    """What the masses and moments of a tree are."""
    found: dict[int, _Meant] = {}
    for i, body in enumerate(tree.bodies):
        values: list[tuple[Value, _Meant]] = [(body.mass, ("mass", i))]
        values += [(x, ("first moment", i, r)) for r, x in enumerate(body.first_moment)]
        for r, row in enumerate(body.second_moment):
            values += [(x, ("second moment", i, r, c)) for c, x in enumerate(row) if r <= c]
        for value, meant in values:
            if isinstance(value, Expression):
                found.setdefault(value.ref, meant)
    return found


def place(
    mechanism: Mechanism, choices: Choices, live_parameters: bool = False, tied: bool = False
) -> PlacedTree:
    """Place the frames of a tree of revolute and prismatic joints (fixed ones are lumped first)."""
    reduced = _reduced(mechanism, live_parameters)
    joints = list(reduced.joints)
    children = {joint.child: [c for c in joints if c.parent == joint.child] for joint in joints}
    parents = {joint.child: joint for joint in joints}
    origins: dict[str, Vector3] = {"base": (Fraction(0),) * 3}
    for joint in reversed(joints):
        candidates = _origins(reduced, joint, parents, children[joint.child], origins)
        point = f"{POINT} {joint.child}"
        tip = not children[joint.child] and _ends_parallels(joint, parents)
        picked = choices.pick(point, len(candidates), joint.child, coarse=True, late=tip)
        origins[joint.child] = candidates[picked]
    turns = {"base": IDENTITY3} | {joint.child: _alignment(joint)[0] for joint in joints}
    placed: list[PlacedBody] = []
    order = {"base": -1} | {joint.child: i for i, joint in enumerate(joints)}
    for joint in joints:
        _, axis, sense = _alignment(joint)
        back = vec.transpose(turns[joint.parent])
        turn, origin = turns[joint.child], origins[joint.child]
        position = vec.add(
            vec.apply(joint.rotation, origin), vec.subtract(joint.position, origins[joint.parent])
        )
        inertia = reduced.body(joint.child).inertia
        mass, first, second = _moments(inertia, turn, origin)
        placed.append(
            PlacedBody(
                name=joint.child,
                joint=joint.name,
                parent=order[joint.parent],
                revolute=joint.kind is JointKind.REVOLUTE,
                axis=axis,
                sense=sense,
                coordinate=reduced.coordinates.index(joint.name),
                rotation=settled_matrix(vec.multiply(back, vec.multiply(joint.rotation, turn))),
                position=settled(vec.apply(back, position)),
                mass=mass,
                first_moment=first,
                second_moment=second,
                inertial=inertia is not None,
                frame_rotation=turn,
                frame_position=origin,
                rotor_inertia=joint.rotor_inertia,
                still=joint.still,
                carrier=reduced.body(joint.child).carrier,
            )
        )
    return PlacedTree(
        reduced.name, tuple(placed), reduced.gravity, reduced.frames, reduced.coordinates, tied=tied
    )


@lru_cache(maxsize=4)
def _reduced(mechanism: Mechanism, live_parameters: bool) -> Mechanism:
    """The mechanism without fixed joints; with numbers for its parameters unless these stay live."""
    reduced = without_fixed_joints(mechanism)
    return reduced if live_parameters else with_numbers(reduced)


def _alignment(joint: Joint) -> tuple[Matrix3, int, int]:
    """Turn T (r_described = T r_placed), coordinate axis and sense so that joint axis = sense * T e_axis."""
    nonzero = [i for i in range(3) if joint.axis[i] != 0]
    if len(nonzero) == 1:
        return IDENTITY3, nonzero[0], 1 if joint.axis[nonzero[0]] == 1 else -1
    z = joint.axis
    # a perpendicular that keeps as many zeros as possible: cross with the coordinate axis least along z
    sizes = [abs(float(c)) if isinstance(c, Fraction) else 1.0 for c in z]
    e = tuple(Fraction(int(i == sizes.index(min(sizes)))) for i in range(3))
    x = vec.cross(e, z)
    square = vec.dot(x, x)
    length = exact_square_root(square) if isinstance(square, Fraction) else square.square_root()
    x = tuple(c / length for c in x)
    first, second, third = ((a, b, c) for a, b, c in vec.transpose((x, vec.cross(z, x), z)))
    return (first, second, third), 2, 1


def _moments(inertia: Inertia | None, turn: Matrix3, origin: Vector3) -> tuple[Value, Vector3, Matrix3]:
    """Mass, first moment and second-moment tensor about ``origin``, along the turned axes."""
    zero = Fraction(0)
    if inertia is None:
        return zero, (zero, zero, zero), ((zero, zero, zero),) * 3
    back = vec.transpose(turn)
    center = vec.apply(back, vec.subtract(inertia.center, origin))
    central = vec.congruence(back, inertia.tensor)
    half = (central[0][0] + central[1][1] + central[2][2]) * Fraction(1, 2)
    isotropic = tuple(tuple(half if i == j else zero for j in range(3)) for i in range(3))
    second = vec.matrix_add(
        vec.matrix_add(isotropic, vec.matrix_scale(Fraction(-1), central)),
        vec.matrix_scale(inertia.mass, vec.outer(center, center)),
    )
    return inertia.mass, settled(vec.scale(inertia.mass, center)), settled_matrix(second)


def settled(v: vec.Vector) -> Vector3:
    """The components without the rounding errors of 60-digit numbers, so that what vanishes is zero."""
    x, y, z = (plain(component) for component in v)
    return x, y, z


def settled_matrix(m: vec.Matrix) -> Matrix3:
    """The same of the entries."""
    x, y, z = (settled(row) for row in m)
    return x, y, z


def _origins(
    mechanism: Mechanism,
    joint: Joint,
    parents: Mapping[str, Joint],
    below: list[Joint],
    origins: dict[str, Vector3],
) -> list[Vector3]:
    """Candidate origins of the child of ``joint``, in its described frame, best guess first, without repetition."""
    zero = (Fraction(0),) * 3
    candidates: list[Vector3] = []
    if joint.still:
        return [zero]
    if joint.kind is JointKind.PRISMATIC:
        for child in below:
            if child.kind is JointKind.REVOLUTE and not child.still:
                candidates.append(vec.add(child.position, vec.apply(child.rotation, origins[child.child])))
        inertia = mechanism.body(joint.child).inertia
        if inertia is not None:
            candidates.append(inertia.center)
        candidates.append(zero)
    else:
        along: list[Any] = []
        below = [child for child in below if not child.still]
        for child in below:
            if child.kind is JointKind.REVOLUTE:
                along.append(_foot(joint.axis, zero, vec.apply(child.rotation, child.axis), child.position))
        along.append(_foot_from(joint, parents.get(joint.parent)))
        for child in below:
            point = vec.add(child.position, vec.apply(child.rotation, origins[child.child]))
            along.append(vec.dot(joint.axis, point))
        inertia = mechanism.body(joint.child).inertia
        if all(t is None for t in along):  # at the tip of parallel axes
            levels = [_level(joint, parents)]
            if inertia is not None:
                central = vec.dot(joint.axis, inertia.center)
                # a body with a plane of symmetry across the axis has no products of inertia at the level of its centre
                turned = vec.apply(inertia.tensor, joint.axis)
                symmetric = all(x == 0 for x in vec.cross(joint.axis, turned))
                levels.insert(0 if symmetric else 1, central)
            along += levels
        along.append(Fraction(0))
        candidates = [vec.scale(t, joint.axis) for t in along if t is not None]
    unique: list[Vector3] = []
    for candidate in candidates:
        if candidate not in unique:
            unique.append(candidate)
    return unique


def _foot_from(joint: Joint, parent: Joint | None) -> Any | None:
    """Where on the axis of a joint the common normal to the axis before begins; None without one."""
    if parent is None or parent.kind is not JointKind.REVOLUTE:
        return None
    # the parent's axis passes through the parent's origin; seen from the joint frame
    back = vec.transpose(joint.rotation)
    point = vec.scale(Fraction(-1), vec.apply(back, joint.position))
    return _foot(joint.axis, (Fraction(0),) * 3, vec.apply(back, parent.axis), point)


def _level(joint: Joint, parents: Mapping[str, Joint]) -> Any | None:
    """What ``_foot_from`` finds for the first of the parallel hinges before, on this axis: turning changes no level."""
    parent = parents.get(joint.parent)
    if parent is None or parent.kind is not JointKind.REVOLUTE or parent.still:
        return None
    found = _foot_from(parent, parents.get(parent.parent))
    if found is None:
        found = _level(parent, parents)
    if found is None:
        return None
    away = vec.subtract(vec.scale(found, parent.axis), joint.position)
    return vec.dot(joint.axis, vec.apply(vec.transpose(joint.rotation), away))


def _ends_parallels(joint: Joint, parents: Mapping[str, Joint]) -> bool:
    """Whether this hinge is parallel to those before: its origin's level serves one kernel here and another there."""
    return _foot_from(joint, parents.get(joint.parent)) is None and _level(joint, parents) is not None


def _foot(axis: vec.Vector, point: vec.Vector, other: vec.Vector, other_point: vec.Vector) -> Any | None:
    """Parameter t of the point ``point + t axis`` nearest the other line; None when the lines are (nearly) parallel."""
    cosine = vec.dot(axis, other)
    sine_squared = 1 - cosine * cosine
    if sine_squared == 0 or (isinstance(sine_squared, Fraction) and sine_squared < _NEARLY_PARALLEL):
        return None
    delta = vec.subtract(other_point, point)
    return (vec.dot(delta, axis) - cosine * vec.dot(delta, other)) / sine_squared


def with_inertia(body: PlacedBody, mass: Value, first: vec.Vector, second: vec.Matrix) -> PlacedBody:
    """The same body with other inertial parameters."""
    h0, h1, h2 = first
    s0, s1, s2 = ((a, b, c) for a, b, c in second)
    return replace(body, mass=mass, first_moment=(h0, h1, h2), second_moment=(s0, s1, s2))


def without_inertia(tree: PlacedTree) -> tuple[PlacedBody, ...]:
    """The bodies of a tree as they move, with no inertia."""
    none = (Fraction(0),) * 3
    return tuple(with_inertia(body, Fraction(0), none, (none,) * 3) for body in tree.bodies)
