"""What robots with flexible links have beside the others: modes, small motions, a word where they bend too far."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.mechanism import Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.flexible import Beam, BeamFunction, Mode
from kanegen.errors import KanegenError

Q = np.array([0.3, 0.02, -0.01])


def small_arm() -> Mechanism:
    b = MechanismBuilder("arm", gravity=(0, "-9.81", 0))
    modes = [Mode(f"d{k}", y=BeamFunction("clamped-free", k)) for k in (1, 2)]
    b.flexible("link", Beam(1, 1, modes, EI_z=40, damping_time="0.001"))
    b.revolute("q1", "base", "link", (0, 0, 1))
    return b.build()


@pytest.fixture(scope="module")
def arm() -> kanegen.Robot:
    return kanegen.load(small_arm(), interpreted=True)


def test_names_and_amplitudes(arm: kanegen.Robot) -> None:
    assert arm.joint_names == ("q1",)
    assert arm.mode_names == ("d1", "d2")
    assert arm.coordinate_names == ("q1", "d1", "d2")
    # Ends of clamped-free functions of amplitude 1 turn by 1.3765 and 4.7808 rad per metre of a link of 1 m.
    assert_allclose(list(arm.mode_amplitudes.values()), [0.2 / 1.3765, 0.2 / 4.7808], rtol=1e-4)
    for seed in range(20):
        q = np.abs(arm.random_configuration(seed))
        assert all(q[1:] <= list(arm.mode_amplitudes.values()))


def test_elastic_energy_is_part_of_the_potential(arm: kanegen.Robot) -> None:
    K = arm.linearise(np.zeros(3)).K[1:, 1:]  # weight adds nothing here: it is linear in the deflections
    assert_allclose(arm.elastic_energy(Q), Q[1:] @ K @ Q[1:] / 2, rtol=1e-12)
    assert_allclose(
        arm.gravity_energy(Q), 9.81 * arm.center_of_mass(Q)[1] * 1.0, rtol=1e-12
    )  # a link of 1 kg
    assert_allclose(arm.potential_energy(Q), arm.gravity_energy(Q) + arm.elastic_energy(Q), rtol=1e-12)


def test_a_linearised_arm_moves_as_the_arm_does_nearby(arm: kanegen.Robot) -> None:
    """The error is of second order: a thousandth of the change for changes of 1e-6 and slopes of order 1000."""
    v, a = np.array([0.5, 0.1, -0.2]), np.array([1.0, -0.3, 0.2])
    M, C, K = arm.linearise(Q, v, a)
    step = 1e-6 * np.random.default_rng(3).standard_normal((3, 3))
    change = arm.inverse_dynamics(Q + step[0], v + step[1], a + step[2]) - arm.inverse_dynamics(Q, v, a)
    assert_allclose(change, K @ step[0] + C @ step[1] + M @ step[2], rtol=1e-3, atol=1e-9)


def test_natural_modes_are_those_of_the_matrices(arm: kanegen.Robot) -> None:
    M, _, K = arm.linearise(Q)
    found = arm.natural_modes(Q)
    squares = np.sign(found.frequencies) * found.frequencies**2
    assert_allclose(K @ found.shapes, M @ found.shapes * squares, atol=1e-9 * np.abs(K).max())
    assert_allclose(found.shapes.T @ M @ found.shapes, np.eye(3), atol=1e-12)
    clamped = arm.natural_modes(Q, held="joints")
    assert not clamped.shapes[0].any()
    assert_allclose(clamped.damping, 0.001 * clamped.frequencies / 2, rtol=1e-10)  # Kelvin and Voigt
    assert_allclose(arm.natural_modes(Q, held="q1").frequencies, clamped.frequencies)


@pytest.mark.parametrize(
    ("q", "held", "error", "said"),
    [
        (np.zeros((2, 3)), (), ValueError, "one state at a time"),
        (np.zeros(2), (), ValueError, "natural_modes"),
        (Q, "q2", KanegenError, "no speed"),
        (Q, ("q1", "d3"), KanegenError, "d3"),
        (Q, 5, KanegenError, "5"),
        (Q, ("q1", "d1", "d2"), KanegenError, "nothing"),
    ],
)
def test_what_cannot_be_held(
    arm: kanegen.Robot, q: np.ndarray, held: object, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        arm.natural_modes(q, held)  # type: ignore[arg-type]


def test_a_motion_that_bends_far_says_so(arm: kanegen.Robot) -> None:
    with pytest.warns(RuntimeWarning, match="bends a link far: the end of link turns by"):
        kanegen.simulate(arm, [0, 0.4, 0], [0, 0, 0], 0.01)


@pytest.mark.parametrize(("amplitudes", "far"), [((0.25, -0.25), False), ((0.15, 0.15), True)])
def test_what_the_modes_do_together_counts(amplitudes: tuple[float, float], far: bool) -> None:
    """s^2 and s^3, which turn the end by 2 and 3 rad: against each other they bend it little, together far."""
    builder = MechanismBuilder("powers", gravity=(0, 0, 0))
    builder.flexible("link", Beam(1, 1, [Mode("d2", y=(0, 0, 1)), Mode("d3", y=(0, 0, 0, 1))], EI_z=50))
    builder.revolute("q", "base", "link", (0, 0, 1))
    powers = kanegen.load(builder.build(), kernels=["forward_dynamics"], interpreted=True)
    assert powers.link_ends == {"link": {"d2": (0, 0, 2, 0, 1, 0), "d3": (0, 0, 3, 0, 1, 0)}}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        kanegen.simulate(powers, [0, *amplitudes], [0, 0, 0], 1e-5)
    assert any("bends a link far" in str(w.message) for w in told) is far


def test_compiled_batches_and_single_precision(arm: kanegen.Robot, tmp_path: Path) -> None:
    """The same C interface as any robot's: a batch is its states one by one, and floats can be had."""
    mechanism = small_arm()
    states = np.random.default_rng(5).uniform(-0.1, 0.1, (3, 40, 3))
    robot = kanegen.load(mechanism, kernels=["inverse_dynamics", "forward_dynamics"])
    assert "compiled" in repr(robot)
    tau = robot.inverse_dynamics(*states)
    for k in (0, 17, 39):
        assert (tau[k] == robot.inverse_dynamics(*(x[k] for x in states))).all()
    assert_allclose(tau, arm.inverse_dynamics(*states), rtol=1e-12, atol=1e-12)
    assert_allclose(robot.forward_dynamics(states[0], states[1], tau), states[2], rtol=1e-9, atol=1e-11)
    pipeline.generate(mechanism, tmp_path, pipeline.Options(kernels=("inverse_dynamics",), float32=True))
    assert "_f32(" in (tmp_path / "arm.h").read_text(encoding="ascii")
