"""The feedback law of Kane & Levinson (1983), eqs 128-133, in plain numbers, and the motion of their Fig. 3.

Written from the paper for the peers; kanegen's own is in its catalogue as symbolic expressions.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin

from benchmarks.peers.stanford_arm_models import ACTUATOR_SIGNS, GRAVITY, L2, L3, L5, L6, STANFORD_ARM

DURATION = 10.0
"""s"""

TARGET = (pi / 3, pi / 3, pi / 3, pi / 3, pi / 3, 0.1)
"""q1*...q6*, rad and m."""

START = (0.0, pi / 2, 0.0, 0.0, 0.0, 0.0)
"""q1...q6 at rest: the arm begins stretched out horizontally, as in the example of eq 127."""

GAINS = (3.0, 5.0, 1.0, 3.0, 0.3, 0.6, 0.3, 0.6, 0.25, 0.25, 30.0, 41.0)
"""k1...k12: N m and N m s for the angles, N/m and N s/m for the translation."""

_, _, _M_C, _M_D, _M_E, _M_F = (body.mass for body in STANFORD_ARM.bodies)
_M_EF = _M_E + _M_F
_M_CD = _M_C + _M_D
_WRIST = _M_E * L6 + _M_F * L3


def paper_forces(q: Sequence[float], v: Sequence[float]) -> list[float]:
    """(tau1, ..., tau5, sigma) with the paper's signs, N m and N."""
    q1, q2, q3, q4, q5, q6 = q
    v1, v2, v3, v4, v5, v6 = v
    k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12 = GAINS
    s2, c2, s3, c3, s4, c4 = sin(q2), cos(q2), sin(q3), cos(q3), sin(q4), cos(q4)
    return [
        k1 * (TARGET[0] - q1) - k2 * v1,
        k3 * (q2 - TARGET[1])
        + k4 * v2
        + GRAVITY
        * ((_M_CD * q6 + _M_D * L5) * s2 + _WRIST * (c4 * s2 + c3 * s4 * c2) + _M_EF * (q6 + L2) * s2),
        k5 * (q3 - TARGET[2]) + k6 * v3 - GRAVITY * _WRIST * s2 * s3 * s4,
        k7 * (q4 - TARGET[3]) + k8 * v4 + GRAVITY * _WRIST * (c2 * s4 + s2 * c3 * c4),
        k9 * (q5 - TARGET[4]) + k10 * v5,
        k11 * (q6 - TARGET[5]) + k12 * v6 - GRAVITY * (_M_CD + _M_EF) * c2,
    ]


def generalized_forces(q: Sequence[float], v: Sequence[float]) -> list[float]:
    """The same as generalized forces on q1'...q6'."""
    return [sign * force for sign, force in zip(ACTUATOR_SIGNS, paper_forces(q, v), strict=True)]
