"""I* and P* of closed linkages on their drives, against the bias forces and the change of the mass matrix."""

from __future__ import annotations

import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism import Mechanism
from tests.constrained.ball_models import walker

KERNELS = [
    "effective_inertia",
    "inertia_power",
    "mass_matrix",
    "bias_forces",
    "gravity_forces",
    "coordinate_rates",
]


@pytest.mark.parametrize(
    "model",
    ["five_bar", "cooperating_arms", "four_bar", walker()],
    ids=["five_bar", "arms", "four_bar", "walker"],
)
def test_power_of_linkages(model: str | Mechanism) -> None:
    robot = kanegen.load(model, formulation="influence_coefficients", kernels=KERNELS, interpreted=True)
    q = robot.home
    v = np.random.default_rng(1).standard_normal(robot.nv)
    power = robot.call("inertia_power", q)
    quadratic = np.einsum("nmk,m,k->n", power, v, v)
    bias = robot.bias_forces(q, v)
    # a few hundred operations on numbers of the size of the bias
    np.testing.assert_allclose(quadratic, bias - robot.gravity_forces(q), atol=1e-12 * np.abs(bias).max())
    np.testing.assert_array_equal(power, power.transpose(0, 2, 1))
    np.testing.assert_allclose(robot.call("effective_inertia", q), robot.mass_matrix(q), rtol=1e-14)
    # v^T (v^T P v) is half the rate of v^T M v: the power that changes kinetic energy at constant speeds
    h = 1e-5
    rates = robot.coordinate_rates(q, v)
    change = (robot.mass_matrix(q + h * rates) - robot.mass_matrix(q - h * rates)) / (2 * h)
    assert v @ quadratic == pytest.approx(v @ change @ v / 2, rel=1e-6)


@pytest.mark.parametrize(
    "model", ["five_bar", "cooperating_arms", walker()], ids=["five_bar", "arms", "walker"]
)
def test_influence_coefficients_of_frames(model: str | Mechanism) -> None:
    """v^T H v is what the changing G adds to accelerations: central differences, h^2 times a third derivative."""
    probe = kanegen.load(model, kernels=["coordinate_rates"], interpreted=True)
    name = probe.frame_names[-1]
    kernels = [f"influence_G_{name}", f"influence_H_{name}", "coordinate_rates", f"frame_jacobian_{name}"]
    robot = kanegen.load(model, formulation="influence_coefficients", kernels=kernels, interpreted=True)
    q = robot.home
    v = np.random.default_rng(2).standard_normal(robot.nv)
    rates = robot.coordinate_rates(q, v)
    h = 1e-5
    change = (robot.call(kernels[0], q + h * rates) - robot.call(kernels[0], q - h * rates)) / (2 * h)
    found = np.einsum("pmk,m,k->p", robot.call(kernels[1], q), v, v)
    np.testing.assert_allclose(found, change @ v, atol=1e-7 * np.abs(found).max())
    np.testing.assert_array_equal(robot.call(kernels[0], q), robot.frame_jacobian(q, name))
