"""From the records of a URDF to a ``Mechanism``."""

from __future__ import annotations

from collections.abc import Collection

from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.findings import Finding
from kanegen.codegen.mechanism.importers.reporting import Report
from kanegen.codegen.mechanism.importers.urdf_document import UrdfDocument
from kanegen.codegen.mechanism.importers.urdf_records import UrdfJoint, UrdfLink
from kanegen.codegen.mechanism.importers.xml_tree import Element
from kanegen.codegen.mechanism.readers import read_unit_vector
from kanegen.codegen.mechanism.records import BASE, Mechanism
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
            at = self._robot.element
            mechanism = self._builder.build(allow_unphysical)
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
            )
            if joint.mimic is not None:
                builder.mimic(joint.name, joint.mimic.leader, joint.mimic.multiplier, joint.mimic.offset)
        elif joint.type == "planar":
            builder.planar(joint.name, parent, child, axis, place, turn)
        else:
            add_free = {"fixed": builder.fixed, "floating": builder.floating, "spherical": builder.spherical}
            add_free[joint.type](joint.name, parent, child, place, turn)


def _new(name: str, known: Collection[str]) -> str:
    """The name, with a number behind it where it is taken."""
    candidate, number = name, 1
    while candidate in known:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def _located(error: ModelError, at: Element) -> ModelError:
    return ModelError(f"{at.place}: {error.where}", error.what, error.expected, error.cure)
