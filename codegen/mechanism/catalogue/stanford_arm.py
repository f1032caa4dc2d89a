"""The Stanford Arm of Kane & Levinson, "The Use of Kane's Dynamical Equations in Robotics", IJRR 2(3), 1983.

Frames and chain
    The base frame is N with its origin at A*, a point of the first axis; n2 points up.  At q = 0 the unit
    vectors of all bodies are parallel and the arm (c2) points up.  The chain is q1, q2, q6, q3, q4, q5:
    rotation q1 of A about y; offset (L1, L4, 0); rotation q2 of B about x; translation q6 of C along y;
    offset (0, L2, 0); rotation q3 of D about y; rotation q4 of E about x; rotation q5 of F about y.
    Coordinates are nevertheless ordered q1 ... q6; q6 is the translation [m].  Frames A, B and C have their
    origins at A*, B* and C*; D, E and F in the wrist point where their axes meet.

Inertia
    D*, E* and F* lie at (0, L5 - L2, 0), (0, L6, 0) and (0, L3, 0) of their frames, so that with q6 = 0 and
    q = 0 the hand's F* is at (0.1, 0.9, 0), and at (0.1, 0.1, 0.8) for q2 = 90 degrees.  Central principal
    axes are along the frames' axes; the moments of body C are C1, C2, C3, as in Appendix 3.
    The paper gives no value for g: 9.81 m/s^2 along -n2 is used.

Actuators
    tau1 acts on A from the base; tau2 ... tau5 and sigma are exerted by the outer body on the inner one, so
    the generalized forces on the rates of q1 ... q6 are (+tau1, -tau2, -tau3, -tau4, -tau5, -sigma).

Generalized speeds
    u1, u2, u3 are the components of D's angular velocity along d1, d2, d3; u4, u5, u6 are the rates of q4, q5
    and q6.  They determine the joint rates except where sin q2 = 0.

Errata that bear on the description (those of the equations stand with the equations)
    In equation 136 the vector to E* is along e2, of length L6; equation 137 measures F* from C*.  With these
    the mass centres above hold.
"""

from __future__ import annotations

from fractions import Fraction

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.catalogue.stanford_arm_laws import add_laws
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.speeds import AngularVelocityComponent, GeneralizedSpeed, JointRate

_X, _Y = (1, 0, 0), (0, 1, 0)

_LENGTHS = (
    ("L1", "0.1", "distance of B* from the first axis, along a1"),
    ("L2", "0.6", "distance from C* to the wrist point"),
    ("L3", "0.2", "distance from the wrist point to F*"),
    ("L4", "0.1", "height of B* above A*"),
    ("L5", "0.7", "distance from C* to D*"),
    ("L6", "0.06", "distance from the wrist point to E*"),
)

_MASSES = (("A", "9"), ("B", "6"), ("C", "4"), ("D", "1"), ("E", "0.6"), ("F", "0.5"))

_MOMENTS = {
    "A": ("0.01", "0.02", "0.01"),
    "B": ("0.06", "0.01", "0.05"),
    "C": ("0.4", "0.01", "0.4"),
    "D": ("0.0005", "0.001", "0.001"),
    "E": ("0.0005", "0.0002", "0.0005"),
    "F": ("0.001", "0.002", "0.003"),
}

_ACTUATORS = (("tau1", 1), ("tau2", -1), ("tau3", -1), ("tau4", -1), ("tau5", -1), ("sigma", -1))

kane_levinson_speeds: tuple[GeneralizedSpeed, ...] = (
    AngularVelocityComponent("D", (Fraction(1), Fraction(0), Fraction(0))),
    AngularVelocityComponent("D", (Fraction(0), Fraction(1), Fraction(0))),
    AngularVelocityComponent("D", (Fraction(0), Fraction(0), Fraction(1))),
    JointRate("q4"),
    JointRate("q5"),
    JointRate("q6"),
)
"""u1 ... u6 of the paper."""


def stanford_arm() -> Mechanism:
    """The arm with the values of Appendix 3 as parameters L1...L6, mA...mF, A1...F3 and g, and its two control laws."""
    arm = MechanismBuilder("stanford_arm")
    length = {name: arm.parameter(name, value, "m", text) for name, value, text in _LENGTHS}
    mass = {body: arm.parameter(f"m{body}", value, "kg", f"mass of {body}") for body, value in _MASSES}
    moments = {
        body: tuple(
            arm.parameter(
                f"{body}{i}", value, "kg m^2", f"central moment of inertia of {body} along {body.lower()}{i}"
            )
            for i, value in enumerate(values, start=1)
        )
        for body, values in _MOMENTS.items()
    }
    g = arm.parameter("g", "9.81", "m/s^2", "acceleration of free fall, along -n2")
    arm.gravity((0, -g, 0))

    centers: dict[str, Expression | int] = {
        "A": 0,
        "B": 0,
        "C": 0,
        "D": length["L5"] - length["L2"],
        "E": length["L6"],
        "F": length["L3"],
    }
    for body, along_y in centers.items():
        arm.body(body, mass=mass[body], center=(0, along_y, 0), inertia=moments[body])

    arm.revolute("q1", BASE, "A", _Y)
    arm.revolute("q2", "A", "B", _X, position=(length["L1"], length["L4"], 0))
    arm.prismatic("q6", "B", "C", _Y)
    arm.revolute("q3", "C", "D", _Y, position=(0, length["L2"], 0))
    arm.revolute("q4", "D", "E", _X)
    arm.revolute("q5", "E", "F", _Y)
    arm.coordinates(f"q{r}" for r in range(1, 7))

    for r, (name, sign) in enumerate(_ACTUATORS, start=1):
        arm.actuator(f"q{r}", sign, name)
    add_laws(arm, [sign for _, sign in _ACTUATORS])
    return arm.build()
