"""What other programs would add to the mechanism of a URDF, and what is not read of it.

A joint, a body or a constraint more is another mechanism: an error.  A force, an inertia or a coupling that another program
would add to the same bodies is a warning.  What changes neither is a note, or not worth a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.numbers_in_text import quoted
from kanegen.codegen.mechanism.importers.places import Places, collect
from kanegen.codegen.mechanism.importers.urdf_drake import ROTOR
from kanegen.codegen.mechanism.importers.urdf_simulators import Added, in_gazebo, in_mujoco, in_ros2_control
from kanegen.codegen.mechanism.importers.urdf_words import acts, sayings, says_nothing, word_of
from kanegen.codegen.mechanism.importers.xml_tree import Element

_OTHER_MECHANISM = re.compile(
    r"joint|loop|constraint|equality|weld|mimic|coupl|closure|bushing|spring|damper|tendon|cable|force|thruster|buoyan"
    r"|^(body|model|robot|world|worldbody|include|group|mujocoinclude)$"
)
"""In the name of an element of <robot>: it adds joints, bodies, constraints or forces."""

_OTHER_MOTION = re.compile(
    r"inertia|armature|rotor|gear|spring|stiffness|damp|decay|force|torque|gravity|kinematic|mimic|loop|constraint|tendon|motor"
    r"|mass|buoyan|fluid|drag|hydro|thrust"
)
"""In the name of an element or attribute of a link or joint: it adds inertia, forces or couplings."""

_OF_CONTACT = ("contact", "collision_checking", "self_collision_checking", "visual", "collision", "sensor")
_OF_BODIES = re.compile(r"inertia|mass")
"""What matters in elements about contacts, whose stiffness and damping act between bodies that touch."""

_OLD_XACRO = ("macro", "property", "include", "insert_block")

_INERTIAS = re.compile(r"inertia|armature")
"""In the name of an element or attribute of a transmission: it adds inertia."""

_RATIOS = {"mechanicalReduction", "mechanical_reduction"}


def severity_of_element(parent: str, element: Element) -> Severity:
    """How much an unknown element of another one matters, by the words in its name and in all that it says."""
    name = element.tag.rpartition(":")[2].lower()
    if parent == "robot":
        other = name in _OLD_XACRO or _OTHER_MECHANISM.search(name)
        return Severity.ERROR if other else Severity.NOTE
    if name in ("link", "joint"):  # misplaced, and missing where it belongs
        return Severity.ERROR
    if name in _OF_CONTACT:
        adds = any(_OF_BODIES.search(saying.lower()) for saying in sayings(element))
    else:
        silent = not element.text and not element.attributes and not list(element.children)
        adds = bool(silent and _OTHER_MOTION.search(name))
        adds |= any(_OTHER_MOTION.search(saying.lower()) for saying in sayings(element))
    return Severity.WARNING if adds else Severity.NOTE


def severity_of_attribute(element: Element, name: str) -> Severity:
    """How much an unknown attribute matters, by the words in its name; limits are data."""
    adds = element.tag != "limit" and _OTHER_MOTION.search(name.lower())
    return Severity.WARNING if adds and not says_nothing(element.attributes[name]) else Severity.NOTE


def check_foreign(root: Element) -> Iterator[Finding]:
    """Findings about the blocks for Gazebo, ros2_control, MuJoCo and about transmissions."""
    following = {joint.attributes.get("name", "") for joint in root.named("joint") if joint.named("mimic")}
    added: dict[tuple[str, str, str, Severity], Places] = {}
    for where, what, element, severity in (
        *in_gazebo(root, following),
        *in_ros2_control(root, following),
        *_transmissions(root),
        *in_mujoco(root),
        *_ignored(root),
    ):
        collect(added, (where, element.tag, what, severity), element)
    for (where, tag, what, severity), places in added.items():
        yield places.finding(
            severity,
            where,
            f"{quoted(f'<{tag}>')[1:-1]} {places.text} {what}",
            "nothing that the motion depends on and that is not read",
            "Describe it with MechanismBuilder (loop, frame, springs, rotor_inertia), or remove it if it is not meant.",
        )


def _transmissions(root: Element) -> Iterator[Added]:
    where = "<transmission>"
    for transmission in (element for element in root.walk() if element.tag == "transmission"):
        simple = [*transmission.named("actuator")[:1]]
        read = {id(rotor) for actuator in simple for rotor in actuator.named(ROTOR)}
        for element in transmission.walk():
            if element.tag in _RATIOS and element.text not in ("", "1", "1.0") and acts(element):
                what = "is ignored: coordinates and forces are those of the joints"
                yield where, what, element, Severity.NOTE
            if id(element) not in read and _is_inertia(element):
                yield (
                    where,
                    "is an inertia that is left out: it has no fixed meaning here",
                    element,
                    Severity.WARNING,
                )
    for rotor in root.named(ROTOR):
        yield "<robot>", "is left out: Drake reads it in <transmission>, <actuator>", rotor, Severity.WARNING


def _is_inertia(element: Element) -> bool:
    names = [name for name, text in element.attributes.items() if not says_nothing(text)]
    names += [element.tag] if acts(element) else []
    return any(_INERTIAS.search(word_of(name)) for name in names)


def _ignored(root: Element) -> Iterator[Added]:
    for element in root.children:
        if element.tag in ("link", "joint") and element.attributes.get("drake_ignore") == "true":
            yield "<robot>", "is left out by Drake (drake_ignore), and read here", element, Severity.WARNING
