"""The three studies of Kane & Levinson (1983) with the Stanford Arm.

All begin with the arm stretched out horizontally, q2 = 90 degrees (the text before equation 128 says zero: an erratum).
The sentence that gives q(T) of the prescribed motion is destroyed in the available text; the targets of the feedback
example, (pi/3, ..., pi/3, 0.1), are assumed.
"""

from __future__ import annotations

import math

import sympy
from sympy import Integer, pi, sin

from kanegen.codegen.mechanism.catalogue.stanford_arm_laws import TARGETS
from kanegen.codegen.mechanism.scenarios import (
    ConservedMomentum,
    ControlledMotion,
    PrescribedMotion,
    Scenario,
)

_SOURCE = "Kane & Levinson, IJRR 2(3), 1983, "
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
        source=_SOURCE + "eq 127 and fig 1",
        duration=float(_T),
        time=t,
        q=tuple(_cycloid(start, end, t) for start, end in zip(_START, TARGETS, strict=True)),
    )
    feedback = ControlledMotion(
        name="feedback",
        title="motion under the feedback law",
        source=_SOURCE + "eqs 128-133 and fig 3",
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
        source=_SOURCE + "eqs 129-134 and 138",
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
