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
from kanegen.codegen.mechanism.importers.xml_tree import Element

_OTHER_MECHANISM = re.compile(
    r"joint|loop|constraint|equality|weld|mimic|coupl|closure|bushing|spring|damper|tendon|cable|force|thruster|buoyan"
    r"|^(body|model|robot|world|worldbody|include|group|mujocoinclude)$"
)
"""In the name of an element of <robot>: it adds joints, bodies, constraints or forces."""

_OTHER_MOTION = re.compile(
    r"inertia|armature|rotor|gear|spring|stiffness|damp|decay|force|torque|gravity|kinematic|mimic|loop|constraint|tendon|motor"
)
"""In the name of an element or attribute of a link or joint: it adds inertia, forces or couplings."""

_OLD_XACRO = ("macro", "property", "include", "insert_block")

_IN_GAZEBO = {
    "springStiffness": "adds a spring",
    "turnGravityOff": "takes the weight away",
    "gravity": "takes the weight away",
    "mass": "changes the mass",
    "inertia": "changes the inertia",
    "dampingFactor": "adds damping",
    "velocity_decay": "adds damping",
    "kinematic": "lets no force act",
    "static": "lets nothing move",
}
_FORCES = re.compile(r"thrust|buoyan|hydro|lift_?drag|spring|wind", re.IGNORECASE)
"""In the file name of a plugin of Gazebo: it adds forces."""

_IN_MUJOCO = {
    "balanceinertia",
    "boundmass",
    "boundinertia",
    "settotalmass",
    "inertiafromgeom",
    "inertiagrouprange",
}
_ROTORS = {"rotorInertia", "motorInertia", "rotor_inertia", "drake:rotor_inertia"}
_RATIOS = {"mechanicalReduction", "mechanical_reduction"}
_NOTHING = ("", "0", "0.0", "false")


def severity_of_element(parent: str, element: Element) -> Severity:
    """How much an unknown element of another one matters, by the words in its name."""
    name = element.tag.rpartition(":")[2].lower()
    if parent == "robot":
        other = name in _OLD_XACRO or _OTHER_MECHANISM.search(name)
        return Severity.ERROR if other else Severity.NOTE
    if name in ("link", "joint"):  # misplaced, and missing where it belongs
        return Severity.ERROR
    idle = bool(element.text) and not _acts(element)
    return Severity.WARNING if _OTHER_MOTION.search(name) and not idle else Severity.NOTE


def severity_of_attribute(element: Element, name: str) -> Severity:
    """How much an unknown attribute matters, by the words in its name; limits are data."""
    adds = element.tag != "limit" and _OTHER_MOTION.search(name.lower())
    return Severity.WARNING if adds and element.attributes[name].strip() not in _NOTHING else Severity.NOTE


def check_foreign(root: Element) -> Iterator[Finding]:
    """Findings about the blocks for Gazebo, ros2_control, MuJoCo and about transmissions."""
    following = {joint.attributes.get("name", "") for joint in root.named("joint") if joint.named("mimic")}
    added: dict[tuple[str, str, str, Severity], Places] = {}
    for where, what, element, severity in (
        *_gazebo(root, following),
        *_couplings(root, following),
        *_transmissions(root),
        *_mujoco(root),
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


Added = tuple[str, str, Element, Severity]


def _gazebo(root: Element, following: set[str]) -> Iterator[Added]:
    where = "<gazebo>"
    for block in (element for element in root.walk() if element.tag == "gazebo"):
        for child in block.children:
            if child.tag in ("joint", "link", "model", "include", "gripper"):
                severity = Severity.NOTE if child.tag == "gripper" else Severity.ERROR
                thing = (
                    "holds bodies that it touches"
                    if child.tag == "gripper"
                    else f"adds {'an' if child.tag == 'include' else 'a'} {child.tag}"
                )
                yield where, f"{thing} in Gazebo, whose frames depend on its version", child, severity
            elif child.tag in _IN_GAZEBO and _acts(child):
                yield where, f"{_IN_GAZEBO[child.tag]} in Gazebo, and is left out", child, Severity.WARNING
            elif child.tag == "implicitSpringDamper":
                yield where, "is a choice of Gazebo's integrator", child, Severity.NOTE
            elif child.tag == "plugin":
                yield from _plugin(where, child, following)


def _acts(element: Element) -> bool:
    """Whether an element says more than nothing; gravity acts unless it is switched off."""
    text = element.text.lower()
    if element.tag == "gravity":
        return text in ("0", "false")
    return text not in _NOTHING


def _plugin(where: str, plugin: Element, following: set[str]) -> Iterator[Added]:
    texts = {element.text for element in plugin.walk()}
    if any("mimic" in element.tag.lower() for element in plugin.walk()) and not texts & following:
        yield (
            where,
            "lets a joint follow another in Gazebo; it moves by itself here",
            plugin,
            Severity.WARNING,
        )
    if _FORCES.search(plugin.attributes.get("filename", "")):
        yield where, "adds forces in Gazebo, and is left out", plugin, Severity.WARNING


def _couplings(root: Element, following: set[str]) -> Iterator[Added]:
    for block in root.named("ros2_control"):
        for joint in block.named("joint"):
            mimics = [p for p in joint.named("param") if p.attributes.get("name") == "mimic"]
            if mimics and joint.attributes.get("name") not in following:
                what = "lets a joint follow another; it moves by itself here: <mimic> in its <joint> says so"
                yield "<ros2_control>", what, mimics[0], Severity.WARNING


def _transmissions(root: Element) -> Iterator[Added]:
    where = "<transmission>"
    for transmission in (element for element in root.walk() if element.tag == "transmission"):
        simple = [*transmission.named("actuator")[:1]]
        read = {id(rotor) for actuator in simple for rotor in actuator.named("drake:rotor_inertia")}
        for element in transmission.walk():
            if element.tag in _RATIOS and element.text not in (*_NOTHING, "1", "1.0"):
                what = "is ignored: coordinates and forces are those of the joints"
                yield where, what, element, Severity.NOTE
            value = element.attributes.get("value", element.text).strip()
            if element.tag in _ROTORS and id(element) not in read and value not in _NOTHING:
                yield (
                    where,
                    "is an inertia that is left out: it has no fixed meaning here",
                    element,
                    Severity.WARNING,
                )
    for rotor in root.named("drake:rotor_inertia"):
        yield "<robot>", "is left out: Drake reads it in <transmission>, <actuator>", rotor, Severity.WARNING


def _mujoco(root: Element) -> Iterator[Added]:
    for block in root.named("mujoco"):
        for compiler in block.named("compiler"):
            if any(compiler.attributes.get(name, "").strip() not in _NOTHING for name in _IN_MUJOCO):
                yield (
                    "<mujoco>",
                    "changes masses and inertias in MuJoCo, and is left out",
                    compiler,
                    Severity.WARNING,
                )
        for option in block.named("option"):
            if "gravity" in option.attributes:
                yield "<mujoco>", "changes gravity in MuJoCo, and is left out", option, Severity.WARNING


def _ignored(root: Element) -> Iterator[Added]:
    for element in root.children:
        if element.tag in ("link", "joint") and element.attributes.get("drake_ignore") == "true":
            yield "<robot>", "is left out by Drake (drake_ignore), and read here", element, Severity.WARNING
