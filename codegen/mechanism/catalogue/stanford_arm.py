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

Feedback law, equations 128-133
    The paper's forces tau1 ... tau5 and sigma are those of the actuators; ``Actuator.sign`` turns them into generalized
    forces.  Gains and targets are the paper's numbers, masses, lengths and g parameters of the arm.  Erratum: the unit of
    k11 is N/m.

Studies
    All three begin with the arm stretched out horizontally, q2 = 90 degrees (the text before equation 128 says zero: an
    erratum).  The sentence that gives q(T) of the prescribed motion is destroyed in the available text; the targets of the
    feedback example, (pi/3, ..., pi/3, 0.1), are assumed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import sympy
from sympy import Integer, Rational, cos, pi, sin

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.scenarios import (
    ConservedMomentum,
    ControlledMotion,
    PrescribedMotion,
    Scenario,
)
from kanegen.codegen.mechanism.speeds import AngularVelocityComponent, GeneralizedSpeed, JointRate

TARGETS: tuple[sympy.Expr, ...] = (pi / 3,) * 5 + (Rational("0.1"),)
"""q1* ... q6*, rad and m."""

_K = tuple(map(Rational, ("3", "5", "1", "3", "0.30", "0.60", "0.30", "0.60", "0.25", "0.25", "30", "41")))
"""k1 ... k12: N m and N m s for the angles, N/m and N s/m for the translation."""

_TIME = sympy.Symbol("t")
_Q = sympy.symbols("q1:7")
_V = sympy.symbols("v1:7")
_SOURCE = "Kane & Levinson, The Use of Kane's Dynamical Equations in Robotics, IJRR 2(3), 1983, "


def add_laws(arm: MechanismBuilder, signs: Sequence[int]) -> None:
    """Give the arm ``feedback_law``, and ``free_swivel_law``: the same with tau1 = 0.

    ``signs`` are those of the actuators of q1 ... q6.
    """
    forces = _actuator_forces()

    def add(name: str, title: str, equations: str, actuator_forces: Sequence[sympy.Expr]) -> None:
        generalized = [sign * force for sign, force in zip(signs, actuator_forces, strict=True)]
        arm.law(name, generalized, _TIME, _Q, _V, title=title, source=_SOURCE + equations)

    add(
        "feedback_law",
        "feedback to fixed targets, with the weight of the arm balanced",
        "eqs 128-133",
        forces,
    )
    add(
        "free_swivel_law",
        "the feedback law without the torque about the vertical axis",
        "eqs 129-133",
        (Integer(0), *forces[1:]),
    )


def _actuator_forces() -> tuple[sympy.Expr, ...]:
    """tau1 ... tau5 and sigma."""
    q1, q2, q3, q4, q5, q6 = _Q
    v1, v2, v3, v4, v5, v6 = _V
    k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12 = _K
    p1, p2, p3, p4, p5, p6 = TARGETS
    g, L2, L3, L5, L6, m_C, m_D, m_E, m_F = sympy.symbols("g L2 L3 L5 L6 mC mD mE mF")
    s2, c2, s3, c3, s4, c4 = sin(q2), cos(q2), sin(q3), cos(q3), sin(q4), cos(q4)
    wrist = m_E * L6 + m_F * L3

    tau1 = k1 * (p1 - q1) - k2 * v1  # 128
    tau2 = (
        k3 * (q2 - p2)
        + k4 * v2
        + g
        * (
            ((m_C + m_D) * q6 + m_D * L5) * s2
            + wrist * (c4 * s2 + c3 * s4 * c2)
            + (m_E + m_F) * (q6 + L2) * s2
        )
    )  # 129
    tau3 = k5 * (q3 - p3) + k6 * v3 - g * wrist * s2 * s3 * s4  # 130
    tau4 = k7 * (q4 - p4) + k8 * v4 + g * wrist * (c2 * s4 + s2 * c3 * c4)  # 131
    tau5 = k9 * (q5 - p5) + k10 * v5  # 132
    sigma = k11 * (q6 - p6) + k12 * v6 - g * (m_C + m_D + m_E + m_F) * c2  # 133
    return tau1, tau2, tau3, tau4, tau5, sigma


_STUDIES = "Kane & Levinson, IJRR 2(3), 1983, "
_T = 10
_START: tuple[sympy.Expr, ...] = (Integer(0), pi / 2, *[Integer(0)] * 4)
_START_NUMBERS = (0.0, math.pi / 2, 0.0, 0.0, 0.0, 0.0)
_TARGET_NUMBERS = (*[math.pi / 3] * 5, 0.1)
_COORDINATES = ("q1", "q2", "q3", "q4", "q5", "q6")
_RTOL, _ATOL = 1e-12, 1e-13


def _cycloid(start: sympy.Expr, end: sympy.Expr, time: sympy.Symbol) -> sympy.Expr:
    """From rest at ``start`` to rest at ``end`` in T, equation 127."""
    return start + (end - start) / _T * (time - _T / (2 * pi) * sin(2 * pi * time / _T))


def stanford_arm_scenarios() -> tuple[Scenario, ...]:
    """``prescribed-motion``, ``feedback`` and ``free-swivel``."""
    t = sympy.Symbol("t")
    prescribed = PrescribedMotion(
        name="prescribed-motion",
        title="forces of a prescribed motion from rest to rest",
        source=_STUDIES + "eq 127 and fig 1",
        duration=float(_T),
        time=t,
        q=tuple(_cycloid(start, end, t) for start, end in zip(_START, TARGETS, strict=True)),
    )
    feedback = ControlledMotion(
        name="feedback",
        title="motion under the feedback law",
        source=_STUDIES + "eqs 128-133 and fig 3",
        duration=float(_T),
        law="feedback_law",
        start=_START_NUMBERS,
        targets=_TARGET_NUMBERS,
        watched=_COORDINATES,
        rtol=_RTOL,
        atol=_ATOL,
    )
    swivel = ControlledMotion(
        name="free-swivel",
        title="motion with tau1 = 0, which conserves the angular momentum about the vertical",
        source=_STUDIES + "eqs 129-134 and 138",
        duration=float(_T),
        law="free_swivel_law",
        start=_START_NUMBERS,
        targets=(None, *_TARGET_NUMBERS[1:]),
        watched=("q1",),
        rtol=_RTOL,
        atol=_ATOL,
        conserved=ConservedMomentum("W31", "angular momentum about A* along n2", component=4, bound=1e-12),
    )
    return prescribed, feedback, swivel


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
