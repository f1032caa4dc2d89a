"""Plain NumPy mechanics, independent of the package's derivations: poses, mass matrix and energies from
records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism import Joint, JointKind, Matrix3, Mechanism, Vector3, numeric

Array = NDArray[np.float64]


def vector(v: Vector3, mechanism: Mechanism) -> Array:
    """A 3-vector in doubles."""
    return np.array([float(numeric(entry, mechanism)) for entry in v])


def matrix(m: Matrix3, mechanism: Mechanism) -> Array:
    """A 3 x 3 matrix in doubles."""
    return np.array([vector(row, mechanism) for row in m])


def skew(v: Array) -> Array:
    """The matrix of v x."""
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rotation_about(axis: Array, angle: float) -> Array:
    """Rodrigues' formula."""
    k = skew(axis)
    turned: Array = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
    return turned


def _moved(joint: Joint, mechanism: Mechanism, value: float) -> Array:
    """Homogeneous transform of a joint, parent from child."""
    axis = vector(joint.axis, mechanism)
    placed, motion = np.eye(4), np.eye(4)
    placed[:3, :3] = matrix(joint.rotation, mechanism)
    placed[:3, 3] = vector(joint.position, mechanism)
    if joint.kind is JointKind.REVOLUTE:
        motion[:3, :3] = rotation_about(axis, value)
    elif joint.kind is JointKind.PRISMATIC:
        motion[:3, 3] = value * axis
    return placed @ motion


def body_poses(mechanism: Mechanism, q: Array) -> dict[str, Array]:
    """The pose (4 x 4, base from body) of every body and of the base."""
    poses = {"base": np.eye(4)}
    for joint in mechanism.joints:
        moves = joint.name in mechanism.coordinates  # neither fixed nor prescribed, which stands at zero
        value = float(q[mechanism.coordinates.index(joint.name)]) if moves else 0.0
        poses[joint.child] = poses[joint.parent] @ _moved(joint, mechanism, value)
    return poses


def frame_pose(mechanism: Mechanism, q: Array, name: str) -> Array:
    """The pose (4 x 4, base from frame) of a named frame."""
    (frame,) = [f for f in mechanism.frames if f.name == name]
    placed = np.eye(4)
    placed[:3, :3] = matrix(frame.rotation, mechanism)
    placed[:3, 3] = vector(frame.position, mechanism)
    pose: Array = body_poses(mechanism, q)[frame.body] @ placed
    return pose


def mass_matrix(mechanism: Mechanism, q: Array) -> Array:
    """M = sum of m Jv^T Jv + Jw^T I Jw over bodies, with the mass centres' Jacobians on the rates of the coordinates."""
    poses = body_poses(mechanism, q)
    above = {joint.child: joint for joint in mechanism.joints}
    n = len(mechanism.coordinates)
    total = np.zeros((n, n))
    for body in mechanism.bodies:
        if body.inertia is None:
            continue
        pose = poses[body.name]
        center = pose[:3, :3] @ vector(body.inertia.center, mechanism) + pose[:3, 3]
        linear, angular = np.zeros((3, n)), np.zeros((3, n))
        name = body.name
        while name in above:
            joint = above[name]
            if joint.name in mechanism.coordinates:
                column = mechanism.coordinates.index(joint.name)
                axis = poses[name][:3, :3] @ vector(joint.axis, mechanism)
                if joint.kind is JointKind.REVOLUTE:
                    angular[:, column] = axis
                    linear[:, column] = np.cross(axis, center - poses[name][:3, 3])
                else:
                    linear[:, column] = axis
            name = joint.parent
        tensor = pose[:3, :3] @ matrix(body.inertia.tensor, mechanism) @ pose[:3, :3].T
        mass = float(numeric(body.inertia.mass, mechanism))
        total += mass * linear.T @ linear + angular.T @ tensor @ angular
    return total


def potential_energy(mechanism: Mechanism, q: Array) -> float:
    """-sum of m g . c over bodies, zero at the base origin."""
    poses = body_poses(mechanism, q)
    gravity = vector(mechanism.gravity, mechanism)
    energy = 0.0
    for body in mechanism.bodies:
        if body.inertia is not None:
            pose = poses[body.name]
            center = pose[:3, :3] @ vector(body.inertia.center, mechanism) + pose[:3, 3]
            energy -= float(numeric(body.inertia.mass, mechanism)) * float(gravity @ center)
    return energy
