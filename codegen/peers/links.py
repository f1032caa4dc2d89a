"""The joints of a mechanism as other engines have them: a ball or floating joint is one again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.features import TIES, Feature, require_known
from kanegen.codegen.mechanism.records import BallJoint, JointKind, Matrix3, Mechanism, Value, Vector3
from kanegen.codegen.mechanism.values import numeric

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Link:
    """A joint with what hangs on it, in doubles.

    ``kind`` is None for a ball or floating joint, which is ``ball``.  The joint frame is placed in the body ``parent``.
    """

    name: str
    kind: JointKind | None
    ball: BallJoint | None
    parent: str
    child: str
    rotation: Array
    position: Array
    axis: Array
    rotor_inertia: Array
    """[kg m^2, kg] on each speed, (1,), (3,), (6,), or (0,) for a fixed joint."""


def links_of(mechanism: Mechanism) -> list[Link]:
    """The joints of the tree, every parent before its children."""
    balls = mechanism.ball_parts
    links = []
    for joint in mechanism.joints:
        ball = balls.get(joint.name)
        if ball is not None and joint.name != ball.joints[0]:
            continue
        parts = [mechanism.joint(name) for name in ball.joints] if ball else [joint]
        rotors = [] if joint.kind is JointKind.FIXED else [number(j.rotor_inertia, mechanism) for j in parts]
        links.append(
            Link(
                ball.name if ball else joint.name,
                None if ball else joint.kind,
                ball,
                joint.parent,
                parts[-1].child,
                matrix(joint.rotation, mechanism),
                vector(joint.position, mechanism),
                vector(joint.axis, mechanism),
                np.array(rotors),
            )
        )
    return links


def check_tree(mechanism: Mechanism, engine: str) -> None:
    """Raise ModelError for what no comparison of trees can hold."""
    require_known(
        set(Feature) - TIES - {Feature.FLEXIBLE_LINKS},
        mechanism,
        f"a tree of joints: {engine} has no equations in the same independent speeds to compare with",
        "Compare formulations instead (--formulations), which check each other.",
    )


def number(value: Value, mechanism: Mechanism) -> float:
    """A value at the mechanism's parameters."""
    return float(numeric(value, mechanism))


def vector(values: Vector3, mechanism: Mechanism) -> Array:
    """(3,)."""
    return np.array([number(x, mechanism) for x in values])


def matrix(values: Matrix3, mechanism: Mechanism) -> Array:
    """(3, 3)."""
    return np.array([[number(x, mechanism) for x in row] for row in values])
