"""Bodies held at frames."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import count

from kanegen.codegen.mechanism.readers import inertia_tensor, read_value, read_vector
from kanegen.codegen.mechanism.records import (
    BASE,
    IDENTITY3,
    Body,
    Frame,
    Inertia,
    Joint,
    JointKind,
    Mechanism,
)
from kanegen.codegen.mechanism.validation.constraints import Carriers
from kanegen.codegen.mechanism.validation.flexible_links import check_end
from kanegen.codegen.mechanism.values import Scalar
from kanegen.errors import ModelError, did_you_mean


def with_payloads(mechanism: Mechanism, payloads: Mapping[str, Sequence[Scalar]]) -> Mechanism:
    """The mechanism with a body held at each of these frames.

    Each is given by ten numbers: mass [kg], centre x, y, z [m], and Ixx, Iyy, Izz, Ixy, Ixz, Iyz [kg m^2] about the centre,
    in the frame's axes.  The body is a part of what carries it: it has no frame of its own.  Raises ModelError for frames
    that there are not, or that hold nothing.
    """
    for name, (mass, x, y, z, *tensor) in payloads.items():
        where = f"payload {name!r}"
        frame = held_at(mechanism, name)
        inertia = Inertia(
            read_value(f"{where}, mass", mass),
            read_vector(f"{where}, mass centre", (x, y, z)),
            inertia_tensor(f"{where}, inertia", tensor),
        )
        body = new_name(f"payload_{name}", [body.name for body in mechanism.bodies])
        grasp = new_name(f"grasp of {body}", [joint.name for joint in mechanism.joints])
        joint = Joint(grasp, JointKind.FIXED, frame.body, body, frame.rotation, frame.position, IDENTITY3[2])
        mechanism = replace(
            mechanism,
            bodies=(*mechanism.bodies, Body(body, inertia, carrier=True)),
            joints=(*mechanism.joints, joint),
        )
    return mechanism


def held_at(mechanism: Mechanism, name: str) -> Frame:
    """The frame of this name, where a body can be held.  Raises ModelError."""
    where, known = f"payload {name!r}", [frame.name for frame in mechanism.frames]
    if name not in known:
        raise ModelError(
            where,
            "is given for a frame that there is not",
            f"one of {', '.join(map(repr, known))}",
            did_you_mean(name, known, "Give one of these."),
        )
    frame = mechanism.frame(name)
    if Carriers(mechanism).of_body(frame.body) == BASE:
        raise ModelError(
            where, "is held by the base, which does not move", "a frame on a link that moves", "Leave it out."
        )
    check_end(where, name, mechanism.flexible)
    return frame


def new_name(name: str, taken: Collection[str]) -> str:
    """A name that is not taken: this one, or one with a number."""
    return next(n for k in count(1) if (n := name if k == 1 else f"{name}_{k}") not in taken)
