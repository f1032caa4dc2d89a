"""Rotations as unit quaternions (x, y, z, w), against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from kanegen import quaternions

EPSILON = np.finfo(float).eps

# A handful of operations on numbers of size one, each off by half an ulp of that size at most.
CLOSE = 16 * EPSILON


def turns(*angles: float) -> np.ndarray:
    """Vectors of these lengths in various directions."""
    directions = np.random.default_rng(3).standard_normal((len(angles), 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return np.array(angles)[:, None] * directions


TURNS = turns(0.0, 1e-300, 1e-17, 1e-9, 0.9e-4, 1.1e-4, 0.01, 1.0, 3.0, np.pi)


def matrix(turn: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """The 4 x 4 generator of a screw."""
    x, y, z = turn
    return np.block([[np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]), velocity[:, None]], [np.zeros((1, 4))]])


def test_exponential_and_logarithm() -> None:
    found = quaternions.exponential(TURNS)
    assert_allclose(found, Rotation.from_rotvec(TURNS).as_quat(), rtol=0, atol=CLOSE)
    # Half of the angle of pi is where the sign of w is decided by rounding: there both directions are right.
    assert_allclose(quaternions.logarithm(found)[:-1], TURNS[:-1], rtol=CLOSE, atol=0)
    assert_allclose(np.abs(quaternions.logarithm(found)[-1]), np.abs(TURNS[-1]), rtol=CLOSE)
    assert_allclose(quaternions.logarithm(-found)[:-1], TURNS[:-1], rtol=CLOSE, atol=0)  # the same rotations


def test_products_and_turned_vectors() -> None:
    a, b = (Rotation.random(20, random_state=seed) for seed in (1, 2))
    x = np.random.default_rng(4).uniform(-1, 1, (20, 3))
    both = quaternions.product(a.as_quat(), b.as_quat())
    assert_allclose(quaternions.rotated(both, x), a.apply(b.apply(x)), rtol=0, atol=2 * CLOSE)
    back = quaternions.product(quaternions.inverse(a.as_quat()), a.as_quat())
    assert_allclose(back, np.tile(quaternions.IDENTITY, (20, 1)), rtol=0, atol=CLOSE)


@pytest.mark.parametrize("turn", TURNS)
def test_screws(turn: np.ndarray) -> None:
    velocity = np.array([0.3, -0.8, 0.5])
    way = quaternions.travelled(turn, velocity)
    # SciPy's exponential scales and squares: a few ulp of numbers of size one for each squaring, of which there are few.
    assert_allclose(way, expm(matrix(turn, velocity))[:3, 3], rtol=0, atol=4 * CLOSE)
    # Where the angle nears 2 pi the inverse is ill-conditioned; up to pi it amplifies by pi/2 at most.
    assert_allclose(quaternions.velocity_for(turn, way), velocity, rtol=0, atol=4 * CLOSE)


@pytest.mark.parametrize("size", [2.0, 1e-200, 1e200, 5e-324])
def test_normalised(size: float) -> None:
    q = np.array([7.0, 0.0, size, 0.0, 0.0, 9.0])
    assert quaternions.normalised(q, (1,)).tolist() == [7.0, 0.0, 1.0, 0.0, 0.0, 9.0]
    assert q[2] == size  # what was given stays


def test_all_rotations_are_equally_likely() -> None:
    """The mean of R is zero and that of each squared entry 1/3; 4000 draws leave 5 standard deviations of 0.58 / 63."""
    rng = np.random.default_rng(5)
    drawn = Rotation.from_quat([quaternions.uniform(rng) for _ in range(4000)]).as_matrix()
    assert np.abs(drawn.mean(axis=0)).max() < 5 * 0.58 / np.sqrt(4000)
    assert np.abs((drawn**2).mean(axis=0) - 1 / 3).max() < 5 * 0.3 / np.sqrt(4000)
