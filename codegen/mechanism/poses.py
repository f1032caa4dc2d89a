"""Where the frames of a mechanism are, in doubles: enough to check a description, not to compute with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.records import BASE, JointKind, Matrix3, Mechanism, Vector3
from kanegen.codegen.mechanism.values import numeric

Pose = NDArray[np.float64]
"""4 x 4: base from frame."""


def frame_poses(mechanism: Mechanism, q: Sequence[float]) -> dict[str, Pose]:
    """The poses of all frames and of ``BASE`` for coordinates ``q`` [rad, m]; prescribed joints stand at zero."""
    values = dict(zip(mechanism.coordinates, q, strict=True))
    bodies = {BASE: np.eye(4)}
    for joint in mechanism.joints:  # every parent precedes its children
        axis = _vector(joint.axis, mechanism)
        value = values.get(joint.name, 0.0)
        motion = np.eye(4)
        if joint.kind is JointKind.PRISMATIC:
            motion[:3, 3] = value * axis
        elif joint.kind is JointKind.REVOLUTE:
            motion[:3, :3] = _rotation(axis, value)
        placed = _placed(joint.rotation, joint.position, mechanism)
        bodies[joint.child] = bodies[joint.parent] @ placed @ motion
    frames = {f.name: bodies[f.body] @ _placed(f.rotation, f.position, mechanism) for f in mechanism.frames}
    return {BASE: bodies[BASE], **frames}


def _rotation(axis: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    """Rodrigues' formula."""
    x, y, z = axis
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: NDArray[np.float64] = np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew
    return turned


def _vector(vector: Vector3, mechanism: Mechanism) -> NDArray[np.float64]:
    return np.array([float(numeric(entry, mechanism)) for entry in vector])


def _placed(rotation: Matrix3, position: Vector3, mechanism: Mechanism) -> Pose:
    pose = np.eye(4)
    pose[:3, :3] = [_vector(row, mechanism) for row in rotation]
    pose[:3, 3] = _vector(position, mechanism)
    return pose
