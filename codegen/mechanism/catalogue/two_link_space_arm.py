"""The two-link space arm of Purushotham & Anjaneyulu, "Kane's Method for Robotic Arm Dynamics: a Novel Approach", 2013.

Frames and chain
    The base frame is N with its origin at O; n3 points up.  At q = 0 the unit vectors of all bodies are parallel, A
    hangs from O along -a3, and B points along b2.  Rotation q1 about y at O carries A; rotation q2 of B about z at A's
    end, (0, 0, -4L).

Auxiliary speed
    Between the base and A stands a further rotation, "T_c", about x, with the prescribed rate 0: it is Kane's auxiliary
    speed u3, and the force that holds it is the constraint torque T_c about a1 that the base exerts on A, with its
    moment point at O.  The body A_carrier in between has no inertia.

Inertia
    A is a thin uniform rod of mass 2m and length 4L along a3, B one of mass m and length 2L along b2.

Errata that bear on the description (those of the equations stand with the equations)
    The printed inertia terms are wrong throughout; those of thin rods are used.  The axis of q2 is a3, perpendicular to
    that of q1.
"""

from __future__ import annotations

import sympy

from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.scenarios import PrescribedMotion, Scenario

_X, _Y, _Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)

DURATION = 10
ENDS: tuple[sympy.Expr, ...] = (sympy.pi / 4, sympy.pi / 6)
"""Table 3: q1 from 0 to 45 degrees and q2 from 0 to 30 degrees in 10 s.

The rates that it prints beside these, 1.0 and 0.25 m/s, are neither angular nor those of the printed angles and time.
"""


def two_link_space_arm() -> Mechanism:
    """The arm with m, L and g as parameters; ``constraint_forces`` is T_c."""
    arm = MechanismBuilder("two_link_space_arm")
    m = arm.parameter("m", "5", "kg", "mass of B; that of A is 2 m")
    length = arm.parameter("L", "1.25", "m", "quarter of A's length and half of B's")
    g = arm.parameter("g", "9.81", "m/s^2", "acceleration of free fall, along -n3")
    arm.gravity((0, 0, -g))

    square = length * length
    about_a = 8 * m * square / 3  # (2m) (4L)^2 / 12
    about_b = m * square / 3  # m (2L)^2 / 12
    arm.body("A_carrier")
    arm.body("A", mass=2 * m, center=(0, 0, -2 * length), inertia=(about_a, about_a, 0))
    arm.body("B", mass=m, center=(0, length, 0), inertia=(about_b, 0, about_b))

    arm.revolute("q1", BASE, "A_carrier", _Y)
    arm.revolute("T_c", "A_carrier", "A", _X)
    arm.revolute("q2", "A", "B", _Z, position=(0, 0, -4 * length))
    arm.prescribe("T_c")
    return arm.build()


def two_link_space_arm_scenarios() -> tuple[Scenario, ...]:
    """``uniform-turns``, the study of section V."""
    t = sympy.Symbol("t")
    turns = PrescribedMotion(
        name="uniform-turns",
        title="torques of uniform turns of both joints",
        source="Purushotham & Anjaneyulu 2013, section V, table 3 and fig 3",
        duration=float(DURATION),
        time=t,
        q=tuple(end * t / DURATION for end in ENDS),
    )
    return (turns,)
