"""From the elements of a URDF to records; whatever is wrong is reported, and reading goes on.

Follows the specification of URDF (wiki.ros.org/urdf/XML): angles are roll, pitch, yaw about fixed axes, the default axis is
x, the default origin the identity, the central inertia is given along the axes of the inertial frame.
"""

from __future__ import annotations

from difflib import get_close_matches
from fractions import Fraction

from kanegen.codegen.mechanism.importers.angles import nearest_quarter_turns
from kanegen.codegen.mechanism.importers.numbers_in_text import Misread, is_infinite, quoted, read_numbers
from kanegen.codegen.mechanism.importers.reporting import Report
from kanegen.codegen.mechanism.importers.urdf_records import (
    ZERO,
    Inertial,
    Origin,
    Triple,
    UrdfJoint,
    UrdfLink,
    UrdfMimic,
)
from kanegen.codegen.mechanism.importers.xml_tree import Element
from kanegen.codegen.mechanism.records import JointLimits
from kanegen.codegen.mechanism.rotations import rotation_of_quaternion
from kanegen.codegen.mechanism.rounded_angles import AngleRule, decimals_of, fraction_of_pi
from kanegen.codegen.mechanism.validation.joints import INFINITE, read_limits


class AttributeReader:
    """Reads parts of elements, and reports to ``report``."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def _name(self, element: Element, what: str) -> str | None:
        name = element.attributes.get("name")
        if name is None:
            self._missing(element, "name", f"<{what}>")
        elif not name:
            self._report.error(element, f"<{what}>", 'has the name ""', "a non-empty text", "Name it.")
        return name or None

    def _only(self, element: Element, tag: str, where: str) -> Element | None:
        found = element.named(tag)
        if len(found) > 1:
            self._report.warning(
                found[1],
                where,
                f"has {len(found)} elements <{tag}> (lines {', '.join(str(e.line) for e in found)}); the first was used",
                "one",
                "Remove the others.",
            )
        return found[0] if found else None

    def _needed(self, element: Element, tag: str, where: str) -> Element | None:
        found = self._only(element, tag, where)
        if found is None:
            inside = f"<{element.tag}>"
            near = get_close_matches(tag, [child.tag for child in element.children], 1, 0.7)
            hint = f"Rename <{near[0]}>." if near else f"Add <{tag}>, or remove {inside}."
            self._report.error(element, f"{where}, {inside}", f"has no <{tag}>", f"one element <{tag}>", hint)
        return found

    def _triple(self, element: Element, attribute: str, where: str, default: Triple) -> Triple:
        numbers = self._numbers(element, attribute, where, 3)
        if numbers is None:
            return default
        x, y, z = numbers
        return x, y, z

    def _number(
        self, element: Element, attribute: str, where: str, default: Fraction | None = None
    ) -> Fraction | None:
        if attribute not in element.attributes:
            if default is None:
                self._missing(element, attribute, f"{where}, <{element.tag}>")
            return default
        numbers = self._numbers(element, attribute, where, 1)
        return None if numbers is None else numbers[0]

    def _numbers(
        self, element: Element, attribute: str, where: str, count: int
    ) -> tuple[Fraction, ...] | None:
        text = element.attributes.get(attribute)
        if text is None:
            return None
        numbers = read_numbers(text, count)
        if isinstance(numbers, Misread):
            self._report.error(
                element,
                f"{where}, <{element.tag}> {attribute}",
                numbers.what,
                numbers.expected,
                numbers.cure,
            )
            return None
        return numbers

    def _missing(self, element: Element, attribute: str, where: str) -> None:
        near = get_close_matches(attribute, element.attributes, 1, 0.6)
        if near:
            cure = f"Rename the attribute {near[0]!r}."
        elif element.text:
            cure = f'Write {attribute}="{element.text[:40]}" as an attribute, not as text.'
        else:
            cure = "Add it."
        self._report.error(element, where, f"has no attribute {attribute!r}", f'{attribute}="..."', cure)


ATTRIBUTES = ("lower", "upper", "velocity", "effort")


def _limits(element: Element, where: str, kind: str, report: Report) -> JointLimits | None:
    """The limits of a joint of one coordinate; ``lower`` and ``upper`` are 0 by default where the other is given.

    Infinite limits are none; a range that is empty is left out with a warning.
    """
    if kind not in ("revolute", "continuous", "prismatic"):
        return None
    given = {name: _number(element, name, where, report) for name in ATTRIBUTES}
    lower, upper = given["lower"], given["upper"]  # without limit is not the same as not given
    if (lower is None) != (upper is None):
        lower, upper = lower or Fraction(0), upper or Fraction(0)
    if lower is not None and upper is not None and lower > upper:
        report.warning(
            element,
            f"{where}, <limit>",
            f"its lower limit {float(lower)!r} is above the upper one, {float(upper)!r}; both were left out",
            "lower <= upper",
            "Exchange them, or give both (0 is the default).",
        )
        lower = upper = None
    if kind == "continuous" and (lower is not None or upper is not None):
        report.note(
            element,
            f"{where}, <limit>",
            "lower and upper of a continuous joint are left out",
            "velocity and effort alone: it turns without end",
            'Use the type "revolute" for a joint that ends somewhere.',
        )
        lower = upper = None
    given_limits = JointLimits(lower, upper, given["velocity"], given["effort"])
    limits, found = read_limits(f"{where}, <limit>", given_limits, element.file, element.line)
    report.add(found)
    return limits


def _number(element: Element, attribute: str, where: str, report: Report) -> Fraction | None:
    text = element.attributes.get(attribute)
    if text is None:
        return None
    if is_infinite(text):
        return Fraction(INFINITE * (-1 if text.strip().startswith("-") else 1))
    numbers = read_numbers(text, 1)
    if isinstance(numbers, Misread):
        report.error(element, f"{where}, <limit> {attribute}", numbers.what, numbers.expected, numbers.cure)
        return None
    return numbers[0]


AXIAL = ("revolute", "continuous", "prismatic")
"""Joints of one coordinate, about or along their axis."""

TYPES = (*AXIAL, "fixed", "floating", "planar", "spherical")
"""Joint types; ``spherical`` is none of the specification, but of several programs that write URDF."""

_OF_DRAKE = {"ball": "spherical"}
"""Types of Drake's own joints that have one meaning here; their coordinates may be others."""

MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_X: Triple = (Fraction(1), Fraction(0), Fraction(0))
_WHOLE_TURN = Fraction("6.2832")
"""[rad], rounded up: beyond it somebody may have written degrees."""

_SILENT = 1e-11
"""Angles this near to a quarter turn are its decimals: taking them for it is no news."""


class ElementReader(AttributeReader):
    """Reads links and joints, and reports to ``report``."""

    def __init__(self, report: Report, angles: AngleRule) -> None:
        """``angles`` says which angles are meant."""
        super().__init__(report)
        self._angles = angles

    def link(self, element: Element) -> UrdfLink | None:
        """A link, or None where it has no name."""
        name = self._name(element, "link")
        if name is None:
            return None
        where = f"link {name!r}"
        inertial = self._only(element, "inertial", where)
        return UrdfLink(name, None if inertial is None else self._inertial(inertial, where), element)

    def joint(self, element: Element) -> UrdfJoint | None:
        """A joint, or None where its name, its type or an end is missing."""
        name = self._name(element, "joint")
        if name is None:
            return None
        where = f"joint {name!r}"
        kind = self._type(element, where)
        parent, child = (self._end(element, end, where) for end in ("parent", "child"))
        origin = self._origin(element, where)
        axis = self._axis(element, where) if kind in (*AXIAL, "planar") else _X
        limits = self._only(element, "limit", where)
        damping, friction = self._dynamics(element, where)
        if kind in ("planar", "floating", "spherical") and (damping or friction):
            self._report.warning(
                element,
                f"{where}, <dynamics>",
                f"is left out: URDF does not say how damping and friction of a {kind} joint act",
                "damping and friction of joints about or along an axis",
                "Add what resists it in Python (MechanismBuilder), or remove it.",
            )
        mimic = self._mimic(element, where)
        if kind is None or parent is None or child is None:
            return None
        return UrdfJoint(
            name,
            kind,
            parent,
            child,
            origin,
            axis,
            None if limits is None else _limits(limits, where, kind, self._report),
            damping,
            friction,
            mimic,
            element,
        )

    # -- parts of a link -----------------------------------------------------------------------------------------------

    def _inertial(self, element: Element, where: str) -> Inertial | None:
        origin = self._origin(element, f"{where}, <inertial>")
        mass_element, inertia = (self._needed(element, tag, where) for tag in ("mass", "inertia"))
        mass = None if mass_element is None else self._number(mass_element, "value", where)
        moments = [None if inertia is None else self._number(inertia, moment, where) for moment in MOMENTS]
        given = tuple(moment for moment in moments if moment is not None)
        if mass is None or len(given) < len(MOMENTS):
            return None
        return Inertial(mass, origin, given, element)

    def _origin(self, element: Element, where: str) -> Origin:
        origin = self._only(element, "origin", where)
        if origin is None:
            return Origin()
        position = self._triple(origin, "xyz", where, ZERO)
        written = self._triple(origin, "rpy", where, ZERO)
        if any(abs(angle) > _WHOLE_TURN for angle in written):
            self._report.warning(
                origin,
                f"{where}, <origin> rpy",
                f"has an angle of more than a whole turn, {quoted(origin.attributes['rpy'])}",
                "angles in radians",
                "If these are degrees, convert them; they are read as radians.",
            )
        meant = self._all_snapped(written, origin, where)
        return Origin(position, meant, written, self._quaternion(origin, where), origin)

    def _quaternion(self, origin: Element, where: str) -> tuple[Triple, Triple, Triple] | None:
        """The rotation that ``quat_xyzw`` gives, as URDF 1.2 may."""
        numbers = self._numbers(origin, "quat_xyzw", where, 4)
        if numbers is None:
            return None
        at = f"{where}, <origin> quat_xyzw"
        if "rpy" in origin.attributes:
            self._report.error(
                origin, at, "stands beside rpy", "one of the two", "Remove the one that is wrong."
            )
        elif not any(numbers):
            self._report.error(origin, at, "is zero", "a unit quaternion", 'Write "0 0 0 1" for no rotation.')
        else:
            return rotation_of_quaternion(numbers)
        return None

    def _all_snapped(self, written: Triple, origin: Element, where: str) -> Triple:
        """Roll, pitch and yaw that are meant by those of an element."""
        words = origin.attributes.get("rpy", "").split()
        decimals = map(decimals_of, words if len(words) == 3 and any(written) else ("0",) * 3)
        r, p, y = map(self._snapped, written, decimals, (origin,) * 3, (where,) * 3, ("roll", "pitch", "yaw"))
        return r, p, y

    def _snapped(self, angle: Fraction, decimals: int, origin: Element, where: str, which: str) -> Fraction:
        meant, near = self._angles.meant(angle, decimals), nearest_quarter_turns(angle)
        if meant != angle and near.distance > _SILENT and fraction_of_pi(angle, decimals) is None:
            self._report.note(
                origin,
                f"{where}, <origin> rpy",
                f"the {which} {float(angle)!r} was taken for {near.text}, {float(near.distance):.2g} rad away",
                "what the angle tolerance asks for",
                "Lower angle_tolerance if the angle is meant as it stands.",
            )
        return meant

    # -- parts of a joint ----------------------------------------------------------------------------------------------

    def _type(self, element: Element, where: str) -> str | None:
        kind = element.attributes.get("type")
        if element.tag == "drake:joint" and kind in _OF_DRAKE:
            return _OF_DRAKE[kind]
        if kind in TYPES:
            return kind
        if kind is None:
            self._missing(element, "type", f"{where}, <joint>")
            return None
        near = get_close_matches(kind.strip().lower(), TYPES, 1)
        self._report.error(
            element,
            where,
            f"its type is {quoted(kind)}",
            f"one of {', '.join(TYPES)}",
            f"Did you mean {near[0]!r}?" if near else "Describe it by joints of these types.",
        )
        return None

    def _end(self, element: Element, tag: str, where: str) -> str | None:
        end = self._needed(element, tag, where)
        if end is None:
            return None
        name = end.attributes.get("link")
        if name is None:
            self._missing(end, "link", f"{where}, <{tag}>")
        return name

    def _axis(self, element: Element, where: str) -> Triple:
        axis = self._only(element, "axis", where)
        if axis is None:
            return _X
        if "xyz" not in axis.attributes:
            self._missing(axis, "xyz", f"{where}, <axis>")
            return _X
        direction = self._triple(axis, "xyz", where, _X)
        if not any(direction):
            self._report.error(
                axis,
                f"{where}, <axis> xyz",
                f"is the zero vector, {axis.attributes['xyz']!r}",
                "a direction",
                'Give the axis of the joint, such as "0 0 1".',
            )
            return _X
        largest = max(map(abs, direction))  # the squares of small numbers are no doubles
        length = float(largest) * float(sum((x / largest) ** 2 for x in direction)) ** 0.5
        if abs(length - 1) > 1e-6:
            self._report.note(
                axis,
                f"{where}, <axis> xyz",
                f"has the length {length:.9g} and was normalised",
                "a unit vector",
                "Give it the length 1; the coordinate is the angle [rad] or displacement [m] itself.",
            )
        x, y, z = self._angles.cleared(direction)
        return x, y, z

    def _dynamics(self, element: Element, where: str) -> tuple[Fraction, Fraction]:
        dynamics = self._only(element, "dynamics", where)
        if dynamics is None:
            return Fraction(0), Fraction(0)
        values = []
        for attribute in ("damping", "friction"):
            value = self._number(dynamics, attribute, where, Fraction(0)) or Fraction(0)
            if value < 0:
                self._report.error(
                    dynamics,
                    f"{where}, <dynamics> {attribute}",
                    f"is negative, {quoted(dynamics.attributes[attribute])}",
                    "at least 0",
                    "Mend its sign.",
                )
                value = Fraction(0)
            values.append(value)
        return values[0], values[1]

    def _mimic(self, element: Element, where: str) -> UrdfMimic | None:
        mimic = self._only(element, "mimic", where)
        if mimic is None:
            return None
        leader = mimic.attributes.get("joint")
        multiplier = self._number(mimic, "multiplier", where, Fraction(1))
        offset = self._number(mimic, "offset", where, Fraction(0))
        if leader is None:
            self._missing(mimic, "joint", f"{where}, <mimic>")
        if leader is None or multiplier is None or offset is None:
            return None
        return UrdfMimic(leader, multiplier, offset, mimic)
