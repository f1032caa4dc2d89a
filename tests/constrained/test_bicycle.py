"""The benchmark bicycle, linearised from its nonlinear equations, has the published coefficients and eigenvalues.

J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized dynamics equations for the balance and steer of a
bicycle, Proc. R. Soc. A 463 (2007): M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, q = (lean, steer).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism import JointRate
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.witnesses.jets import Array

from .derivatives import slope

ORACLE = json.loads(
    (Path(__file__).resolve().parents[1] / "oracles" / "whipple_bicycle.json").read_text(encoding="utf-8")
)
ERROR = 1e-9
LEAN, STEER, REAR = range(3)
SPEEDS = (0, 2, 4, 5, 8, 10)


@cache
def bicycle() -> kanegen.Robot:
    # Pitch stays at zero below, which leaves the front wheel off the ground, in the second order of lean and steer.
    kernels = ["bias_forces", "mass_matrix"]
    return kanegen.load("whipple_bicycle", kernels=kernels, interpreted=True).with_open_loops("ignore")


def bias(state: Array, speed: float) -> Array:
    """h at small lean, steer and rates of both (4,) of the bicycle that rolls at ``speed`` [m/s].

    Pitch is left at zero: the front wheel's touching makes it an even function of lean and steer, so that it does not
    enter first derivatives.
    """
    robot = bicycle()
    q = np.zeros(robot.nq)
    q[robot.coordinate_names.index("lean")] = state[0]
    q[robot.coordinate_names.index("steer")] = state[1]
    # z is down: the wheel's lowest point is at +z of its centre, where rolling wants v + rate * radius = 0.
    v = np.array([state[2], state[3], -speed / ORACLE["parameters"]["rR"]])
    return robot.bias_forces(q, v)


def linearised(speed: float) -> tuple[Array, Array]:
    """Derivatives of h (3, 2) with respect to lean and steer, and with respect to their rates."""
    upright = np.zeros(4)
    columns = [slope(lambda state: bias(state, speed), upright, direction) for direction in np.eye(4)]
    return np.array(columns[:2]).T, np.array(columns[2:]).T


def mass() -> Array:
    return bicycle().mass_matrix(np.zeros(bicycle().nq))


def assert_close(found: Array, expected: Array) -> None:
    """Differences of order six at 0.01: truncation 1e-14 times a seventh derivative of at most 1e3, rounding 1e-14 over
    0.01 times forces of 100; both far below 1e-9 of the largest coefficient."""
    assert np.abs(found - expected).max() < ERROR * np.abs(expected).max()


def test_speeds_are_lean_steer_and_rear() -> None:
    assert mechanism("whipple_bicycle").speeds == tuple(JointRate(name) for name in ("lean", "steer", "rear"))


def test_mass_matrix() -> None:
    M = mass()
    assert_close(M[:2, :2], np.array(ORACLE["M"]))
    assert np.abs(M[:2, REAR]).max() < 1e-12 * np.abs(M).max()


def test_stiffness_of_gravity() -> None:
    stiffness, _ = linearised(0.0)
    assert_close(stiffness[:2] / ORACLE["parameters"]["g"], np.array(ORACLE["K0"]))


@pytest.mark.parametrize("speed", SPEEDS[1:])
def test_coefficients_at_speed(speed: float) -> None:
    stiffness, damping = linearised(speed)
    assert_close(damping[:2] / speed, np.array(ORACLE["C1"]))
    at_rest, _ = linearised(0.0)
    assert_close((stiffness - at_rest)[:2] / speed**2, np.array(ORACLE["K2"]))
    # Lean and steer do not change the speed at first order: mirrored, the bicycle rolls on as before.
    assert np.abs(stiffness[REAR]).max() < 1e-8
    assert np.abs(damping[REAR]).max() < 1e-8


@pytest.mark.parametrize("speed", SPEEDS)
def test_eigenvalues(speed: float) -> None:
    inverse = np.linalg.inv(mass()[:2, :2])
    stiffness, damping = linearised(speed)
    system = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ stiffness[:2], -inverse @ damping[:2]]])
    expected = np.array([complex(*pair) for pair in ORACLE["eigenvalues"][str(speed)]])
    found = np.linalg.eigvals(system)
    nearest = np.abs(found[:, None] - expected[None, :])
    assert sorted(nearest.argmin(axis=0)) == [0, 1, 2, 3]
    assert nearest.min(axis=0).max() < ERROR * np.abs(expected).max()
