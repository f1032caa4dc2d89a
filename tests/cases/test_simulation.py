"""Simulation (CASES 20, 43, 44) of a generated mechanism, and what is asked of it without sense."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
import sympy

import kanegen

from .machines import pendulum

# The motions are the same, and slower, where the package was not built.
pytestmark = pytest.mark.filterwarnings("ignore:the compiled integrators are missing:RuntimeWarning")

KERNELS = ["forward_dynamics", "kinetic_energy", "potential_energy"]


def test_energy_drift_shows_the_order_of_rk4() -> None:
    """Case 43: halving the step divides the drift of a passive pendulum by 16 or more (its energy is of order 5)."""
    arm = kanegen.load(pendulum(), kernels=KERNELS)
    drift = []
    for step in (0.04, 0.02, 0.01):
        motion = kanegen.simulate(arm, [2.0], [0.0], 8.0, method="rk4", step=step)
        drift.append(abs(motion.energy[-1] - motion.energy[0]))
    # Between orders 4 and 5; a factor of 1.5 is left for the terms of higher order.
    for coarse, fine in pairwise(drift):
        assert 16 / 1.5 < coarse / fine < 32 * 1.5


def test_a_sampled_controller_is_called_at_its_rate() -> None:
    """Case 44."""
    times: list[float] = []

    def controller(t: float, q: Any, v: Any) -> Any:
        times.append(t)
        return -v

    arm = kanegen.load(pendulum(), kernels=KERNELS)
    motion = kanegen.simulate(arm, [2.0], [0.0], 0.95, controller, sample_period=0.1)
    assert times == [k * 0.1 for k in range(10)]
    assert motion.statistics.evaluations > 50


@pytest.mark.parametrize("arm", [None, "stanford_arm", 3])
def test_what_is_no_robot(arm: Any) -> None:
    with pytest.raises(TypeError, match=r"arm: expected a robot, as kanegen\.load gives it, got"):
        kanegen.simulate(arm, [0.0], [0.0], 1.0)


@pytest.mark.parametrize("value", ["abc", None, 1j, float("nan"), float("inf"), [1.0]])
def test_a_parameter_that_is_no_number(value: Any) -> None:
    law = sympy.Symbol("k") * sympy.Symbol("q")
    arm = kanegen.load(pendulum(law=law, k=1.0), kernels=["law"], live_parameters=True, interpreted=True)
    with pytest.raises(ValueError, match="parameter 'k' must be a finite number, got"):
        arm.with_parameters({"k": value})
