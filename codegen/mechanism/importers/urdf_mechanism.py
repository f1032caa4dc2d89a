"""From the records of a URDF to a ``Mechanism``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.constraints import Loop, LoopKind
from kanegen.codegen.mechanism.findings import Finding
from kanegen.codegen.mechanism.importers.loop_speeds import independent_speeds
from kanegen.codegen.mechanism.importers.reporting import Report
from kanegen.codegen.mechanism.importers.urdf_document import UrdfDocument
from kanegen.codegen.mechanism.importers.urdf_records import (
    Triple,
    UrdfEnd,
    UrdfJoint,
    UrdfLink,
    UrdfLoop,
    UrdfSpring,
)
from kanegen.codegen.mechanism.importers.xml_tree import Element
from kanegen.codegen.mechanism.readers import read_unit_vector
from kanegen.codegen.mechanism.records import BASE, IDENTITY3, Matrix3, Mechanism
from kanegen.codegen.mechanism.rotations import roll_pitch_yaw, rotation_of_quaternion
from kanegen.codegen.mechanism.speeds import JointRate
from kanegen.codegen.mechanism.validation import validated
from kanegen.codegen.mechanism.values import to_value
from kanegen.codegen.mechanism.vectors import matrix_multiply
from kanegen.errors import ModelError

ROOT_JOINT = "root_joint"
"""The joint that the root link hangs on, called as in Pinocchio."""


def mechanism_of(
    document: UrdfDocument, floating_base: bool, allow_unphysical: bool
) -> tuple[Mechanism, tuple[Finding, ...]]:
    """The mechanism of a document without errors, and what had to be changed for it.  Raises ModelError."""
    return _Assembly(document).build(floating_base, allow_unphysical)


class _Assembly:
    """One pass from records to calls of the builder; errors of the builder get the line of the element at hand."""

    def __init__(self, document: UrdfDocument) -> None:
        self._robot = document.robot
        self._root = document.root or ""  # a document without errors has one
        self._report = Report()
        self._builder = MechanismBuilder(document.robot.name)
        self._bodies: dict[str, str] = {}
        self._names = {link.name for link in document.robot.links}  # of frames, loops and springs

    def build(self, floating_base: bool, allow_unphysical: bool) -> tuple[Mechanism, tuple[Finding, ...]]:
        at = self._robot.element
        try:
            for link in self._robot.links:
                at = link.element
                self._link(link, floating_base)
            self._attach_root(floating_base)
            for joint in self._robot.joints:
                at = joint.element
                self._joint(joint)
            for spring in self._robot.springs:
                at = spring.element
                self._spring(spring)
            loops = []
            for loop in self._robot.loops:
                at = loop.element
                loops.append(self._loop(loop))
            at = self._robot.element
            mechanism = self._builder.build(allow_unphysical)
            if loops:
                at = self._robot.loops[0].element
                mechanism = self._closed(mechanism, loops, allow_unphysical)
        except ModelError as error:
            raise _located(error, at) from None
        return mechanism, self._report.findings

    def _link(self, link: UrdfLink, floating_base: bool) -> None:
        if link.name == self._root == BASE and not floating_base:
            self._bodies[link.name] = BASE  # it is the fixed frame itself, and what is fixed has no dynamics
            return
        name = link.name
        if name == BASE:
            name = _new(f"{BASE}_link", {other.name for other in self._robot.links})
            self._report.note(
                link.element,
                f"link {link.name!r}",
                f"was renamed to {name!r}",
                f"a name other than {BASE!r}, which means the fixed frame under every robot here",
                f"Ask for the frame {name!r}.",
            )
        self._bodies[link.name] = name
        inertial = link.inertial
        if inertial is None or not (inertial.mass or any(inertial.moments)):
            self._builder.body(name)
            return
        self._builder.body(
            name,
            mass=inertial.mass,
            center=inertial.origin.position,
            inertia=inertial.moments,
            inertia_rotation=inertial.origin.rotation,
        )

    def _attach_root(self, floating_base: bool) -> None:
        body = self._bodies[self._root]
        if body == BASE:
            return
        name = _new(ROOT_JOINT, {joint.name for joint in self._robot.joints})
        if floating_base:
            self._builder.floating(name, BASE, body)
        else:
            self._builder.fixed(name, BASE, body)

    def _joint(self, joint: UrdfJoint) -> None:
        parent, child = self._bodies[joint.parent], self._bodies[joint.child]
        place = joint.origin.position
        turn = joint.origin.rotation
        axis, _ = read_unit_vector(f"joint {joint.name!r}, axis", joint.axis)
        builder = self._builder
        if joint.type in ("revolute", "continuous", "prismatic"):
            add = builder.prismatic if joint.type == "prismatic" else builder.revolute
            add(
                joint.name,
                parent,
                child,
                axis,
                place,
                turn,
                limits=joint.limits,
                damping=joint.damping,
                friction=joint.friction,
                rotor_inertia=self._robot.rotors.get(joint.name, 0),
            )
            if joint.mimic is not None:
                builder.mimic(joint.name, joint.mimic.leader, joint.mimic.multiplier, joint.mimic.offset)
        elif joint.type == "planar":
            builder.planar(joint.name, parent, child, axis, place, turn)
        else:
            add_free = {"fixed": builder.fixed, "floating": builder.floating, "spherical": builder.spherical}
            add_free[joint.type](joint.name, parent, child, place, turn)

    def _spring(self, spring: UrdfSpring) -> None:
        name = _new(spring.name, self._names)
        self._names.add(name)
        first, second = self._ends(name, spring.first, spring.second, IDENTITY3)
        self._builder.translational_spring(name, first, second, spring.stiffness, spring.damping, spring.rest)

    def _loop(self, loop: UrdfLoop) -> Loop:
        """A loop between two new frames."""
        name = _new(loop.name, self._names)
        self._names.add(name)
        turn = IDENTITY3 if loop.axis is None else _z_along(loop.axis)
        first, second = self._ends(name, loop.first, loop.second, turn)
        return Loop(name, LoopKind.SPHERICAL if loop.axis is None else LoopKind.REVOLUTE, first, second)

    def _closed(self, tree: Mechanism, loops: list[Loop], allow_unphysical: bool) -> Mechanism:
        """The mechanism with its loops, with speeds and a home that the file does not give."""
        speeds, angles = independent_speeds(tree, loops, self._robot.driven)
        for loop in loops:
            self._builder.loop(loop.name, loop.kind, loop.first, loop.second)
        self._builder.speeds([JointRate(name) for name in speeds])
        mechanism = self._builder.build(allow_unphysical)
        if not any(angles.values()):
            return mechanism
        units = {ball.coordinates[-1] for ball in mechanism.balls}
        home = tuple(
            Fraction(1) if name in units else to_value(angles.get(name, 0.0))
            for name in mechanism.coordinates
        )
        return validated(replace(mechanism, home=home), allow_unphysical)

    def _ends(self, name: str, first: UrdfEnd, second: UrdfEnd, turn: Matrix3) -> tuple[str, str]:
        """Frames at both ends, their axes turned."""
        frames = []
        for end, which in ((first, "first"), (second, "second")):
            frame = _new(f"{name}_{which}", self._names)
            self._names.add(frame)
            rotation = matrix_multiply(roll_pitch_yaw(end.angles), turn)
            self._builder.frame(frame, self._bodies.get(end.link, BASE), end.position, rotation)
            frames.append(frame)
        return frames[0], frames[1]


def _z_along(axis: Triple) -> Matrix3:
    """A rotation that takes z to a direction, exactly one of rational numbers; shortest from z."""
    x, y, z = axis
    if not (x or y):
        return (
            IDENTITY3
            if z > 0
            else rotation_of_quaternion((Fraction(1), Fraction(0), Fraction(0), Fraction(0)))
        )
    length = Fraction(float(x * x + y * y + z * z) ** 0.5)
    return rotation_of_quaternion((-y, x, Fraction(0), length + z))


def _new(name: str, known: Collection[str]) -> str:
    """The name, with a number behind it where it is taken."""
    candidate, number = name, 1
    while candidate in known:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def _located(error: ModelError, at: Element) -> ModelError:
    return ModelError(f"{at.place}: {error.where}", error.what, error.expected, error.cure)
