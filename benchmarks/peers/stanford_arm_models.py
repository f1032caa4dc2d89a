"""The Stanford Arm of Kane & Levinson (1983), from the paper's text and its Appendix 3.

The chain from the base is q1, q2, q6, q3, q4, q5 (section 2 of the paper): rotation about n2, rotation about
b1, translation along c2, rotation about d2, rotation about e1, rotation about f2; n2 points up.  The paper
gives no value for g; 9.81 m/s^2 is used throughout this project.
"""

from __future__ import annotations

from benchmarks.peers.chain import Chain, ChainBody
from benchmarks.peers.urdf import urdf_of

L1, L2, L3, L4, L5, L6 = 0.1, 0.6, 0.2, 0.1, 0.7, 0.06
"""Lengths of Appendix 3, m."""

GRAVITY = 9.81
"""m/s^2, along -n2."""

ACTUATOR_SIGNS = (1.0, -1.0, -1.0, -1.0, -1.0, -1.0)
"""Generalized forces on q1'...q6' are these times the paper's (tau1, ..., tau5, sigma): eqs 111-116, 126.

tau1 is exerted by the base on A (eq 103); the other five by the outer body on the inner one (eqs 102, 108, 109).
"""

STANFORD_ARM = Chain(
    name="stanford_arm",
    gravity=(0.0, -GRAVITY, 0.0),
    bodies=(
        ChainBody("A", "revolute", "y", 0, (0.0, 0.0, 0.0), 9.0, (0.0, 0.0, 0.0), (0.01, 0.02, 0.01)),
        ChainBody("B", "revolute", "x", 1, (L1, L4, 0.0), 6.0, (0.0, 0.0, 0.0), (0.06, 0.01, 0.05)),
        ChainBody("C", "prismatic", "y", 5, (0.0, 0.0, 0.0), 4.0, (0.0, 0.0, 0.0), (0.4, 0.01, 0.4)),
        # The three wrist axes meet in one point, L2 along c2 from C's mass centre.
        ChainBody("D", "revolute", "y", 2, (0.0, L2, 0.0), 1.0, (0.0, L5 - L2, 0.0), (0.0005, 0.001, 0.001)),
        ChainBody("E", "revolute", "x", 3, (0.0, 0.0, 0.0), 0.6, (0.0, L6, 0.0), (0.0005, 0.0002, 0.0005)),
        ChainBody("F", "revolute", "y", 4, (0.0, 0.0, 0.0), 0.5, (0.0, L3, 0.0), (0.001, 0.002, 0.003)),
    ),
)

STANFORD_ARM_URDF = urdf_of(STANFORD_ARM)
JOINTS = ("q1", "q2", "q3", "q4", "q5", "q6")
