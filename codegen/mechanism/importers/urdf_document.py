"""A whole URDF as records and findings; what is wrong in it is reported, all of it, and not raised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.reporting import Report
from kanegen.codegen.mechanism.importers.urdf_drake import DrakeReader
from kanegen.codegen.mechanism.importers.urdf_elements import AXIAL
from kanegen.codegen.mechanism.importers.urdf_records import Inertial, UrdfJoint, UrdfLink, UrdfRobot
from kanegen.codegen.mechanism.importers.urdf_vocabulary import check_vocabulary
from kanegen.codegen.mechanism.importers.xml_tree import Element
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE, AngleRule
from kanegen.codegen.mechanism.validation.inertias import check_physical
from kanegen.errors import ModelError, counted

_SHOWN = 8  # names that a message lists


def check_tree(robot: UrdfRobot, report: Report) -> str | None:
    """The name of the root link; None, with errors reported, where there is none or no tree."""
    _check_unique(robot.links, "link", report)
    _check_unique(robot.joints, "joint", report)
    known = {link.name for link in robot.links}
    sound = [joint for joint in robot.joints if _check_ends(joint, known, report)]
    above = _parents(sound, report)
    check_mimics(robot, report)
    roots = [link for link in robot.links if link.name not in above]
    if not robot.links:
        report.error(
            robot.element,
            f"robot {robot.name!r}",
            "has no links",
            "at least one <link>",
            "Check that this is the whole file.",
        )
        return None
    _check_cycles(robot, above, report)
    if len(roots) > 1 and len(sound) == len(robot.joints):
        report.error(
            roots[1].element,
            f"robot {robot.name!r}",
            f"has {len(roots)} links without a parent: {_located(roots)}",
            "one root link, to which joints connect all others",
            'Attach each of the others with a joint, of type "fixed" for example, or remove it.',
        )
        return None
    return roots[0].name if len(roots) == 1 and not report.failed else None


def check_mimics(robot: UrdfRobot, report: Report) -> None:
    """Report mimics that follow what cannot lead."""
    joints = {joint.name: joint for joint in robot.joints}
    reported: set[str] = set()
    for joint in robot.joints:
        if joint.mimic is None or joint.type == "fixed":
            continue
        where = f"joint {joint.name!r}, <mimic>"
        leader = joints.get(joint.mimic.leader)
        if joint.type not in AXIAL:
            report.error(
                joint.mimic.element,
                where,
                f"belongs to a joint of type {joint.type}",
                f"one of type {', '.join(AXIAL)}",
                "Remove it: such a joint has several coordinates.",
            )
        elif leader is None or leader.type not in AXIAL:
            found = "unknown" if leader is None else f"of type {leader.type}"
            report.error(
                joint.mimic.element,
                where,
                f"follows {joint.mimic.leader!r}, which is {found}",
                "a joint of one coordinate",
                _nearest(joint.mimic.leader, [name for name, j in joints.items() if j.type in AXIAL]),
            )
        elif joint.name not in reported:
            reported |= _check_circle(joint, joints, report)


def _check_circle(start: UrdfJoint, joints: dict[str, UrdfJoint], report: Report) -> set[str]:
    """Report a circle of mimics that begins at a joint; returns the names in it."""
    ring = [start.name]
    joint: UrdfJoint | None = start
    while joint is not None and joint.mimic is not None and joint.type != "fixed":
        if joint.mimic.leader == start.name:
            report.error(
                joint.mimic.element,
                f"joints {', '.join(map(repr, ring))}",
                "mimic one another in a circle" if len(ring) > 1 else "mimics itself",
                "a leader that moves by itself",
                "Remove one <mimic>.",
            )
            return set(ring)
        if joint.mimic.leader in ring:
            return set()
        ring.append(joint.mimic.leader)
        joint = joints.get(joint.mimic.leader)
    return set()


def _check_unique(items: Iterable[UrdfLink] | Iterable[UrdfJoint], what: str, report: Report) -> None:
    first: dict[str, int | None] = {}
    for item in items:
        if item.name in first:
            report.error(
                item.element,
                f"{what} {item.name!r}",
                f"the name is given twice, also in line {first[item.name]}",
                f"unique {what} names",
                "Rename one, in everything that refers to it.",
            )
        first.setdefault(item.name, item.element.line)


def _check_ends(joint: UrdfJoint, known: set[str], report: Report) -> bool:
    sound = True
    for role, name in (("parent", joint.parent), ("child", joint.child)):
        if name not in known:
            report.error(
                joint.element,
                f"joint {joint.name!r}",
                f"its {role} {name!r} is no link of this robot",
                "the name of a <link>",
                _nearest(name, known),
            )
            sound = False
    if sound and joint.parent == joint.child:
        report.error(
            joint.element,
            f"joint {joint.name!r}",
            f"connects the link {joint.parent!r} with itself",
            "two different links",
            "Mend its parent or its child.",
        )
        return False
    return sound


def _parents(joints: Sequence[UrdfJoint], report: Report) -> dict[str, UrdfJoint]:
    """The first joint of which each link is the child."""
    above: dict[str, UrdfJoint] = {}
    for joint in joints:
        first = above.setdefault(joint.child, joint)
        if first is not joint:
            report.error(
                joint.element,
                f"link {joint.child!r}",
                f"has two parents, by joint {first.name!r} (line {first.element.line}, from {first.parent!r}) and joint "
                f"{joint.name!r} (line {joint.element.line}, from {joint.parent!r})",
                "a tree, in which each link is the child of at most one joint",
                "Remove one of the joints; URDF has no loops. A loop is declared between two frames with "
                "MechanismBuilder.loop.",
            )
    return above


def _check_cycles(robot: UrdfRobot, above: dict[str, UrdfJoint], report: Report) -> None:
    settled: set[str] = set()
    for link in robot.links:
        path: dict[str, None] = {}  # in order
        name = link.name
        while name in above and name not in settled and name not in path:
            path[name] = None
            name = above[name].parent
        if name in path:
            ring = [above[child] for child in list(path)[list(path).index(name) :]]
            report.error(
                ring[0].element,
                f"joints {', '.join(f'{j.name!r} (line {j.element.line})' for j in ring[:_SHOWN])}",
                "form a cycle, in which no link is the root",
                "a tree with one root link",
                "Exchange parent and child of one of them, or remove it.",
            )
        settled.update(path)


def _located(links: Sequence[UrdfLink]) -> str:
    shown = ", ".join(f"{link.name!r} (line {link.element.line})" for link in links[:_SHOWN])
    return shown + (", ..." if len(links) > _SHOWN else "")


def _nearest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, sorted(known), 1)
    return f"Did you mean {near[0]!r}?" if near else "Mend the name, or add what is missing."


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
