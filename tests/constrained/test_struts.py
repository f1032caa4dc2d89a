"""Struts between two points as generalized speeds: statics by hand, joints' drives, work, dead centres."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kanegen
from kanegen.codegen.certificate.arrays import Array
from kanegen.errors import DeadCentreError

from .strut_models import CENTER, EYE, FOOT, MASS, MODELS, boom

KERNELS = [
    "inverse_dynamics",
    "forward_dynamics",
    "gravity_forces",
    "mass_matrix",
    "coordinate_rates",
    "dead_centre_margin",
]


@cache
def robot(name: str) -> kanegen.Robot:
    return kanegen.load(MODELS[name](), kernels=KERNELS)


def boom_length(q: float) -> tuple[float, float]:
    """Length of the boom's strut, and its derivative: the moment arm of its force about the hinge."""
    c, s = math.cos(q), math.sin(q)
    x, z = c * EYE[0] - s * EYE[2] - FOOT[0], s * EYE[0] + c * EYE[2] - FOOT[2]
    length = math.hypot(x, z)
    return length, (x * (-s * EYE[0] - c * EYE[2]) + z * (c * EYE[0] - s * EYE[2])) / length


@pytest.mark.parametrize("q", [-0.2, 0.3, 1.1])
def test_the_strut_of_a_boom_carries_its_weight(q: float) -> None:
    """Moments about the hinge: the weight at its arm, the strut's force at its own."""
    arm = CENTER[0] * math.cos(q) - CENTER[2] * math.sin(q)
    expected = MASS * 9.81 * arm / boom_length(q)[1]
    assert expected > 0  # it pushes
    # some ten operations on each side
    assert robot("boom").gravity_forces([q])[0] == pytest.approx(expected, rel=1e-14)
    assert robot("boom").inverse_dynamics([q], [0.0], [0.0])[0] == pytest.approx(expected, rel=1e-14)
    assert robot("boom").coordinate_rates([q], [0.5])[0] == pytest.approx(0.5 / boom_length(q)[1], rel=1e-14)


def test_a_constant_force_does_work_by_the_change_of_length() -> None:
    """Energy gained is force times extension; the boom is thrown up and falls back."""
    lifted = kanegen.load(boom())
    q0, force = 0.1, 400.0
    motion = kanegen.simulate(lifted, [q0], [0.5], 0.4, lambda t, q, v: [force], rtol=1e-11, atol=1e-13)
    energy = motion.energy
    assert energy is not None
    extension = np.array([boom_length(q)[0] for q in motion.q[:, 0]]) - boom_length(q0)[0]
    assert np.ptp(extension) > 0.02
    # some 100 steps of 1e-11 of states and energies of hundreds of joules
    np.testing.assert_allclose(energy - energy[0], force * extension, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "kernel", ["inverse_dynamics", "forward_dynamics", "coordinate_rates", "mass_matrix"]
)
def test_a_strut_in_line_with_the_hinge_is_at_a_dead_centre(kernel: str) -> None:
    """The eye, the hinge and the foot in one line: the strut's force has no moment about the hinge."""
    behind = math.atan2(FOOT[2], FOOT[0]) - math.atan2(EYE[2], EYE[0])
    arguments: list[Array] = [np.ones(1)] * {"coordinate_rates": 1, "mass_matrix": 0}.get(kernel, 2)
    with pytest.raises(DeadCentreError, match="rate of the distance from foot to eye"):
        robot("boom").call(kernel, [behind], *arguments)


@pytest.mark.parametrize("q", [0.0, 1e-9])
@pytest.mark.parametrize("kernel", KERNELS)
def test_points_that_coincide_are_told_like_a_dead_centre(kernel: str, q: float) -> None:
    """The strut has no direction there, and beside it one of rounding errors.  Home is such a place here."""
    folded = _folded()
    if kernel == "dead_centre_margin":
        assert folded.call(kernel, [q]).min() < 1e-17  # the square of half of 1e-9
        return
    arguments = [np.ones(1)] * {"coordinate_rates": 1, "mass_matrix": 0, "gravity_forces": 0}.get(kernel, 2)
    with pytest.raises(DeadCentreError, match="rate of the distance from foot to eye"):
        folded.call(kernel, [q], *arguments)
    # the chord of a circle of radius 0.9 and its slope, nearby: sign and size are right again
    expected = 0.5 / (0.9 * math.cos(0.05))
    assert folded.coordinate_rates([0.1], [0.5])[0] == pytest.approx(expected, rel=1e-13)
    assert folded.coordinate_rates([-0.1], [0.5])[0] == pytest.approx(-expected, rel=1e-13)


@cache
def _folded() -> kanegen.Robot:
    """A boom whose strut has no length at q = 0, its home."""
    place = (0.9, 0.0, 0.0)
    return kanegen.load(replace(boom(foot=place, eye=place), home=()), kernels=KERNELS)
