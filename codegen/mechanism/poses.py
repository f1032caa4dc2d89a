"""Where the bodies of a mechanism are and how its joints move them, in doubles: enough to check a description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.records import BASE, Frame, Joint, JointKind, Mechanism
from kanegen.codegen.mechanism.values import numeric

Array = NDArray[np.float64]
Pose = Array
"""4 x 4: base from frame."""


def doubles(values: Any, mechanism: Mechanism) -> Array:
    """A value of a mechanism, or values in tuples, at its parameters.  Raises OverflowError."""

    def number(value: Any) -> Any:
        return (
            [number(entry) for entry in value]
            if isinstance(value, tuple)
            else float(numeric(value, mechanism))
        )

    return np.array(number(values), dtype=float)


def moving_joints(mechanism: Mechanism) -> tuple[str, ...]:
    """The joints that can move, in their order."""
    return tuple(joint.name for joint in mechanism.joints if joint.kind is not JointKind.FIXED)


@dataclass(frozen=True)
class BodyMotions:
    """One configuration: the pose of each body, and how it moves there."""

    mechanism: Mechanism
    poses: Mapping[str, Pose]

    @cached_property
    def columns(self) -> Mapping[str, Array]:
        """The motion of each body for each rate of ``moving_joints`` (6, n), made where it is asked for.

        Angular velocity [rad/s], and velocity [m/s] of the body's point at the base's origin.
        """
        column = {name: k for k, name in enumerate(moving_joints(self.mechanism))}
        found = {BASE: np.zeros((6, len(column)))}
        for joint in self.mechanism.joints:
            jacobian, pose = found[joint.parent], self.poses[joint.child]
            if joint.kind is not JointKind.FIXED:
                jacobian = jacobian.copy()
                along = pose[:3, :3] @ doubles(joint.axis, self.mechanism)
                turns = joint.kind is JointKind.REVOLUTE
                motion = (*along, *np.cross(pose[:3, 3], along)) if turns else (0.0, 0.0, 0.0, *along)
                jacobian[:, column[joint.name]] = motion
            found[joint.child] = jacobian
        return found

    def frame_pose(self, frame: Frame) -> Pose:
        """The pose of a frame."""
        return self.poses[frame.body] @ placed(frame, self.mechanism)

    def jacobian(self, body: str, point: Array) -> Array:
        """The angular velocity of a body, and the velocity of its point there [m], for each rate (6, n)."""
        found = self.columns[body].copy()
        found[3:] += np.cross(found[:3].T, point).T
        return found


def body_motions(mechanism: Mechanism, values: Mapping[str, float]) -> BodyMotions:
    """The bodies for values [rad, m] of joints by name; those that are not named stand at zero."""
    poses = {BASE: np.eye(4)}
    for joint in mechanism.joints:  # every parent precedes its children
        axis, value = doubles(joint.axis, mechanism), values.get(joint.name, 0.0)
        motion = np.eye(4)
        if joint.kind is JointKind.PRISMATIC:
            motion[:3, 3] = value * axis
        elif joint.kind is JointKind.REVOLUTE:
            motion[:3, :3] = turned(axis, value)
        poses[joint.child] = poses[joint.parent] @ placed(joint, mechanism) @ motion
    return BodyMotions(mechanism, poses)


def frame_poses(mechanism: Mechanism, q: Sequence[float], t: float = 0.0) -> dict[str, Pose]:
    """The poses of all frames and of ``BASE`` for coordinates ``q`` [rad, m]; joints of constant rates stand at zero."""
    values = dict(zip(mechanism.coordinates, q, strict=True)) | prescribed_at(mechanism, t)
    motions = body_motions(mechanism, with_followers(mechanism, values))
    return {BASE: motions.poses[BASE], **{f.name: motions.frame_pose(f) for f in mechanism.frames}}


def prescribed_at(mechanism: Mechanism, t: float) -> dict[str, float]:
    """Where joints are that move as functions of time [s], by name."""
    numbers = {p.name: float(p.value) for p in mechanism.parameters}
    found = {}
    for joint, given in mechanism.motions.items():
        known = {s: numbers.get(s.name, t) for s in given.expression.free_symbols - {given.time}}
        found[joint] = float(given.expression.xreplace({given.time: sympy.Float(t), **known}).evalf())
    return found


def with_followers(mechanism: Mechanism, values: Mapping[str, float]) -> dict[str, float]:
    """Values [rad, m] of joints by name, with those of the joints that follow others; leaders not named stand at zero."""
    found = dict(values)
    for mimic in mechanism.mimics:
        end = mechanism.followed(mimic.joint)
        multiplier, offset = (float(numeric(x, mechanism)) for x in (end.multiplier, end.offset))
        found[mimic.joint] = multiplier * values.get(end.leader, 0.0) + offset
    return found


def followers(mechanism: Mechanism) -> tuple[tuple[str, ...], Array, Array]:
    """The joints that move by themselves, and values of all ``moving_joints`` by theirs: factors @ values + offsets."""
    moving = moving_joints(mechanism)
    ends = [mechanism.followed(name) for name in moving]
    free = tuple(end.joint for end in ends if end.joint == end.leader)
    factors, offsets = np.zeros((len(moving), len(free))), np.zeros(len(moving))
    for row, end in enumerate(ends):
        offsets[row] = float(numeric(end.offset, mechanism))
        factors[row, free.index(end.leader)] = float(numeric(end.multiplier, mechanism))
    return free, factors, offsets


def skew(v: Array) -> Array:
    """The matrix of v x."""
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def turned(axis: Array, angle: float) -> Array:
    """Rodrigues' formula."""
    across = skew(axis)
    found: Array = np.eye(3) + np.sin(angle) * across + (1 - np.cos(angle)) * across @ across
    return found


def placed(item: Joint | Frame, mechanism: Mechanism) -> Pose:
    """The pose of a frame, or of a joint where it stands at zero, in the body that it is fixed in."""
    pose = np.eye(4)
    pose[:3, :3] = doubles(item.rotation, mechanism)
    pose[:3, 3] = doubles(item.position, mechanism)
    return pose
