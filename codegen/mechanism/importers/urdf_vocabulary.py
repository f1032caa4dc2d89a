"""Elements and attributes of a URDF that are not read: unknown, misspelt, misplaced, or meant for another program."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.numbers_in_text import quoted
from kanegen.codegen.mechanism.importers.reporting import Places, collect
from kanegen.codegen.mechanism.importers.urdf_drake import READ
from kanegen.codegen.mechanism.importers.urdf_foreign import (
    check_foreign,
    severity_of_attribute,
    severity_of_element,
)
from kanegen.codegen.mechanism.importers.xml_tree import Element

CHILDREN: dict[str, tuple[str, ...]] = {
    "robot": (
        "link",
        "joint",
        "material",
        "transmission",
        "gazebo",
        "sensor",
        "ros2_control",
        "mujoco",
        *READ,
    ),
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
CHILDREN["drake:joint"] = CHILDREN["joint"]
"""Elements that may stand in an element, none in those not listed here; only those of ``ATTRIBUTES`` are looked into."""

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "robot": ("name", "version"),
    "link": ("name", "type", "drake_ignore"),
    "joint": ("name", "type", "drake_ignore"),
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
ATTRIBUTES["drake:joint"] = ATTRIBUTES["joint"]

_PLACED = {child: parent for parent, children in CHILDREN.items() for child in children if child != "origin"}
_SIMILAR, _ALIKE = 0.7, 0.85
"""Similarities of a word to one that may be meant: of few plain words, and of the many of another program."""


def check_vocabulary(root: Element) -> Iterator[Finding]:
    """Findings about whatever in a document is not read; one for each kind of element."""
    unknown: dict[tuple[str, str, bool, Severity], Places] = {}
    for element in _looked_into(root):
        allowed = CHILDREN.get(element.tag, ())
        for child in element.children:
            if child.tag not in allowed:
                severity = severity_of_element(element.tag, child)
                collect(unknown, (element.tag, child.tag, False, severity), child)
        for attribute in element.attributes:
            if attribute not in ATTRIBUTES.get(element.tag, (attribute,)) and not attribute.startswith("xml"):
                severity = severity_of_attribute(element, attribute)
                collect(unknown, (element.tag, attribute, True, severity), element)
    for (tag, name, is_attribute, severity), places in unknown.items():
        yield (_attribute if is_attribute else _element)(tag, name, severity, places)
    yield from check_foreign(root)


def _looked_into(root: Element) -> Iterator[Element]:
    """The elements that matter to dynamics."""
    stack = [root]
    while stack:
        element = stack.pop()
        yield element
        below = [child for child in element.children if child.tag in CHILDREN.get(element.tag, ())]
        stack.extend(child for child in reversed(below) if child.tag in ATTRIBUTES)


def _element(parent: str, tag: str, severity: Severity, places: Places) -> Finding:
    where = f"<{parent}>"
    near = _near_elements(tag, parent)
    shown = quoted(f"<{tag}>")[1:-1]
    refused = severity is Severity.ERROR
    told = Severity.ERROR if refused else Severity.WARNING
    if near:
        return places.finding(
            told,
            where,
            f"unknown element {shown} {places.text} is {'not read' if refused else 'ignored'}",
            f"<{near[0]}>",
            f"Rename it to <{near[0]}> if that is meant.",
        )
    if tag in _PLACED:
        return places.finding(
            told,
            where,
            f"element {shown} {places.text} is {'not read' if refused else 'ignored'} here",
            f"<{tag}> in <{_PLACED[tag]}>",
            "Move it there.",
        )
    if severity is Severity.NOTE:
        what, cure = "is ignored", "Nothing, if it is meant for another program."
    else:
        what = "adds to the mechanism in other programs, and is not read"
        cure = "Describe it with MechanismBuilder, or remove it if it is not meant."
    return places.finding(
        severity,
        where,
        f"element {shown} {places.text} {what}",
        f"some of {', '.join(CHILDREN[parent])}" if parent in CHILDREN else "no elements in it",
        cure,
    )


def _near_elements(tag: str, parent: str) -> list[str]:
    """Elements that may be meant; those of a namespace are compared by what distinguishes them."""
    prefix, _, name = _plain(tag).rpartition(":")
    known = [child for child in CHILDREN.get(parent, ()) if child.rpartition(":")[0] == prefix]
    names = {child.rpartition(":")[2]: child for child in known}
    return [names[near] for near in get_close_matches(name, names, 1, _ALIKE if prefix else _SIMILAR)]


def _attribute(tag: str, name: str, severity: Severity, places: Places) -> Finding:
    missing = [known for known in ATTRIBUTES[tag] if known not in places.first.attributes]
    near = get_close_matches(_plain(name), missing, 1, _SIMILAR)
    allowed = ", ".join(ATTRIBUTES[tag]) or "none"
    return places.finding(
        Severity.WARNING if near else severity,
        f"<{tag}>",
        f"unknown attribute {quoted(name)} {places.text} is ignored",
        f"attributes {allowed}" if not near else f"{near[0]!r}",
        f"Rename it to {near[0]!r} if that is meant."
        if near
        else "Nothing, if it is meant for another program; else write what it says as one of these.",
    )


def _plain(name: str) -> str:
    return name.strip().lower()
