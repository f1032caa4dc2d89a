"""Joints that are held: their links become parts of what carries them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import PositionConstraint
from kanegen.codegen.mechanism.edits.remaining import Remaining
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.poses import moving_joints
from kanegen.codegen.mechanism.readers import read_number
from kanegen.codegen.mechanism.records import ZERO3, BallJoint, Joint, JointKind, Mechanism, Value
from kanegen.codegen.mechanism.references import by_names
from kanegen.codegen.mechanism.rotations import rotation_of_quaternion, turned
from kanegen.codegen.mechanism.rounded_angles import AngleRule
from kanegen.codegen.mechanism.values import numeric, plain, to_value
from kanegen.codegen.mechanism.vectors import add, matrix_multiply, matrix_vector, scale
from kanegen.errors import ModelError, did_you_mean

_UNIT = 1e-6
"""How far the length of a quaternion may be from 1: numbers written with few digits are."""


def locked(
    mechanism: Mechanism, values: Mapping[str, Sequence[float]], angles: AngleRule, findings: list[Finding]
) -> Mechanism:
    """The mechanism with joints held at these values [rad, m], ball joints at their coordinates.

    A held joint is fixed: no coordinate, no speed, no drive.  What follows it is held, too, at the value that it has there,
    and so is a joint that an equation of position ties to held ones alone.  Raises ModelError for what cannot be held.
    ``angles`` says what decimals of angles mean.
    """
    balls = {ball.name: ball for ball in mechanism.balls}
    held: dict[str, Value] = {}
    of_balls: dict[str, tuple[Fraction, ...]] = {}
    for name, given in values.items():
        numbers = tuple(read_number(f"lock {name!r}", x) for x in given)
        _check(mechanism, name, numbers)
        if name in balls:
            of_balls[name] = numbers
        else:
            turns = mechanism.joint(name).kind is JointKind.REVOLUTE
            held[name] = angles.meant(numbers[0]) if turns else numbers[0]
    _hold_what_follows(mechanism, held, findings)
    for name in held:
        _tell_limits(mechanism.joint(name), held[name], mechanism, findings)
    joints = [_held(joint, held[joint.name]) if joint.name in held else joint for joint in mechanism.joints]
    for name, numbers in of_balls.items():
        joints = _without_chain(joints, balls[name], numbers)
    left = {joint.child for joint in joints}
    after = replace(
        mechanism,
        joints=tuple(joints),
        bodies=tuple(body for body in mechanism.bodies if body.name in left),
        balls=tuple(ball for ball in mechanism.balls if ball.name not in of_balls),
        mimics=tuple(mimic for mimic in mechanism.mimics if mimic.joint not in held),
    )
    coordinates = dict(held)
    for name, numbers in of_balls.items():
        coordinates |= dict(zip(balls[name].coordinates, numbers, strict=True))
    change = f"lock {', '.join(map(repr, values))}"
    return Remaining(mechanism, after, _rationals(mechanism, coordinates), change, findings).mechanism()


def _check(mechanism: Mechanism, name: str, numbers: tuple[Fraction, ...]) -> None:
    """Raise ModelError for what is no joint that can be held, or for numbers that are not its coordinates."""
    where = f"lock {name!r}"
    balls = {ball.name: ball for ball in mechanism.balls}
    chains = {joint: ball.name for ball in mechanism.balls for joint in ball.joints}
    own = [joint for joint in moving_joints(mechanism) if joint not in chains]
    known = [*own, *balls]
    if name in balls:
        count = len(balls[name].coordinates)
        length = sum((x * x for x in numbers[-4:]), Fraction(0))
        if len(numbers) != count or abs(length - 1) > 2 * _UNIT:
            names = ", ".join(balls[name].coordinates)
            raise ModelError(
                where,
                f"is given {len(numbers)} numbers" if len(numbers) != count else "has no unit quaternion",
                f"{names}, of which the last four are a unit quaternion",
                "Give these numbers.",
            )
        return
    if name not in own:
        kinds = {joint.name: "is a joint that is fixed already" for joint in mechanism.joints}
        kinds |= dict.fromkeys(mechanism.modes, "is a mode of a flexible link")
        kinds |= {joint: f"is a part of the ball joint {ball!r}" for joint, ball in chains.items()}
        cure = f"Lock {chains[name]!r}." if name in chains else "Give one of these."
        raise ModelError(
            where,
            kinds.get(name, "is the name of no joint"),
            f"one of {', '.join(map(repr, known))}",
            cure if name in kinds else did_you_mean(name, known, cure),
        )
    if len(numbers) != 1:
        raise ModelError(where, f"is given {len(numbers)} numbers", "one [rad, m]", "Give its coordinate.")
    if any(given.joint == name for given in mechanism.prescribed):
        raise ModelError(
            where,
            "is a joint that moves as prescribed",
            "a joint whose coordinate is free",
            "Leave it out: it stands at zero already, and moves at its rate.",
        )
    for mimic in mechanism.mimics:
        if mimic.joint == name:
            leader = mechanism.followed(name).leader
            raise ModelError(
                where,
                f"follows {leader!r}",
                "a joint that moves by itself",
                f"Lock {leader!r}: it stops, too.",
            )


def _hold_what_follows(mechanism: Mechanism, held: dict[str, Value], findings: list[Finding]) -> None:
    """Add what follows held joints, and what an equation of position ties to these alone.

    A warning where the equation has parameters: what it ties is held where it is at their numbers.
    """
    for mimic in mechanism.mimics:
        end = mechanism.followed(mimic.joint)
        if end.leader in held:
            held[mimic.joint] = plain(end.multiplier * held[end.leader] + end.offset)
    numbers = {p.name: sympy.Rational(*p.value.as_integer_ratio()) for p in mechanism.parameters}
    equations = [item for item in by_names(mechanism).constraints if isinstance(item, PositionConstraint)]
    movable, before = {*moving_joints(mechanism)}, -1
    while before != len(held):
        before = len(held)
        values = _rationals(mechanism, held) | numbers
        for item in equations:
            known = {s: values[s.name] for s in item.expression.free_symbols if s.name in values}
            rest = item.expression.xreplace(known)
            if len(rest.free_symbols) == 1 and (symbol := rest.free_symbols.pop()).name in movable:
                linear = sympy.Poly(rest, symbol) if rest.is_polynomial(symbol) else None
                if linear is not None and linear.degree() == 1:
                    slope, offset = linear.all_coeffs()
                    held[symbol.name] = to_value(-offset / slope)
                    _tell_parameters(item, symbol.name, {s.name for s in known} & {*numbers}, findings)
                    break


def _tell_parameters(
    item: PositionConstraint, joint: str, parameters: Collection[str], findings: list[Finding]
) -> None:
    """A warning where a joint is held by an equation with these parameters, other values of which do not move it."""
    if parameters:
        names = ", ".join(map(repr, sorted(parameters)))
        findings.append(
            Finding(
                Severity.WARNING,
                f"joint {joint!r}",
                f"is held by the equation {item.name!r} at the present values of {names}",
                "an equation without parameters",
                "Other values of them do not move it: lock it where it is to stand.",
            )
        )


def _tell_limits(joint: Joint, value: Value, mechanism: Mechanism, findings: list[Finding]) -> None:
    """A warning where a joint is held beyond its limits, which nothing enforces."""
    at, limits = numeric(value, mechanism), joint.limits
    if limits is None:
        return
    low, high = limits.lower, limits.upper
    if (low is not None and at < low) or (high is not None and at > high):
        bounds = " to ".join("any" if x is None else f"{float(x):.6g}" for x in (low, high))
        findings.append(
            Finding(
                Severity.WARNING,
                f"joint {joint.name!r}",
                f"is held at {float(at):.6g}, beyond its limits",
                bounds,
                "Check the value and its unit, rad or m.",
            )
        )


def _held(joint: Joint, value: Value) -> Joint:
    """The joint fixed where its coordinate has a value."""
    rotation, position = joint.rotation, joint.position
    if joint.kind is JointKind.REVOLUTE:
        rotation = matrix_multiply(rotation, turned(joint.axis, value))
    else:
        position = add(position, matrix_vector(rotation, scale(value, joint.axis)))
    return Joint(joint.name, JointKind.FIXED, joint.parent, joint.child, rotation, position, joint.axis)


def _without_chain(joints: Sequence[Joint], ball: BallJoint, q: tuple[Fraction, ...]) -> list[Joint]:
    """The joints with one that is fixed in place of the chain of a ball joint, with its coordinates q."""
    chain = [joint for joint in joints if joint.name in ball.joints]
    first, last = chain[0], chain[-1]
    shift = (q[0], q[1], q[2]) if ball.free else ZERO3
    fixed = Joint(
        ball.name,
        JointKind.FIXED,
        first.parent,
        last.child,
        matrix_multiply(first.rotation, rotation_of_quaternion(q[-4:])),
        add(first.position, matrix_vector(first.rotation, shift)),
        first.axis,
    )
    return [fixed if joint is first else joint for joint in joints if joint is first or joint not in chain]


def _rationals(mechanism: Mechanism, values: Mapping[str, Value]) -> dict[str, sympy.Expr]:
    """Values as numbers of SymPy."""
    return {name: sympy.Rational(*numeric(x, mechanism).as_integer_ratio()) for name, x in values.items()}
