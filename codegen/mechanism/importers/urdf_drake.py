"""What Drake adds to URDF and has one meaning: rotors, ball constraints, springs with dampers, loop joints, ball joints.

Elements, attributes and nesting are those of Drake's parser (multibody/parsing, "Parsing Models for Multibody Dynamics");
loop joints those of its older one, whose points and axes coincide, and of Isaac's type "spherical".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from kanegen.codegen.mechanism.importers.urdf_elements import AXIAL, ElementReader
from kanegen.codegen.mechanism.importers.urdf_records import ZERO, UrdfEnd, UrdfJoint, UrdfLoop, UrdfSpring
from kanegen.codegen.mechanism.importers.xml_tree import Element

BALL_CONSTRAINT = "drake:ball_constraint"
SPRING_DAMPER = "drake:linear_spring_damper"
LOOP_JOINT = "loop_joint"
ROTOR, GEAR = "drake:rotor_inertia", "drake:gear_ratio"
READ = (BALL_CONSTRAINT, SPRING_DAMPER, LOOP_JOINT, "drake:joint")
"""Elements of <robot> that are read here."""

_REVOLUTE = ("continuous", "revolute")
_WORLD = "world"


class DrakeReader(ElementReader):
    """Reads Drake's elements, and reports to ``report``."""

    def loops(self, root: Element, links: Sequence[str]) -> tuple[UrdfLoop, ...]:
        """Ball constraints and loop joints."""
        balls = [self._ball(element, links) for element in root.named(BALL_CONSTRAINT)]
        joints = [self._loop_joint(element, links) for element in root.named(LOOP_JOINT)]
        return tuple(loop for loop in (*balls, *joints) if loop is not None)

    def springs(self, root: Element, links: Sequence[str]) -> tuple[UrdfSpring, ...]:
        """Springs with dampers between two points."""
        found = []
        for element in root.named(SPRING_DAMPER):
            ends = self._two_ends(element, SPRING_DAMPER, links)
            sizes = [
                self._value(element, f"{SPRING_DAMPER}_{what}", least)
                for what, least in (("stiffness", 0), ("damping", 0), ("free_length", None))
            ]
            if ends is not None and None not in sizes:
                stiffness, damping, rest = (x for x in sizes if x is not None)
                found.append(UrdfSpring("spring_damper", *ends, stiffness, damping, rest, element))
        return tuple(found)

    def rotors(self, root: Element, joints: Sequence[UrdfJoint]) -> Mapping[str, Fraction]:
        """Inertia [kg m^2, kg] that rotors add to their joints, the square of the gear ratio included, by joint.

        As Drake does it: of simple transmissions only, and none where the joint's effort limit is zero.
        """
        found: dict[str, Fraction] = {}
        known = {joint.name: joint for joint in joints}
        for transmission in root.named("transmission"):
            actuators = transmission.named("actuator")
            rotor = actuators[0].named(ROTOR) if actuators else []
            if rotor:
                read = self._rotor(transmission, actuators[0], rotor[0], known)
                if read is not None:
                    found[read[0]] = found.get(read[0], Fraction(0)) + read[1]
        return found

    def _rotor(
        self, transmission: Element, actuator: Element, rotor: Element, joints: Mapping[str, UrdfJoint]
    ) -> tuple[str, Fraction] | None:
        where = f"transmission {transmission.attributes.get('name', '')!r}, <{ROTOR}>"
        types = transmission.named("type")
        kind = types[0].text if types else transmission.attributes.get("type", "")
        ends = transmission.named("joint")
        name = ends[0].attributes.get("name", "") if ends else ""
        joint = joints.get(name)
        inertia = self._number(rotor, "value", where)
        gears = actuator.named(GEAR)
        ratio = self._number(gears[0], "value", where) if gears else Fraction(1)
        if inertia is None or ratio is None:
            return None
        if inertia < 0:
            self._report.error(
                rotor, where, f"is negative, {float(inertia):.9g}", "at least 0", "Mend its sign."
            )
        elif "SimpleTransmission" not in kind:
            self._skipped(rotor, where, f"belongs to a transmission of type {kind!r}", "a SimpleTransmission")
        elif joint is None or joint.type not in (*AXIAL, "fixed"):
            what = "unknown" if joint is None else f"of type {joint.type}"
            self._report.error(
                rotor,
                where,
                f"drives the joint {name!r}, which is {what}",
                "a joint of one coordinate",
                "Mend the name of the joint in <transmission>.",
            )
        elif joint.type == "fixed":
            self._skipped(rotor, where, f"drives the fixed joint {name!r}", "a joint that moves")
        elif joint.limits is not None and joint.limits.effort == 0:
            self._skipped(rotor, where, f"drives joint {name!r}, whose effort limit is 0", "a positive limit")
        else:
            return name, inertia * ratio * ratio
        return None

    def _skipped(self, at: Element, where: str, what: str, expected: str) -> None:
        cure = "Drake makes no actuator of it; mend that if the rotor is to count."
        self._report.warning(at, where, f"{what}: it is left out", expected, cure)

    def _ball(self, element: Element, links: Sequence[str]) -> UrdfLoop | None:
        ends = self._two_ends(element, BALL_CONSTRAINT, links)
        return None if ends is None else UrdfLoop("ball_constraint", *ends, None, element)

    def _two_ends(self, element: Element, tag: str, links: Sequence[str]) -> tuple[UrdfEnd, UrdfEnd] | None:
        ends = []
        for body, point in (("body_A", "p_AP"), ("body_B", "p_BQ")):
            named = self._needed(element, f"{tag}_{body}", "<robot>")
            at = self._needed(element, f"{tag}_{point}", "<robot>")
            if named is None or at is None:
                continue
            if "value" not in at.attributes:
                self._missing(at, "value", f"<{tag}>, <{at.tag}>")
            name = self._link(named, "name", f"<{tag}>", links)
            position = self._triple(at, "value", f"<{tag}>", ZERO)
            if name is not None:
                ends.append(UrdfEnd(name, position, ZERO))
        return (ends[0], ends[1]) if len(ends) == 2 else None

    def _loop_joint(self, element: Element, links: Sequence[str]) -> UrdfLoop | None:
        where = f"<{LOOP_JOINT}> {element.attributes.get('name', '')!r}"
        kind = element.attributes.get("type", "")
        if kind not in (*_REVOLUTE, "spherical"):
            self._report.error(
                element,
                where,
                f"its type is {kind!r}, whose meaning is not fixed",
                f"one of {', '.join((*_REVOLUTE, 'spherical'))}",
                "Close the loop in Python: MechanismBuilder.loop.",
            )
            return None
        ends = []
        for tag in ("link1", "link2"):
            end = self._needed(element, tag, where)
            name = None if end is None else self._link(end, "link", where, links)
            if end is None or name is None:
                continue
            written = self._triple(end, "rpy", where, ZERO)
            meant = self._all_snapped(written, end, where)
            ends.append(UrdfEnd(name, self._triple(end, "xyz", where, ZERO), meant))
        axis = None
        if kind in _REVOLUTE and self._needed(element, "axis", where) is not None:
            axis = self._axis(element, where)
        if len(ends) < 2 or (kind in _REVOLUTE and axis is None):
            return None
        return UrdfLoop(element.attributes.get("name") or LOOP_JOINT, ends[0], ends[1], axis, element)

    def _link(self, element: Element, attribute: str, where: str, links: Sequence[str]) -> str | None:
        """The name of a link, None for an error; the world is a link of every robot of Drake's."""
        name = element.attributes.get(attribute)
        if name is None:
            self._missing(element, attribute, f"{where}, <{element.tag}>")
        elif name not in links and name != _WORLD:
            self._report.error(
                element,
                f"{where}, <{element.tag}>",
                f"{name!r} is no link of this robot",
                "the name of a <link>",
                "Mend the name.",
            )
        else:
            return name
        return None

    def _value(self, element: Element, tag: str, least: int | None) -> Fraction | None:
        """A number that is at least ``least``, or above zero for None."""
        found = self._needed(element, tag, "<robot>")
        value = None if found is None else self._number(found, "value", f"<{element.tag}>")
        if found is None or value is None:
            return None
        if value < 0 or (least is None and value == 0):
            self._report.error(
                found,
                f"<{element.tag}>, <{tag}>",
                f"is {float(value):.9g}",
                "more than 0" if least is None else "at least 0",
                "Mend it.",
            )
            return None
        return value
