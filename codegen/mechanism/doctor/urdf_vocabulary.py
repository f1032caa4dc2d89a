"""Elements and attributes of a URDF that are not read: unknown, misspelt, misplaced, or meant for another program."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from kanegen.codegen.mechanism.doctor.places import Places, collect
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.numbers_in_text import quoted
from kanegen.codegen.mechanism.importers.xml_tree import Element

CHILDREN: dict[str, tuple[str, ...]] = {
    "robot": ("link", "joint", "material", "transmission", "gazebo", "sensor", "ros2_control"),
    "link": ("inertial", "visual", "collision"),
    "joint": (
        "origin",
        "parent",
        "child",
        "axis",
        "calibration",
        "dynamics",
        "limit",
        "mimic",
        "safety_controller",
    ),
    "inertial": ("origin", "mass", "inertia"),
}
"""Elements that may stand in an element; those not listed here are not looked into."""

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "robot": ("name", "version"),
    "link": ("name", "type"),
    "joint": ("name", "type"),
    "inertial": (),
    "origin": ("xyz", "rpy", "quat_xyzw"),
    "mass": ("value",),
    "inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
    "parent": ("link",),
    "child": ("link",),
    "axis": ("xyz",),
    "dynamics": ("damping", "friction"),
    "limit": ("lower", "upper", "velocity", "effort", "acceleration", "deceleration", "jerk"),
    "mimic": ("joint", "multiplier", "offset"),
}

_PLACED = {child: parent for parent, children in CHILDREN.items() for child in children if child != "origin"}
_SIMILAR = 0.7
_GAZEBO = {"turnGravityOff", "gravity", "springStiffness", "springReference", "implicitSpringDamper", "mass"}
"""What Gazebo adds to a link or joint that changes its motion."""

_DRIVES = {"rotorInertia", "motorInertia", "mechanicalReduction"}


def check_vocabulary(root: Element) -> Iterator[Finding]:
    """Findings about whatever in a document is not read; one for each kind of element."""
    unknown: dict[tuple[str, str, bool], Places] = {}
    for element in _looked_into(root):
        allowed = CHILDREN.get(element.tag, ())
        for child in element.children:
            if element.tag in CHILDREN and child.tag not in allowed:
                collect(unknown, (element.tag, child.tag, False), child)
        for attribute in element.attributes:
            if attribute not in ATTRIBUTES.get(element.tag, (attribute,)) and not attribute.startswith("xml"):
                collect(unknown, (element.tag, attribute, True), element)
    for (tag, name, is_attribute), places in unknown.items():
        yield _attribute(tag, name, places) if is_attribute else _element(tag, name, places)
    yield from _other_programs(root)


def _looked_into(root: Element) -> Iterator[Element]:
    """The elements that matter to dynamics."""
    stack = [root]
    while stack:
        element = stack.pop()
        yield element
        below = [child for child in element.children if child.tag in CHILDREN.get(element.tag, ())]
        stack.extend(child for child in reversed(below) if child.tag in ATTRIBUTES)


def _element(parent: str, tag: str, places: Places) -> Finding:
    where = f"<{parent}>"
    near = get_close_matches(_plain(tag), CHILDREN[parent], 1, _SIMILAR)
    shown = quoted(f"<{tag}>")[1:-1]
    if near:
        return places.finding(
            Severity.WARNING,
            where,
            f"unknown element {shown} {places.text} is ignored",
            f"<{near[0]}>",
            f"Rename it to <{near[0]}> if that is meant.",
        )
    if tag in _PLACED:
        return places.finding(
            Severity.WARNING,
            where,
            f"element {shown} {places.text} is ignored here",
            f"<{tag}> in <{_PLACED[tag]}>",
            "Move it there.",
        )
    return places.finding(
        Severity.NOTE,
        where,
        f"element {shown} {places.text} is ignored",
        f"some of {', '.join(CHILDREN[parent])}",
        "Nothing, if it is meant for another program.",
    )


def _attribute(tag: str, name: str, places: Places) -> Finding:
    near = get_close_matches(_plain(name), ATTRIBUTES[tag], 1, _SIMILAR)
    allowed = ", ".join(ATTRIBUTES[tag]) or "none"
    return places.finding(
        Severity.WARNING if near else Severity.NOTE,
        f"<{tag}>",
        f"unknown attribute {quoted(name)} {places.text} is ignored",
        f"attributes {allowed}" if not near else f"{near[0]!r}",
        f"Rename it to {near[0]!r} if that is meant."
        if near
        else "Nothing, if it is meant for another program.",
    )


def _plain(name: str) -> str:
    return name.strip().lower()


def _other_programs(root: Element) -> Iterator[Finding]:
    """What Gazebo and the drives of ros_control would add."""
    added: dict[str, Places] = {}
    for block in root.named("gazebo"):
        for child in block.children:
            if child.tag in _GAZEBO:
                collect(added, child.tag, child)
    for tag, places in added.items():
        yield places.finding(
            Severity.NOTE,
            "<gazebo>",
            f"<{tag}> {places.text} changes the motion in Gazebo and is ignored",
            "nothing that dynamics depends on",
            "Describe it with MechanismBuilder (springs, masses) if it is real.",
        )
    drives: dict[str, Places] = {}
    for transmission in root.named("transmission"):
        for element in transmission.walk():
            if element.tag in _DRIVES and element.text not in ("", "1", "1.0", "0", "0.0"):
                collect(drives, element.tag, element)
    for tag, places in drives.items():
        yield places.finding(
            Severity.NOTE,
            "<transmission>",
            f"<{tag}> {places.text} is ignored: coordinates and forces are those of the joints, rotors have no inertia",
            "rotor inertia and gear ratio where they matter",
            "Give them to MechanismBuilder (rotor_inertia, gear_ratio).",
        )
