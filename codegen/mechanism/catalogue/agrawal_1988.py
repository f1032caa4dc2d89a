"""The mechanisms of S. K. Agrawal, "Multi-Rigid-Body Dynamics: A d'Alembert's Method Using Dual Vectors", 1988.

ASME 20th Mechanisms Conference.  Two are his examples, the third one of the class of systems that he recommends dual vectors
for.

stanford_arm_rrp: the first three links of the Stanford Arm, the first example.

Frames and chain
    Body B turns by theta1 about z of the base.  Body D turns by theta2 about z of D, which is y of B; at theta2 = 0 x of
    D is -x of B, and y of D is z of B.  Body E slides by s3prime along z of E, which is -y of D, from the point d2 on z
    of D; its x is that of D.  There is no gravity.

Inertia
    Central principal moments are m k^2 along the bodies' axes, with k_i2 = k_i1.  B's mass centre is on the first axis
    and only its k13 counts; its other radii of gyration are set equal to it.  D's mass centre lies at d2 - g2 on z of D,
    E's at its frame's origin, so that s3prime is measured to it.

Errata that bear on the description
    The coordinate printed as s3 in equation 18 and table 1 is s3'.

plate_disk: a sharp-edged disk between rotating plates, the second example.

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

cylindrical_arm: three cylindrical joints with skew axes.

Chain
    Every joint is a hinge and a slide along the same z axis, with a sleeve without inertia between them, so that the link
    may turn and slide freely.  From one axis to the next it is the common perpendicular, along the link's x, of length
    a_k, and the twist alpha_k about it; no two axes meet or are parallel.  The base axis points up.
    Coordinates are theta1, l1, theta2, l2, theta3, l3: the parts of three dual angles theta_k + epsilon l_k.

Inertia
    All three links have mass centres off their axes and full inertia tensors.  The values are chosen, not measured.
"""

from __future__ import annotations

from fractions import Fraction

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed, PointVelocityComponent
from kanegen.codegen.mechanism.values import degrees

_X, _Y, _Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)

_PARAMETERS = (
    ("m1", "9", "kg", "mass of B"),
    ("m2", "6", "kg", "mass of D"),
    ("m3", "4", "kg", "mass of E"),
    ("d2", "0.154", "m", "distance from the first axis to the axis of the slide, along the second axis"),
    ("g2", "0.03", "m", "distance from D's mass centre to the axis of the slide, along the second axis"),
    ("k13", "0.12", "m", "radius of gyration of B about the first axis"),
    ("k21", "0.11", "m", "radius of gyration of D across the second axis"),
    ("k23", "0.07", "m", "radius of gyration of D about the second axis"),
    ("k31", "0.25", "m", "radius of gyration of E across the axis of the slide"),
    ("k33", "0.05", "m", "radius of gyration of E about the axis of the slide"),
)


def stanford_arm_rrp() -> Mechanism:
    """The three links with masses, radii of gyration, d2 and g2 as parameters; q = (theta1, theta2, s3prime)."""
    arm = MechanismBuilder("stanford_arm_rrp", gravity=(0, 0, 0))
    p: dict[str, Expression] = {
        name: arm.parameter(name, value, unit, text) for name, value, unit, text in _PARAMETERS
    }

    def moment(mass: str, radius: str) -> Expression:
        return p[mass] * p[radius] * p[radius]

    about_1 = moment("m1", "k13")
    across_2, across_3 = moment("m2", "k21"), moment("m3", "k31")
    arm.body("B", mass=p["m1"], inertia=(about_1, about_1, about_1))
    arm.body(
        "D",
        mass=p["m2"],
        center=(0, 0, p["d2"] - p["g2"]),
        inertia=(across_2, across_2, moment("m2", "k23")),
    )
    arm.body("E", mass=p["m3"], inertia=(across_3, across_3, moment("m3", "k33")))

    arm.revolute("theta1", BASE, "B", _Z)
    arm.revolute("theta2", "B", "D", _Z, rotation=((-1, 0, 0), (0, 0, 1), (0, 1, 0)))
    arm.prismatic("s3prime", "D", "E", _Z, position=(0, 0, p["d2"]), rotation=(degrees(90), 0, 0))
    return arm.build()


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


_PERPENDICULARS = (("0.4", "1.2"), ("0.3", "-0.7"))
"""Length [m] and twist [rad] from the first axis to the second, and from the second to the third."""

_LINKS = (
    ("4", ("0.15", "-0.02", "0.05"), ("0.05", "0.11", "0.12", "0.006", "-0.01", "0.004")),
    ("2.5", ("0.12", "0.03", "-0.04"), ("0.02", "0.06", "0.07", "-0.003", "0.005", "0.002")),
    ("1.2", ("0.05", "-0.01", "0.1"), ("0.013", "0.015", "0.006", "0.001", "-0.002", "0.0015")),
)
"""Mass [kg], mass centre [m] and central inertia xx, yy, zz, xy, xz, yz [kg m^2] of the links."""


def cylindrical_arm() -> Mechanism:
    """The arm with a1, alpha1, a2, alpha2, m1, m2, m3 and g as parameters."""
    arm = MechanismBuilder("cylindrical_arm")
    perpendiculars = [
        (
            arm.parameter(f"a{k}", length, "m", f"distance between axes {k} and {k + 1}"),
            arm.parameter(f"alpha{k}", twist, "rad", f"angle from axis {k} to axis {k + 1}"),
        )
        for k, (length, twist) in enumerate(_PERPENDICULARS, start=1)
    ]
    g = arm.parameter("g", "9.81", "m/s^2", "acceleration of free fall, along -z")
    arm.gravity((0, 0, -g))
    parent = BASE
    for k, (mass, center, inertia) in enumerate(_LINKS, start=1):
        m = arm.parameter(f"m{k}", mass, "kg", f"mass of link {k}")
        arm.body(f"sleeve{k}")
        arm.body(f"link{k}", mass=m, center=center, inertia=inertia)
        length, twist = perpendiculars[k - 2] if k > 1 else (0, 0)
        arm.revolute(f"theta{k}", parent, f"sleeve{k}", _Z, position=(length, 0, 0), rotation=(twist, 0, 0))
        arm.prismatic(f"l{k}", f"sleeve{k}", f"link{k}", _Z)
        parent = f"link{k}"
    return arm.build()
