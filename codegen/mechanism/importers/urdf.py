"""URDF: the robots of ROS and of most simulators, as a ``Mechanism``.

Meshes, materials and everything else that does not matter to dynamics are never looked at.  Coordinates come in the
depth-first order of the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

from kanegen.codegen.mechanism.axis_relations import as_meant
from kanegen.codegen.mechanism.findings import Severity, refuse, tell
from kanegen.codegen.mechanism.importers.model_file import Imported
from kanegen.codegen.mechanism.importers.numbers_in_text import Misread, read_numbers
from kanegen.codegen.mechanism.importers.urdf_document import read_document, unphysical
from kanegen.codegen.mechanism.importers.urdf_drake import READ
from kanegen.codegen.mechanism.importers.urdf_mechanism import mechanism_of
from kanegen.codegen.mechanism.importers.xml_tree import Element, parse_file, parse_text
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE, AS_WRITTEN, AngleRule
from kanegen.errors import ModelError
from kanegen.extras import install_command

_NEVER_LOOKED_AT = ("visual", "collision", "material")
_OF_THE_MECHANISM = {"robot": ("link", "joint", "transmission", *READ), "link": ("inertial",)}
"""Elements whose texts matter to a plain URDF; below these, all do."""


def first_mark(root: Element, *, plain: bool) -> Element | None:
    """The first element that only xacro understands: one of its own, or one with an expression.

    Shapes and colours are never looked at.  In a ``plain`` URDF neither are expressions in what has no part in the
    mechanism: parameters of plugins keep the $(find ...) of launch files.
    """
    for element, matters in _looked_at(root, plain):
        if element.tag.startswith("xacro:") or (matters and expression_in(element) is not None):
            return element
    return None


def expression_in(element: Element) -> str | None:
    """The first text of an element itself with an expression of xacro's."""
    texts = (*element.attributes.values(), element.text)
    return next((text for text in texts if "${" in text or "$(" in text), None)


def _looked_at(root: Element, plain: bool) -> Iterator[tuple[Element, bool]]:
    """Elements in the order of the text, and whether their texts matter."""
    stack = [(root, True)]
    while stack:
        element, matters = stack.pop()
        yield element, matters
        known = _OF_THE_MECHANISM.get(element.tag) if plain else None
        below = [child for child in element.children if child.tag not in _NEVER_LOOKED_AT]
        stack.extend((child, matters and (known is None or child.tag in known)) for child in reversed(below))


def from_urdf(
    path_or_text: str | os.PathLike[str],
    *,
    floating_base: bool = False,
    allow_unphysical: bool = False,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Mechanism:
    """The mechanism of a URDF file, or of text that begins with "<".  Raises ModelError.

    The root link is fixed to the base; with ``floating_base`` the floating joint "root_joint" carries it.  A root link
    called "base" is the base itself.  Roll, pitch and yaw within ``angle_tolerance`` [rad] of a multiple of pi/2 are taken
    for it.
    """
    if isinstance(path_or_text, str) and path_or_text.lstrip("\ufeff \t\r\n").startswith("<"):
        root = parse_text(path_or_text)
    else:
        root = parse_file(Path(path_or_text))
    _check_expanded(root)
    imported = import_element(root, floating_base, allow_unphysical, angle_tolerance)
    tell(imported.findings)
    return imported.mechanism


def read(
    path: Path,
    *,
    floating_base: bool = False,
    allow_unphysical: bool = False,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Imported:
    """The mechanism of a URDF file with findings.  Raises ModelError."""
    root = parse_file(path)
    _check_expanded(root)
    return import_element(root, floating_base, allow_unphysical, angle_tolerance)


def import_element(
    root: Element, floating_base: bool, allow_unphysical: bool, angle_tolerance: float
) -> Imported:
    """The mechanism of a document that has been parsed.  Raises ModelError for the first error in it."""
    document = read_document(
        root,
        floating_base=floating_base,
        angle_tolerance=angle_tolerance,
    )
    severity = Severity.NOTE if allow_unphysical else Severity.ERROR
    impossible = unphysical(document.robot, severity)
    refuse((*document.findings, *impossible))
    mechanism, renamed = mechanism_of(document, floating_base, allow_unphysical)

    def as_written() -> Mechanism:
        written = read_document(root, floating_base=floating_base, angle_tolerance=AS_WRITTEN)
        return mechanism_of(written, floating_base, allow_unphysical)[0]

    findings = (*document.findings, *impossible, *renamed)
    return Imported(
        as_meant(mechanism, document.angles, as_written), findings, document.angles, described=mechanism
    )


def text_as_meant(path: Path, angle_tolerance: float) -> str:
    """A URDF that has been read, with the angles and axes that are meant, to the digits of doubles; for other programs.

    Numbers that cannot be read stay as they are.
    """
    root, angles = ET.fromstring(path.read_bytes()), AngleRule(angle_tolerance)
    for tag, attribute in (("origin", "rpy"), ("axis", "xyz")):
        for element in root.iter(tag):
            text = element.get(attribute, "")
            numbers = read_numbers(text, 3)
            if not isinstance(numbers, Misread) and any(numbers):
                meant = angles.all_meant(numbers, text) if tag == "origin" else angles.cleared(numbers)
                element.set(attribute, " ".join(repr(float(x)) for x in meant))
    return ET.tostring(root, encoding="unicode")


def _check_expanded(root: Element) -> None:
    """Raise ModelError for a text that xacro has yet to expand."""
    element = first_mark(root, plain=True)
    if element is None:
        return
    expression = expression_in(element)
    shown = f"<{element.tag}>" if expression is None else repr(expression[:40])
    raise ModelError(
        element.place,
        f"{shown}: this looks like xacro, a language of macros that expand to URDF",
        "URDF",
        "Read it with from_xacro or as a .xacro file, which needs the package xacro "
        f"({install_command('xacro')}), or expand it beforehand: xacro FILE > robot.urdf.",
    )
