"""The stiff method: its order, its stability, its twin in NumPy, its contract in C."""

from __future__ import annotations

import dataclasses
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from kanegen.simulation import simulate
from kanegen.simulation.motion import Motion, Status

STEPS = (0.04, 0.02, 0.01)


def pendulum_solution(t: Any, amplitude: float = 2.0) -> np.ndarray:
    """(q, v) of the pendulum released at rest: sin(q/2) = k sn(K - w t, k), k = sin(amplitude/2), w^2 = g/l."""
    k, omega = np.sin(amplitude / 2.0), np.sqrt(9.81)
    sn, cn, dn, _ = ellipj(ellipk(k**2) - omega * np.asarray(t), k**2)
    return np.stack(
        [2.0 * np.arcsin(k * sn), -2.0 * k * omega * cn * dn / np.sqrt(1.0 - (k * sn) ** 2)], axis=-1
    )


def orders(errors: list[float]) -> np.ndarray:
    """Observed orders between successive halvings of the step."""
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def fixed_steps(arm: Any, h: float, duration: float, times: Any, start: float = 0.0) -> Motion:
    """A run of the pendulum in equal steps of h, which lands on sample instants and accepts every step."""
    q0, v0 = pendulum_solution(start)
    settings = {"sample_period": h, "rtol": 10.0, "atol": 10.0, "times": times}
    motion = simulate(arm, [q0], [v0], duration, method="rodas4", **settings)
    assert motion.statistics.accepted == round(duration / h)
    assert motion.statistics.rejected == 0
    assert motion.statistics.linearisations == motion.statistics.accepted
    return motion


def with_interpreted(arm: Any) -> tuple[Any, Any]:
    """The arm simulated in C, and in NumPy."""
    return arm, dataclasses.replace(arm, interpreted=True)


# ---- order -----------------------------------------------------------------------------------------------------------

# An observed order differs from the order by O(h), which is below 0.35 for the steps used: the two leading terms of the
# error would have to differ by a factor of 20 for more.


@pytest.mark.parametrize("interpreted", [False, True])
def test_order_of_the_solution_and_of_rows_between_steps(arms: SimpleNamespace, interpreted: bool) -> None:
    arm = with_interpreted(arms.pendulum)[interpreted]
    between = np.linspace(0.0, 2.0, 83)[1:-1]  # 2/82 is no multiple of any step
    times = np.union1d(between, np.arange(51) * 0.04)
    at_steps, anywhere = [], []
    for h in (0.02, 0.01, 0.005):  # the next term of this method's error is large: 0.63 at 0.04
        motion = fixed_steps(arm, h, 2.0, times)
        error = np.abs(np.column_stack([motion.q, motion.v]) - pendulum_solution(times)).max(axis=1)
        at_steps.append(error[~np.isin(times, between)].max())
        anywhere.append(error.max())
    assert np.abs(orders(at_steps) - 4).max() < 0.35
    assert np.abs(orders(anywhere) - 4).max() < 0.35


def test_order_of_one_step_and_its_interpolant(arms: SimpleNamespace) -> None:
    # From an exact state: the step errs by h^5, its interpolant of order 3 by h^4.
    inside, at_end = [], []
    for h in STEPS:
        times = np.array([0.2, 0.5, 0.8, 1.0]) * h
        motion = fixed_steps(arms.pendulum, h, h, times, start=0.1)
        error = np.abs(np.column_stack([motion.q, motion.v]) - pendulum_solution(0.1 + times)).max(axis=1)
        inside.append(error[:3].max())
        at_end.append(error[3])
    assert np.abs(orders(inside) - 4).max() < 0.35
    assert np.abs(orders(at_end) - 5).max() < 0.35


def timed_law(t: float, q: Any, v: Any) -> Any:
    """The force under which the oscillator moves as cos 2t, and feedback that has nothing to do on this motion."""
    goal, rate = np.cos(2.0 * t), -2.0 * np.sin(2.0 * t)
    return -3.0 * goal - 5.0 * (q**3 - goal**3) - 2.0 * (v - rate) - q * v + goal * rate


@pytest.mark.parametrize("interpreted", [False, True])
def test_a_law_of_time_and_state_keeps_the_order(arms: SimpleNamespace, interpreted: bool) -> None:
    # Terms of order h^2 to h^4 would be off without derivatives of the law by t, by q or by v.
    arm = with_interpreted(arms.oscillator)[interpreted]
    errors = []
    for h in STEPS:
        y = np.array([np.cos(0.2), -2.0 * np.sin(0.2)])
        for k in range(
            round(1.0 / h)
        ):  # each step a run of its own: its first step is never shorter than h here
            begin = 0.1 + k * h
            step = simulate(
                arm,
                y[:1],
                y[1:],
                h,
                lambda t, q, v, begin=begin: timed_law(begin + t, q, v),
                method="rodas4",
                rtol=10.0,
                atol=10.0,
                times=[h],
            )
            assert step.statistics.accepted == 1
            y = np.array([step.q[0, 0], step.v[0, 0]])
        errors.append(np.abs(y - [np.cos(2.2), -2.0 * np.sin(2.2)]).max())
    assert np.abs(orders(errors) - 4).max() < 0.35


def test_tolerance_is_kept(arms: SimpleNamespace) -> None:
    # The error of a step is at most rtol (|y| < 8); the motion's amplification of errors over two periods is below 50.
    for rtol in (1e-4, 1e-7, 1e-10):
        motion = simulate(arms.pendulum, [2.0], [0.0], 5.0, method="rodas4", rtol=rtol, atol=rtol)
        error = np.abs(np.column_stack([motion.q, motion.v]) - pendulum_solution(motion.t)).max()
        assert error < 50 * 8 * rtol * np.sqrt(motion.statistics.accepted)
        assert motion.statistics.status is Status.DONE


# ---- stability -------------------------------------------------------------------------------------------------------


def test_steps_do_not_depend_on_the_stiffness_of_what_is_damped(arms: SimpleNamespace) -> None:
    # The follower keeps up with the oscillator but for 1/k. Its own motion, damped at sqrt(k)/2, is over in a few steps.
    arm, accepted = arms.follower, []
    try:
        for stiffness in (1e6, 1e9, 1e12):
            arm.prepared.stiffness, arm.prepared.damping = stiffness, np.sqrt(stiffness)
            motion = simulate(arm, [1.0, 1.0], [0.0, 0.0], 10.0, method="rodas4", rtol=1e-5, atol=1e-7)
            accepted.append(motion.statistics.accepted)
            assert motion.statistics.status is Status.DONE
            # Every step errs by at most 1e-5 or 1/k, and the oscillator does not amplify errors.
            bound = 1e-5 * motion.statistics.accepted + 2.0 / stiffness
            assert np.abs(motion.q - np.cos(motion.t)[:, None]).max() < bound
    finally:
        arm.prepared.stiffness, arm.prepared.damping = 1e4, 1e2
    assert accepted == sorted(
        accepted, reverse=True
    )  # what is below the tolerance from the beginning asks for no step
    assert max(accepted) < 150


def test_a_stiff_law_is_integrated_in_long_steps(arms: SimpleNamespace) -> None:
    def creeping(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return -1e6 * (v - np.cos(t)) - np.sin(t)

    # v = cos t + q's pull / 1e6; explicit steps would be shorter than 3.3e-6 s.
    motion = simulate(arms.oscillator, [0.0], [1.0], 6.0, creeping, method="rodas4", rtol=1e-6, atol=1e-8)
    assert motion.statistics.accepted < 150
    assert np.abs(motion.q[:, 0] - np.sin(motion.t)).max() < 150 * 1e-6 + 6.0 / 1e6


def python_law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return 3.0 * np.sin(2.0 * t) - 4.0 * q - 0.5 * v


@pytest.mark.parametrize("controller", [None, "feedback_law", python_law])
@pytest.mark.parametrize("sample_period", [None, 0.05])
def test_agrees_with_dopri5(arms: SimpleNamespace, controller: Any, sample_period: float | None) -> None:
    motions = [
        simulate(
            arms.double_pendulum,
            [1.0, -0.5],
            [0.0, 0.0],
            2.0,
            controller,
            method=method,
            rtol=1e-9,
            atol=1e-10,
            sample_period=sample_period,
            times=np.linspace(0.0, 2.0, 21),
        )
        for method in ("dopri5", "rodas4")
    ]
    # Each step errs by 1e-9 |y|, |y| < 10; within 2 s the motion amplifies errors by less than 20.
    bound = sum(motion.statistics.accepted for motion in motions) * 1e-9 * 10 * 20
    for name in ("q", "v"):
        assert np.abs(getattr(motions[0], name) - getattr(motions[1], name)).max() < bound
    assert bound < 1e-3


# ---- motions that end early, errors ----------------------------------------------------------------------------------


@pytest.mark.parametrize("interpreted", [False, True])
@pytest.mark.parametrize(
    ("name", "settings", "status", "latest"),
    [
        ("leaving", {}, Status.NOT_FINITE, 0.5),
        ("exploding", {}, Status.STEP_UNDERFLOW, 1.0 + 1e-6),
        ("exploding", {"max_steps": 10}, Status.TOO_MANY_STEPS, 1.0),
    ],
)
def test_what_cannot_be_continued_ends(
    arms: SimpleNamespace,
    interpreted: bool,
    name: str,
    settings: dict[str, Any],
    status: Status,
    latest: float,
) -> None:
    arm = with_interpreted(getattr(arms, name))[interpreted]
    with pytest.warns(RuntimeWarning, match=f"the simulation of {name} ended at t = .* s instead of 2.0 s"):
        motion = simulate(arm, [0.5], [1.0], 2.0, method="rodas4", times=[0.0, 0.05, 2.0], **settings)
    assert motion.statistics.status is status
    assert motion.statistics.t <= latest + 1e-12
    assert np.isnan(motion.q[-1]).all()


def test_an_exception_of_the_controller_comes_through_from_its_differences(arms: SimpleNamespace) -> None:
    def gives_up(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if v[0] == 2.0**-26:  # the first state beside the motion in this direction
            raise ZeroDivisionError("the arm is on fire")
        return np.zeros(2)

    for arm in with_interpreted(arms.double_pendulum):
        with pytest.raises(ZeroDivisionError, match="the arm is on fire"):
            simulate(arm, [1.0, -0.5], [0.0, 0.0], 2.0, gives_up, method="rodas4")


def test_the_c_interface_refuses_what_the_method_cannot_do(
    integrators: ModuleType, library: ModuleType
) -> None:
    ffi, lib = integrators.ffi, integrators.lib

    def address(name: str) -> int:
        return int(library.ffi.cast("uintptr_t", library.ffi.addressof(library.lib, name)))

    functions = {
        "forward_dynamics": ffi.cast("kanegen_dynamics *", address("pendulum_dynamics")),
        "forward_dynamics_derivatives": ffi.cast("kanegen_derivatives *", address("pendulum_derivatives")),
    }

    def run(options: dict[str, float] | None = None, **changed: Any) -> str:
        system = ffi.new("kanegen_system *", {"nq": 1, "nv": 1, **functions, **changed})
        chosen = ffi.new("kanegen_options *", {"t_end": 1.0, "rtol": 1e-6, "atol": 1e-9, "max_steps": 1000})
        for name, value in (options or {}).items():
            setattr(chosen, name, value)
        q, v = ffi.new("double[1]", [2.0]), ffi.new("double[1]", [0.0])
        size = lib.kanegen_stiff_workspace_size(1, 1)
        workspace = ffi.new("double[]", size + 1)
        workspace[size] = 123.0
        rows, done = ffi.new("kanegen_rows *"), ffi.new("kanegen_statistics *")
        status = lib.kanegen_rodas4(system, chosen, q, v, rows, workspace, done)
        assert workspace[size] == 123.0
        return str(ffi.string(ffi.cast("kanegen_status", status)))

    assert run() == "KANEGEN_DONE"
    rates = ffi.cast("kanegen_rates *", address("body_rates"))
    for changed in ({"forward_dynamics_derivatives": ffi.NULL}, {"coordinate_rates": rates}, {"nq": 2}):
        assert run(**changed) == "KANEGEN_INVALID"
    assert run({"atol": 0.0}) == "KANEGEN_INVALID"
    assert run({"rtol": -1.0}) == "KANEGEN_INVALID"
