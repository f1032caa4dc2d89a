"""Bodies behind fixed joints become parts of the bodies that carry them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from kanegen.codegen.mechanism.records import (
    BASE,
    IDENTITY3,
    ZERO3,
    Body,
    Inertia,
    JointKind,
    Matrix3,
    Mechanism,
    Vector3,
)
from kanegen.codegen.mechanism.speeds import AngularVelocityComponent, GeneralizedSpeed
from kanegen.codegen.mechanism.values import numeric, plain
from kanegen.codegen.mechanism.vectors import (
    add,
    matrix_add,
    matrix_multiply,
    matrix_vector,
    parallel_axes,
    rotated_tensor,
    scale,
    subtract,
)
from kanegen.errors import ModelError


@dataclass(frozen=True, slots=True)
class _Placement:
    """A body's frame in the body that carries it: r_carrier = rotation @ r + position."""

    carrier: str
    rotation: Matrix3 = IDENTITY3
    position: Vector3 = ZERO3

    def then(self, rotation: Matrix3, position: Vector3) -> _Placement:
        """The placement of a frame that is placed in this one."""
        return _Placement(
            self.carrier,
            matrix_multiply(self.rotation, rotation),
            add(self.position, matrix_vector(self.rotation, position)),
        )


def without_fixed_joints(mechanism: Mechanism) -> Mechanism:
    """The same mechanism with every fixed joint removed and its child lumped into the body that carries it,
    exactly.

    Frames of lumped bodies stay, fixed in their carriers; total moving mass is conserved.  What is welded to
    the base has no motion and drops out, together with its constant potential energy; its frames are then
    fixed in ``BASE``.  Loops, constraints and springs name frames and joints that stay.  Expects a validated
    mechanism.  Raises ModelError for masses that cancel.
    """
    if all(joint.kind is not JointKind.FIXED for joint in mechanism.joints):
        return mechanism
    placements = {BASE: _Placement(BASE)}
    for joint in mechanism.joints:
        placements[joint.child] = (
            placements[joint.parent].then(joint.rotation, joint.position)
            if joint.kind is JointKind.FIXED
            else _Placement(joint.child)
        )
    lumped: dict[str, Inertia | None] = {}
    for body in mechanism.bodies:
        place = placements[body.name]
        part = None if body.inertia is None else _placed(body.inertia, place)
        lumped[place.carrier] = combined(place.carrier, lumped.get(place.carrier), part, mechanism)

    joints = []
    for joint in mechanism.joints:
        if joint.kind is not JointKind.FIXED:
            place = placements[joint.parent].then(joint.rotation, joint.position)
            joints.append(
                replace(joint, parent=place.carrier, rotation=place.rotation, position=place.position)
            )
    frames = []
    for frame in mechanism.frames:
        place = placements[frame.body].then(frame.rotation, frame.position)
        frames.append(replace(frame, body=place.carrier, rotation=place.rotation, position=place.position))
    return replace(
        mechanism,
        bodies=tuple(Body(j.child, lumped[j.child], mechanism.body(j.child).carrier) for j in joints),
        joints=tuple(joints),
        frames=tuple(frames),
        speeds=tuple(_carried_speed(speed, placements) for speed in mechanism.speeds),
    )


def without_friction(mechanism: Mechanism) -> Mechanism:
    """The same mechanism without damping and friction of its joints; springs and dampers of their own stay."""
    none = Fraction(0)
    return replace(
        mechanism, joints=tuple(replace(joint, damping=none, friction=none) for joint in mechanism.joints)
    )


def open_tree(mechanism: Mechanism) -> Mechanism:
    """The joints alone, all of them free, those that followed others or moved as prescribed too."""
    if not (mechanism.constrained or mechanism.mimics):
        return mechanism
    own = [m.joint for m in mechanism.mimics] + [*mechanism.prescribed_joints]
    return replace(
        mechanism,
        coordinates=(*mechanism.coordinates, *own),
        loops=(),
        constraints=(),
        prescribed=(),
        speeds=(),
        mimics=(),
        home=(),
    )


def _carried_speed(speed: GeneralizedSpeed, placements: Mapping[str, _Placement]) -> GeneralizedSpeed:
    """A speed in terms of the bodies that are left: only angular velocities name bodies, and all others frames."""
    if not isinstance(speed, AngularVelocityComponent):
        return speed
    place = placements[speed.body]
    return AngularVelocityComponent(place.carrier, matrix_vector(place.rotation, speed.direction))


def _placed(inertia: Inertia, place: _Placement) -> Inertia:
    """An inertia given in a carried body's frame, in the frame of the carrier."""
    return Inertia(
        inertia.mass,
        add(place.position, matrix_vector(place.rotation, inertia.center)),
        rotated_tensor(place.rotation, inertia.tensor),
    )


def combined(body: str, one: Inertia | None, other: Inertia | None, mechanism: Mechanism) -> Inertia | None:
    """Two inertias in the same frame as one (parallel axes).

    Central tensors add, plus that of the two masses about their common centre: m1 m2 / (m1 + m2) at c2 - c1.
    """
    if one is None or other is None:
        return other if one is None else one
    mass = plain(one.mass + other.mass)
    tensor = matrix_add(one.tensor, other.tensor)
    if one.mass == 0 or other.mass == 0:
        return Inertia(mass, one.center if other.mass == 0 else other.center, tensor)
    if numeric(mass, mechanism) == 0:
        raise ModelError(
            f"body {body!r}",
            "the masses fixed to it cancel",
            "a total mass other than 0",
            "Mend the masses of the bodies joined by fixed joints.",
        )
    share = plain(other.mass / mass)
    center = add(one.center, scale(share, subtract(other.center, one.center)))
    steiner = parallel_axes(plain(one.mass * share), subtract(other.center, one.center))
    return Inertia(mass, center, matrix_add(tensor, steiner))
