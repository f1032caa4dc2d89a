"""The feedback law of Kane & Levinson (1983) for the Stanford Arm, equations 128-133.

The paper's forces tau1 ... tau5 and sigma are those of the actuators; ``Actuator.sign`` turns them into generalized
forces.  Gains and targets are the paper's numbers, masses, lengths and g parameters of the arm.

Erratum: the unit of k11 is N/m.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Integer, Rational, cos, pi, sin

from kanegen.codegen.mechanism.builder import MechanismBuilder

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
