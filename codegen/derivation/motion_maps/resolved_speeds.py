"""Generalized speeds of a placed tree: which coordinate or which body each one speaks of, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import BASE, Frame, Mechanism, Value
from kanegen.codegen.mechanism.speeds import (
    AngularVelocityComponent,
    CombinedSpeed,
    DistanceRate,
    GeneralizedSpeed,
    JointRate,
    PointVelocityComponent,
)
from kanegen.codegen.mechanism.validation.exact import title_of
from kanegen.errors import ModelError

_NO_DIRECTION = (Fraction(0), Fraction(0), Fraction(0))
_UNIT_WITHIN = Fraction(1, 10**12)


@dataclass(frozen=True, slots=True)
class ResolvedSpeed:
    """A speed of a placed tree.

    Either the rate of coordinate number ``coordinate``, or, where that is None, a component along ``direction``, a unit
    vector in the placed axes of body number ``body``: of the body's angular velocity, or of the velocity of its
    ``point`` [m from the placed origin] relative to body number ``reference``, -1 for the base.
    """

    coordinate: int | None
    body: int
    direction: tuple[Value, Value, Value]
    point: tuple[Value, Value, Value] | None = None
    reference: int = -1

    def axis(self) -> int | None:
        """The placed coordinate axis along which the direction lies, None where it lies between them."""
        nonzero = [k for k in range(3) if self.direction[k] != 0]
        return nonzero[0] if len(nonzero) == 1 else None


def joint_rates(mechanism: Mechanism) -> tuple[GeneralizedSpeed, ...]:
    """The plain speeds u_r = q'_r."""
    return tuple(JointRate(name) for name in mechanism.coordinates)


def resolve(tree: PlacedTree, speeds: Sequence[GeneralizedSpeed]) -> tuple[ResolvedSpeed, ...]:
    """The speeds in terms of a placed tree.

    Raises ModelError for a wrong number of speeds, unknown joints, bodies and frames, a rate given twice, directions
    that are not unit vectors, points whose velocity is relative to a body on another branch, and rates of distances.
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
        resolved = _resolved(tree, speed, where)
        if resolved in found:
            raise ModelError(
                where, f"repeats u{found.index(resolved) + 1}", "a speed of its own", "Give each speed once."
            )
        found.append(resolved)
    return tuple(found)


def _resolved(tree: PlacedTree, speed: GeneralizedSpeed, where: str) -> ResolvedSpeed:
    if isinstance(speed, JointRate):
        return _rate(tree, speed, where)
    if isinstance(speed, DistanceRate | CombinedSpeed):
        raise ModelError(
            where,
            f"is the {title_of(speed).removeprefix('speed, ')}, which is no component of a velocity",
            "rates of joints and components of velocities",
            "Make it a speed of the mechanism itself, with MechanismBuilder.speeds.",
        )
    return (
        _turning(tree, speed, where)
        if isinstance(speed, AngularVelocityComponent)
        else _velocity(tree, speed, where)
    )


def _rate(tree: PlacedTree, speed: JointRate, where: str) -> ResolvedSpeed:
    for i, body in enumerate(tree.bodies):
        if body.joint == speed.joint:
            return ResolvedSpeed(body.coordinate, i, _NO_DIRECTION)
    raise ModelError(
        where,
        f"is the rate of {speed.joint!r}, which is not a movable joint",
        f"one of {', '.join(map(repr, tree.coordinates))}",
        "Mend the name.",
    )


def _turning(tree: PlacedTree, speed: AngularVelocityComponent, where: str) -> ResolvedSpeed:
    frame = _frame(tree, speed.body)
    if frame is None or frame.body == BASE:
        raise ModelError(
            where,
            f"is a component of the angular velocity of {speed.body!r}, which is not a moving body",
            f"one of {', '.join(repr(body.name) for body in tree.bodies)}",
            "Mend the name.",
        )
    # the frame may be that of a body fixed to another
    i = tree.index(frame.body)
    return ResolvedSpeed(None, i, _direction(tree, i, frame, speed.direction, where))


def _velocity(tree: PlacedTree, speed: PointVelocityComponent, where: str) -> ResolvedSpeed:
    frame, reference = _frame(tree, speed.frame), _frame(tree, speed.relative_to)
    if frame is None or frame.body == BASE or reference is None:
        name = speed.relative_to if reference is None else speed.frame
        raise ModelError(
            where,
            f"is a component of the velocity of {speed.frame!r} relative to {speed.relative_to!r}, and {name!r} is "
            + ("not a frame" if reference is None else "not a frame that moves"),
            f"one of {', '.join(repr(frame.name) for frame in tree.frames if frame.body != BASE)}",
            "Mend the name.",
        )
    i, j = tree.index(frame.body), tree.index(reference.body)
    carriers = {-1}
    k = tree.bodies[i].parent
    while k >= 0:
        carriers.add(k)
        k = tree.bodies[k].parent
    if j not in carriers:
        raise ModelError(
            where,
            f"is a velocity relative to {speed.relative_to!r}, on which {speed.frame!r} does not hang",
            "a frame of the base, or of a body between the base and that of the moving frame",
            "Take the velocity relative to the base.",
        )
    placed = tree.bodies[i]
    back = vec.transpose(placed.frame_rotation)
    x, y, z = vec.apply(back, vec.subtract(frame.position, placed.frame_position))
    return ResolvedSpeed(None, i, _direction(tree, i, frame, speed.direction, where), (x, y, z), j)


def _frame(tree: PlacedTree, name: str) -> Frame | None:
    """The frame of that name, None where there is none."""
    if name == BASE:
        return Frame(BASE, BASE)
    return next((frame for frame in tree.frames if frame.name == name), None)


def _direction(
    tree: PlacedTree, i: int, frame: Frame, direction: tuple[Value, Value, Value], where: str
) -> tuple[Value, Value, Value]:
    """A direction fixed in a frame: to the axes of the body that carries it, then to the placed ones."""
    carried = vec.apply(frame.rotation, direction)
    x, y, z = vec.apply(vec.transpose(tree.bodies[i].frame_rotation), carried)
    square = x * x + y * y + z * z
    if isinstance(square, Fraction) and abs(square - 1) > _UNIT_WITHIN:
        raise ModelError(
            where,
            f"has a direction of length {float(square) ** 0.5:.6g}",
            "a unit vector fixed in the body",
            "Divide the direction by its length.",
        )
    return x, y, z
