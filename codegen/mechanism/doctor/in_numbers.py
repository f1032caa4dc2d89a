"""A model as the checks look at it: bodies and joints in numbers, whichever kind of description they come from."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.folding import mapped
from kanegen.codegen.mechanism.importers.urdf_records import UrdfJoint, UrdfRobot
from kanegen.codegen.mechanism.importers.xml_tree import Element
from kanegen.codegen.mechanism.poses import doubles
from kanegen.codegen.mechanism.records import Inertia, JointKind, JointLimits, Mechanism, Vector3
from kanegen.codegen.mechanism.validation.inertias import principal_moments
from kanegen.codegen.mechanism.values import numeric

_LONGEST = 5  # names that a message lists


def listed(names: list[str]) -> str:
    """The first names of a list, and how many more there are."""
    shown = ", ".join(map(repr, names[:_LONGEST]))
    return shown if len(names) <= _LONGEST else f"{shown} and {len(names) - _LONGEST} more"


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is described."""

    where: str
    file: str | None = None
    line: int | None = None

    def finding(self, severity: Severity, part: str, what: str, expected: str, cure: str) -> Finding:
        """A finding about a part of it ("mass"), or about it as a whole ("")."""
        where = f"{self.where}, {part}" if part else self.where
        return Finding(severity, where, what, expected, cure, self.file, self.line)


@dataclass(frozen=True, slots=True)
class CheckedBody:
    """A body: mass [kg], distance [m] of its mass centre from its origin, principal moments [kg m^2] ascending, and reach,
    the largest distance [m] from its origin to a joint on it.  ``mass`` None: no inertia is given.
    """

    name: str
    mass: float | None
    offset: float
    moments: tuple[float, float, float]
    reach: float
    moves: bool
    place: Place


@dataclass(frozen=True, slots=True)
class CheckedJoint:
    """A joint of one coordinate."""

    name: str
    turns: bool
    endless: bool
    limits: JointLimits | None
    resisted: bool
    leader: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class CheckedModel:
    """A model as the checks see it."""

    place: Place
    bodies: tuple[CheckedBody, ...]
    joints: tuple[CheckedJoint, ...]


def of_mechanism(mechanism: Mechanism) -> CheckedModel:
    """A mechanism in numbers; bodies that only link parts of joints are left out."""
    reach = dict.fromkeys([joint.parent for joint in mechanism.joints], 0.0)
    moves: dict[str, bool] = {}
    for joint in mechanism.joints:  # every parent precedes its children
        reach[joint.parent] = max(reach[joint.parent], _length(joint.position, mechanism))
        moves[joint.child] = joint.kind is not JointKind.FIXED or moves.get(joint.parent, False)
    bodies = []
    for body in mechanism.bodies:
        if not body.carrier:
            mass, offset, moments = _inertia(body.inertia, mechanism)
            at = Place(f"body {body.name!r}")
            bodies.append(
                CheckedBody(body.name, mass, offset, moments, reach.get(body.name, 0.0), moves[body.name], at)
            )
    leaders = {mimic.joint: mimic.leader for mimic in mechanism.mimics}
    joints = tuple(
        CheckedJoint(
            joint.name,
            joint.kind is JointKind.REVOLUTE,
            True,  # limits are nothing that a mechanism described otherwise must have
            joint.limits,
            joint.damping != 0 or joint.friction != 0,
            leaders.get(joint.name),
            Place(f"joint {joint.name!r}"),
        )
        for joint in mechanism.joints
        if joint.kind is not JointKind.FIXED and not joint.still
    )
    return CheckedModel(Place(f"mechanism {mechanism.name!r}"), tuple(bodies), joints)


def of_urdf(robot: UrdfRobot, floating_base: bool) -> CheckedModel:
    """The records of a URDF in numbers; they need not form a tree."""
    reach: dict[str, float] = {}
    for joint in robot.joints:
        distance = math.hypot(*(float(x) for x in joint.origin.position))
        reach[joint.parent] = max(reach.get(joint.parent, 0.0), distance)
    carried = _carried(robot.joints)
    bodies = []
    for link in robot.links:
        inertial = link.inertial
        at = _place(f"link {link.name!r}", link.element if inertial is None else inertial.element)
        moves = floating_base or link.name in carried
        mass, offset, moments = None, 0.0, (0.0, 0.0, 0.0)
        if inertial is not None:
            mass = float(inertial.mass)
            offset = math.hypot(*(float(x) for x in inertial.origin.position))
            moments = principal_moments(inertial.tensor)
        bodies.append(CheckedBody(link.name, mass, offset, moments, reach.get(link.name, 0.0), moves, at))
    joints = tuple(
        CheckedJoint(
            joint.name,
            joint.type != "prismatic",
            joint.type == "continuous",
            joint.limits,
            bool(joint.damping or joint.friction),
            None if joint.mimic is None else joint.mimic.leader,
            _place(f"joint {joint.name!r}", joint.element),
        )
        for joint in robot.joints
        if joint.type in ("revolute", "continuous", "prismatic")
    )
    return CheckedModel(_place(f"robot {robot.name!r}", robot.element), tuple(bodies), joints)


def _carried(joints: tuple[UrdfJoint, ...]) -> set[str]:
    """The links that some joint can move."""
    carried = {joint.child for joint in joints if joint.type != "fixed"}
    below: dict[str, list[str]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint.child)
    stack = list(carried)
    while stack:
        for child in below.get(stack.pop(), ()):
            if child not in carried:
                carried.add(child)
                stack.append(child)
    return carried


def _place(where: str, element: Element) -> Place:
    return Place(where, element.file, element.line)


def _inertia(
    inertia: Inertia | None, mechanism: Mechanism
) -> tuple[float | None, float, tuple[float, float, float]]:
    if inertia is None:
        return None, 0.0, (0.0, 0.0, 0.0)
    tensor = mapped(inertia.tensor, lambda value: numeric(value, mechanism))
    mass = float(numeric(inertia.mass, mechanism))
    return mass, _length(inertia.center, mechanism), principal_moments(tensor)


def _length(vector: Vector3, mechanism: Mechanism) -> float:
    return math.hypot(*doubles(vector, mechanism))
