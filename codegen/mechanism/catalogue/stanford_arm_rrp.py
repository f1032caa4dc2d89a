"""The first three links of the Stanford Arm: the first example of Agrawal 1988.

Source
    S. K. Agrawal, "Multi-Rigid-Body Dynamics: A d'Alembert's Method Using Dual Vectors", ASME 20th Mechanisms
    Conference, 1988.

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
"""

from __future__ import annotations

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.values import degrees

_Z = (0, 0, 1)

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
