"""Generalized speeds of Kane's method: what each u_r is, in terms of the mechanism's motion."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

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


DirectedSpeed = AngularVelocityComponent | PointVelocityComponent
"""Speeds along a direction."""

GeneralizedSpeed = JointRate | DirectedSpeed | DistanceRate


def described_speed(speed: GeneralizedSpeed) -> str:
    """A generalized speed in words."""
    if isinstance(speed, JointRate):
        return f"d{speed.joint}/dt"
    if isinstance(speed, DistanceRate):
        return f"rate of the distance from {speed.first} to {speed.second}"
    x, y, z = (f"{float(x):.6g}" if isinstance(x, Fraction) else "..." for x in speed.direction)
    if isinstance(speed, PointVelocityComponent):
        return f"velocity of {speed.frame} relative to {speed.relative_to} along ({x}, {y}, {z}) of its frame"
    return f"angular velocity of {speed.body} along ({x}, {y}, {z}) of its frame"
