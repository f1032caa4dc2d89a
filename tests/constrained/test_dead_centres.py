"""Dead centres of the five-bar's two drives: told in a sentence, passed in a motion."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kanegen
from kanegen.errors import DeadCentreError


def in_line() -> list[float]:
    """The two distal links stretched into one line: both driven joints can be held and the middle still moves."""
    height = math.sqrt(0.5**2 - 0.2**2)
    first, second = math.atan2(height, -0.2), math.atan2(height, 0.2)
    return [first, -first, second, math.pi - second]


@pytest.fixture(scope="module")
def five_bar() -> kanegen.Robot:
    return kanegen.load("five_bar")


def test_the_configuration_is_closed(five_bar: kanegen.Robot) -> None:
    assert np.abs(five_bar.constraint_residual(in_line())).max() < 1e-15


@pytest.mark.parametrize(
    "kernel", ["forward_dynamics", "inverse_dynamics", "bias_forces", "coordinate_rates", "mass_matrix"]
)
def test_calls_do_not_return_rounding_errors(five_bar: kanegen.Robot, kernel: str) -> None:
    vectors = {"forward_dynamics": 2, "inverse_dynamics": 2, "mass_matrix": 0}.get(kernel, 1)
    with pytest.raises(DeadCentreError, match=r"its speeds q1, q3 do not determine its motion"):
        five_bar.call(kernel, in_line(), *[[0.1, 0.2]] * vectors)


def test_the_row_of_a_batch_is_named(five_bar: kanegen.Robot) -> None:
    rows = np.array([five_bar.assemble(), in_line()])
    with pytest.raises(DeadCentreError, match="first in row 1 of the batch"):
        five_bar.mass_matrix(rows)


def test_what_does_not_need_the_speeds_works_there(five_bar: kanegen.Robot) -> None:
    q = in_line()
    assert np.isfinite(five_bar.potential_energy(q))
    assert np.isfinite(five_bar.frame_pose(q, five_bar.frame_names[0])).all()
    acceleration, force = five_bar.call("multiplier_dynamics", q, [0.0] * 4, [0.0, 0.0])
    assert np.isfinite(acceleration).all()
    assert np.isfinite(force).all()


def test_a_hanging_five_bar_swings_through_them_and_stays_closed(five_bar: kanegen.Robot) -> None:
    """Released from home it falls through configurations in which its drives would be at a dead centre."""
    motion = kanegen.simulate(five_bar, five_bar.assemble(), [0, 0], 60.0, rtol=1e-9, atol=1e-9)
    assert np.abs(five_bar.constraint_residual(motion.q)).max() < 1e-9
    assert motion.drift is not None
    assert motion.drift < 1e-9
    margins = five_bar.call("dead_centre_margin", motion.q)
    assert margins.min() < 1e-3  # it does come near
    energy = motion.energy
    assert energy is not None
    # the local error 1e-9 of some 20,000 steps, on energies of a few joules
    assert np.ptp(energy[np.isfinite(energy)]) < 2e-5
