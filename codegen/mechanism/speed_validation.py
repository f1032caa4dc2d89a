"""What can be wrong with the generalized speeds of a mechanism."""

from __future__ import annotations

from fractions import Fraction

from kanegen.codegen.mechanism.constraint_validation import Carriers, equation_count
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.speeds import (
    AngularVelocityComponent,
    DistanceRate,
    GeneralizedSpeed,
    JointRate,
)
from kanegen.codegen.mechanism.values import numeric
from kanegen.codegen.mechanism.vectors import dot
from kanegen.errors import ModelError, counted

_ROUNDED = Fraction(1, 10**12)
"""Directions may depart this much from unit length: doubles do."""


def speed_name(speed: GeneralizedSpeed) -> str:
    """How messages call a generalized speed."""
    if isinstance(speed, JointRate):
        return f"speed, rate of {speed.joint!r}"
    if isinstance(speed, AngularVelocityComponent):
        return f"speed, angular velocity of {speed.body!r}"
    if isinstance(speed, DistanceRate):
        return f"speed, rate of the distance from {speed.first!r} to {speed.second!r}"
    return f"speed, velocity of {speed.frame!r}"


def driven_joints(mechanism: Mechanism) -> tuple[str, ...]:
    """The joints whose rates are generalized speeds, in the order of the speeds: an actuator may act on these."""
    if not mechanism.speeds:
        return mechanism.rates
    return tuple(speed.joint for speed in mechanism.speeds if isinstance(speed, JointRate))


def check_speeds(mechanism: Mechanism) -> None:
    """Raise ModelError for generalized speeds that are missing, too many, too few, or not of this mechanism.

    That they are independent, and as many as the degrees of freedom where equations are redundant, takes numbers and is
    found when the mechanism is derived.
    """
    carriers = Carriers(mechanism)
    coordinates = mechanism.rates
    least = max(1, len(coordinates) - equation_count(mechanism))
    constrained = bool(mechanism.loops or mechanism.constraints)
    if not mechanism.speeds:
        if constrained:
            raise ModelError(
                "speeds",
                "are missing, though loops or constraints tie the coordinates together",
                f"as many independent speeds as the mechanism has degrees of freedom, {least} or more of the "
                f"{counted(len(coordinates), 'rate')} of {', '.join(map(repr, coordinates))} or of the components of "
                "velocities",
                f"Choose those that are driven, such as [JointRate({coordinates[0]!r})], in TOML "
                f'speeds = ["{coordinates[0]}"].',
            )
        return
    for index, speed in enumerate(mechanism.speeds):
        _check_speed(speed, carriers, mechanism)
        if _either_way(speed) in map(_either_way, mechanism.speeds[:index]):
            raise ModelError(speed_name(speed), "is given twice", "independent speeds", "Remove one.")
    count = len(mechanism.speeds)
    if not least <= count <= len(coordinates):
        most = f" to {len(coordinates)}" if constrained and least < len(coordinates) else ""
        raise ModelError(
            "speeds",
            f"are {count}",
            f"{least}{most}, as many as the mechanism has degrees of freedom",
            "Add what is missing, or remove what depends on the others.",
        )


def _either_way(speed: GeneralizedSpeed) -> GeneralizedSpeed:
    """The speed, with the ends of a distance in alphabetical order: it is the same both ways."""
    if isinstance(speed, DistanceRate):
        return DistanceRate(*sorted((speed.first, speed.second)))
    return speed


def _check_speed(speed: GeneralizedSpeed, carriers: Carriers, mechanism: Mechanism) -> None:
    where = speed_name(speed)
    if isinstance(speed, JointRate):
        if speed.joint not in mechanism.rates:
            raise ModelError(
                where,
                "is not the rate of a coordinate",
                f"one of {', '.join(map(repr, mechanism.rates))}",
                "Mend the joint's name.",
            )
        return
    if isinstance(speed, DistanceRate):
        carriers.check_pair(where, ("first frame", speed.first), ("second frame", speed.second))
        return
    length = numeric(dot(speed.direction, speed.direction), mechanism)
    if abs(length - 1) > 2 * _ROUNDED:
        shown = " ".join(f"{float(numeric(entry, mechanism)):.9g}" for entry in speed.direction)
        raise ModelError(
            f"{where}, direction", f"({shown}) is not a unit vector", "length 1", "Normalise it."
        )
    if isinstance(speed, AngularVelocityComponent):
        if speed.body not in {body.name for body in mechanism.bodies}:
            raise ModelError(
                where,
                f"{speed.body!r} is not a body",
                f"one of {', '.join(repr(body.name) for body in mechanism.bodies)}",
                "Mend the name.",
            )
        if carriers.of_body(speed.body) == BASE:
            raise ModelError(
                where, "that body is fixed to the base", "a body that can turn", "Choose another."
            )
    else:
        carriers.check_pair(where, ("frame", speed.frame), ("frame of reference", speed.relative_to))
