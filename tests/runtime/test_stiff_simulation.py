"""``simulate(method="rodas4")`` of robots, and what is said where explicit methods are limited by stability."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import Any

import constrained_robots as made
import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.flexible import Beam, BeamFunction, Mode
from kanegen.simulation.motion import Motion, Status

KERNELS = ["forward_dynamics", "forward_dynamics_derivatives", "kinetic_energy", "potential_energy"]

MODES = 4


@functools.cache
def flexible_link(damping: str = "0.001") -> kanegen.Robot:
    """A beam of 1 m, 2 kg and 500 N m^2 on a joint, with the first modes of a clamped beam, free of gravity."""
    builder = MechanismBuilder("flexible_link", gravity=(0, 0, 0))
    modes = [Mode(f"d{i}", y=BeamFunction("clamped-free", i)) for i in range(1, MODES + 1)]
    beam = Beam(length=1, mass_per_length=2, EI_z=500, damping_time=damping, modes=modes)
    builder.flexible("link", beam)
    builder.revolute("q1", "base", "link", (0, 0, 1))
    return kanegen.load(builder.build(), kernels=KERNELS)


@functools.cache
def pendulum() -> kanegen.Robot:
    """A pendulum with live parameters, loaded without the derivatives."""
    builder = MechanismBuilder("pendulum")
    builder.body(
        "rod", mass=builder.parameter("mass", 1, "kg"), center=(0, 0, "-0.5"), inertia=("0.08", "0.08", 0)
    )
    builder.revolute("phi", "base", "rod", axis=(0, 1, 0))
    return kanegen.load(builder.build(), live_parameters=True)


def slewing(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Forces that turn the flexible link."""
    tau = np.zeros(MODES + 1)
    tau[0] = 20.0 * (0.5 * np.sin(t) - q[0]) - 4.0 * v[0]
    return tau


def close(left: Motion, right: Motion, bound: float) -> bool:
    return bool(max(np.abs(left.q - right.q).max(), np.abs(left.v - right.v).max()) < bound)


def pd(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """A regulator of the Stanford Arm with goals that move."""
    goal = np.array([0.3, 1.4, -0.2, 0.1, 0.2, 0.9]) * np.cos(t)
    return np.array([40.0, 40.0, 1.0, 1.0, 1.0, 40.0]) * (goal - q - 0.1 * v)


@pytest.mark.parametrize(("controller", "sample_period"), [("feedback_law", None), (pd, 0.01)])
def test_agrees_with_dopri5_on_the_stanford_arm(controller: Any, sample_period: float | None) -> None:
    arm = kanegen.load("stanford_arm")
    motions = [
        kanegen.simulate(
            arm, [0.0, 1.5, 0.1, 0.0, 0.2, 0.5], np.zeros(6), 0.5, controller, method=method, rtol=1e-9, atol=1e-10,
            sample_period=sample_period, times=np.linspace(0.0, 0.5, 11),
        )
        for method in ("dopri5", "rodas4")
    ]  # fmt: skip
    # Each step errs by 1e-9 |y|, |y| < 10; within half a second the motion amplifies errors by less than 10.
    bound = sum(motion.statistics.accepted for motion in motions) * 1e-9 * 10 * 10
    assert close(*motions, bound)
    assert bound < 1e-3
    assert motions[1].statistics.linearisations <= motions[1].statistics.accepted


def test_live_parameters_reach_the_derivatives() -> None:
    for mass in (1.0, 3.0):
        arm = pendulum().with_parameters({"mass": mass})
        motions = [
            kanegen.simulate(arm, [1.0], [0.0], 1.0, lambda t, q, v: -2.0 * q, method=method, rtol=1e-9)
            for method in ("dopri5", "rodas4")
        ]
        # With derivatives of another mass each of the 1000 steps would err by some h^2 |J| |v|: 1e-5.
        assert close(*motions, sum(motion.statistics.accepted for motion in motions) * 1e-9 * 10)
        assert "forward_dynamics_derivatives" in arm.kernels


def test_what_is_damped_does_not_limit_the_steps() -> None:
    arm, start = flexible_link(), np.zeros(MODES + 1)
    with pytest.warns(RuntimeWarning, match="is stiff"):
        explicit = kanegen.simulate(arm, start, start, 1.0, slewing, rtol=1e-6, atol=1e-9)
    motion = kanegen.simulate(arm, start, start, 1.0, slewing, method="rodas4", rtol=1e-6, atol=1e-9)
    # Each step errs by 1e-6 |y|, |y| < 1, and what is damped amplifies nothing.
    assert close(explicit, motion, 1e-6 * (explicit.statistics.accepted + motion.statistics.accepted))
    assert close(explicit, motion, 1e-4)
    assert 10 * motion.statistics.accepted < explicit.statistics.accepted
    assert 10 * motion.statistics.evaluations < explicit.statistics.evaluations


def test_energy_is_reported_and_lost_as_the_modes_damp_it() -> None:
    arm = flexible_link()
    start = np.zeros(MODES + 1)
    start[1] = 0.01
    motion = kanegen.simulate(arm, start, np.zeros(MODES + 1), 0.5, method="rodas4", rtol=1e-7, atol=1e-10)
    assert motion.energy is not None
    # A step may change the energy by its error: 1e-7 of |y| dE/dy, below 1e-7 of the energy times a few.
    assert np.diff(motion.energy).max() < 1e-6 * motion.energy[0]
    assert motion.energy[-1] < 1e-2 * motion.energy[0]


def test_energy_is_kept_without_damping() -> None:
    arm = flexible_link("0")
    start = np.zeros(MODES + 1)
    start[1] = 0.01
    motion = kanegen.simulate(arm, start, np.zeros(MODES + 1), 0.1, method="rodas4", rtol=1e-8, atol=1e-11)
    assert motion.energy is not None
    # The energy is a square of the state, and every step errs by 1e-8 of it.
    bound = 2.0 * 1e-8 * motion.statistics.accepted * motion.energy[0]
    assert np.abs(motion.energy - motion.energy[0]).max() < bound
    assert bound < 1e-3 * motion.energy[0]


# ---- hints -----------------------------------------------------------------------------------------------------------


def hints(*arguments: Any, **settings: Any) -> tuple[Motion, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        motion = kanegen.simulate(*arguments, **settings)
    return motion, [str(warning.message) for warning in caught]


def test_the_hint_names_the_fastest_mode_and_the_cure() -> None:
    arm, start = flexible_link(), np.zeros(MODES + 1)
    motion, found = hints(arm, start, start, 1.0, slewing, rtol=1e-5, atol=1e-8)
    assert len(found) == 1
    assert motion.statistics.stiff_steps > 0.9 * motion.statistics.accepted
    assert "kept short by the stability of 'dopri5'" in found[0]
    assert f"The fastest mode is d{MODES}, " in found[0]
    assert "method='rodas4'" in found[0]
    assert "a model without this mode" in found[0]
    _, found = hints(arm, start, start, 1.0, slewing, method="rodas4", rtol=1e-5, atol=1e-8)
    assert found == []


def test_the_hint_tells_frequencies() -> None:
    # The highest mode of the free link without damping, against the eigenvalues of its derivatives.
    arm, start = flexible_link("0"), np.zeros(MODES + 1)
    start[1] = 1e-3
    squares = -np.linalg.eigvals(arm.forward_dynamics_derivatives(start, 0.0 * start, 0.0 * start).dq)
    fastest = np.sqrt(squares.real.max())
    step = 4.0 / fastest  # beyond 2.83, where rk4 becomes unstable: every step multiplies the mode by 7.6
    motion, found = hints(arm, start, 0.0 * start, 1.0, method="rk4", step=step)
    assert motion.statistics.status is Status.NOT_FINITE
    assert len(found) == 1
    assert f"The fastest mode is d{MODES}, {fastest / (2.0 * np.pi):.3g} Hz" in found[0]
    assert f"'rk4' needs shorter steps below {2.5 / fastest:.2g} s" in found[0]
    assert hints(arm, start, 0.0 * start, 0.1, method="rk4", step=0.5 / fastest)[1] == []


def test_the_hint_where_a_motion_survives_steps_that_are_too_long() -> None:
    """A controller keeps it from growing without bound; what is left of it is nonsense all the same."""
    arm, start = flexible_link("0.005"), np.zeros(MODES + 1)
    fastest = np.abs(np.linalg.eigvals(first_order(arm, start))).max()
    motion, found = hints(arm, start, start, 0.3, slewing, method="rk4", step=3.1 / fastest)
    assert motion.statistics.stiff_steps > 0
    assert any(f"The fastest mode is d{MODES}" in text for text in found)


def first_order(arm: kanegen.Robot, q: np.ndarray) -> np.ndarray:
    """The matrix of the linearised motion of (q, v) about rest."""
    n = arm.nv
    d = arm.forward_dynamics_derivatives(q, 0.0 * q, 0.0 * q)
    return np.block([[np.zeros((n, n)), np.eye(n)], [d.dq, d.dv]])


def test_the_hint_without_modes() -> None:
    arm = pendulum()
    motion, found = hints(arm, [1.0], [0.0], 3.0, lambda t, q, v: -1e4 * v, rtol=1e-5)
    assert motion.statistics.stiff_steps > 0.9 * motion.statistics.accepted
    assert len(found) == 1
    assert "Forces change fast with the state" in found[0]
    assert "sample_period" in found[0]
    assert hints(arm, [1.0], [0.0], 0.3, lambda t, q, v: -1e4 * v, rtol=1e-5)[1] == []  # not worth mentioning
    _, found = hints(arm, [1.0], [0.0], 1.0, lambda t, q, v: -1e4 * v, rtol=1e-5, max_steps=300)
    assert len(found) == 1
    assert "max_steps were not enough" in found[0]
    assert "is stiff" in found[0]


def test_a_motion_that_its_errors_limit_is_not_called_stiff() -> None:
    for rtol in (1e-3, 1e-6, 1e-9):
        motion, found = hints(pendulum(), [3.0], [0.0], 30.0, rtol=rtol)
        assert found == []
        assert 2 * motion.statistics.stiff_steps < motion.statistics.accepted


# ---- errors ----------------------------------------------------------------------------------------------------------


def test_where_the_method_does_not_apply(tmp_path: Path) -> None:
    builder = MechanismBuilder("satellite", gravity=(0, 0, 0))
    builder.body("hull", mass=2, inertia=(1, 2, 3))
    builder.floating("free", "base", "hull")
    satellite = kanegen.load(builder.build(), kernels=["forward_dynamics", "coordinate_rates"])
    with pytest.raises(ValueError, match=r"'rodas4' .* satellite has quaternions"):
        kanegen.simulate(satellite, satellite.neutral, np.zeros(6), 1.0, method="rodas4")
    constrained = made.robot(made.pendulum())
    with pytest.raises(ValueError, match=r"'rodas4' .* cartesian_pendulum has constraints"):
        kanegen.simulate(constrained, [0.0, -0.5], [0.0], 1.0, method="rodas4")
    with pytest.raises(ValueError, match=r"'rodas4' chooses its own steps"):
        kanegen.simulate(pendulum(), [1.0], [0.0], 1.0, method="rodas4", step=0.1)


def test_without_the_derivatives() -> None:
    builder = MechanismBuilder("bare")
    builder.body("rod", mass=1, center=(0, 0, "-0.5"), inertia=("0.08", "0.08", 0))
    builder.revolute("phi", "base", "rod", axis=(0, 1, 0))
    bare = kanegen.load(builder.build(), kernels=["forward_dynamics"])
    with pytest.raises(kanegen.MissingKernelError, match="forward_dynamics_derivatives"):
        kanegen.simulate(bare, [1.0], [0.0], 1.0, method="rodas4")
