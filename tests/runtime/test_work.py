"""The works of forces, integrated along with the motion: what energy gains is what they did."""

from __future__ import annotations

import numpy as np
import pytest

import kanegen


def drive(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return 0.05 * np.sin(3.0 * t + np.arange(v.size))


@pytest.mark.parametrize(
    ("model", "controller", "settings", "allowed"),
    [
        # Errors of steps are below rtol times energies of some J; a hundred steps and their growth take three digits.
        ("stanford_arm", drive, {"rtol": 1e-11}, 1e-7),
        ("stanford_arm", "feedback_law", {"rtol": 1e-11}, 1e-7),  # by the kernel closed_loop_feedback_law
        ("stanford_arm", drive, {"rtol": 1e-11, "sample_period": 0.05}, 1e-7),
        ("stanford_arm", None, {"rtol": 1e-11}, 1e-7),
        ("four_bar", drive, {"rtol": 1e-11}, 1e-7),
        # Errors of order 4: some (1e-3 rad/s)^4 of rates of up to 30 rad/s, and of Simpson's rule likewise.
        ("stanford_arm", drive, {"method": "rk4", "step": 1e-3}, 1e-6),
        ("stanford_arm", drive, {"method": "rodas4", "rtol": 1e-9}, 1e-6),
    ],
)
@pytest.mark.filterwarnings("ignore:the simulation of:RuntimeWarning")  # of stiffness, where it is
def test_energy_less_work_is_constant(model, controller, settings, allowed):
    kernels = ["forward_dynamics", "kinetic_energy", "potential_energy"]
    loop = [
        "constraint_jacobian",
        "coordinate_rates",
        "multiplier_dynamics",
        "generalized_speeds",
        "constraint_projection",
    ]
    arm = kanegen.load(model) if model == "stanford_arm" else kanegen.load(model, kernels=kernels + loop)
    q = arm.assemble(arm.home) + (0.3 if model == "stanford_arm" else 0.0)
    motion = kanegen.simulate(
        arm, q, np.full(arm.nv, 0.2), 0.5, controller, **settings, times=np.linspace(0, 0.5, 37)
    )
    assert motion.work.shape == motion.tau.shape
    assert motion.energy is not None
    balance = motion.energy - motion.work.sum(axis=1)
    assert np.abs(balance - balance[0]).max() < allowed
    if controller is None:
        assert not motion.work.any()
    else:
        assert np.abs(motion.work).max() > 1e-3  # there is something to find
