"""A Stewart-Gough platform: six legs of variable length between the base and a moving plate.

Frames and chain
    z of the base points up.  Slides x, y, z and rotations yaw about z, pitch about y, roll about x carry the platform,
    whose frame stands at the centre of its joint circle.  Leg i, 1 ... 6, turns by a<i> about x and by b<i> about y at
    its base joint; with both at zero it is parallel to z, in general along Rx(a) Ry(b) z.  Its slide l<i> is the
    distance from the base joint to the platform joint.  Body lower<i> has its frame at the base joint, upper<i> at the
    platform joint; the body cross<i> between the two rotations has no inertia.  Loop leg<i> is a spherical joint between
    upper<i> and joint<i> on the platform.

Geometry
    Joints lie in pairs, 20 degrees either side of 0, 120, 240 degrees on the base, and of 60, 180, 300 degrees on the
    platform.  Base joint 20 is joined to platform joint 40, 100 to 80, 140 to 160, 220 to 200, 260 to 280 and 340 to
    320.

Generalized speeds
    The rates of l1 ... l6; tau are the six leg forces, positive where they push.

Inertia
    The platform has its mass centre in its frame's origin.  Each leg is two thin uniform rods, one from each end.

Home
    Level, at the height of 0.8 above the centre of the base; the legs by the geometry of the parameters' own values.
"""

from __future__ import annotations

import math

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.constraints import LoopKind
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.speeds import JointRate
from kanegen.codegen.mechanism.values import cosine, degrees, sine

_X, _Y, _Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)

_LEGS = ((20, 40), (100, 80), (140, 160), (220, 200), (260, 280), (340, 320))
"""Directions of base joint and platform joint of each leg [degrees]."""

_BASE_RADIUS, _PLATFORM_RADIUS = "0.6", "0.35"
_HOME_HEIGHT = 0.8

_PLATFORM_CHAIN = (
    ("x", "platform_x"),
    ("y", "platform_y"),
    ("z", "platform_z"),
    ("yaw", "platform_yaw"),
    ("pitch", "platform_pitch"),
    ("roll", "platform"),
)
"""Joints from the base to the platform, and the bodies that they carry."""


def stewart_platform() -> Mechanism:
    """The platform with radii, masses, rod length, moments and g as parameters; v = the rates of l1 ... l6."""
    stewart = MechanismBuilder("stewart_platform")
    base_radius = stewart.parameter("rB", _BASE_RADIUS, "m", "radius of the base's joint circle")
    platform_radius = stewart.parameter("rP", _PLATFORM_RADIUS, "m", "radius of the platform's joint circle")
    g = stewart.parameter("g", "9.81", "m/s^2", "acceleration of free fall, along -z")
    stewart.gravity((0, 0, -g))
    _add_platform(stewart)
    _add_legs(stewart, base_radius, platform_radius)
    stewart.speeds(JointRate(f"l{i}") for i in range(1, len(_LEGS) + 1))
    stewart.home(_home())
    return stewart.build()


def _add_platform(stewart: MechanismBuilder) -> None:
    mass = stewart.parameter("mP", "20", "kg", "mass of the platform")
    across = stewart.parameter("IPxx", "0.6", "kg m^2", "moment of inertia of the platform across its normal")
    about = stewart.parameter("IPzz", "1.1", "kg m^2", "moment of inertia of the platform about its normal")
    for _, body in _PLATFORM_CHAIN[:-1]:
        stewart.body(body)
    stewart.body("platform", mass=mass, inertia=(across, across, about))
    parent = BASE
    for (joint, child), axis in zip(_PLATFORM_CHAIN, (_X, _Y, _Z, _Z, _Y, _X), strict=True):
        add = stewart.prismatic if joint in ("x", "y", "z") else stewart.revolute
        add(joint, parent, child, axis)
        parent = child


def _add_legs(stewart: MechanismBuilder, base_radius: Expression, platform_radius: Expression) -> None:
    mass = stewart.parameter("mR", "1", "kg", "mass of each rod of a leg")
    length = stewart.parameter("lR", "0.5", "m", "length of each rod of a leg")
    moment = mass * length * length / 12
    for i, (at_base, at_platform) in enumerate(_LEGS, start=1):
        cross, lower, upper, joint = f"cross{i}", f"lower{i}", f"upper{i}", f"joint{i}"
        stewart.body(cross)
        stewart.body(lower, mass=mass, center=(0, 0, length / 2), inertia=(moment, moment, 0))
        stewart.body(upper, mass=mass, center=(0, 0, -length / 2), inertia=(moment, moment, 0))
        stewart.revolute(f"a{i}", BASE, cross, _X, position=_on_circle(base_radius, at_base))
        stewart.revolute(f"b{i}", cross, lower, _Y)
        stewart.prismatic(f"l{i}", lower, upper, _Z)
        stewart.frame(joint, "platform", position=_on_circle(platform_radius, at_platform))
        stewart.loop(f"leg{i}", LoopKind.SPHERICAL, upper, joint)


def _on_circle(radius: Expression, direction: int) -> tuple[Expression, Expression, int]:
    """The point of a circle about the origin [m], in a direction given in degrees."""
    angle = degrees(direction)
    return radius * cosine(angle), radius * sine(angle), 0


def _home() -> list[float]:
    """The 24 coordinates: the level platform, and a, b, l of each leg from its vector Rx(a) Ry(b) (0, 0, l)."""
    home = [0.0, 0.0, _HOME_HEIGHT, 0.0, 0.0, 0.0]
    base_radius, platform_radius = float(_BASE_RADIUS), float(_PLATFORM_RADIUS)
    for at_base, at_platform in _LEGS:
        base, platform = math.radians(at_base), math.radians(at_platform)
        x = platform_radius * math.cos(platform) - base_radius * math.cos(base)
        y = platform_radius * math.sin(platform) - base_radius * math.sin(base)
        length = math.sqrt(x * x + y * y + _HOME_HEIGHT**2)
        home += [math.atan2(-y, _HOME_HEIGHT), math.asin(x / length), length]
    return home
