"""Assembly: closing loops, nearest to where one begins, whatever the rank of the equations."""

from __future__ import annotations

import re
from collections.abc import Callable

import constrained_robots as made
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import kanegen
from kanegen.manifest import Constraints
from kanegen.robot.assembly import assemble

EPSILON = np.finfo(float).eps


@pytest.fixture
def pendulum() -> kanegen.Robot:
    return made.robot(made.pendulum())


@pytest.fixture
def slider_crank() -> kanegen.Robot:
    return made.robot(made.slider_crank())


def test_home_is_the_default(pendulum: kanegen.Robot) -> None:
    assert_array_equal(pendulum.assemble(), [0.0, -0.5])


def test_the_nearest_point_of_a_circle(pendulum: kanegen.Robot) -> None:
    # Exact: the radius through q0. The direction is found to the square root of the rounding error (see assembly.py).
    for q0 in np.random.default_rng(4).uniform(-1.0, 1.0, (50, 2)):
        q = pendulum.assemble(q0)
        assert abs(np.hypot(*q) - 0.5) < 4 * EPSILON
        assert_allclose(q, 0.5 * q0 / np.hypot(*q0), atol=2 * np.sqrt(EPSILON))


def test_what_is_closed_stays_as_it_is(slider_crank: kanegen.Robot) -> None:
    q = slider_crank.assemble([1.0, -0.2, 1.0])
    assert_allclose(slider_crank.assemble(q), q, rtol=0.0, atol=8 * EPSILON)


def test_the_nearest_configuration_of_a_loop(slider_crank: kanegen.Robot) -> None:
    # All configurations with the rod forwards, by the crank's angle: none may be nearer.
    crank = np.linspace(-np.pi, np.pi, 200_001)
    rod = -np.arcsin(0.3 * np.sin(crank))
    closed = np.stack([crank, rod, 0.3 * np.cos(crank) + np.cos(rod)], axis=-1)
    for offset in np.random.default_rng(5).uniform(-0.3, 0.3, (20, 3)):
        q0 = closed[130_000] + offset
        q = slider_crank.assemble(q0)
        assert np.abs(slider_crank.constraint_residual(q)).max() < 8 * EPSILON
        distances = np.linalg.norm(closed - q0, axis=-1)
        # Between points of the grid, the distance changes by less than half their spacing.
        assert np.linalg.norm(q - q0) <= distances.min() + 1e-12
        assert np.linalg.norm(q - q0) > distances.min() - 0.5 * 2 * np.pi / 200_000 * 1.5


def test_what_cannot_close_is_told(slider_crank: kanegen.Robot) -> None:
    # The slider is no unknown to give up: hold it by an equation of its own, out of reach.
    rows = ("pin x", "pin y", "stop")
    held = Constraints(rows, rows, rows, 3)

    def residual(q: np.ndarray) -> np.ndarray:
        return np.append(slider_crank.constraint_residual(q), q[2] - 2.0)

    def jacobian(q: np.ndarray) -> np.ndarray:
        return np.vstack([slider_crank.constraint_jacobian(q), [0.0, 0.0, 1.0]])

    with pytest.raises(kanegen.AssemblyError) as caught:
        assemble("linkage", held, residual, jacobian, np.array([0.5, 0.0, 1.0]))
    # 0.7 m are missing, which pin x and stop share; the way there ends before the very best.
    message = str(caught.value)
    assert message.startswith("linkage cannot be assembled from q = [0.5, 0.0, 1.0]: ")
    found = re.search(r": (pin x|stop) stays open by (\S+) at the best configuration found, q = \[", message)
    assert found is not None
    assert 0.35 <= float(found[2]) < 0.5
    assert "Begin nearer to a closed configuration" in message


def hand_made(
    residual: Callable[[np.ndarray], np.ndarray],
    jacobian: Callable[[np.ndarray], np.ndarray],
    k: int,
    rank: int,
) -> Callable[[np.ndarray], np.ndarray]:
    rows = tuple(f"row {i}" for i in range(k))
    report = Constraints(rows, rows, rows, rank, rows[rank:], ())
    return lambda q0: assemble("sphere", report, residual, jacobian, np.asarray(q0, dtype=float))


def test_rows_that_are_dependent_only_where_loops_are_closed() -> None:
    # As in a four-bar linkage with skew axes: the second row's Jacobian is (1 + x) that of the first where it is closed.
    def residual(q: np.ndarray) -> np.ndarray:
        r = q @ q - 1.0
        return np.array([r, (1.0 + q[0]) * r])

    def jacobian(q: np.ndarray) -> np.ndarray:
        r = q @ q - 1.0
        return np.array([2 * q, (1.0 + q[0]) * 2 * q + [r, 0.0, 0.0]])

    close = hand_made(residual, jacobian, 2, 1)
    for q0 in np.random.default_rng(6).uniform(-0.8, 0.8, (20, 3)):
        assert_allclose(close(q0), q0 / np.linalg.norm(q0), atol=2 * np.sqrt(EPSILON))


def test_a_configuration_that_newton_cannot_leave() -> None:
    # At the centre of the sphere the Jacobian vanishes: every point of it is as near.
    close = hand_made(lambda q: np.array([q @ q - 1.0]), lambda q: 2 * q[None, :], 1, 1)
    assert abs(np.linalg.norm(close([0.0, 0.0, 0.0])) - 1.0) < 4 * EPSILON


def test_configurations_far_away() -> None:
    arm = made.robot(made.slider_crank(), interpreted=True)
    for q0 in np.random.default_rng(7).uniform(-3.0, 3.0, (30, 3)):
        assert np.abs(arm.constraint_residual(arm.assemble(q0))).max() < 16 * EPSILON
