"""Generalized speeds of a placed tree: which coordinate or which body each one speaks of, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.graph import vectors as vec
from kanegen.codegen.mechanism.errors import ModelError
from kanegen.codegen.mechanism.records import Mechanism, Value
from kanegen.codegen.mechanism.speeds import AngularVelocityComponent, GeneralizedSpeed, JointRate

_UNIT_WITHIN = Fraction(1, 10**12)


@dataclass(frozen=True, slots=True)
class ResolvedSpeed:
    """A speed of a placed tree.

    Either the rate of coordinate number ``coordinate``, or, where that is None, the component of the angular
    velocity of body number ``body`` along ``direction``, a unit vector in the placed axes of that body.
    """

    coordinate: int | None
    body: int
    direction: tuple[Value, Value, Value]

    def axis(self) -> int | None:
        """The placed coordinate axis along which the direction lies, None where it lies between them."""
        nonzero = [k for k in range(3) if self.direction[k] != 0]
        return nonzero[0] if len(nonzero) == 1 else None


def joint_rates(mechanism: Mechanism) -> tuple[GeneralizedSpeed, ...]:
    """The plain speeds u_r = q'_r."""
    return tuple(JointRate(name) for name in mechanism.coordinates)


def resolve(tree: PlacedTree, speeds: Sequence[GeneralizedSpeed]) -> tuple[ResolvedSpeed, ...]:
    """The speeds in terms of a placed tree.

    Raises ModelError for a wrong number of speeds, unknown joints and bodies, a rate given twice, and
    directions that are not unit vectors.
    """
    if len(speeds) != len(tree.coordinates):
        raise ModelError(
            "generalized speeds",
            f"{len(speeds)} are given",
            f"{len(tree.coordinates)}, as many as there are coordinates",
            "Give one speed for each degree of freedom; joint rates serve where nothing better is known.",
        )
    found: list[ResolvedSpeed] = []
    for number, speed in enumerate(speeds, start=1):
        where = f"generalized speed u{number}"
        resolved = (
            _rate(tree, speed, where) if isinstance(speed, JointRate) else _component(tree, speed, where)
        )
        if resolved in found:
            raise ModelError(
                where, f"repeats u{found.index(resolved) + 1}", "a speed of its own", "Give each speed once."
            )
        found.append(resolved)
    return tuple(found)


def _rate(tree: PlacedTree, speed: JointRate, where: str) -> ResolvedSpeed:
    for i, body in enumerate(tree.bodies):
        if body.joint == speed.joint:
            return ResolvedSpeed(body.coordinate, i, (Fraction(0), Fraction(0), Fraction(0)))
    raise ModelError(
        where,
        f"is the rate of {speed.joint!r}, which is not a movable joint",
        f"one of {', '.join(map(repr, tree.coordinates))}",
        "Mend the name.",
    )


def _component(tree: PlacedTree, speed: AngularVelocityComponent, where: str) -> ResolvedSpeed:
    for frame in tree.frames:
        if frame.name == speed.body and frame.body != "base":
            break
    else:
        raise ModelError(
            where,
            f"is a component of the angular velocity of {speed.body!r}, which is not a moving body",
            f"one of {', '.join(repr(body.name) for body in tree.bodies)}",
            "Mend the name.",
        )
    i = tree.index(frame.body)
    # the frame may be that of a body fixed to another: to the carrier's axes, then to the placed ones
    carried = vec.apply(frame.rotation, speed.direction)
    x, y, z = vec.apply(vec.transpose(tree.bodies[i].frame_rotation), carried)
    square = x * x + y * y + z * z
    if isinstance(square, Fraction) and abs(square - 1) > _UNIT_WITHIN:
        raise ModelError(
            where,
            f"has a direction of length {float(square) ** 0.5:.6g}",
            "a unit vector fixed in the body",
            "Divide the direction by its length.",
        )
    return ResolvedSpeed(None, i, (x, y, z))
