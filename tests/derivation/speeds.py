"""Generalized speeds for test mechanisms: joint rates, some replaced by components of velocities."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.derivation.formulations import formulation
from kanegen.codegen.derivation.kane.motion import turns_of
from kanegen.codegen.derivation.motion_maps.chosen_speeds import ChosenSpeeds
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.graph import Argument, Graph, Program, inputs
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
from kanegen.codegen.mechanism.names import frame_identifiers
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


def line_to_base(tree: Mechanism, body: str) -> list[str]:
    """The movable joints from a body to the base."""
    joints = []
    while body != BASE:
        joint = next(joint for joint in tree.joints if joint.child == body)
        if joint.kind is not JointKind.FIXED:
            joints.append(joint.name)
        body = joint.parent
    return joints


def tree_with_point_speeds(
    seed: int, joints: int, directions: Sequence[Vector3]
) -> tuple[Mechanism, tuple[GeneralizedSpeed, ...]]:
    """A random tree with slides; rates of the last joints before the frame "tip" give way to its velocity."""
    while True:
        tree = random_tree(seed, joints)
        replaced = line_to_base(tree, tree.frame("tip").body)[: len(directions)]
        kinds = {tree.joint(name).kind for name in replaced}
        if len(replaced) == len(directions) and (len(directions) < 2 or len(kinds) == 2):
            components = iter(directions)
            return tree, tuple(
                PointVelocityComponent("tip", next(components)) if name in replaced else JointRate(name)
                for name in tree.coordinates
            )
        seed += 1000


def chosen_speeds(
    mechanism: Mechanism, speeds: Sequence[GeneralizedSpeed], live: bool = False
) -> ChosenSpeeds:
    """The map from the speeds of a tree, in a graph of its own with input q."""
    graph = Graph()
    q = inputs(graph, "q", mechanism.dof)
    return ChosenSpeeds(turns_of(place(mechanism, Choices(), live), graph, q), speeds, q)


def matrix_of(chosen: ChosenSpeeds, which: str) -> Program:
    """W or Y as a program of q."""
    rows = getattr(chosen, which)
    n = len(rows)
    refs = tuple(x.ref for row in rows for x in row)
    arguments = Argument("q", (n,), "", ""), Argument("matrix", (n, n), "", "")
    return Program(which, "", "", arguments[:1], arguments[1:], chosen.graph, (refs,))


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


def kane_kernels(
    mechanism: Mechanism, speeds: Sequence[GeneralizedSpeed] | None = None, live: bool = False
) -> dict[str, Build]:
    """The kernels of Kane's method, on the rates of the joints unless other speeds are given."""
    return formulation("kane", mechanism, speeds, live, frame_identifiers(mechanism))
