"""Springs and dampers in all dynamics: virtual work and the balance of energy."""

from __future__ import annotations

import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.records import Mechanism

STIFFNESS, DAMPING, REST = 40.0, 3.0, 0.4
TWIST, DRAG, ANGLE = 7.0, 0.5, 0.2


def sprung_arm() -> Mechanism:
    """Two links in a vertical plane, a spring from the base to the tip and one on the second joint."""
    b = MechanismBuilder("sprung arm", gravity=(0, -9.81, 0))
    b.body("upper", 1.5, (0.3, 0, 0), (0, 0.02, 0.02))
    b.body("fore", 0.8, (0.2, 0, 0), (0, 0.01, 0.01))
    b.revolute("q1", "base", "upper", (0, 0, 1))
    b.revolute("q2", "upper", "fore", (0, 0, 1), position=(0.6, 0, 0))
    b.frame("tip", "fore", (0.4, 0, 0))
    b.frame("anchor", "base", (0.1, 1.2, 0))
    b.translational_spring("line", "anchor", "tip", STIFFNESS, DAMPING, REST)
    b.torsional_spring("coil", "q2", TWIST, DRAG, ANGLE)
    return b.build()


def tip(q: np.ndarray) -> np.ndarray:
    return np.stack(
        [
            0.6 * np.cos(q[..., 0]) + 0.4 * np.cos(q[..., 0] + q[..., 1]) - 0.1,
            0.6 * np.sin(q[..., 0]) + 0.4 * np.sin(q[..., 0] + q[..., 1]) - 1.2,
        ],
        axis=-1,
    )


def stored(q: np.ndarray) -> np.ndarray:
    stretch = np.linalg.norm(tip(q), axis=-1) - REST
    return 0.5 * STIFFNESS * stretch**2 + 0.5 * TWIST * (q[..., 1] - ANGLE) ** 2


@pytest.fixture(scope="module")
def arms() -> tuple[kanegen.Robot, kanegen.Robot]:
    from dataclasses import replace

    sprung = sprung_arm()
    return (
        kanegen.load(sprung, interpreted=True),
        kanegen.load(replace(sprung, name="bare arm", springs=()), interpreted=True),
    )


def test_springs_add_the_gradient_of_their_energy(arms: tuple[kanegen.Robot, kanegen.Robot]) -> None:
    sprung, bare = arms
    q = np.random.default_rng(1).uniform(-1, 1, (20, 2))
    h = 1e-5
    gradient = np.stack([(stored(q + h * e) - stored(q - h * e)) / (2 * h) for e in np.eye(2)], axis=-1)
    # central differences: h^2 times a third derivative of order 100, and rounding 1e-16 * 40 / h
    np.testing.assert_allclose(
        sprung.gravity_forces(q) - bare.gravity_forces(q), gradient, atol=5e-8, rtol=1e-8
    )
    np.testing.assert_allclose(sprung.potential_energy(q) - bare.potential_energy(q), stored(q), rtol=1e-12)


def test_dampers_take_the_power_that_they_should(arms: tuple[kanegen.Robot, kanegen.Robot]) -> None:
    sprung, bare = arms
    generator = np.random.default_rng(2)
    q, v = generator.uniform(-1, 1, (20, 2)), generator.standard_normal((20, 2))
    moving = sprung.bias_forces(q, v) - bare.bias_forces(q, v)
    still = sprung.gravity_forces(q) - bare.gravity_forces(q)
    power = np.sum((moving - still) * v, axis=-1)
    h = 1e-6
    rate = (np.linalg.norm(tip(q + h * v), axis=-1) - np.linalg.norm(tip(q - h * v), axis=-1)) / (2 * h)
    np.testing.assert_allclose(power, DAMPING * rate**2 + DRAG * v[:, 1] ** 2, rtol=1e-7)


def test_forward_dynamics_knows_the_springs(arms: tuple[kanegen.Robot, kanegen.Robot]) -> None:
    sprung, _ = arms
    generator = np.random.default_rng(3)
    q, v, a = (generator.uniform(-1, 1, (20, 2)) for _ in range(3))
    np.testing.assert_allclose(
        sprung.forward_dynamics(q, v, sprung.inverse_dynamics(q, v, a)), a, rtol=1e-11, atol=1e-12
    )


def test_effective_damping_and_spring_rate_are_kernels() -> None:
    """Freeman & Tesar's C* and K* against the bias forces and the gradient of the springs' forces."""
    arm = kanegen.load(sprung_arm(), formulation="influence_coefficients", interpreted=True)
    generator = np.random.default_rng(4)
    q, v = generator.uniform(-1, 1, 2), generator.standard_normal(2)
    still = arm.bias_forces(q, 1e-9 * v) - arm.gravity_forces(q)
    np.testing.assert_allclose(arm.call("effective_damping", q) @ v, still / 1e-9, rtol=1e-5)
    h = 1e-6
    columns = [
        (arm.call("spring_forces", q + h * e, [0, 0]) - arm.call("spring_forces", q - h * e, [0, 0]))
        / (2 * h)
        for e in np.eye(2)
    ]
    np.testing.assert_allclose(arm.call("effective_stiffness", q), np.stack(columns, axis=-1), rtol=1e-6)
