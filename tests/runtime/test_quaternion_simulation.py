"""Simulation where coordinates are unit quaternions: a free rigid body."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from references import assert_order, equal_steps
from scipy.integrate import solve_ivp

from kanegen.simulation import simulate
from kanegen.simulation.motion import Motion

EPSILON = np.finfo(float).eps

IDENTITY = [1.0, 0.0, 0.0, 0.0]
"""The body of these tests has its quaternion as (w, x, y, z), which is all the same to an integrator."""

SPIN = [0.3, 2.0, 0.1]


@pytest.fixture
def body(arms: SimpleNamespace, in_numpy: bool) -> Any:
    return dataclasses.replace(arms.body, quaternions=(0,), interpreted=in_numpy)


def lengths(motion: Motion) -> np.ndarray:
    return np.linalg.norm(motion.q, axis=1)


def exact(arm: Any, t: float) -> np.ndarray:
    """(q, v) at time t, to about 1e-12."""

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        q, v = y[:4].copy(), y[4:].copy()
        return np.concatenate([arm.coordinate_rates(q, v), arm.forward_dynamics(q, v, np.zeros(3))])

    return solve_ivp(rate, (0.0, t), [*IDENTITY, *SPIN], "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]


SETTINGS = [{}, {"rtol": 1e-3, "atol": 1e-3}, {"method": "rk4", "step": 0.05}, {"sample_period": 0.3}]


@pytest.mark.parametrize("settings", SETTINGS)
def test_every_row_has_length_one(body: Any, settings: dict[str, Any]) -> None:
    motion = simulate(body, IDENTITY, SPIN, 5.0, times=np.linspace(0.0, 5.0, 117), **settings)
    assert np.abs(lengths(motion) - 1.0).max() <= 2 * EPSILON
    assert motion.drift is None


@pytest.mark.parametrize("size", [2.0, 1e-150, 1e150])
def test_a_beginning_of_any_length_is_normalised(body: Any, size: float) -> None:
    scaled = simulate(body, [size, 0.0, 0.0, 0.0], SPIN, 1.0, times=[0.0, 1.0])
    unit = simulate(body, IDENTITY, SPIN, 1.0, times=[0.0, 1.0])
    assert np.array_equal(scaled.q, unit.q)
    assert scaled.q[0].tolist() == IDENTITY


def test_a_zero_quaternion_is_refused(body: Any) -> None:
    with pytest.raises(
        ValueError, match="q0: the quaternion q0, q1, q2, q3 of body is zero, which is no rotation"
    ):
        simulate(body, np.zeros(4), SPIN, 1.0)


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("gauss4", 4), ("dopri5", 5)])
def test_normalising_keeps_the_order(arms: SimpleNamespace, method: str, order: int) -> None:
    """Errors of the steps of 0.05 s and below are 1e-4 to 1e-8, the reference's 1e-12."""
    arm = dataclasses.replace(arms.body, quaternions=(0,))
    errors = []
    for h in (0.05, 0.025, 0.0125):
        motion = simulate(arm, IDENTITY, SPIN, 4.0, times=[4.0], **equal_steps(method, h))
        errors.append(np.abs(motion.q[0] - exact(arms.body, 4.0)[:4]).max())
    assert_order(errors, order)


def test_steps_do_not_depend_on_the_orientation(arms: SimpleNamespace) -> None:
    """Turning the whole motion turns errors of the quaternion, whose size that leaves alone: the same steps are taken.

    It would not be so if each entry had a tolerance relative to itself.
    """
    arm = dataclasses.replace(arms.body, quaternions=(0,))
    half, turned = np.sqrt(0.5), np.array([0.5, -0.1, 0.7, 0.3])
    counts = {
        (m.statistics.accepted, m.statistics.rejected)
        for q0 in (IDENTITY, [half, half, 0.0, 0.0], turned)
        for m in [simulate(arm, q0, SPIN, 20.0, rtol=1e-7, atol=1e-10)]
    }
    assert len(counts) == 1


def test_no_drift_over_a_million_steps(arms: SimpleNamespace) -> None:
    arm = dataclasses.replace(arms.body, quaternions=(0,))
    motion = simulate(arm, IDENTITY, SPIN, 10_000.0, method="rk4", step=0.01, times=np.linspace(0, 1e4, 101))
    assert motion.statistics.accepted == 1_000_000
    assert np.abs(lengths(motion) - 1.0).max() <= 2 * EPSILON
    assert np.isfinite(motion.q).all()
