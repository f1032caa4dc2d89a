"""Regressors (CASE 22) of a model in a file: each unit parameter in turn is inverse dynamics."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from tests.mechanism.importers.documents import joint, link, robot

from .files import inertial, load_text

Array = NDArray[np.float64]
PARAMETERS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
FIRST = '<origin xyz="0.1 0.2 0.3" rpy="0.7 -0.8 0.9"/><axis xyz="1 2 -2"/>'
SECOND = '<origin xyz="0.4 0 0.1" rpy="0.1 0.2 0.3"/><axis xyz="0 3 4"/>'
THIRD = '<origin xyz="0 -0.2 0.1" rpy="-0.4 0.2 1.3"/><axis xyz="2 -1 2"/>'


def arm(inertials: list[str]) -> str:
    """Three turned joints, one of them a slide, with these inertials."""
    return robot(
        link("a", ""),
        *(link(name, inside) for name, inside in zip("bcd", inertials, strict=True)),
        joint("j", "a", "b", FIRST),
        joint("k", "b", "c", SECOND, kind="prismatic"),
        joint("l", "c", "d", THIRD),
    )


REAL = [
    inertial("0.4 0.5 0.6 0.01 -0.02 0.03", '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>', "1.5"),
    inertial("0.3 0.4 0.5 0.03 0.02 -0.01", '<origin xyz="-0.3 0.1 0.2" rpy="-0.4 1.5 0.6"/>', "0.7"),
    inertial("0.1 0.2 0.25 0.01 0.02 0.03", '<origin xyz="0.2 -0.1 0"/>', "0.4"),
]
NONE = inertial("0 0 0 0 0 0", mass="0")


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
def states() -> Array:
    return np.random.default_rng(0).uniform(-1, 1, (3, 5, 3))


@pytest.mark.parametrize("body", range(3))
@pytest.mark.parametrize("parameter", range(10), ids=PARAMETERS)
def test_each_unit_parameter_is_inverse_dynamics(body: int, parameter: int, states: Array) -> None:
    """Case 22: one by one, so that an order or a sign that is wrong shows."""
    columns = load_text(arm(REAL), "full_regressor").full_regressor(*states)[..., 10 * body + parameter]
    bodies = [NONE] * 3
    bodies[body] = unit(parameter)
    found = load_text(arm(bodies), "inverse_dynamics", allow_unphysical=True).inverse_dynamics(*states)
    if 0 < parameter < 4:
        bodies[body] = unit(0)
        found = found - load_text(arm(bodies), "inverse_dynamics").inverse_dynamics(*states)
    # Forces of order ten at most, some hundred roundings.
    assert_allclose(columns, found, atol=1e-12)


def test_both_regressors_give_the_forces(states: Array) -> None:
    """Case 22: with the model's own parameters, and the fewest of them have full column rank."""
    model = load_text(arm(REAL))
    tau = model.inverse_dynamics(*states)
    assert_allclose(model.full_regressor(*states) @ model.inertial_parameters, tau, atol=1e-12)
    assert_allclose(model.regressor(*states) @ model.base_parameters, tau, atol=1e-12)
    q, v, a = np.random.default_rng(1).uniform(-2, 2, (3, 200, 3))
    Y = model.regressor(q, v, a).reshape(600, -1)
    assert np.linalg.matrix_rank(Y) == Y.shape[1]
    assert np.linalg.matrix_rank(model.full_regressor(q, v, a).reshape(600, -1)) == Y.shape[1]


def test_names_of_the_parameters() -> None:
    """Case 22: ten for each body, which say what they are."""
    model = load_text(arm(REAL))
    names = model.inertial_parameter_names
    values = dict(zip(names, model.inertial_parameters, strict=True))
    assert len(names) == 30
    # The last body: 0.4 kg at (0.2, -0.1, 0) with moments about its mass centre; Ixy = 0.01 - m x y.
    expected = [0.4, 0.08, -0.04, 0, 0.1 + 0.004, 0.01 + 0.008, 0.02, 0.2 + 0.016, 0.03, 0.25 + 0.02]
    assert_allclose([values[name] for name in names[20:]], expected, rtol=1e-15, atol=1e-18)
