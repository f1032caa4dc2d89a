"""Generalized speeds for test mechanisms: joint rates, some replaced by components of angular velocity."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism import (
    BASE,
    AngularVelocityComponent,
    GeneralizedSpeed,
    JointKind,
    JointRate,
    Mechanism,
    Vector3,
    numeric,
)
from kanegen.codegen.mechanism.speeds import PointVelocityComponent
from tests.witnesses.pinocchio_trees import PinocchioTree

from .trees import random_tree

Array = NDArray[np.float64]

AXES: tuple[Vector3, ...] = (
    (Fraction(1), Fraction(0), Fraction(0)),
    (Fraction(0), Fraction(1), Fraction(0)),
    (Fraction(0), Fraction(0), Fraction(1)),
)
SKEW: tuple[Vector3, ...] = (
    (Fraction(2, 3), Fraction(2, 3), Fraction(1, 3)),
    (Fraction(-3, 5), Fraction(0), Fraction(4, 5)),
    (Fraction(0), Fraction(0), Fraction(-1)),
)


def tree_with_speeds(
    seed: int, joints: int, directions: Sequence[Vector3]
) -> tuple[Mechanism, tuple[GeneralizedSpeed, ...]]:
    """A random tree and speeds of its last body that has enough revolute joints before it.

    Trees without such a body are passed over.
    """
    while True:
        tree = random_tree(seed, joints)
        for body in reversed(tree.bodies):
            speeds = speeds_of_body(tree, body.name, directions)
            if speeds is not None:
                return tree, speeds
        seed += 1000


def speeds_of_body(
    mechanism: Mechanism, body: str, directions: Sequence[Vector3]
) -> tuple[GeneralizedSpeed, ...] | None:
    """Joint rates, except that the last revolute joints before ``body`` give way to components along ``directions``.

    None where there are fewer such joints than directions.
    """
    replaced: list[str] = []
    name = body
    while name != BASE:
        joint = next(joint for joint in mechanism.joints if joint.child == name)
        if joint.kind is JointKind.REVOLUTE and len(replaced) < len(directions):
            replaced.append(joint.name)
        name = joint.parent
    if len(replaced) < len(directions):
        return None
    components = iter(directions)
    return tuple(
        AngularVelocityComponent(body, next(components)) if name in replaced else JointRate(name)
        for name in mechanism.coordinates
    )


def speeds_from_rates(
    mechanism: Mechanism, speeds: Sequence[GeneralizedSpeed], tree: PinocchioTree, q: Array
) -> Array:
    """Y of u = Y q', (n, n), from Pinocchio's Jacobians and poses."""
    rows = []
    for speed in speeds:
        if isinstance(speed, JointRate):
            rows.append(np.eye(mechanism.dof)[mechanism.coordinates.index(speed.joint)])
            continue
        frame = speed.frame if isinstance(speed, PointVelocityComponent) else speed.body
        pose, jacobian = tree.frame_pose(q, frame), tree.frame_jacobian(q, frame)
        direction = pose[:3, :3] @ np.array([float(numeric(x, mechanism)) for x in speed.direction])
        if not isinstance(speed, PointVelocityComponent):
            rows.append(direction @ jacobian[3:])
            continue
        velocity = jacobian[:3]
        if speed.relative_to != BASE:
            # less v_O + w x (P - O) of that body
            other = tree.frame_jacobian(q, speed.relative_to)
            arm = pose[:3, 3] - tree.frame_pose(q, speed.relative_to)[:3, 3]
            velocity = velocity - other[:3] - np.cross(other[3:].T, arm).T
        rows.append(direction @ velocity)
    return np.array(rows)
