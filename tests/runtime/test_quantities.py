"""Intermediate quantities of a robot by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder


def test_quantities_of_kanes_method_and_of_the_recursion() -> None:
    arm = kanegen.load("stanford_arm")
    q, v, a = np.random.default_rng(7).uniform(0.2, 1.0, (3, 4, 6))
    found = arm.quantities(q, v, a)
    assert found["w_F_x"].shape == (4,)
    tau = arm.inverse_dynamics(q, v, a)
    forces = np.stack([-found[f"Ki_{r}"] - found[f"Ka_{r}"] for r in range(1, 7)], axis=1)
    assert np.abs(forces - tau).max() < 1e-12 * np.abs(tau).max()
    spin = arm.frame_pose(q, "F")[:, :3, :3].transpose(0, 2, 1) @ (
        arm.frame_jacobian(q, "F")[:, 3:] @ v[..., None]
    )
    assert np.allclose(spin[:, 0, 0], found["w_F_x"], rtol=1e-12)
    recursive = arm.quantities(q, v, a, formulation="recursive")
    assert np.allclose(recursive["w_F_x"], found["w_F_x"], rtol=1e-12)
    assert arm.quantities({"q2": 0.3})["g_B_y"] == pytest.approx(-9.81 * np.cos(0.3))
    with pytest.raises(ValueError, match="expected"):
        arm.quantities(q[:, :5])


def test_quantities_at_a_time() -> None:
    builder = MechanismBuilder("driven")
    for name in ("turn", "link"):
        builder.body(name, mass=1, inertia=(1, 1, 1))
    builder.revolute("drive", "base", "turn", axis=(0, 0, 1))
    builder.revolute("joint", "turn", "link", axis=(0, 1, 0))
    builder.prescribe("drive", motion=sympy.Symbol("t") ** 2)
    arm = kanegen.load(builder.build(), interpreted=True)
    assert arm.quantities([0.0])["w_link_z"] == 0.0
    for t in (0.7, [0.2, 0.7]):
        assert arm.at(t).quantities([0.0])["w_link_z"] == pytest.approx(2 * np.array(t))
        assert arm.at(3.0).quantities([0.0], t=t)["w_link_z"] == pytest.approx(2 * np.array(t))


def test_live_parameters_and_generated_code(tmp_path: Path) -> None:
    arm = kanegen.load("stanford_arm", live_parameters=True, kernels=["inverse_dynamics"], interpreted=True)
    heavier = arm.with_parameters({"mF": 5.0})
    one, ten = (robot.quantities(np.ones(6))["G_F_y"] for robot in (arm, heavier))
    assert ten == pytest.approx(10 * one)
    kanegen.generate("plate_disk", tmp_path / "c", kernels=["inverse_dynamics"])
    with pytest.raises(kanegen.KanegenError, match="generated C"):
        kanegen.load(tmp_path / "c", interpreted=False).quantities(np.zeros(3))
