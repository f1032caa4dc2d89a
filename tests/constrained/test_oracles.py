"""Published examples: the two-link space arm, the arm with a sliding joint, the sharp-edged disk between plates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import kanegen
from kanegen.codegen.certificate.arrays import Array

ORACLES = Path(__file__).resolve().parents[1] / "oracles"
ERROR = 1e-11
"""What the oracles' own sources differ by is below 2e-12 of the largest component; kernels add 1e-13 to that."""


def oracle(name: str) -> Any:
    return json.loads((ORACLES / name).read_text(encoding="utf-8"))


def relative(found: Array, expected: Any) -> float:
    """The largest error over the largest component."""
    return float(np.abs(found - np.array(expected)).max() / np.abs(np.array(expected)).max())


def test_two_link_space_arm() -> None:
    """Joint forces and the constraint torque T_c, of given accelerations and of the free motion."""
    arm = kanegen.load("two_link_space_arm")
    for vector in oracle("two_link_space_arm.json")["vectors"]:
        q, u, udot = vector["q"], vector["u"], vector["ud"]
        tau, held = arm.inverse_dynamics(q, u, udot), arm.constraint_forces(q, u, udot)
        assert relative(np.concatenate([tau, held]), vector["tau1_tau2_Tc"]) < ERROR
        free = arm.forward_dynamics(q, u, [0, 0])
        assert relative(free, vector["free_udot"]) < ERROR
        # T_c is a sum of terms of the size of the forces that would hold the arm still.
        scale = float(np.abs(arm.gravity_forces(q)).max() + np.abs(arm.bias_forces(q, u)).max() + 1)
        assert abs(arm.constraint_forces(q, u, free)[0] - vector["free_Tc"]) < ERROR * scale


def test_arm_with_a_sliding_joint() -> None:
    arm = kanegen.load("stanford_arm_rrp")
    for vector in oracle("agrawal_1988.json")["rrp"]["vectors"]:
        tau = arm.inverse_dynamics(vector["q"], vector["qd"], vector["qdd"])
        assert relative(tau, vector["T1_T2_F3"]) < ERROR


def test_disk_between_plates() -> None:
    """Rates of the speeds and the force on the edge."""
    disk = kanegen.load("plate_disk")
    for vector in oracle("agrawal_1988.json")["disk"]["vectors"]:
        q, u = vector["q"], vector["u1u2"]
        udot = disk.forward_dynamics(q, u, [0, 0])
        assert relative(udot, vector["u1dot_u2dot"]) < ERROR
        force = disk.constraint_forces(q, u, udot)[0]
        assert abs(force - vector["constraint_multiplier"]) < ERROR * (
            10 + abs(vector["constraint_multiplier"])
        )
