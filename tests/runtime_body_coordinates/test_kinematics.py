"""Position, velocity and acceleration analysis in body coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from kanegen.body_coordinates import BodySystem
from kanegen.errors import DeadCentreError, MissingKernelError, PositionError
from tests.runtime_body_coordinates.robots import robot, stub

ROUNDING = 1e-12
"""Newton's method ends within CLOSED = 1e-12 of terms of about 10; in fact it leaves a few roundings of 1e-16."""

ANGLES = np.array([2.5, -1.2, 1.9, 0.4, -2.8, 3.0])


@pytest.fixture(scope="module")
def arm() -> BodySystem:
    return BodySystem(robot("sim_yoo_lee_robot"))


@pytest.fixture(scope="module")
def bar() -> BodySystem:
    return BodySystem(robot("four_bar"))


def home(system: BodySystem) -> np.ndarray:
    return system.kernels.coordinates(system.robot.home)


def apart(x: np.ndarray, y: np.ndarray) -> float:
    """Difference of two positions, whatever the signs of Euler parameters."""
    a, b = x.reshape(-1, 7), y.reshape(-1, 7)
    signs = np.sign(np.einsum("ij,ij->i", a[:, 3:], b[:, 3:]))[:, None]
    return float(max(np.abs(a[:, :3] - b[:, :3]).max(), np.abs(a[:, 3:] - signs * b[:, 3:]).max()))


def scaled(x: np.ndarray, factor: float) -> np.ndarray:
    y = x.reshape(-1, 7).copy()
    y[:, 3:] *= factor
    return y.reshape(-1)


@pytest.mark.parametrize("factor", [2.0, -1.0, 1e-200, 1e200, 1.0 + 1e-6])
def test_euler_parameters_of_any_norm_are_normalised(arm: BodySystem, factor: float) -> None:
    expected = arm.kernels.coordinates(ANGLES)
    assert apart(arm.position(ANGLES, scaled(expected, factor)), expected) <= ROUNDING


def test_the_position_is_found_from_anywhere(arm: BodySystem) -> None:
    """Also from axes that point against their partners, which the equations of the joints do not notice."""
    random = np.random.default_rng(1985)
    expected = arm.kernels.coordinates(ANGLES)
    for _ in range(9):
        start = random.normal(size=expected.size) * random.choice([0.1, 1.0, 10.0])
        assert apart(arm.position(ANGLES, start), expected) <= ROUNDING
    backwards = expected.reshape(-1, 7).copy()
    backwards[2:, 3:] = backwards[2:, [5, 6, 3, 4]] * [-1, -1, 1, 1]  # half a turn about the y axis's normal
    assert apart(arm.position(ANGLES, backwards.reshape(-1)), expected) <= ROUNDING


def test_angles_are_driven_any_number_of_turns(arm: BodySystem) -> None:
    turns = 2 * np.pi * np.array([1, -2, 3, 0, 10, -1])
    assert apart(arm.position(ANGLES + turns), arm.kernels.coordinates(ANGLES)) <= 1e-11  # 60 rad: eps 60 m
    near = ANGLES + turns + 0.5
    found = arm.joint_coordinates(arm.kernels.coordinates(ANGLES), near)
    np.testing.assert_allclose(found, ANGLES + turns, rtol=0, atol=1e-13)


def test_drifted_positions_are_closed_nearby(bar: BodySystem) -> None:
    random = np.random.default_rng(2)
    x = home(bar)
    for _ in range(10):
        found = bar.closed(x + 1e-4 * random.normal(size=x.size))
        assert np.abs(bar.kernels.phi(found)).max() <= ROUNDING
        # What is not drift is motion: some 1e-4 along the one degree of freedom, some 1e-4 of closing.
        assert apart(found, x) <= 3e-3


def test_a_loop_follows_its_drive(bar: BodySystem) -> None:
    """Through a whole turn of the crank, which is the shortest link."""
    x = home(bar)
    for angle in np.linspace(1.0, 1.0 + 2 * np.pi, 13):
        x = bar.position([angle], x)
        assert np.abs(bar.kernels.phi(x)).max() <= ROUNDING
    assert apart(x, bar.position([1.0])) <= ROUNDING


def test_rates_and_accelerations_are_derivatives(bar: BodySystem) -> None:
    """Central differences of Newton's solutions over 1e-3 rad: errors of h^2 / 6 = 2e-7 of third and fourth derivatives."""
    h, q, v, a = 1e-3, 1.2, 1.5, -2.0

    def at(t: float) -> np.ndarray:
        return bar.position([q + v * t + a * t * t / 2], home(bar))

    x = at(0.0)
    before, after = at(-h), at(h)
    xdot = bar.velocity(x, [v])
    xddot = bar.acceleration(x, xdot, [a])
    np.testing.assert_allclose(xdot, (after - before) / (2 * h), rtol=0, atol=1e-5)
    np.testing.assert_allclose(xddot, (after - 2 * x + before) / h**2, rtol=0, atol=1e-4)
    assert bar.joint_rates(x, xdot)[0] == pytest.approx(v, abs=1e-13)


def test_rates_and_accelerations_of_a_tree(arm: BodySystem) -> None:
    random = np.random.default_rng(3)
    for _ in range(5):
        q, v, a = random.normal(size=(3, 6))
        x = arm.position(q)
        xdot = arm.velocity(x, v)
        expected = arm.kernels.rates(q, v)
        np.testing.assert_allclose(xdot, expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(arm.joint_rates(x, xdot), v, rtol=0, atol=1e-12)
        accelerations = arm.robot.bind("body_accelerations")
        accelerations.q[:], accelerations.v[:], accelerations.a[:] = q, v, a
        accelerations()
        np.testing.assert_allclose(arm.acceleration(x, xdot, a), accelerations.xddot, rtol=0, atol=1e-11)


def test_failures_say_what_to_do(bar: BodySystem, arm: BodySystem) -> None:
    x = home(bar)
    rocker = BodySystem(bar.robot, ["q3"])
    with pytest.raises(PositionError, match=r"with q3 = .* stays open by"):
        rocker.position([0.0], x)  # the rocker's tip is 1.7 m from the crank's axis, and the chain 1.2 m long
    with pytest.raises(ValueError, match=r"Euler parameters of crank are all zero.*1, 0, 0, 0"):
        bar.position([1.0], 0.0 * x)
    with pytest.raises(ValueError, match="start must be finite"):
        bar.position([1.0], x * np.nan)
    with pytest.raises(ValueError, match=r"q: expected \(1,\), got \(3,\)"):
        bar.position([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="'q7' is no coordinate"):
        BodySystem(arm.robot, ["q7"])
    with pytest.raises(MissingKernelError, match='formulation="euler_parameters"'):
        BodySystem(stub(arm.robot, kernels=("inverse_dynamics",)))


def test_dead_centres_are_refused(bar: BodySystem) -> None:
    """Crank and coupler in line: the rocker stands still, and as a drive it does not move them."""
    reach = 1.2
    angle = np.arccos((1.0 + reach**2 - 0.7**2) / (2 * reach))  # between crank and ground, by the cosine law
    x = bar.position([angle])
    rocker = BodySystem(bar.robot, ["q3"])
    with pytest.raises(DeadCentreError, match=r"driving q3 does not determine .* q2, q1 can move.*driven="):
        rocker.velocity(x, [1.0])
    with pytest.raises(DeadCentreError, match="driving nothing"):
        BodySystem(bar.robot, []).velocity(x, [])
    assert np.isfinite(bar.velocity(x, [1.0])).all()
