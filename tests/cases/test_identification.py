"""Regressors (CASE 22) of a model in a file: each unit parameter in turn is inverse dynamics."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import kanegen
from tests.mechanism.importers.documents import joint, link, robot

from .files import LoadText, inertial

Array = NDArray[np.float64]
PARAMETERS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
TURN = '<origin xyz="0.1 0.2 0.3" rpy="0.7 -0.8 0.9"/><axis xyz="0 0.6 -0.8"/>'
SLIDE = '<origin xyz="0.4 0 0.1" rpy="0.1 0.2 0.3"/><axis xyz="0.8 0 0.6"/>'
Q, V, A = np.random.default_rng(0).uniform(-1, 1, (3, 5, 2))


def text(*inertials: str) -> str:
    """A turn and a slide, their frames turned, with these inertials."""
    return robot(
        link("a", ""),
        *(link(name, inside) for name, inside in zip("bc", inertials, strict=True)),
        joint("j", "a", "b", TURN),
        joint("k", "b", "c", SLIDE, kind="prismatic"),
    )


REAL = text(
    inertial("0.4 0.5 0.6 0.01 -0.02 0.03", '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>', "1.5"),
    inertial("0.1 0.2 0.25 0.01 0.02 0.03", '<origin xyz="0.2 -0.1 0"/>', "0.4"),
)


def unit(parameter: int) -> str:
    """A body with this parameter alone one; of the first moments, with the mass one and no inertia about the origin."""
    if parameter == 0:
        return inertial("0 0 0 0 0 0")
    if parameter < 4:
        center = np.eye(3)[parameter - 1]
        # About the mass centre: what the mass has about the origin, with the opposite sign.
        xx, yy, zz = center**2 - 1.0
        return inertial(f"{xx} {yy} {zz} 0 0 0", '<origin xyz="{} {} {}"/>'.format(*center))
    order = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    return inertial(" ".join("01"[name == PARAMETERS[parameter]] for name in order), mass="0")


@pytest.fixture(scope="module")
def arm(load_text: LoadText) -> kanegen.Robot:
    return load_text(REAL)


@pytest.mark.parametrize("body", range(2))
@pytest.mark.parametrize("parameter", range(10), ids=PARAMETERS)
def test_each_unit_parameter_is_inverse_dynamics(
    load_text: LoadText, arm: kanegen.Robot, body: int, parameter: int
) -> None:
    """Case 22: one by one, so that an order or a sign that is wrong shows."""
    inertials = ["", ""]
    inertials[body] = unit(parameter)
    alone = load_text(text(*inertials), "inverse_dynamics", allow_unphysical=True)
    columns = arm.full_regressor(Q, V, A)[..., 10 * body :]
    expected = columns[..., parameter] + (columns[..., 0] if 0 < parameter < 4 else 0.0)
    # Forces of order ten at most, some hundred roundings.
    assert_allclose(alone.inverse_dynamics(Q, V, A), expected, atol=1e-12)


def test_both_regressors_give_the_forces(arm: kanegen.Robot) -> None:
    """Case 22: with the model's own parameters, and the fewest of them have full column rank."""
    tau = arm.inverse_dynamics(Q, V, A)
    assert_allclose(arm.full_regressor(Q, V, A) @ arm.inertial_parameters, tau, atol=1e-12)
    assert_allclose(arm.regressor(Q, V, A) @ arm.base_parameters, tau, atol=1e-12)
    motion = np.random.default_rng(1).uniform(-2, 2, (3, 200, 2))
    Y, full = (y(*motion).reshape(400, -1) for y in (arm.regressor, arm.full_regressor))
    assert np.linalg.matrix_rank(Y) == np.linalg.matrix_rank(full) == Y.shape[1]


def test_the_order_of_the_parameters(arm: kanegen.Robot) -> None:
    """Case 22: 0.4 kg at (0.2, -0.1, 0), with moments about its mass centre; Ixy is less by m x y."""
    expected = [0.4, 0.08, -0.04, 0, 0.1 + 0.004, 0.01 + 0.008, 0.02, 0.2 + 0.016, 0.03, 0.25 + 0.02]
    assert len(arm.inertial_parameter_names) == 20
    # Each is a sum of two numbers rounded once.
    assert_allclose(arm.inertial_parameters[10:], expected, rtol=1e-15)
    assert arm.inertial_parameter_names[10:] == tuple(f"{name}_c" for name in PARAMETERS)
