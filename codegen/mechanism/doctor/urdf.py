"""Everything that can be said of a URDF, even of one that is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.mechanism.doctor.checks import (
    check_inertias,
    check_joints,
    check_model_name,
    check_names,
)
from kanegen.codegen.mechanism.doctor.in_numbers import Place, of_urdf
from kanegen.codegen.mechanism.doctor.resistance import check_resistance
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.angles import QuarterTurns, nearest_quarter_turns
from kanegen.codegen.mechanism.importers.reporting import Places, collect
from kanegen.codegen.mechanism.importers.urdf_document import UrdfDocument, read_document
from kanegen.codegen.mechanism.importers.urdf_mechanism import mechanism_of
from kanegen.codegen.mechanism.importers.urdf_records import Origin, UrdfJoint, UrdfLink, UrdfRobot
from kanegen.codegen.mechanism.importers.xml_tree import Element
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE
from kanegen.errors import ModelError

NEAR = Fraction(2, 1000)
"""An angle [rad] this near to a quarter turn, but not to zero, is one of three digits: 1.57, 3.14."""

_NEAR_ZERO = Fraction(1, 10**6)  # rad; smaller angles are no calibration
_NOISE = Fraction(1, 10**9)  # m; no mechanism is made to a nanometre


def check_numbers(robot: UrdfRobot, tolerance: Fraction) -> Iterator[Finding]:
    """Notes on angles near quarter turns, one for each of these, and on lengths that are rounding noise."""
    places: dict[str, Places] = {}
    farthest: dict[str, Fraction] = {}
    lengths: list[Fraction] = []
    noise: dict[str, Places] = {}
    for origin in _origins(robot):
        if origin.element is None:
            continue
        for angle in origin.written:
            near = nearest_quarter_turns(angle)
            if _is_near(near, tolerance):
                collect(places, near.text, origin.element)
                known = farthest.setdefault(near.text, angle)
                if nearest_quarter_turns(known).distance < near.distance:
                    farthest[near.text] = angle
        for length in origin.position:
            if 0 < abs(length) < _NOISE:
                lengths.append(length)
                collect(noise, "", origin.element)
    for text, angle in farthest.items():
        yield _angle_note(angle, places[text])
    if lengths:
        yield _noise_note(min(lengths, key=abs), noise[""])


def _origins(robot: UrdfRobot) -> Iterator[Origin]:
    for link in robot.links:
        if link.inertial is not None:
            yield link.inertial.origin
    for joint in robot.joints:
        yield joint.origin


def _is_near(near: QuarterTurns, tolerance: Fraction) -> bool:
    return tolerance < near.distance < (NEAR if near.count else _NEAR_ZERO)


def _angle_note(farthest: Fraction, places: Places) -> Finding:
    near = nearest_quarter_turns(farthest)
    distance = float(near.distance)
    several = "up to " if len(places.lines) > 1 else ""
    decimals = "" if near.count == 0 else f" to 11 decimals, {float(near.angle):.11f}"
    return places.finding(
        Severity.NOTE,
        "<origin> rpy",
        f"{several}{distance:.2g} rad from {near.text} ({float(farthest)!r}), {places.text}: sine and cosine stay in every "
        "kernel, up to 4 multiplications and 2 additions for each vector that is turned",
        f"{near.text}{decimals}, if that is meant",
        f"Write it, or read the file with angle_tolerance={_at_least(distance)} (--angle-tolerance).",
    )


def _at_least(number: float) -> str:
    """A number of one digit that is not smaller."""
    power = math.floor(math.log10(number))
    return f"{math.ceil(number / 10.0**power)}e{power}"


def _noise_note(smallest: Fraction, places: Places) -> Finding:
    return places.finding(
        Severity.NOTE,
        "<origin> xyz",
        f"lengths below a nanometre, such as {float(smallest):.3g} m, {places.text}: each costs operations",
        "0 where rounding noise was written",
        "Write 0.",
    )


def examine_urdf(
    root: Element, *, floating_base: bool = False, angle_tolerance: float = ANGLE_TOLERANCE
) -> tuple[Finding, ...]:
    """What is wrong or doubtful in a URDF, in the order of its lines.  Raises ModelError for what is no URDF."""
    document = read_document(root, floating_base=floating_base, angle_tolerance=angle_tolerance)
    model = of_urdf(document.robot, floating_base)
    found = (
        *document.findings,
        *check_model_name(model.place, document.robot.name, "name of a robot"),
        *_check_names(document.robot.links, "link"),
        *_check_names([j for j in document.robot.joints if j.type != "fixed"], "joint"),
        *check_numbers(document.robot, Fraction(angle_tolerance)),
        *check_inertias(model),
        *check_joints(model),
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
