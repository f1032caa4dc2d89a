"""What other programs would add to the mechanism of a URDF, and what is not read of it, judged by the words in names.

A joint, a body or a constraint more is another mechanism: an error.  A force, an inertia or a coupling that another program
would add to the same bodies is a warning.  What changes neither is a note, or not worth a word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.numbers_in_text import quoted
from kanegen.codegen.mechanism.importers.reporting import Places, collect
from kanegen.codegen.mechanism.importers.urdf_drake import ROTOR
from kanegen.codegen.mechanism.importers.xml_tree import Element

_NOTHING = ("false", "none", "no", "disable")


def word_of(name: str) -> str:
    """A name in one spelling, without its namespace: spring_stiffness and springStiffness are the same word."""
    return name.rpartition(":")[2].lower().replace("_", "").replace("-", "")


def says_nothing(text: str) -> bool:
    """Whether a text is empty, false, or all zeros."""
    return all(word in _NOTHING or _is_zero(word) for word in text.lower().split())


def acts(element: Element) -> bool:
    """Whether an element, or anything in it, says more than nothing."""
    return any(not says_nothing(text) for e in element.walk() for text in (e.text, *e.attributes.values()))


def sayings(element: Element) -> Iterator[str]:
    """Names of everything in an element that says more than nothing, itself included."""
    for e in element.walk():
        yield from (name for name, text in e.attributes.items() if not says_nothing(text))
        if acts(e):
            yield e.tag


def _is_zero(word: str) -> bool:
    try:
        return float(word) == 0
    except ValueError:
        return False


Added = tuple[str, str, Element, Severity]
"""Where an element stands, what it does, the element, and how much that matters."""

_LEFT_OUT = (
    (re.compile(r"spring(?!reference)|stiffness"), "adds a spring"),
    (re.compile(r"gravity"), "takes the weight away"),
    (re.compile(r"inertia|addedmass|armature|rotor"), "changes the inertia"),
    (re.compile(r"mass"), "changes the mass"),
    (re.compile(r"(?<!cfm)damp|decay"), "adds damping"),
    (re.compile(r"kinematic"), "lets no force act"),
    (re.compile(r"^static$"), "lets nothing move"),
    (re.compile(r"buoyan|drag|wind(?!ow)|hydro|thrust|fluid|(force|torque|wrench)$"), "adds forces"),
    (re.compile(r"gearratio|constraint"), "ties joints to one another"),
)
"""Words in the name of an element of <gazebo>, and what it does there."""

_NO_DYNAMICS = ("sensor", "visual", "collision", "material", "surface", "light", "camera")
"""Elements in <gazebo> whose words concern contacts, pictures and measurements."""

_FORCES = re.compile(r"thrust|buoyan|hydro|lift_?drag|spring|wind(?!ow)|added_?mass", re.IGNORECASE)
"""In the name of a plugin of Gazebo: it adds forces."""

_JOINTS = re.compile(r"detachable", re.IGNORECASE)
"""In the name of a plugin of Gazebo: it joins links."""

_ON_COMMAND = re.compile(r"force(?!_?torque)|wrench", re.IGNORECASE)
"""In the name of a plugin of Gazebo: it applies forces, when a message asks for them."""

_PARAMETERS = re.compile(r"spring(?!reference)|stiffness|addedmass|buoyan|rotorinertia")
"""In the name of a parameter of any plugin: it adds forces."""

_COMPILER = {
    "balanceinertia",
    "boundmass",
    "boundinertia",
    "settotalmass",
    "inertiafromgeom",
    "inertiagrouprange",
}
_MEDIUM = ("wind", "density", "viscosity")
_ELSEWHERE_IN_MUJOCO = (
    "geom",
    "asset",
    "visual",
    "statistic",
    "keyframe",
    "contact",
    "sensor",
    "custom",
    "size",
)
_ADDED_IN_MUJOCO = {
    "equality": "ties bodies or joints",
    "tendon": "adds tendons",
    "body": "adds a body",
    "worldbody": "adds bodies",
    "inertial": "changes masses and inertias",
}
_RESISTING = re.compile(r"armature|stiffness|damp|frictionloss|gravcomp|fluid")
"""In the name of an attribute in <mujoco>: it adds inertia or forces."""


def in_gazebo(root: Element, following: Collection[str]) -> Iterator[Added]:
    """What the blocks <gazebo> add; joints of ``following`` follow others in the URDF itself."""
    where = "<gazebo>"
    for block in (element for element in root.walk() if element.tag == "gazebo"):
        follows = block.attributes.get("reference") in following
        stack = [(child, block) for child in reversed(list(block.children))]
        while stack:
            element, parent = stack.pop()
            word = word_of(element.tag)
            if parent is block and element.tag in ("joint", "link", "model", "include", "gripper"):
                yield where, *_added_to_gazebo(element)
            elif word == "implicitspringdamper":
                yield where, "is a choice of Gazebo's integrator", element, Severity.NOTE
            elif element.tag == "plugin":
                yield from _plugin(where, element, following)
            elif word == "mimic":
                if not follows and acts(element):
                    yield where, _FOLLOWS.format("Gazebo"), element, Severity.WARNING
            elif word not in _NO_DYNAMICS:
                what = _left_out(element, parent)
                if what is None:
                    stack.extend((child, element) for child in reversed(list(element.children)))
                elif _acts_in_gazebo(element):
                    yield where, f"{what} in Gazebo, and is left out", element, Severity.WARNING


_FOLLOWS = "lets a joint follow another in {}; it moves by itself here: <mimic> in its <joint> says so"


def _added_to_gazebo(element: Element) -> tuple[str, Element, Severity]:
    if element.tag == "gripper":
        return (
            "holds bodies that it touches in Gazebo, whose frames depend on its version",
            element,
            Severity.NOTE,
        )
    article = "an" if element.tag == "include" else "a"
    what = f"adds {article} {element.tag} in Gazebo, whose frames depend on its version"
    return what, element, Severity.ERROR


def _left_out(element: Element, parent: Element) -> str | None:
    word = word_of(element.tag)
    if word == "friction" and parent.tag == "dynamics":
        return "adds friction"
    return next((what for words, what in _LEFT_OUT if words.search(word)), None)


def _acts_in_gazebo(element: Element) -> bool:
    """Gravity acts unless it is switched off, and everything else unless it is nothing."""
    if element.tag == "gravity":
        return says_nothing(element.text) and element.text != ""
    return acts(element)


def _plugin(where: str, plugin: Element, following: Collection[str]) -> Iterator[Added]:
    inside = list(plugin.walk())[1:]
    texts = {element.text for element in inside}
    if any("mimic" in element.tag.lower() for element in inside) and not texts & set(following):
        yield where, _FOLLOWS.format("Gazebo"), plugin, Severity.WARNING
    kind = plugin.attributes.get("name", "")
    names = f"{plugin.attributes.get('filename', '')} {kind if '::' in kind else ''}"
    parameters = any(_PARAMETERS.search(word_of(e.tag)) and acts(e) for e in inside)
    if _JOINTS.search(names):
        yield where, "joins links in Gazebo, and is left out", plugin, Severity.WARNING
    elif _FORCES.search(names) or parameters:
        yield where, "adds forces in Gazebo, and is left out", plugin, Severity.WARNING
    elif _ON_COMMAND.search(names):
        yield where, "applies forces in Gazebo when it is asked to", plugin, Severity.NOTE


def in_ros2_control(root: Element, following: Collection[str]) -> Iterator[Added]:
    """What the blocks <ros2_control> add."""
    where = "<ros2_control>"
    for block in (element for element in root.walk() if element.tag == "ros2_control"):
        for joint in (element for element in block.walk() if element.tag == "joint"):
            found = {
                word: next((e for e in joint.walk() if _says(e, word)), None)
                for word in ("mimic", "inertia", "armature")
            }
            mimic = found.pop("mimic")
            if mimic is not None and joint.attributes.get("name") not in following:
                yield where, _FOLLOWS.format("ros2_control"), mimic, Severity.WARNING
            for element in found.values():
                if element is not None:
                    what = "is an inertia that is left out: it has no fixed meaning here"
                    yield where, what, element, Severity.WARNING


def _says(element: Element, word: str) -> bool:
    """Whether an element is, has or sets something of that name."""
    named = word in word_of(element.tag)
    set_here = element.tag == "param" and word in word_of(element.attributes.get("name", ""))
    if named or set_here:
        return not says_nothing(element.text) if set_here else acts(element)
    return any(word in word_of(name) and not says_nothing(x) for name, x in element.attributes.items())


def in_mujoco(root: Element) -> Iterator[Added]:
    """What the blocks <mujoco> add."""
    where = "<mujoco>"
    for block in root.named("mujoco"):
        stack = list(reversed(list(block.children)))
        while stack:
            element = stack.pop()
            what = _in_mujoco(element)
            if what is not None:
                yield where, f"{what} in MuJoCo, and is left out", element, Severity.WARNING
            elif element.tag not in _ELSEWHERE_IN_MUJOCO:
                stack.extend(reversed(list(element.children)))


def _in_mujoco(element: Element) -> str | None:
    """What an element in <mujoco> does to the mechanism."""
    given = {name: text for name, text in element.attributes.items() if not says_nothing(text)}
    if element.tag == "compiler":
        return "changes masses and inertias" if _COMPILER & given.keys() else None
    if element.tag == "option" and "gravity" in element.attributes:
        return "changes gravity"
    if element.tag == "option":
        return "adds forces of a medium" if given.keys() & set(_MEDIUM) else None
    if element.tag == "flag":
        return "changes gravity" if element.attributes.get("gravity") == "disable" else None
    if element.tag in _ADDED_IN_MUJOCO:
        return _ADDED_IN_MUJOCO[element.tag] if acts(element) else None
    resists = element.tag not in _ELSEWHERE_IN_MUJOCO and any(map(_RESISTING.search, given))
    return "adds inertia or forces" if resists else None


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

_OF_NUMBERS = ("origin", "inertial", "mass", "inertia", "axis", "mimic")
"""Elements whose numbers say where things are and what they weigh: others in them were meant to say so, too."""

_ONLY_NUMBERS = re.compile(r"[-+.,\deE\s]*\d[-+.,\deE\s]*")

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
    """How much an unknown attribute matters: by the words in its name, and by numbers; limits are data."""
    text = element.attributes[name]
    if says_nothing(text) or element.tag == "limit":
        return Severity.NOTE
    meant = element.tag in _OF_NUMBERS and ":" not in name and _ONLY_NUMBERS.fullmatch(text)
    return Severity.WARNING if meant or _OTHER_MOTION.search(name.lower()) else Severity.NOTE


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
