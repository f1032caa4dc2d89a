"""An arm of three cylindrical joints with skew axes: the class of systems for which Agrawal 1988 recommends dual vectors.

Chain
    Every joint is a hinge and a slide along the same z axis, with a sleeve without inertia between them, so that the link
    may turn and slide freely.  From one axis to the next it is the common perpendicular, along the link's x, of length
    a_k, and the twist alpha_k about it; no two axes meet or are parallel.  The base axis points up.
    Coordinates are theta1, l1, theta2, l2, theta3, l3: the parts of three dual angles theta_k + epsilon l_k.

Inertia
    All three links have mass centres off their axes and full inertia tensors.  The values are chosen, not measured.
"""

from __future__ import annotations

from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.records import BASE, Mechanism

_Z = (0, 0, 1)

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
