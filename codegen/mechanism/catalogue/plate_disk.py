"""A sharp-edged disk between rotating plates: the second example of Agrawal 1988.

Source
    S. K. Agrawal, "Multi-Rigid-Body Dynamics: A d'Alembert's Method Using Dual Vectors", ASME 20th Mechanisms
    Conference, 1988.

Frames and chain
    y of the base points up.  The plates turn about it at the prescribed rate w.  In them P has the coordinates q1 along
    x, measured from the axis of turning, and q2 along y, and the rod from P to the disk's centre D* makes the angle q3
    with x: slides q1 and q2, then rotation q3 about z.  Frame Dstar stands at D*, x along the rod.

Constraint
    The disk's edge keeps D* from moving across the rod, relative to the plates.

Generalized speeds
    u1 and u2 are the components of P's velocity in the plates along the rod and across it.  Then dq3/dt = -u2 / l.

Inertia
    A particle m1 at P and one m2 at D*.

Errata that bear on the description (equation 53's wrong sign stands with the equations)
    Equation 44 gives the rate of q3, not of q1.
"""

from __future__ import annotations

from fractions import Fraction

from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed, PointVelocityComponent

_X, _Y, _Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)

_SPEEDS: tuple[GeneralizedSpeed, ...] = (
    PointVelocityComponent("disk", (Fraction(1), Fraction(0), Fraction(0)), "plates"),
    PointVelocityComponent("disk", (Fraction(0), Fraction(1), Fraction(0)), "plates"),
)
"""u1 and u2: the origin of the frame ``disk`` is P."""


def plate_disk() -> Mechanism:
    """The disk with m1, m2, l, w and g as parameters; q = (q1, q2, q3), v = (u1, u2)."""
    disk = MechanismBuilder("plate_disk")
    m1 = disk.parameter("m1", "2", "kg", "mass of the particle at P")
    m2 = disk.parameter("m2", "1", "kg", "mass of the particle at D*")
    length = disk.parameter("l", "0.5", "m", "distance from P to D*")
    w = disk.parameter("w", "1.7", "rad/s", "rate at which the plates turn about the vertical")
    g = disk.parameter("g", "9.81", "m/s^2", "acceleration of free fall, along -y")
    disk.gravity((0, -g, 0))

    disk.body("plates")
    disk.body("slider")
    disk.body("P", mass=m1)
    disk.body("disk", mass=m2, center=(length, 0, 0))
    disk.revolute("plates", BASE, "plates", _Y)
    disk.prismatic("q1", "plates", "slider", _X)
    disk.prismatic("q2", "slider", "P", _Y)
    disk.revolute("q3", "P", "disk", _Z)
    disk.prescribe("plates", w)
    disk.frame("Dstar", "disk", position=(length, 0, 0))
    disk.knife_edge("edge", "Dstar", ground="plates")
    disk.speeds(_SPEEDS)
    disk.home((0, 0, 0))
    return disk.build()
