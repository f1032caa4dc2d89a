"""A thin uniform disc that rolls without slip on a level plane.

Frames and chain
    z of the base points up, the plane is z = 0.  Slides x and y carry the point of contact; there the frame "contact"
    turns with the body "heading" by yaw about z.  "leaning" turns relative to it by lean about x, and the disc by spin
    about y through its centre, which is at (0, 0, r) of "leaning".  Upright, lean = 0, the disc rolls towards x of
    "heading" for a positive spin rate.

Constraint
    The contact point touches by the construction of the tree; that it does not slip gives two equations of velocity.

Inertia
    Central moments m r^2 / 2 about the axle, m r^2 / 4 across it.
"""

from __future__ import annotations

from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.speeds import JointRate
from kanegen.codegen.mechanism.values import degrees

_X, _Y, _Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def rolling_disc() -> Mechanism:
    """The disc with m, r and g as parameters; q = (yaw, lean, spin, x, y), v = the rates of yaw, lean and spin."""
    disc = MechanismBuilder("rolling_disc")
    m = disc.parameter("m", "1", "kg", "mass")
    r = disc.parameter("r", "0.3", "m", "radius")
    g = disc.parameter("g", "9.81", "m/s^2", "acceleration of free fall, along -z")
    disc.gravity((0, 0, -g))

    about_axle, across = m * r * r / 2, m * r * r / 4
    for carrier in ("along", "sideways", "heading", "leaning"):
        disc.body(carrier)
    disc.body("disc", mass=m, inertia=(across, about_axle, across))
    disc.prismatic("x", BASE, "along", _X)
    disc.prismatic("y", "along", "sideways", _Y)
    disc.revolute("yaw", "sideways", "heading", _Z)
    disc.revolute("lean", "heading", "leaning", _X)
    disc.revolute("spin", "leaning", "disc", _Y, position=(0, 0, r))
    disc.coordinates(("yaw", "lean", "spin", "x", "y"))

    disc.frame("contact", "heading")
    disc.frame("axle", "disc", rotation=(degrees(-90), 0, 0))
    disc.rolling("rolling", "axle", r, contact="contact")
    disc.speeds(JointRate(joint) for joint in ("yaw", "lean", "spin"))
    disc.home((0, 0, 0, 0, 0))
    return disc.build()
