"""The same mechanism, described in other frames of its bodies: coordinates, speeds and frames by name stay what they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.mechanism.folding import mapped
from kanegen.codegen.mechanism.natural_frames import Place
from kanegen.codegen.mechanism.records import BASE, Body, Frame, Inertia, Mechanism, Value
from kanegen.codegen.mechanism.references import FRAMES, with_names
from kanegen.codegen.mechanism.speeds import AngularVelocityComponent, GeneralizedSpeed
from kanegen.codegen.mechanism.vectors import matrix_vector, rotated_tensor

_NONE = Fraction(1, 10**40)
"""What arithmetic of 60 digits leaves of zero, and of one."""


def moved(mechanism: Mechanism, places: Mapping[str, Place]) -> Mechanism:
    """The mechanism with the frames of some bodies ``places`` within the described ones, and joints' frames along with them.

    An origin may move along the axis of a joint that turns, and anywhere for one that slides.  Frames stay where they are:
    for each body that has none of its own name, one is added there, and one for the base where that is moved and named.
    """
    back = {name: place.back() for name, place in places.items()}

    def seen(body: str, place: Place) -> Place:
        return back[body].then(place) if body in back else place

    joints = []
    for joint in mechanism.joints:
        place = seen(joint.parent, Place(joint.rotation, joint.position))
        axis = joint.axis
        if joint.child in places:
            place = place.then(places[joint.child])
            axis = matrix_vector(back[joint.child].rotation, axis)
        joints.append(replace(joint, rotation=place.rotation, position=place.position, axis=axis))
    named = {frame.name for frame in mechanism.frames}
    own = [Frame(j.child, j.child) for j in mechanism.joints if j.child not in named | _carriers(mechanism)]
    base = [Frame(_unused(named), BASE)] if BASE in places else []
    frames = []
    for frame in (*own, *mechanism.frames, *base):
        place = seen(frame.body, Place(frame.rotation, frame.position))
        frames.append(replace(frame, rotation=place.rotation, position=place.position))
    gravity = mechanism.gravity
    if BASE in places:
        gravity = matrix_vector(back[BASE].rotation, gravity)
        mechanism = _with_base_named(mechanism, base[0].name)
    found: Mechanism = replace(
        mechanism,
        joints=mapped(tuple(joints), _settled),
        bodies=tuple(_moved_body(body, back) for body in mechanism.bodies),
        frames=mapped(tuple(frames), _settled),
        gravity=mapped(gravity, _settled),
        speeds=tuple(_moved_speed(speed, back) for speed in mechanism.speeds),
    )
    return found


def _unused(names: Collection[str]) -> str:
    """A name for the frame of a base that is moved."""
    name = "described base"
    while name in names:
        name += "'"
    return name


def _with_base_named(mechanism: Mechanism, name: str) -> Mechanism:
    """The mechanism with the frame of that name wherever loops and the like name the base."""

    def named(item: Any) -> Any:
        return with_names(item, {BASE: name}, FRAMES)

    return replace(
        mechanism,
        loops=tuple(map(named, mechanism.loops)),
        constraints=tuple(map(named, mechanism.constraints)),
        springs=tuple(map(named, mechanism.springs)),
        speeds=tuple(map(named, mechanism.speeds)),
    )


def _carriers(mechanism: Mechanism) -> set[str]:
    return {body.name for body in mechanism.bodies if body.carrier}


def _moved_body(body: Body, back: Mapping[str, Place]) -> Body:
    inertia, place = body.inertia, back.get(body.name)
    if inertia is None or place is None:
        return body
    center = place.then(Place(position=inertia.center)).position
    seen = Inertia(inertia.mass, center, rotated_tensor(place.rotation, inertia.tensor))
    return replace(body, inertia=mapped(seen, _settled))


def _moved_speed(speed: GeneralizedSpeed, back: Mapping[str, Place]) -> GeneralizedSpeed:
    """Directions of angular velocities are along the axes of bodies; all others are along those of frames."""
    if not isinstance(speed, AngularVelocityComponent) or speed.body not in back:
        return speed
    direction = matrix_vector(back[speed.body].rotation, speed.direction)
    return replace(speed, direction=mapped(direction, _settled))


def _settled(value: Value) -> Value:
    """The number without what arithmetic leaves beside a whole one."""
    if isinstance(value, Fraction) and abs(value - round(value)) < _NONE:
        return Fraction(round(value))
    return value
