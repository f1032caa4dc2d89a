"""Poses, mass matrix and potential energy from records alone, as certificates take them."""

from __future__ import annotations

import numpy as np

from kanegen.codegen.certificate.arrays import Array, about_axis
from kanegen.codegen.certificate.body_motion import bodies
from kanegen.codegen.certificate.numeric_tree import numeric_tree
from kanegen.codegen.certificate.reference import Reference
from kanegen.codegen.certificate.speeds import TreeSpeeds
from kanegen.codegen.mechanism import Matrix3, Mechanism, Vector3, numeric


def vector(v: Vector3, mechanism: Mechanism) -> Array:
    """A 3-vector in doubles."""
    return np.array([float(numeric(x, mechanism)) for x in v])


def matrix(m: Matrix3, mechanism: Mechanism) -> Array:
    """A 3 x 3 matrix in doubles."""
    return np.array([vector(row, mechanism) for row in m])


def rotation_about(axis: Array, angle: float) -> Array:
    """Rodrigues' formula."""
    return about_axis(axis, np.array(angle))


def reference(mechanism: Mechanism) -> Reference:
    """Of the tree on the rates of its joints; prescribed joints stand at zero."""
    return Reference(numeric_tree(mechanism), TreeSpeeds(mechanism), len(mechanism.rates), 0.0)


def body_poses(mechanism: Mechanism, q: Array) -> dict[str, Array]:
    """The pose (4 x 4, base from body) of every body and of the base."""
    found = {}
    for name, body in bodies(numeric_tree(mechanism), TreeSpeeds(mechanism).at_rest(q)).items():
        found[name] = np.eye(4)
        found[name][:3, :3], found[name][:3, 3] = body.R, body.p
    return found


def frame_pose(mechanism: Mechanism, q: Array, name: str) -> Array:
    """The pose (4 x 4, base from frame) of a named frame."""
    return reference(mechanism).pose(q, name).value


def mass_matrix(mechanism: Mechanism, q: Array) -> Array:
    """M on the rates of the joints."""
    return reference(mechanism).mass_matrix(q).value


def potential_energy(mechanism: Mechanism, q: Array) -> float:
    """-sum of m g . c over the moving bodies, zero at the base origin, and the energy of springs."""
    return float(reference(mechanism).potential_energy(q).value)
