"""Generalized speeds of Kane's method: what each u_r is, in terms of the mechanism's motion."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import VelocityConstraint
from kanegen.codegen.mechanism.quantities import Vector3


@dataclass(frozen=True, slots=True)
class JointRate:
    """The time derivative of a joint's coordinate [rad/s or m/s]."""

    joint: str


@dataclass(frozen=True, slots=True)
class AngularVelocityComponent:
    """A body's angular velocity in the base frame, dotted with a unit vector fixed in that body [rad/s]."""

    body: str
    direction: Vector3


@dataclass(frozen=True, slots=True)
class PointVelocityComponent:
    """The velocity of a frame's origin, dotted with a unit vector fixed in that frame [m/s].

    The velocity is relative to the body that carries the frame ``relative_to``.
    """

    frame: str
    direction: Vector3
    relative_to: str = "base"


@dataclass(frozen=True, slots=True)
class DistanceRate:
    """The rate of the distance between the origins of two frames [m/s].

    What belongs to it as a generalized force is the force of a strut between the two points, such as a hydraulic cylinder
    [N]: positive where it pushes them apart (power = force . rate).  Where the points coincide neither has a direction.
    """

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class CombinedSpeed:
    """A combination of the rates of coordinates, u = A(q, t) dq/dt + B(q, t), by a name of its own [rad/s or m/s, as these].

    ``equation`` has this for its expression, and is no constraint.  Coordinates are those of joints, not of balls.
    ``combined_speed`` makes one.
    """

    equation: VelocityConstraint

    @property
    def at_rest(self) -> sympy.Expr:
        """B, the speed of a mechanism at rest."""
        moving = (*self.equation.qdot, *(part.symbol for part in self.equation.frames if part.rate))
        return self.equation.expression.subs(dict.fromkeys(moving, 0))


def combined_speed(name: str, expression: sympy.Expr | str) -> CombinedSpeed:
    """A generalized speed ``expression``, linear in rates of coordinates, in symbols by the names of these, or as text.

    With terms in which there is no rate it is not zero at rest, and u = 0 means that the mechanism moves.
    The rate of q1 may be called dq1, q1_dot or rate(q1), and be the derivative of q1(t); rate(hand.x) is that of a
    coordinate of the frame hand.  Parameters go by their names.
    """
    return CombinedSpeed(VelocityConstraint(name, (), (), expression))


DirectedSpeed = AngularVelocityComponent | PointVelocityComponent
"""Speeds along a direction."""

GeneralizedSpeed = JointRate | DirectedSpeed | DistanceRate | CombinedSpeed


def slides(speed: CombinedSpeed, coordinates: Sequence[str], sliding: Collection[str]) -> bool:
    """Whether all rates in a combined speed are in m/s: those of ``sliding`` coordinates, and of positions of frames."""
    equation, used = speed.equation, speed.equation.expression.free_symbols
    rates = {name for name, symbol in zip(coordinates, equation.qdot, strict=True) if symbol in used}
    turns = any(x.rate and x.entry.startswith("R") and x.symbol in used for x in equation.frames)
    return rates <= {*sliding} and not turns


def on_equation(speed: GeneralizedSpeed, change: Callable[[VelocityConstraint], Any]) -> GeneralizedSpeed:
    """A combined speed with another equation; others have none."""
    return replace(speed, equation=change(speed.equation)) if isinstance(speed, CombinedSpeed) else speed


def described_speed(speed: GeneralizedSpeed) -> str:
    """A generalized speed in words."""
    if isinstance(speed, JointRate):
        return f"d{speed.joint}/dt"
    if isinstance(speed, CombinedSpeed):
        return speed.equation.name
    if isinstance(speed, DistanceRate):
        return f"rate of the distance from {speed.first} to {speed.second}"
    x, y, z = (f"{float(x):.6g}" if isinstance(x, Fraction) else "..." for x in speed.direction)
    if isinstance(speed, PointVelocityComponent):
        return f"velocity of {speed.frame} relative to {speed.relative_to} along ({x}, {y}, {z}) of its frame"
    return f"angular velocity of {speed.body} along ({x}, {y}, {z}) of its frame"
