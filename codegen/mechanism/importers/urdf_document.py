"""A whole URDF as records and findings; what is wrong in it is reported, all of it, and not raised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.reporting import Report
from kanegen.codegen.mechanism.importers.urdf_drake import DrakeReader
from kanegen.codegen.mechanism.importers.urdf_elements import AXIAL
from kanegen.codegen.mechanism.importers.urdf_records import Inertial, UrdfRobot
from kanegen.codegen.mechanism.importers.urdf_tree import check_tree
from kanegen.codegen.mechanism.importers.urdf_vocabulary import check_vocabulary
from kanegen.codegen.mechanism.importers.xml_tree import Element
from kanegen.codegen.mechanism.physical import check_physical
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE, AngleRule
from kanegen.errors import ModelError, counted

_OTHER_FORMATS = {"mujoco": "MJCF", "sdf": "SDF", "launch": "a ROS launch file", "COLLADA": "COLLADA"}


@dataclass(frozen=True, slots=True)
class UrdfDocument:
    """The records of a file, its root link if it is a tree, the findings, errors among them, and what became of angles."""

    robot: UrdfRobot
    root: str | None
    findings: tuple[Finding, ...]
    angles: AngleRule


def read_document(
    root: Element,
    *,
    floating_base: bool = False,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> UrdfDocument:
    """The document with this root element.  Raises ModelError only where it is no URDF at all.

    Whether its inertias are possible is left to ``unphysical``.
    """
    _check_format(root)
    report = Report()
    angles = AngleRule(angle_tolerance)
    reader = DrakeReader(report, angles)
    written = [child for child in root.children if child.tag in ("joint", "drake:joint")]
    links = [link for link in map(reader.link, root.named("link")) if link is not None]
    joints = [joint for joint in map(reader.joint, written) if joint is not None]
    names = [link.name for link in links]
    robot = UrdfRobot(
        _name(root, report),
        tuple(links),
        tuple(joints),
        root,
        reader.loops(root, names),
        reader.springs(root, names),
        reader.rotors(root, joints),
        frozenset(
            joint.attributes.get("name", "")
            for transmission in root.named("transmission")
            for joint in transmission.named("joint")
        ),
    )
    report.add(check_vocabulary(root))
    complete = len(joints) == len(written) and len(links) == len(root.named("link"))
    top = check_tree(robot, report) if complete else None
    if top is not None and not floating_base:
        _check_motion(robot, report)
    return UrdfDocument(robot, top, report.findings, angles)


def unphysical(robot: UrdfRobot, severity: Severity) -> tuple[Finding, ...]:
    """Masses and inertias that no body has, as findings of this severity."""
    return tuple(
        Finding(severity, where, error.what, error.expected, error.cure, at.file, at.line)
        for link in robot.links
        if link.inertial is not None
        for where, error, at in _impossible(link.name, link.inertial)
    )


def _check_format(root: Element) -> None:
    if root.tag != "robot":
        found = _OTHER_FORMATS.get(root.tag)
        raise ModelError(
            root.place,
            f"the root element is <{root.tag[:40]}>" + (f": this is {found}" if found else ""),
            "<robot>, as in every URDF",
            "Name the URDF itself.",
        )


def _name(root: Element, report: Report) -> str:
    name = root.attributes.get("name", "")
    if name:
        return name
    instead = Path(root.file).name.split(".")[0] if root.file else "robot"
    instead = instead or "robot"
    report.note(
        root, "<robot>", f"has no name; {instead!r} was taken", 'name="..."', "Give it an attribute name."
    )
    return instead


def _impossible(name: str, inertial: Inertial) -> Iterator[tuple[str, ModelError, Element]]:
    """A negative mass and an impossible tensor, both where both are wrong."""
    no_tensor = ((Fraction(0),) * 3,) * 3
    for mass, tensor in ((inertial.mass, no_tensor), (max(inertial.mass, Fraction(0)), inertial.tensor)):
        try:
            check_physical(f"link {name!r}", mass, tensor)
        except ModelError as error:
            yield error.where, error, inertial.element


def _check_motion(robot: UrdfRobot, report: Report) -> None:
    if any(joint.type != "fixed" for joint in robot.joints):
        return
    count = len(robot.links)
    report.error(
        robot.element,
        f"robot {robot.name!r}",
        f"has {counted(count, 'link')} and no joint that can move: 0 degrees of freedom",
        f"at least one joint of type {', '.join(AXIAL)}, planar or floating",
        "Add a joint, or let the whole robot move with floating_base=True (--floating-base).",
    )
