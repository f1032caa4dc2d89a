"""Poses and motions of frames relative to one another, along the chains of joints between them.

Everything is expressed in the axes of a body that both chains hang on (or of the base), as plain products of joint
rotations; the constraints of a mechanism are written with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kanegen.codegen.derivation.recursive.on_demand import OnDemand, on_demand
from kanegen.codegen.derivation.resistance.separation import collected, may_meet
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import BASE, Frame, Joint, JointKind, Mechanism
from kanegen.codegen.mechanism.values import Lift


@dataclass(frozen=True)
class Pose:
    """A frame seen from another: r = rotation @ r_frame + position."""

    rotation: vec.Matrix
    position: vec.Vector

    def axis(self, k: int) -> vec.Vector:
        """Direction of the frame's axis k."""
        return tuple(row[k] for row in self.rotation)

    @property
    def graph(self) -> Graph:
        """The graph of the entries."""
        graph: Graph = self.position[0].graph
        return graph

    def after(self, inner: Pose) -> Pose:
        """The pose of a frame whose pose in this frame is ``inner``."""
        turned = vec.multiply_total(self.graph, self.rotation, inner.rotation)
        return Pose(
            turned, vec.add(self.position, vec.apply_total(self.graph, self.rotation, inner.position))
        )

    def seen_from(self, outer: Pose) -> Pose:
        """This frame in the axes of another, both given in the same third one."""
        back = vec.transpose(outer.rotation)
        turned = vec.multiply_total(self.graph, back, self.rotation)
        return Pose(turned, vec.apply_total(self.graph, back, vec.subtract(self.position, outer.position)))


class Chains:
    """Poses along the joints of a mechanism, whose coordinates are ``q`` (by joint name, expressions of one graph)."""

    def __init__(self, mechanism: Mechanism, q: Mapping[str, Expression], lift: Lift) -> None:
        self.mechanism, self.q, self.lift = mechanism, q, lift
        self.graph = lift.graph
        self.zero, self.one = constant(self.graph, 0), constant(self.graph, 1)
        self._above = {joint.child: joint for joint in mechanism.joints}
        self._on_demand: OnDemand[Pose] = OnDemand()

    def path(self, body: str, ancestor: str) -> list[Joint]:
        """The joints from an ancestor down to a body, in that order."""
        joints: list[Joint] = []
        while body != ancestor:
            joint = self._above[body]
            joints.append(joint)
            body = joint.parent
        return joints[::-1]

    def common_ancestor(self, first: str, second: str) -> str:
        """The last body that both hang on, possibly one of them; ``BASE`` at the latest."""
        line = [first]
        while line[-1] != BASE:
            line.append(self._above[line[-1]].parent)
        while second not in line:
            second = self._above[second].parent
        return second

    @on_demand
    def body(self, name: str, ancestor: str) -> Pose:
        """Pose of a body's frame in that of an ancestor."""
        if name == ancestor:
            identity = tuple(tuple(self.one if i == j else self.zero for j in range(3)) for i in range(3))
            return Pose(identity, (self.zero,) * 3)
        joint = self._above[name]
        return self.body(joint.parent, ancestor).after(self._joint(joint))

    def frame(self, name: str, ancestor: str) -> Pose:
        """Pose of a named frame in the frame of a body that carries it, directly or through joints."""
        return self._on_body(self.mechanism.frame(name), ancestor)

    def relative(self, name: str, reference: str) -> Pose:
        """Pose of a named frame in another named frame."""
        above = self.common_ancestor(self.mechanism.frame(name).body, self.mechanism.frame(reference).body)
        return self.frame(name, above).seen_from(self.frame(reference, above))

    def distance(self, first: str, second: str) -> Expression:
        """The distance between the origins of two named frames [m]."""
        apart = self.apart(first, second)
        return dot(apart, apart).square_root()

    def apart(self, first: str, second: str, divides: bool = True) -> vec.Vector:
        """From the origin of one named frame to that of another, in the body that carries both.

        Where it ``divides``, or its length does, and the two may meet, what is built from the components keeps them as
        differences: a square of the distance that is expanded into large terms loses all digits there.
        """
        one, two = self.origins(first, second)
        between = vec.subtract(two, one)
        if not (divides and may_meet(self.mechanism, first, second, self.lift)):
            return between
        return tuple(collected(x).whole() for x in between)

    def origins(self, first: str, second: str) -> tuple[vec.Vector, vec.Vector]:
        """Origins of two named frames in the body that carries both."""
        above = self.common_ancestor(self.mechanism.frame(first).body, self.mechanism.frame(second).body)
        one, two = (self.frame(name, above).position for name in (first, second))
        return one, two

    def turning(self, body: str, ground: Frame) -> dict[str, vec.Vector]:
        """Partial angular velocities of a body relative to the body of a frame, in the axes of that frame.

        One vector for each revolute joint between the two; the angular velocity is their sum times the joints' rates.
        """
        above = self.common_ancestor(body, ground.body)
        back = vec.transpose(self._on_body(ground, above).rotation)
        found: dict[str, vec.Vector] = {}
        for end, sign in ((body, 1), (ground.body, -1)):
            for joint in self.path(end, above):
                if joint.kind is JointKind.REVOLUTE:
                    turned = vec.multiply_total(
                        self.graph, self.body(joint.parent, above).rotation, self.lift.matrix(joint.rotation)
                    )
                    turned = vec.multiply_total(self.graph, back, turned)
                    axis = vec.apply_total(self.graph, turned, self.lift.vector(joint.axis))
                    found[joint.name] = axis if sign > 0 else vec.scale(-1, axis)
        return found

    def _on_body(self, frame: Frame, ancestor: str) -> Pose:
        fixed = Pose(self.lift.matrix(frame.rotation), self.lift.vector(frame.position))
        return self.body(frame.body, ancestor).after(fixed)

    def _joint(self, joint: Joint) -> Pose:
        """Pose of the child of a joint in its parent."""
        placed = Pose(self.lift.matrix(joint.rotation), self.lift.vector(joint.position))
        if joint.kind is JointKind.FIXED:
            return placed
        axis, q = self.lift.vector(joint.axis), self.q[joint.name]
        if joint.kind is JointKind.PRISMATIC:
            shift = vec.apply_total(self.graph, placed.rotation, vec.scale(q, axis))
            return Pose(placed.rotation, vec.add(placed.position, shift))
        return Pose(vec.multiply_total(self.graph, placed.rotation, self._turn(axis, q)), placed.position)

    def _turn(self, axis: tuple[Expression, ...], angle: Expression) -> vec.Matrix:
        """Rotation about a unit vector (Rodrigues): c 1 + s skew(k) + (1 - c) k k^T."""
        c, s = angle.cosine(), angle.sine()

        def entry(i: int, j: int) -> Expression:
            if i == j:
                return axis[i] * axis[i] + (self.one - axis[i] * axis[i]) * c
            sign = 1 if (i + 1) % 3 != j else -1
            return axis[i] * axis[j] * (self.one - c) + axis[3 - i - j] * s * sign

        return tuple(tuple(entry(i, j) for j in range(3)) for i in range(3))


def dot(u: vec.Vector, v: vec.Vector) -> Expression:
    """u . v as one n-ary sum."""
    return vec.dot_total(u[0].graph, u, v)
