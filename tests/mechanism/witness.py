"""Poses, mass matrix and potential energy from records alone, by the truncated series of ``tests.witnesses``."""

from __future__ import annotations

import numpy as np

from kanegen.codegen.mechanism import Matrix3, Mechanism, Vector3
from tests.witnesses.jets import Array, Jet
from tests.witnesses.tree_dynamics import TreeDynamics
from tests.witnesses.tree_motion import Pose, TreeNumbers


def vector(v: Vector3, mechanism: Mechanism) -> Array:
    """A 3-vector in doubles."""
    return TreeNumbers(mechanism).vector(v)


def matrix(m: Matrix3, mechanism: Mechanism) -> Array:
    """A 3 x 3 matrix in doubles."""
    return TreeNumbers(mechanism).matrix(m)


def rotation_about(axis: Array, angle: float) -> Array:
    """Rodrigues' formula."""
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turned: Array = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
    return turned


def _poses(mechanism: Mechanism, q: Array) -> dict[str, Pose]:
    """Prescribed joints stand at zero."""
    still = np.zeros(len(mechanism.prescribed))
    return TreeNumbers(mechanism).poses(Jet.constant(np.append(q, still), 1))


def _homogeneous(pose: Pose) -> Array:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = pose.rotation.terms[0][0], pose.position.terms[0][0]
    return found


def body_poses(mechanism: Mechanism, q: Array) -> dict[str, Array]:
    """The pose (4 x 4, base from body) of every body and of the base."""
    return {name: _homogeneous(pose) for name, pose in _poses(mechanism, q).items()}


def frame_pose(mechanism: Mechanism, q: Array, name: str) -> Array:
    """The pose (4 x 4, base from frame) of a named frame."""
    return _homogeneous(TreeNumbers(mechanism).frame(name, _poses(mechanism, q)))


def mass_matrix(mechanism: Mechanism, q: Array) -> Array:
    """M on the rates of the coordinates."""
    return TreeDynamics(mechanism).tree_mass_matrix(q)


def potential_energy(mechanism: Mechanism, q: Array) -> float:
    """-sum of m g . c over bodies, zero at the base origin; springs are left out."""
    poses, numbers = _poses(mechanism, q), TreeNumbers(mechanism)
    gravity = numbers.vector(mechanism.gravity)
    centers = [
        (numbers.number(b.inertia.mass), _homogeneous(poses[b.name]) @ [*numbers.vector(b.inertia.center), 1])
        for b in mechanism.bodies
        if b.inertia is not None
    ]
    return -sum(mass * float(gravity @ center[:3]) for mass, center in centers)
