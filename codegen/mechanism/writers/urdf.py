"""URDF: trees of joints, with limits, losses and mimics.

The root link is ``base``, the fixed frame itself.  Frames and carriers are links without mass.  Numbers are doubles.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from kanegen.codegen.mechanism.findings import Finding
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.importers.urdf_mechanism import ROOT_JOINT
from kanegen.codegen.mechanism.records import (
    BASE,
    IDENTITY3,
    ZERO3,
    Body,
    Joint,
    JointKind,
    JointLimits,
    Matrix3,
    Mechanism,
    Vector3,
)
from kanegen.codegen.mechanism.rotations import angles_of
from kanegen.codegen.mechanism.writers.connections import Connection, carriers_of, connections
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

GRAVITY: Vector3 = (Fraction(0), Fraction(0), Fraction("-9.81"))
"""[m/s^2]: what readers of URDF take."""


def to_urdf(mechanism: Mechanism) -> Written:
    """The mechanism as a URDF, and what that cannot say of it.  Raises ModelError for names that XML cannot have."""
    m = with_numbers(mechanism)
    robot = Element("robot", {"name": m.name})
    implied = _implied(m)
    found = connections(m)
    whole = tuple(connection for connection in found if _is_one(connection, m))
    if implied is None:
        robot.add("link", name=BASE)
    hidden = carriers_of(whole)
    for body in sorted(m.bodies, key=lambda body: body.name != implied):  # the root comes first
        if body.name not in hidden:
            _link(robot, body)
    for connection in found:
        if connection in whole:
            _joint(robot, connection)
            continue
        for joint in connection.parts:
            if joint.child != implied:
                _simple(robot, joint, m)
    _frames(robot, m)
    return Written(robot.text(), (*unsaid_in_xml(mechanism, "URDF"), *_unsaid(m)))


def _implied(m: Mechanism) -> str | None:
    """The body that stands fixed where the base is, by the joint that readers of URDF give to a root link."""
    on_base = [joint for joint in m.joints if joint.parent == BASE]
    held = [f.name for f in m.frames if f.body == BASE]
    if len(on_base) != 1 or held:
        return None
    joint = on_base[0]
    plain = joint.kind is JointKind.FIXED and joint.rotation == IDENTITY3 and joint.position == ZERO3
    return joint.child if plain and joint.name == ROOT_JOINT else None


def _is_one(connection: Connection, m: Mechanism) -> bool:
    """Whether URDF has one joint for a joint of several freedoms."""
    leads = {part.name for part in connection.parts} & {mimic.leader for mimic in m.mimics}
    return connection.type == "floating" or (connection.type == "planar" and not leads)


def _link(robot: Element, body: Body) -> None:
    link = robot.add("link", name=body.name)
    inertia = body.inertia
    if inertia is None:
        return
    inertial = link.add("inertial")
    if inertia.center != ZERO3:
        inertial.add("origin", xyz=numbers(inertia.center))
    inertial.add("mass", value=number(inertia.mass))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tensor
    moments = {"ixx": xx, "iyy": yy, "izz": zz, "ixy": xy, "ixz": xz, "iyz": yz}
    inertial.add("inertia", **{name: number(moment) for name, moment in moments.items()})


def _joint(robot: Element, connection: Connection) -> Element:
    first, kind = connection.first, connection.type
    element = robot.add("joint", name=connection.name, type=kind)
    element.add("parent", link=connection.parent)
    element.add("child", link=connection.child)
    _origin(element, first.rotation, first.position)
    if kind not in ("fixed", "floating"):
        element.add("axis", xyz=numbers(connection.parts[-1].axis))  # that of a planar joint is its normal
    return element


def _simple(robot: Element, joint: Joint, m: Mechanism) -> None:
    """A joint of one freedom, or none."""
    limits = joint.limits or JointLimits()
    ranged = limits.lower is not None or limits.upper is not None
    kind = "continuous" if joint.kind is JointKind.REVOLUTE and not ranged else joint.kind.value
    element = _joint(robot, Connection(kind, joint.name, (joint,)))
    if kind == "fixed":
        return
    ends = (limits.lower, limits.upper) if kind != "continuous" else ()
    if kind != "continuous" or limits.velocity is not None or limits.effort is not None:
        # other readers insist on speed and force, and take a range that is not given for zero
        low, high = (f"{sign * UNLIMITED.value:g}" for sign in (-1, 1))
        bounds = zip(("lower", "upper"), ends, (low, high), strict=False)
        element.add(
            "limit",
            **{name: number(end) if end is not None else instead for name, end, instead in bounds},
            effort=high if limits.effort is None else number(limits.effort),
            velocity=high if limits.velocity is None else number(limits.velocity),
        )
    if joint.damping != 0 or joint.friction != 0:
        element.add("dynamics", damping=number(joint.damping), friction=number(joint.friction))
    for mimic in m.mimics:
        if mimic.joint == joint.name:
            element.add(
                "mimic",
                joint=mimic.leader,
                multiplier=number(mimic.multiplier),
                offset=number(mimic.offset),
            )


def _origin(element: Element, rotation: Matrix3, position: Vector3) -> None:
    turned = rotation != IDENTITY3
    if turned or position != ZERO3:
        element.add("origin", xyz=numbers(position), rpy=numbers(angles_of(rotation)) if turned else None)


def _frames(robot: Element, m: Mechanism) -> None:
    """A link without mass for each frame that is not a body's own."""
    bodies, joints = {BASE, *(body.name for body in m.bodies)}, {joint.name for joint in m.joints}
    for frame in m.frames:
        if frame.name in bodies:
            continue
        robot.add("link", name=frame.name)
        element = robot.add("joint", name=fresh(f"{frame.name}_joint", joints), type="fixed")
        element.add("parent", link=frame.body)
        element.add("child", link=frame.name)
        _origin(element, frame.rotation, frame.position)


def _unsaid(m: Mechanism) -> Iterator[Finding]:
    """What URDF lacks, beside what MJCF lacks as well."""
    expected = "what URDF can say"
    if m.gravity != GRAVITY:
        what = f"{numbers(m.gravity)} is left out: who reads a URDF takes {numbers(GRAVITY)}"
        yield unsaid("gravity", what, expected, "Give it to the program that reads the file.")
    for connection in connections(m):
        where = f"joint {connection.name!r}"
        if connection.type == "spherical":
            names = ", ".join(part.name for part in connection.parts)
            what = f"is three revolute joints in the file, about x, y and z: {names}"
            yield unsaid(where, what, "joints of URDF, none of which is spherical")
        elif connection.type == "floating" and any(resisted(part) for part in connection.parts):
            yield unsaid(where, "its damping, friction and rotor inertia are left out", expected)
    driven = [joint.name for joint in m.joints if joint.rotor_inertia != 0 and not joint.still]
    if driven:
        yield unsaid(several("joint", "joints", driven), "rotor inertia is left out", expected)
    trees = "a tree of joints"
    for loop in m.loops:
        yield unsaid(f"loop {loop.name!r}", "is left out: the file has the open tree", trees)
    for constraint in m.constraints:
        yield unsaid(f"constraint {constraint.name!r}", "is left out: the file has the tree alone", trees)
    for spring in m.springs:
        yield unsaid(f"spring {spring.name!r}", "is left out", expected)
    if m.home:
        yield unsaid("home", "is left out", expected)
    if m.actuators:
        listed = ", ".join(actuator.name for actuator in m.actuators)
        yield unsaid("actuators", f"{listed} are left out, with their signs", expected)
    yield from unsaid_order(m, moving_names(m), "URDF")
