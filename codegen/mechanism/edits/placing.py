"""The whole model somewhere else in the base frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.mechanism.edits.payloads import new_name
from kanegen.codegen.mechanism.readers import read_rotation, read_vector
from kanegen.codegen.mechanism.records import BASE, Frame, Mechanism
from kanegen.codegen.mechanism.references import FRAMES, with_names
from kanegen.codegen.mechanism.rounded_angles import AngleRule
from kanegen.codegen.mechanism.vectors import add, matrix_multiply, matrix_vector


def placed_at(mechanism: Mechanism, placement: Sequence[float], angles: AngleRule) -> Mechanism:
    """The mechanism with all that is fixed to the base placed there by (x, y, z, roll, pitch, yaw) [m, rad].

    Frames of the base move along, and what loops, contacts, springs and speeds call ``base`` becomes a frame at its place.
    Gravity stays as it is: it is that of the base frame.  ``angles`` says what decimals of angles mean.
    """
    position = read_vector("base, position", placement[:3])
    turn = (angles.meant(x) for x in read_vector("base, rotation", placement[3:]) if isinstance(x, Fraction))
    rotation = read_rotation("base, rotation", turn)

    def moved(item: Any, body: str) -> Any:
        if body != BASE:
            return item
        return replace(
            item,
            rotation=matrix_multiply(rotation, item.rotation),
            position=add(position, matrix_vector(rotation, item.position)),
        )

    fields = [field for field in FRAMES if field != "relative_to"]  # velocities to what rests are the same
    own = Frame(new_name("base_of_model", [frame.name for frame in mechanism.frames]), BASE)
    groups: dict[str, Any] = {
        name: tuple(with_names(record, {BASE: own.name}, fields) for record in getattr(mechanism, name))
        for name in ("loops", "constraints", "springs", "speeds")
    }
    frames = mechanism.frames
    if any(groups[name] != getattr(mechanism, name) for name in groups):
        frames = (*frames, own)
    return replace(
        mechanism,
        joints=tuple(moved(joint, joint.parent) for joint in mechanism.joints),
        frames=tuple(moved(frame, frame.body) for frame in frames),
        **groups,
    )
