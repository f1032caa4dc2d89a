"""The benchmark bicycle's linearised equations come from the kernels of derivatives, without differences.

J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized dynamics equations for the balance and steer of a
bicycle, Proc. R. Soc. A 463 (2007): M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, q = (lean, steer).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import JointRate
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.options import Options

ORACLE = json.loads(
    (Path(__file__).resolve().parents[1] / "oracles" / "whipple_bicycle.json").read_text(encoding="utf-8")
)
ERROR = 1e-9
REAR = 2
SPEEDS = (0, 2, 4, 5, 8, 10)


@cache
def program(kernel: str) -> Program:
    return KernelSources(mechanism("whipple_bicycle"), Options()).plain(kernel)


def at(speed: float, third: str) -> dict[str, Array]:
    return {
        "q": np.zeros(8),
        "v": np.array([0.0, 0.0, -speed / ORACLE["parameters"]["rR"]]),
        third: np.zeros(3),
    }


def linearised(speed: float) -> dict[str, Array]:
    """Derivatives of tau upright at ``speed`` [m/s], along the speeds lean, steer and rear.

    Along the speeds, pitch follows from the front wheel's touching the ground.  z is down: rolling forwards turns the
    wheels backwards about y.
    """
    return evaluate(program("inverse_dynamics_derivatives"), at(speed, "a"))


def assert_close(found: Array, expected: Array) -> None:
    assert np.abs(found - expected).max() < ERROR * np.abs(expected).max()


def test_speeds_are_lean_steer_and_rear() -> None:
    assert mechanism("whipple_bicycle").speeds == tuple(JointRate(name) for name in ("lean", "steer", "rear"))


def test_mass_matrix() -> None:
    assert_close(linearised(0.0)["da"][:2, :2], np.array(ORACLE["M"]))


def test_stiffness_of_gravity() -> None:
    stiffness = linearised(0.0)["dq"][:2, :2]
    assert_close(stiffness / ORACLE["parameters"]["g"], np.array(ORACLE["K0"]))


@pytest.mark.parametrize("speed", SPEEDS[1:])
def test_coefficients_at_speed(speed: float) -> None:
    found = linearised(speed)
    assert_close(found["dv"][:2, :2] / speed, np.array(ORACLE["C1"]))
    centrifugal = found["dq"] - linearised(0.0)["dq"]
    assert_close(centrifugal[:2, :2] / speed**2, np.array(ORACLE["K2"]))
    # Mirrored, the bicycle rolls on as before; and where it is on the plane does not matter.
    for name in ("dq", "dv"):
        scale = np.abs(found[name]).max()
        assert np.abs(found[name][REAR, :2]).max() < 1e-12 * scale
        assert np.abs(found[name][:2, REAR]).max() < 1e-12 * scale


@pytest.mark.parametrize("speed", SPEEDS)
def test_eigenvalues(speed: float) -> None:
    found = evaluate(program("forward_dynamics_derivatives"), at(speed, "tau"))
    system = np.block([[np.zeros((2, 2)), np.eye(2)], [found["dq"][:2, :2], found["dv"][:2, :2]]])
    expected = np.array([complex(*pair) for pair in ORACLE["eigenvalues"][str(speed)]])
    nearest = np.abs(np.linalg.eigvals(system)[:, None] - expected[None, :])
    assert sorted(nearest.argmin(axis=0)) == [0, 1, 2, 3]
    assert nearest.min(axis=0).max() < ERROR * np.abs(expected).max()
