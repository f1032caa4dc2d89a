"""Cylindrical joints found in a tree: a hinge and a slide along the same line, with a body without inertia between.

Their two coordinates are the parts of one dual angle theta + epsilon l about one axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from kanegen.codegen.mechanism.records import (
    ZERO3,
    Body,
    Inertia,
    Joint,
    JointKind,
    Mechanism,
    Vector3,
)
from kanegen.codegen.mechanism.vectors import (
    add,
    cross,
    dot,
    matrix_multiply,
    matrix_vector,
    scale,
    subtract,
    transpose,
)


@dataclass(frozen=True, slots=True)
class Slide:
    """The slide of a cylindrical joint: its name, and +1 or -1 as it goes along the hinge's axis or against it."""

    joint: str
    sense: int


@dataclass(frozen=True, slots=True)
class CylindricalTree:
    """A tree without the slides of its cylindrical joints; ``slides`` has them by the name of their hinge.

    Only what the dynamics needs is kept of the mechanism: bodies, joints, coordinates and gravity.
    """

    tree: Mechanism
    slides: Mapping[str, Slide]


def with_cylindrical_joints(mechanism: Mechanism) -> CylindricalTree:
    """Join every hinge with a slide that follows or precedes it along its line.

    Expects a tree without fixed joints.  The body between must have neither inertia nor another joint.  A slide has a
    direction but no place, so that parallel axes are enough: the line is the hinge's.  A body whose frame is off this
    line gets one on it, moved parallel.
    """
    merger = _Merger(mechanism)
    for joint in mechanism.joints:
        merger.visit(joint)
    kept = {joint.name for joint in merger.joints}
    tree = replace(
        mechanism,
        bodies=tuple(merger.bodies[joint.child] for joint in merger.joints),
        joints=tuple(merger.joints),
        coordinates=tuple(name for name in mechanism.coordinates if name in kept),
        frames=(),
        actuators=(),
        laws=(),
    )
    return CylindricalTree(tree, merger.slides)


class _Merger:
    """One pass over the joints, parents first; ``joints`` is what remains of those visited."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.bodies = {body.name: body for body in mechanism.bodies}
        self.joints: list[Joint] = []
        self.slides: dict[str, Slide] = {}
        self._shifts: dict[str, Vector3] = {}
        self._carried: dict[str, int] = {}
        for joint in mechanism.joints:
            self._carried[joint.parent] = self._carried.get(joint.parent, 0) + 1

    def visit(self, given: Joint) -> None:
        """Append a joint, or merge it with the one that carries it."""
        joint = replace(given, position=add(given.position, self._shifts.get(given.parent, ZERO3)))
        before = next((j for j in self.joints if j.child == joint.parent), None)
        if before is None or not self._pair(before, joint):
            self.joints.append(joint)
            return
        hinge, slide = (before, joint) if before.kind is JointKind.REVOLUTE else (joint, before)
        along = matrix_vector(joint.rotation, joint.axis)  # in the joint frame of ``before``
        beside = ZERO3
        if hinge is before:
            # what lies off the hinge's line turns with it: it becomes an offset in the child
            on_line = scale(dot(joint.position, before.axis), before.axis)
            beside = subtract(joint.position, on_line)
            joint = replace(joint, position=on_line)
        axis = matrix_vector(transpose(joint.rotation), before.axis) if hinge is before else joint.axis
        self.joints[self.joints.index(before)] = Joint(
            name=hinge.name,
            kind=JointKind.REVOLUTE,
            parent=before.parent,
            child=joint.child,
            rotation=matrix_multiply(before.rotation, joint.rotation),
            position=add(before.position, matrix_vector(before.rotation, joint.position)),
            axis=axis,
        )
        self.slides[hinge.name] = Slide(slide.name, 1 if dot(along, before.axis) == 1 else -1)
        self._shift(joint.child, matrix_vector(transpose(joint.rotation), beside))

    def _pair(self, before: Joint, joint: Joint) -> bool:
        """Whether two successive joints are the hinge and the slide of a cylindrical joint."""
        return (
            {before.kind, joint.kind} == {JointKind.REVOLUTE, JointKind.PRISMATIC}
            and before.name not in self.slides
            and self._carried[before.child] == 1
            and _without_inertia(self.bodies[before.child].inertia)
            and _parallel(before.axis, matrix_vector(joint.rotation, joint.axis))
        )

    def _shift(self, child: str, offset: Vector3) -> None:
        """Move the origin of a body's frame by -``offset``: everything in it comes to lie ``offset`` further."""
        if offset == ZERO3:
            return
        self._shifts[child] = offset
        inertia = self.bodies[child].inertia
        if inertia is not None:
            self.bodies[child] = Body(child, replace(inertia, center=add(inertia.center, offset)))


def _without_inertia(inertia: Inertia | None) -> bool:
    return inertia is None or (inertia.mass == 0 and all(x == 0 for row in inertia.tensor for x in row))


def _parallel(one: Vector3, other: Vector3) -> bool:
    """Whether two unit vectors are parallel whatever the parameters."""
    return cross(one, other) == ZERO3 and dot(one, other) in (Fraction(1), Fraction(-1))
