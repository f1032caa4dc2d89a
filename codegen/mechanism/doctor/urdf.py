"""Everything that can be said of a URDF, even of one that is refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.mechanism.doctor.inertias import check_inertias
from kanegen.codegen.mechanism.doctor.joints import check_joints
from kanegen.codegen.mechanism.doctor.naming import check_model_name, check_names
from kanegen.codegen.mechanism.doctor.resistance import check_resistance
from kanegen.codegen.mechanism.doctor.subject import Place, of_urdf
from kanegen.codegen.mechanism.doctor.urdf_numbers import check_numbers
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.urdf_document import UrdfDocument, read_document
from kanegen.codegen.mechanism.importers.urdf_mechanism import mechanism_of
from kanegen.codegen.mechanism.importers.urdf_records import UrdfJoint, UrdfLink
from kanegen.codegen.mechanism.importers.xml_tree import Element
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE
from kanegen.errors import ModelError


def examine_urdf(
    root: Element, *, floating_base: bool = False, angle_tolerance: float = ANGLE_TOLERANCE
) -> tuple[Finding, ...]:
    """What is wrong or doubtful in a URDF, in the order of its lines.  Raises ModelError for what is no URDF."""
    document = read_document(root, floating_base=floating_base, angle_tolerance=angle_tolerance)
    subject = of_urdf(document.robot, floating_base)
    found = (
        *document.findings,
        *check_model_name(subject.place, document.robot.name, "name of a robot"),
        *_check_names(document.robot.links, "link"),
        *_check_names([j for j in document.robot.joints if j.type != "fixed"], "joint"),
        *check_numbers(document.robot, Fraction(angle_tolerance)),
        *check_inertias(subject),
        *check_joints(subject),
        *_check_whole(document, floating_base),
    )
    return tuple(sorted(found, key=lambda finding: finding.line or 0))


def _check_names(items: Sequence[UrdfJoint | UrdfLink], what: str) -> Iterator[Finding]:
    first = {item.name: item.element for item in reversed(items)}  # doubles are errors already
    places = [Place(f"{what} {name!r}", at.file, at.line) for name, at in reversed(first.items())]
    return check_names(places, reversed(first), what)


def _check_whole(document: UrdfDocument, floating_base: bool) -> Iterator[Finding]:
    """What shows only in a mechanism, if there is one."""
    if any(finding.severity is Severity.ERROR for finding in document.findings):
        return
    try:
        mechanism, renamed = mechanism_of(document, floating_base, allow_unphysical=True)
    except ModelError as error:
        yield Finding(Severity.ERROR, error.where, error.what, error.expected, error.cure)
        return
    yield from renamed
    lines = {f"joint {joint.name!r}": joint.element for joint in document.robot.joints}
    for finding in check_resistance(mechanism):
        at = lines.get(finding.where)
        yield finding if at is None else replace(finding, file=at.file, line=at.line)
