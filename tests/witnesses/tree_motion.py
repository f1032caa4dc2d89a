"""Forward kinematics of a tree for several motions at once, from a mechanism's records alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kanegen.codegen.mechanism import BASE, JointKind, Matrix3, Mechanism, Value, Vector3, numeric

from .jets import Array, Jet


@dataclass(frozen=True)
class Pose:
    """r_base = rotation @ r_body + position, as functions of time."""

    rotation: Jet
    position: Jet

    def carried(self, rotation: Array, position: Array) -> Pose:
        """The pose of what is fixed in this body: r_body = rotation @ r + position."""
        return Pose(self.rotation.of_fixed(rotation), self.position + self.rotation.of_fixed(position))

    def seen_from(self, other: Pose) -> Pose:
        """This pose relative to ``other``, in the axes of ``other``."""
        back = other.rotation.transposed()
        return Pose(back @ self.rotation, back.apply(self.position - other.position))

    def angular_velocity(self) -> Jet:
        """(motions, 3), along the base axes, one order shorter."""
        return axial(self.rotation.rate() @ self.rotation.transposed())


def axial(skew: Jet) -> Jet:
    """The vector w of the matrices w x."""
    return Jet(tuple(np.stack([m[:, 2, 1], m[:, 0, 2], m[:, 1, 0]], axis=1) for m in skew.terms))


class TreeNumbers:
    """A mechanism's placements and inertias as doubles, and the motion of its bodies.

    ``joints`` are the movable joints: the coordinates in their order, then the prescribed joints.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.joints = (*mechanism.coordinates, *(given.joint for given in mechanism.prescribed))
        self._placements = {
            joint.name: (self.matrix(joint.rotation), self.vector(joint.position), self.vector(joint.axis))
            for joint in mechanism.joints
        }
        self._frames = {
            frame.name: (frame.body, self.matrix(frame.rotation), self.vector(frame.position))
            for frame in (*mechanism.frames, mechanism.frame(BASE))
        }

    def number(self, value: Value) -> float:
        """The double nearest to a value at the parameters' numbers."""
        return float(numeric(value, self.mechanism))

    def vector(self, vector: Vector3) -> Array:
        """(3,)."""
        return np.array([self.number(x) for x in vector])

    def matrix(self, matrix: Matrix3) -> Array:
        """(3, 3)."""
        return np.array([[self.number(x) for x in row] for row in matrix])

    def poses(self, q: Jet) -> dict[str, Pose]:
        """Every body's pose, and that of ``BASE``, where ``q`` (motions, joints) moves the joints."""
        motions, order = len(q.terms[0]), len(q.terms) - 1
        still = Pose(Jet.constant(np.eye(3), motions, order), Jet.constant(np.zeros(3), motions, order))
        found = {BASE: still}
        for joint in self.mechanism.joints:
            rotation, position, axis = self._placements[joint.name]
            at = found[joint.parent].carried(rotation, position)
            if joint.kind is not JointKind.FIXED:
                at = self._moved(at, joint.kind, axis, q, joint.name)
            found[joint.child] = at
        return found

    def _moved(self, at: Pose, kind: JointKind, axis: Array, q: Jet, name: str) -> Pose:
        displacement = q.component(self.joints.index(name))
        if kind is JointKind.PRISMATIC:
            return Pose(at.rotation, at.position + at.rotation.of_fixed(axis).scaled(displacement))
        sine, cosine = displacement.sine_and_cosine()
        x, y, z = axis
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        # Rodrigues: 1 + sin K + (1 - cos) K^2
        turn = Jet(
            tuple(
                (np.eye(3) + cross @ cross if i == 0 else 0.0)
                + s[:, None, None] * cross
                - c[:, None, None] * (cross @ cross)
                for i, (s, c) in enumerate(zip(sine.terms, cosine.terms, strict=True))
            )
        )
        return Pose(at.rotation @ turn, at.position)

    def frame(self, name: str, poses: Mapping[str, Pose]) -> Pose:
        """The pose of a named frame."""
        body, rotation, position = self._frames[name]
        return poses[body].carried(rotation, position)
