"""What can be wrong with joints: limits, drives, joints that follow others, ball joints, and the list of coordinates."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.poses import moving_joints
from kanegen.codegen.mechanism.readers import read_value
from kanegen.codegen.mechanism.records import BallJoint, Joint, JointKind, JointLimits, Mechanism, Mimic
from kanegen.codegen.mechanism.values import numeric
from kanegen.errors import ModelError, shown
from kanegen.limits import LARGEST_NUMBER, UNLIMITED

_RANGE, _SIZES = ("lower", "upper"), ("velocity", "effort")
_NO_LIMIT_IN_SDF = -1
INFINITE = LARGEST_NUMBER.value
"""What stands for an infinite number where limits are read: no finite one is as large."""


def read_limits(
    where: str, limits: JointLimits, file: str | None = None, line: int | None = None
) -> tuple[JointLimits, tuple[Finding, ...]]:
    """The limits that a joint can reach, and what was left out of those that the element ``where`` gives.

    Programs that know no infinity write the largest number that they have; -1 for a speed or a force is SDF's way.
    """
    found = []
    for name in (*_RANGE, *_SIZES):
        value: Fraction | None = getattr(limits, name)
        if value is None:
            continue
        shown = "infinite" if abs(value) >= INFINITE else f"{float(value):.9g}"
        severity, what, cure = Severity.NOTE, "", "Nothing: such a joint has no limit."
        if _beyond_all(name, value):
            severity, what, cure = (
                Severity.WARNING,
                f"is {shown}, which no joint can keep, and was left out",
                "Mend its sign.",
            )
        elif abs(value) >= UNLIMITED.value or (name in _SIZES and value == _NO_LIMIT_IN_SDF):
            what = "" if shown == "infinite" else f"is {shown}, which is taken for no limit"
        elif name in _SIZES and value < 0:
            severity, what, cure = (
                Severity.WARNING,
                f"is negative, {shown}, and was left out",
                "Give its size.",
            )
        else:
            continue
        limits = replace(limits, **{name: None})
        expected = f"a size of less than {UNLIMITED.value:.0e}, or none"
        if what:
            found.append(Finding(severity, f"{where} {name}", what, expected, cure, file, line))
    return limits, tuple(found)


def exact_limits(where: str, limits: JointLimits | None) -> JointLimits | None:
    """Limits of any numbers, as people give them, in exact ones; infinite ones are none.

    Raises ModelError for what is no number, depends on parameters, or is a negative speed or force.
    """
    if limits is None:
        return None
    if not isinstance(limits, JointLimits):
        raise ModelError(
            f"{where}, limits",
            f"is {shown(limits)}",
            "JointLimits(lower, upper, velocity, effort)",
            "Give one of these.",
        )
    values = {name: _exact(f"{where}, limits, {name}", getattr(limits, name)) for name in (*_RANGE, *_SIZES)}
    for name, value in values.items():
        if value is not None and (_beyond_all(name, value) or (name in _SIZES and value == -INFINITE)):
            raise ModelError(
                f"{where}, limits, {name}",
                f"is {shown(getattr(limits, name))}, which no joint can keep",
                "a lower limit that a joint can be above, an upper one below, and sizes of speed and force",
                "Mend its sign, or give None for no limit.",
            )
    exact = JointLimits(**values)
    check_limits(where, exact)
    return read_limits(where, exact)[0]


def check_limits(where: str, limits: JointLimits) -> None:
    """Raise ModelError for limits that are no exact numbers, contradict each other, or are negative speeds or forces."""
    for name in (*_RANGE, *_SIZES):
        value = getattr(limits, name)
        if value is not None and not isinstance(value, Fraction):
            raise ModelError(
                f"{where}, limits, {name}",
                f"{shown(value)} is not an exact number",
                "a Fraction, or None for no limit",
                "Use values.to_value, or MechanismBuilder, which takes any numbers.",
            )
        if name in _SIZES and value is not None and value < 0:
            raise ModelError(
                f"{where}, limits, {name}",
                f"is negative, {float(value)!r}",
                "a size, or None for no limit",
                "Mend its sign: it holds in both directions.",
            )
    if limits.lower is not None and limits.upper is not None and limits.lower > limits.upper:
        raise ModelError(
            f"{where}, limits",
            f"the lower one, {float(limits.lower)!r}, is above the upper one, {float(limits.upper)!r}",
            "lower <= upper",
            "Exchange them.",
        )


def _beyond_all(name: str, value: Fraction) -> bool:
    """Whether no joint could be anywhere: a lower limit as large as none, or an upper one as small."""
    return (name == "lower" and value >= UNLIMITED.value) or (name == "upper" and value <= -UNLIMITED.value)


def _exact(where: str, value: Any) -> Fraction | None:
    if value is None:
        return None
    if isinstance(value, float) and math.isinf(value):
        return Fraction(INFINITE if value > 0 else -INFINITE)
    exact = read_value(where, value)
    if isinstance(exact, Expression):
        raise ModelError(where, "depends on parameters", "a number", "Give the number.")
    return exact


def check_drives(mechanism: Mechanism) -> None:
    """Raise ModelError for rotor inertias, damping or friction below zero, and for limits that cannot be kept."""
    for joint in mechanism.joints:
        where = f"joint {joint.name!r}"
        for what in ("rotor_inertia", "damping", "friction"):
            value = numeric(getattr(joint, what), mechanism)
            if value < 0:
                raise ModelError(
                    f"{where}, {what.replace('_', ' ')}",
                    f"is negative, {float(value)!r}",
                    "at least 0",
                    "Mend its sign.",
                )
        if joint.limits is not None:
            check_limits(where, joint.limits)


def check_mimics(mechanism: Mechanism) -> None:
    """Raise ModelError for joints that follow what does not lead."""
    movable = moving_joints(mechanism)
    by_joint: dict[str, Mimic] = {}
    for mimic in mechanism.mimics:
        where = f"mimic joint {mimic.joint!r}"
        for role, name in (("it", mimic.joint), ("its leader", mimic.leader)):
            if name not in movable or mechanism.joint(name).still:
                raise ModelError(
                    where,
                    f"{role} is no movable joint" + ("" if role == "it" else f", {name!r}"),
                    f"one of {', '.join(map(repr, movable))}",
                    "Mend the name.",
                )
            if any(name in ball.joints for ball in mechanism.balls):
                raise ModelError(
                    where, f"{name!r} is part of a ball joint", "a joint of one coordinate", "Leave it free."
                )
        if mimic.joint in by_joint:
            raise ModelError(where, "follows twice", "one leader", "Remove one of the two.")
        by_joint[mimic.joint] = mimic
    for mimic in mechanism.mimics:
        seen = [mimic.joint]
        while seen[-1] in by_joint:
            following = by_joint[seen[-1]].leader
            if following in seen:
                ring = ", ".join(map(repr, seen[seen.index(following) :]))
                raise ModelError(
                    f"mimic joints {ring}",
                    "follow one another in a circle",
                    "a leader that moves by itself",
                    "Let one of them be free.",
                )
            seen.append(following)
        if any(p.joint in seen for p in mechanism.prescribed):
            raise ModelError(
                f"mimic joint {mimic.joint!r}",
                "follows a prescribed joint",
                "a leader that is a coordinate",
                "Prescribe its own rate instead.",
            )


def check_balls(mechanism: Mechanism) -> None:
    """Raise ModelError for ball joints whose chains are not as they must be, or that stand beside what cannot have them."""
    joints = {joint.name: joint for joint in mechanism.joints}
    for ball in mechanism.balls:
        where = f"ball joint {ball.name!r}"
        if not all(name in joints for name in ball.joints) or not _is_chain(ball, joints):
            raise ModelError(
                where,
                f"its joints {', '.join(ball.joints)} are no chain about its axes",
                "what MechanismBuilder.spherical or floating make",
                "Describe it with the builder.",
            )
        shifting = [joints[name].rotor_inertia for name in ball.joints[:3]]
        if ball.free and any(numeric(rotor - shifting[0], mechanism) != 0 for rotor in shifting):
            listed = ", ".join(f"{float(numeric(rotor, mechanism)):g}" for rotor in shifting)
            raise ModelError(
                f"{where}, rotor inertia",
                f"is {listed} kg along x, y and z",
                "the same along all three: what resists the speed of a free body has no axes",
                "Give one value, or three slides instead of the free joint.",
            )


def _is_chain(ball: BallJoint, joints: dict[str, Joint]) -> bool:
    chain = [joints[name] for name in ball.joints]
    kinds = [JointKind.PRISMATIC] * (3 if ball.free else 0) + [JointKind.REVOLUTE] * 3
    axes = [tuple(Fraction(int(k % 3 == i)) for i in range(3)) for k in range(len(kinds))]
    linked = all(
        below.parent == above.child
        and all(x == 0 for x in below.position)
        and all(below.rotation[r][c] == (r == c) for r in range(3) for c in range(3))
        for above, below in pairwise(chain)
    )
    return linked and [j.kind for j in chain] == kinds and [j.axis for j in chain] == axes


def check_coordinates(mechanism: Mechanism) -> None:
    """Raise ModelError where the coordinates are not all that can move by itself, once each, balls in one piece."""
    given = {*mechanism.prescribed_joints} | {m.joint for m in mechanism.mimics}
    inner = mechanism.ball_parts
    free = [name for name in moving_joints(mechanism) if name not in {*given, *inner}]
    whole = [name for ball in mechanism.balls for name in ball.coordinates] + list(mechanism.modes)
    if not free and not whole:
        raise ModelError(
            f"mechanism {mechanism.name!r}",
            "nothing in it can move",
            "at least one joint that is not fixed",
            "Add one.",
        )
    names = mechanism.coordinates
    if sorted(names) != sorted(free + whole):
        raise ModelError(
            "coordinates",
            f"are {', '.join(map(repr, names)) or '(none)'}",
            f"each of the {'' if whole else 'movable joints '}{', '.join(map(repr, free + whole))} once",
            "List every one of them, and no other, in the order wanted.",
        )
    for ball in mechanism.balls:
        first = names.index(ball.coordinates[0])
        if names[first : first + len(ball.coordinates)] != ball.coordinates:
            raise ModelError(
                "coordinates",
                f"those of the ball joint {ball.name!r} are apart or out of order",
                ", ".join(ball.coordinates),
                "Keep them together in this order.",
            )
