"""MJCF: trees, ball and free joints, loops that hold points or whole frames together, followers, springs.

Numbers are doubles, angles radians.  What MuJoCo takes by default is written down where it matters to the dynamics.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from kanegen.codegen.mechanism.constraints import (
    Loop,
    LoopKind,
    TorsionalSpringDamper,
    TranslationalSpringDamper,
)
from kanegen.codegen.mechanism.findings import Finding
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.importers.mjcf.placing import Placement
from kanegen.codegen.mechanism.poses import body_motions, moving_joints, with_followers
from kanegen.codegen.mechanism.records import (
    BASE,
    IDENTITY3,
    ZERO3,
    Frame,
    Joint,
    JointKind,
    JointLimits,
    Mechanism,
    Value,
)
from kanegen.codegen.mechanism.rotations import rotation_of_quaternion
from kanegen.codegen.mechanism.validation.exact import title_of
from kanegen.codegen.mechanism.writers.equation_text import affine_in_two
from kanegen.codegen.mechanism.writers.mjcf_inertias import LEAST, inertial, moves_with_inertia
from kanegen.codegen.mechanism.writers.mjcf_tree import Motion, Node, quaternion_of, tree_of
from kanegen.codegen.mechanism.writers.unsaid import (
    Written,
    moving_names,
    resisted,
    several,
    unsaid,
    unsaid_in_xml,
    unsaid_order,
)
from kanegen.codegen.mechanism.writers.xml_text import Element, fresh, number, numbers
from kanegen.limits import UNLIMITED

_DEEPEST = 450
"""Bodies in one another that MuJoCo's parser takes, with some to spare: its limit is 500 elements."""

_PARALLEL = 1e-12
"""The sine of an angle between axes that are parallel but for rounding."""


def to_mjcf(mechanism: Mechanism) -> Written:
    """The mechanism as MJCF, and what that cannot say of it.  Raises ModelError for names that XML cannot have."""
    writer = _Writer(with_numbers(mechanism))
    text = writer.text()
    return Written(text, (*unsaid_in_xml(mechanism, "MJCF"), *writer.findings))


class _Writer:
    def __init__(self, m: Mechanism) -> None:
        self._m = m
        self.findings: list[Finding] = []
        self._home = dict(zip(m.coordinates, m.home, strict=False))
        turning = {name for ball in m.balls for name in ball.coordinates}
        self._reference = {
            name: value
            for name, value in self._home.items()
            if isinstance(value, Fraction) and value != 0 and name not in turning | set(m.modes)
        }
        for mimic in m.mimics:  # they begin where their leaders put them
            end = m.followed(mimic.joint)
            value = end.multiplier * self._reference.get(end.leader, Fraction(0)) + end.offset
            if isinstance(value, Fraction) and value != 0:
                self._reference[mimic.joint] = value
        ends = [end for loop in m.loops for end in (loop.first, loop.second)]
        ends += [
            end for s in m.springs if isinstance(s, TranslationalSpringDamper) for end in (s.first, s.second)
        ]
        bodies = {BASE, *(body.name for body in m.bodies)}
        self._sites: dict[str, list[Frame]] = {name: [] for name in bodies}
        for frame in (Frame(BASE, BASE), *m.frames):
            if frame.name in ends or frame.name not in bodies:
                self._sites[frame.body].append(frame)
        self._names = {"world"}  # of bodies
        self._fast: list[str] = []  # joints with a limit of speed
        self._light: list[str] = []  # bodies that move and have less inertia than MuJoCo wants

    def text(self) -> str:
        m = self._m
        root = Element("mujoco", {"model": m.name})
        root.add("compiler", angle="radian", autolimits="true", inertiafromgeom="false")
        root.add("option", gravity=numbers(m.gravity))
        world = root.add("worldbody")
        self._tree(world)
        equality, tendon, actuator = (Element(tag, {}) for tag in ("equality", "tendon", "actuator"))
        self._followers(equality)
        self._loops(equality)
        self._springs(tendon)
        scalar = {joint.name for joint in m.joints} - {name for ball in m.balls for name in ball.joints}
        for driven in m.actuators:
            if driven.joint in scalar:
                actuator.add("motor", name=driven.name, joint=driven.joint, gear=str(driven.sign))
            else:
                self._differs(
                    f"actuator {driven.name!r}", "is left out", "actuators on joints of one freedom"
                )
        if self._fast:
            self._differs(several("joint", "joints", self._fast), "the limit of speed is left out")
        if self._light:
            what = f"{LEAST:g} kg and {LEAST:g} kg m^2 at least are in the file, and less here"
            expected = "inertias about every axis, as MuJoCo wants them of bodies that move"
            self._differs(several("body", "bodies", self._light), what, expected)
        root.children += [part for part in (equality, tendon, actuator) if part.children]
        moving = {*moving_names(m)}
        of_file = tuple(name for name in world.names("joint") if name in moving)
        self.findings += unsaid_order(m, of_file, "MJCF")
        return root.text()

    def _differs(self, where: str, what: str, expected: str = "what MJCF can say") -> None:
        self.findings.append(unsaid(where, what, expected))

    # -- tree --------------------------------------------------------------------------------------------------------

    def _tree(self, world: Element) -> None:
        """The bodies, iteratively."""
        base = tree_of(self._m, self._reference)
        self._add_sites(world, BASE)
        todo = [(base, child, world, 1) for child in reversed(base.children)]
        deepest = 0
        while todo:
            parent, node, above, depth = todo.pop()
            deepest = max(deepest, depth)
            free = self._free(parent, node)
            element = (above if free is None else world).add("body", name=self._body_name(node.body.name))
            element.attributes |= _place(node.placed if free is None else free)
            for motion in node.motions:
                self._motion(element, motion, free is not None)
            self._inertial(element, node)
            self._add_sites(element, node.body.name)
            todo += [(node, child, element, depth + 1) for child in reversed(node.children)]
        if deepest > _DEEPEST:
            what = f"has {deepest} bodies in one another, which MuJoCo's parser refuses"
            self._differs("tree", what, f"{_DEEPEST} of them")

    def _body_name(self, name: str) -> str:
        found = fresh(name, self._names)
        if found != name:
            self._differs(
                f"body {name!r}", f"is called {found!r} in the file", "a name other than MuJoCo's own"
            )
        return found

    def _free(self, parent: Node, node: Node) -> Placement | None:
        """Where a body begins that a free joint moves: one on the base, or on what is fixed to that."""
        ball = node.motions[0].ball if len(node.motions) == 1 else None
        if ball is None or not ball.free or parent.pose is None:
            return None
        frame = parent.pose.then(node.motions[0].placed.rotation, node.motions[0].placed.position)
        if frame != Placement():
            what = "has the pose in the base as its coordinates in the file, and here that in the frame of the joint"
            self._differs(f"joint {ball.name!r}", what, "a free joint that begins in the base's own frame")
        if not self._home:
            return frame
        x, y, z, *quaternion = (Fraction(self._home[name]) for name in ball.coordinates)  # type: ignore[arg-type]
        return frame.then(rotation_of_quaternion(tuple(quaternion)), (x, y, z))

    def _motion(self, element: Element, motion: Motion, free: bool) -> None:
        """A joint; a free one that is not on the base becomes three slides and a ball."""
        ball, joint = motion.ball, motion.joint
        if ball is None:
            kind = "hinge" if joint.kind is JointKind.REVOLUTE else "slide"
            anchor = numbers(motion.anchor) if kind == "hinge" and any(motion.anchor) else None
            reference = self._reference.get(joint.name)
            element.add(
                "joint",
                name=joint.name,
                type=kind,
                pos=anchor,
                axis=numbers(motion.axis),
                ref=None if reference is None else number(reference),
                **self._limits(joint),
                **_resistance(self._sprung(joint)),
                **self._spring(joint),
            )
            return
        where = f"joint {ball.name!r}"
        parts = [self._m.joint(name) for name in ball.joints]
        alike = len({(part.damping, part.friction, part.rotor_inertia) for part in parts}) == 1
        sayable = alike and (not ball.free or (free and parts[0].friction == 0))
        if not sayable and any(map(resisted, parts)):
            self._differs(
                where, "its damping, friction and rotor inertia are left out", "the same along all axes"
            )
        home = [self._home.get(name, Fraction(k == 3)) for k, name in enumerate(ball.coordinates[-4:])]
        if not free and home != [0, 0, 0, 1]:
            self._differs(where, "its orientation in the home configuration is left out")
        if ball.free and not free:
            what = (
                "is three slides and a ball in the file: its linear speeds are along the axes of its parent"
            )
            self._differs(where, what, "a free joint on the base")
            for axis, letter in zip(("1 0 0", "0 1 0", "0 0 1"), "xyz", strict=True):
                element.add("joint", name=f"{ball.name}_{letter}", type="slide", axis=axis)
        anchor = numbers(motion.anchor) if any(motion.anchor) else None
        resistance = _resistance(parts[0]) if sayable else {}
        element.add("joint", name=ball.name, type="free" if free else "ball", pos=anchor, **resistance)

    def _limits(self, joint: Joint) -> dict[str, str]:
        limits, where, found = joint.limits or JointLimits(), f"joint {joint.name!r}, limits", {}
        lower, upper = limits.lower, limits.upper
        if lower is not None or upper is not None:
            ends = (
                (lower if lower is not None else -UNLIMITED.value),
                (upper if upper is not None else UNLIMITED.value),
            )
            if ends[0] < ends[1]:
                found["range"] = numbers(map(float, ends))
            else:
                self._differs(where, f"a range from {float(ends[0]):g} to {float(ends[1]):g} is left out")
        if limits.velocity is not None:
            self._fast.append(joint.name)
        if limits.effort:
            found["actuatorfrcrange"] = numbers((-limits.effort, limits.effort))
        elif limits.effort is not None:
            self._differs(where, "no force at all is left out")
        return found

    def _inertial(self, element: Element, node: Node) -> None:
        raised = bool(node.motions) and not moves_with_inertia(node)
        if raised:
            self._light.append(node.body.name)
        if raised or node.body.inertia is not None:
            element.add("inertial", **inertial(node.body.inertia, LEAST if raised else 0.0))

    def _add_sites(self, element: Element, body: str) -> None:
        for frame in self._sites[body]:
            element.add("site", name=frame.name, **_place(Placement(frame.rotation, frame.position)))

    # -- ties and springs --------------------------------------------------------------------------------------------

    def _followers(self, equality: Element) -> None:
        """Joints that follow others: y - y0 = c0 + c1 (x - x0), the reference values y0 and x0."""
        for mimic in self._m.mimics:
            self._follow(equality, None, mimic.joint, mimic.leader, mimic.multiplier, mimic.offset)
        for item in self._m.constraints:
            affine = affine_in_two(item, self._m)
            if affine is None:
                self._differs(f"constraint {item.name!r}", "is left out")
            else:
                self._follow(equality, item.name, *affine)

    def _follow(
        self, equality: Element, name: str | None, joint: str, leader: str, factor: Value, constant: Value
    ) -> None:
        zero = Fraction(0)
        shift = constant + factor * self._reference.get(leader, zero) - self._reference.get(joint, zero)
        coefficients = numbers((shift, factor, zero, zero, zero))
        equality.add("joint", name=name, joint1=joint, joint2=leader, polycoef=coefficients)

    def _loops(self, equality: Element) -> None:
        for loop in self._m.loops:
            where = f"loop {loop.name!r}"
            ends = {"site1": loop.first, "site2": loop.second}
            if loop.kind is LoopKind.FIXED:
                equality.add("weld", name=loop.name, **ends)
            elif loop.kind in (LoopKind.SPHERICAL, LoopKind.REVOLUTE):
                equality.add("connect", name=loop.name, **ends)
                if loop.kind is LoopKind.REVOLUTE and not _axes_stay_parallel(self._m, loop):
                    self._differs(where, "holds points together in the file, and not its axes as well")
            else:
                self._differs(where, f"is left out: MJCF has no {loop.kind.value} joint that closes loops")

    def _springs(self, tendon: Element) -> None:
        for spring in self._m.springs:
            if isinstance(spring, TorsionalSpringDamper):
                if spring.damping != 0:
                    what = (
                        "its damping is that of the joint in the file, which acts where friction is asked for"
                    )
                    self._differs(f"spring {spring.name!r}", what)
                continue
            if not isinstance(spring, TranslationalSpringDamper):
                self._differs(title_of(spring), "is left out: its law is none of the file's")
                continue
            line = tendon.add(
                "spatial",
                name=spring.name,
                stiffness=number(spring.stiffness),
                damping=number(spring.damping),
                springlength=number(spring.rest),
            )
            line.add("site", site=spring.first)
            line.add("site", site=spring.second)

    def _of(self, joint: Joint) -> list[TorsionalSpringDamper]:
        springs = (spring for spring in self._m.springs if isinstance(spring, TorsionalSpringDamper))
        return [spring for spring in springs if spring.joint == joint.name]

    def _spring(self, joint: Joint) -> dict[str, str]:
        """All springs of a joint as one."""
        springs = [spring for spring in self._of(joint) if spring.stiffness != 0]
        stiffness = sum((spring.stiffness for spring in springs), Fraction(0))
        if stiffness == 0:
            return {}
        rest = sum((spring.stiffness * spring.rest for spring in springs), Fraction(0)) / stiffness
        return {"stiffness": number(stiffness), "springref": number(rest)}

    def _sprung(self, joint: Joint) -> Joint:
        """A joint with the damping of its springs."""
        return replace(joint, damping=sum((spring.damping for spring in self._of(joint)), joint.damping))


def _place(placed: Placement) -> dict[str, str]:
    """Position and orientation of a body or site, as far as they are not those of its parent."""
    found = {}
    if placed.position != ZERO3:
        found["pos"] = numbers(placed.position)
    if placed.rotation != IDENTITY3:
        found["quat"] = numbers(quaternion_of(placed.rotation))
    return found


def _resistance(joint: Joint) -> dict[str, str]:
    given = {"damping": joint.damping, "frictionloss": joint.friction, "armature": joint.rotor_inertia}
    return {name: number(value) for name, value in given.items() if value != 0}


def _axes_stay_parallel(m: Mechanism, loop: Loop) -> bool:
    """Whether nothing in the tree turns one axis of a loop against the other, as in planar linkages."""
    random = np.random.default_rng(1983)
    names = moving_joints(m)
    ends = m.frame(loop.first), m.frame(loop.second)
    for _ in range(3):
        values = dict(zip(names, random.uniform(-1, 1, len(names)), strict=True))
        motions = body_motions(m, with_followers(m, values))
        one, other = (motions.frame_pose(end)[:3, 2] for end in ends)
        if np.abs(np.cross(one, other)).max() > _PARALLEL:
            return False
    return True
