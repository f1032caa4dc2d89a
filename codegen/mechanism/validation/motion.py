"""What can be wrong with the prescribed joints and the springs of a mechanism."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import (
    KnifeEdge,
    PrescribedMotion,
    PrescribedRate,
    RollingContact,
    SpringDamper,
    TranslationalSpringDamper,
)
from kanegen.codegen.mechanism.force_elements import Bushing, ForceElement, coordinates_of, lines_of, tied_by
from kanegen.codegen.mechanism.poses import body_motions, moving_joints, with_followers
from kanegen.codegen.mechanism.records import BASE, Joint, JointKind, Matrix3, Mechanism, Vector3
from kanegen.codegen.mechanism.speeds import DistanceRate, PointVelocityComponent
from kanegen.codegen.mechanism.validation.constraints import Carriers, check_written
from kanegen.codegen.mechanism.validation.exact import title_of
from kanegen.codegen.mechanism.validation.force_elements import check_element, sizes_of, stiffnesses
from kanegen.codegen.mechanism.validation.inertias import ROUNDED
from kanegen.codegen.mechanism.values import numeric
from kanegen.codegen.mechanism.vectors import cross, dot, matrix_multiply, matrix_vector
from kanegen.errors import ModelError

_STATES = 3
"""Configurations in which the ends of springs are looked at; two points that meet by chance do not in all of them."""

_MEETING = 1e-13
"""Of their distance from the base: points that meet are apart by some hundred roundings at most."""


def check_prescribed(mechanism: Mechanism) -> None:
    """Raise ModelError for the first prescribed joint that there is not, that cannot move, or that is a coordinate too."""
    seen: set[str] = set()
    for given in mechanism.prescribed:
        where = f"prescribed joint {given.joint!r}"
        joint = next((joint for joint in mechanism.joints if joint.name == given.joint), None)
        movable = moving_joints(mechanism)
        if joint is None or joint.name not in movable:
            raise ModelError(
                where,
                "is not a joint" if joint is None else "is fixed",
                f"one of {', '.join(map(repr, movable))}",
                "Mend the joint's name.",
            )
        if given.joint in seen:
            raise ModelError(where, "is given twice", "one rate for each joint", "Remove one.")
        if given.joint in mechanism.coordinates:
            raise ModelError(
                where,
                "is among the coordinates",
                "a joint that is no coordinate",
                "Take it out of the coordinates, or out of the prescribed joints.",
            )
        seen.add(given.joint)
        if isinstance(given, PrescribedMotion):
            if not isinstance(given.time, sympy.Symbol):
                raise ModelError(where, f"has {given.time!r} for time", "a SymPy Symbol", "Use sympy.Symbol.")
            check_written(where, given.expression, (given.time,), mechanism)


def check_steady_motion(mechanism: Mechanism) -> None:
    """Raise ModelError for the first prescribed rate with which something would depend on how far the joint has moved.

    A prescribed joint counts as standing at zero although it moves.  That is right where the motion looks the same from
    its child however far it has gone: the joint must hang on the base, without joints in between that move by themselves
    or turn; gravity must look the same, and nothing may tie what it carries to what stays behind.  A rate that depends on
    parameters counts as one other than zero.  Expects that all names are known.
    """
    for given in mechanism.prescribed:
        if isinstance(given, PrescribedRate) and given.rate != 0:
            _check_steady(given, mechanism)


def _check_steady(given: PrescribedRate, mechanism: Mechanism) -> None:
    where = f"prescribed joint {given.joint!r}"
    joint = mechanism.joint(given.joint)
    rotation = _base_rotation(where, joint, mechanism)
    axis = _numbers(matrix_vector(rotation, joint.axis), mechanism)
    gravity = _numbers(mechanism.gravity, mechanism)
    if joint.kind is JointKind.REVOLUTE:
        bent = cross(axis, gravity)
        square, needed = dot(bent, bent), "an axis along gravity"
    else:
        along = dot(axis, gravity)
        square, needed = along * along, "an axis perpendicular to gravity"
    if numeric(square, mechanism) > ROUNDED**2 * numeric(dot(gravity, gravity), mechanism):
        raise ModelError(
            where,
            "moves at a rate, and its axis is such that gravity does other work the further it has moved",
            f"{needed}, no gravity, or the rate 0",
            "Make the joint a coordinate and drive it by its force, or let it rest.",
        )
    _check_ties(where, joint, mechanism)


def _base_rotation(where: str, joint: Joint, mechanism: Mechanism) -> Matrix3:
    """The rotation of a joint's frame in the base.  Raises ModelError where joints on the way move or turn."""
    above = {joint.child: joint for joint in mechanism.joints}
    rates = mechanism.steady_joints
    rotation = joint.rotation
    body = joint.parent
    while body != BASE:
        carrier = above[body]
        steady = carrier.kind is JointKind.FIXED or (
            carrier.name in rates and (carrier.kind is JointKind.PRISMATIC or rates[carrier.name] == 0)
        )
        if not steady:
            raise ModelError(
                where,
                f"moves at a rate and hangs on the joint {carrier.name!r}, which moves what it carries about",
                "a joint that hangs on the base by fixed joints, prescribed ones of rate 0 and prescribed slides alone",
                "Make one of the two a coordinate and drive it by its force, or let it rest.",
            )
        rotation = matrix_multiply(carrier.rotation, rotation)
        body = carrier.parent
    return rotation


def _check_ties(where: str, joint: Joint, mechanism: Mechanism) -> None:
    """That nothing ties what the joint carries to what it does not."""
    carried = {joint.child}
    for other in mechanism.joints:
        if other.parent in carried:
            carried.add(other.child)
    carriers = _bodies_to_base(joint, mechanism)
    for what, first, second, of_velocity in _ties(mechanism):
        body, reference = mechanism.frame(first).body, mechanism.frame(second).body
        # a velocity relative to what the joint hangs on, along a direction that moves along, stays the same
        unchanged = of_velocity and body in carried and reference in carriers
        if (body in carried) != (reference in carried) and not unchanged:
            raise ModelError(
                where,
                f"moves at a rate, and {what} ties {first!r} to {second!r} across it",
                "both frames on what the joint carries, or neither",
                "Make the joint a coordinate and drive it by its force, or let it rest.",
            )


def _bodies_to_base(joint: Joint, mechanism: Mechanism) -> set[str]:
    """The bodies on which a joint hangs, and the base."""
    above = {joint.child: joint for joint in mechanism.joints}
    bodies = {BASE}
    body = joint.parent
    while body != BASE:
        bodies.add(body)
        body = above[body].parent
    return bodies


def _ties(mechanism: Mechanism) -> Iterator[tuple[str, str, str, bool]]:
    """Everything that depends on two frames: what it is, their names, and whether it is a velocity along the first one."""
    for loop in mechanism.loops:
        yield title_of(loop), loop.first, loop.second, False
    for constraint in mechanism.constraints:
        if isinstance(constraint, RollingContact):
            yield title_of(constraint), constraint.wheel, constraint.ground, False
            if constraint.contact is not None:
                yield title_of(constraint), constraint.wheel, constraint.contact, False
        elif isinstance(constraint, KnifeEdge):
            yield title_of(constraint), constraint.edge, constraint.ground, True
    for speed in mechanism.speeds:
        if isinstance(speed, PointVelocityComponent):
            yield "a generalized speed", speed.frame, speed.relative_to, True
        elif isinstance(speed, DistanceRate):
            yield "a generalized speed", speed.first, speed.second, False
    for spring in mechanism.springs:
        for first, second in tied_by(spring):
            yield f"spring {spring.name!r}", first, second, False


def check_springs(mechanism: Mechanism) -> None:
    """Raise ModelError for the first spring or damper that does not fit the mechanism."""
    carriers = Carriers(mechanism)
    of_balls = {name for ball in mechanism.balls for name in ball.coordinates}
    turning = (
        *(name for name in mechanism.coordinates if name not in of_balls),
        *(mimic.joint for mimic in mechanism.mimics),
    )
    for spring in mechanism.springs:
        where = f"spring {spring.name!r}"
        for what, value in _spring_numbers(spring, mechanism):
            if value < 0:
                raise ModelError(
                    where,
                    f"its {what} is {float(value)!r}",
                    "0 or more",
                    "Mend its sign: a positive one resists.",
                )
        if isinstance(spring, ForceElement):
            check_element(where, spring, mechanism)
        for joint, _ in coordinates_of(spring):
            if joint not in turning:
                raise ModelError(
                    where,
                    f"acts on {joint!r}, which is no coordinate and follows none",
                    f"one of {', '.join(map(repr, turning))}",
                    "Mend the joint's name.",
                )
        if isinstance(spring, ForceElement):
            carried = {carriers.of_frame(where, "frame", end) for line in lines_of(spring) for end in line}
            if len(carried) == 1:
                raise ModelError(
                    where,
                    f"runs through frames that are all fixed in {carried.pop()!r}",
                    "frames on two bodies or more that move relative to each other",
                    "Mend one of the names.",
                )
        elif isinstance(spring, TranslationalSpringDamper | Bushing):
            carriers.check_pair(where, ("first frame", spring.first), ("second frame", spring.second))
    _check_ends(mechanism)


def _check_ends(mechanism: Mechanism) -> None:
    """Raise ModelError for a spring that never has a direction, since no joint moves its ends apart."""
    springs = [
        (spring.name, *ends)
        for spring in mechanism.springs
        if not isinstance(spring, TranslationalSpringDamper)
        or numeric(spring.damping, mechanism)
        or (numeric(spring.rest, mechanism) and numeric(spring.stiffness, mechanism))
        for ends in lines_of(spring)
    ]
    if not springs:
        return
    held = mechanism.steady_joints
    moving = [
        name for name in moving_joints(mechanism) if name not in held
    ]  # those within ball joints as well
    frames = [(mechanism.frame(first), mechanism.frame(second)) for _, first, second in springs]
    states = [{name: math.cos(k + 7 * s) for k, name in enumerate(moving)} for s in range(_STATES)]
    motions = [body_motions(mechanism, with_followers(mechanism, state)) for state in states]
    for (name, first, second), pair in zip(springs, frames, strict=True):
        ends = np.array([[motion.frame_pose(end)[:3, 3] for end in pair] for motion in motions])
        apart = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).max()
        if apart <= _MEETING * np.abs(ends).max():
            raise ModelError(
                f"spring {name!r}",
                f"its ends {first!r} and {second!r} meet in every configuration, so that its force has no "
                "direction: no joint between them moves one away from the other, as where both lie on a hinge's axis",
                "two points that move apart, or rest length 0 without a damper",
                "Move one of the frames off the axis, or take the spring out.",
            )


def _spring_numbers(spring: SpringDamper, mechanism: Mechanism) -> Iterator[tuple[str, Fraction]]:
    """What may not be negative."""
    if isinstance(spring, Bushing):
        yield from stiffnesses(spring, mechanism)
        return
    if isinstance(spring, ForceElement):
        yield from sizes_of(spring, mechanism)
        return
    yield "stiffness", numeric(spring.stiffness, mechanism)
    yield "damping", numeric(spring.damping, mechanism)
    if isinstance(spring, TranslationalSpringDamper):
        yield "length at rest", numeric(spring.rest, mechanism)


def _numbers(vector: Vector3, mechanism: Mechanism) -> tuple[Fraction, Fraction, Fraction]:
    x, y, z = (numeric(entry, mechanism) for entry in vector)
    return x, y, z
