"""Controllers of every form under ``simulate``: Python, C, compiled kernels; their errors; dry friction."""

from __future__ import annotations

import dataclasses
import re
import traceback
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from references import Q0, V0, python_law

from kanegen.simulation import simulate
from kanegen.simulation.arm import ControllerFunction
from kanegen.simulation.motion import Status


def test_every_form_of_controller_gives_the_same_motion(double_pendulum: Any, library: ModuleType) -> None:
    ffi, lib = library.ffi, library.lib
    one = ffi.new("double *", 1.0)
    forms: dict[str, dict[str, Any]] = {
        "kernel": {"controller": "feedback_law"},
        "kernel's form": {"controller": ffi.addressof(lib, "law")},
        "C": {"controller": ffi.addressof(lib, "controller")},
        "C with data": {"controller": ffi.addressof(lib, "controller"), "controller_data": one},
        "address": {"controller": int(ffi.cast("uintptr_t", ffi.addressof(lib, "controller")))},
    }
    motions = {name: simulate(double_pendulum, Q0, V0, 1.0, **form) for name, form in forms.items()}
    expected = motions.pop("kernel")
    assert expected.statistics.controller_calls > expected.statistics.evaluations
    for motion in motions.values():
        for name in ("q", "v", "tau"):
            assert np.array_equal(getattr(motion, name), getattr(expected, name))
    # NumPy's sine and multiplication order differ from C's by rounding, which some 50 steps carry on.
    motion = simulate(double_pendulum, Q0, V0, 1.0, python_law)
    np.testing.assert_allclose(motion.q, expected.q, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(motion.tau, expected.tau, rtol=0.0, atol=1e-10)


def test_data_reaches_a_c_controller(double_pendulum: Any, library: ModuleType) -> None:
    controller = library.ffi.addressof(library.lib, "controller")
    for data in (library.ffi.new("double *", 0.0), None):
        motion = simulate(double_pendulum, Q0, V0, 0.1, controller, controller_data=data)
        assert (motion.tau == 0.0).all() == (data is not None)


def test_without_a_controller_tau_is_zero(double_pendulum: Any) -> None:
    motion = simulate(double_pendulum, Q0, V0, 1.0)
    assert not motion.tau.any()
    assert motion.statistics.controller_calls == 0


def test_live_parameters(arms: SimpleNamespace, library: ModuleType) -> None:
    arm = arms.live_pendulum
    slow = simulate(arm, [0.5], [0.0], 1.0, "swinging_law")
    arm.prepared.g_over_l = 9.81
    try:
        fast = simulate(arm, [0.5], [0.0], 1.0, "swinging_law", times=[0.0, 1.0])
        free = simulate(arm, [0.5], [0.0], 1.0)
        interpreted = simulate(dataclasses.replace(arm, interpreted=True), [0.5], [0.0], 1.0)
    finally:
        arm.prepared.g_over_l = 4.0
    fixed = simulate(arms.pendulum, [0.5], [0.0], 1.0)
    assert np.array_equal(free.q, fixed.q)
    np.testing.assert_allclose(interpreted.q, fixed.q, rtol=0.0, atol=1e-13)
    assert slow.q[-1, 0] != fast.q[-1, 0]
    assert fast.tau[-1, 0] == pytest.approx(9.81 * np.sin(1.0) - fast.v[-1, 0], rel=1e-15)


def test_a_controller_may_keep_its_arrays(double_pendulum: Any) -> None:
    kept: list[tuple[float, np.ndarray]] = []

    def controller(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        kept.append((t, q))
        q += 0.0  # writable, and its own
        return [0, 1]

    motion = simulate(
        double_pendulum, Q0, V0, 1.0, controller, sample_period=0.25, times=[0.0, 0.25, 0.5, 0.75, 1.0]
    )
    assert np.array_equal([q for _, q in kept], motion.q)
    assert (motion.tau == [0.0, 1.0]).all()


class ControllerFailedError(Exception):
    """Raised by a controller."""


@pytest.mark.parametrize("sample_period", [None, 0.1])
def test_an_exception_of_the_controller_comes_through(
    double_pendulum: Any, sample_period: float | None
) -> None:
    calls: list[float] = []

    def gives_up(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        calls.append(t)
        if t > 0.5:
            raise ControllerFailedError("the arm is on fire")
        return np.zeros(2)

    with pytest.raises(ControllerFailedError, match="the arm is on fire") as caught:
        simulate(double_pendulum, Q0, V0, 1.0, gives_up, sample_period=sample_period)
    assert "gives_up" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert calls[-1] > 0.5
    assert max(calls[:-1]) <= 0.5  # it was not called again


def test_interrupting_a_controller_comes_through(double_pendulum: Any) -> None:
    def interrupted(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(double_pendulum, Q0, V0, 1.0, interrupted)


@pytest.mark.parametrize(
    ("tau", "found"), [(np.zeros(5), "(5,)"), (0.0, "()"), ([[1.0, 2.0]], "(1, 2)"), (None, "None")]
)
def test_tau_of_the_wrong_shape(double_pendulum: Any, tau: Any, found: str) -> None:
    message = re.escape(f"tau returned by the controller: expected (2,), got {found}")
    with pytest.raises(ValueError, match=message):
        simulate(double_pendulum, Q0, V0, 1.0, lambda t, q, v: tau)


def test_what_is_no_controller(arms: SimpleNamespace, library: ModuleType) -> None:
    ffi, lib, arm = library.ffi, library.lib, arms.double_pendulum
    for controller, message in [
        ("no_law", r"double_pendulum has no law 'no_law'\. It has feedback_law"),
        ("forward_dynamics", "no control law: its arguments must be t, q, v and tau in double .* are q"),
        (
            ffi.addressof(lib, "body_rates"),
            r"a C function must have type void\(\*\)\(double, .* got void\(\*\)\(",
        ),
        (ffi.new("double *"), r"a C function must have type"),
        (0, "0 is no address"),
        (-1, "-1 is no address"),
        (True, "True is no address"),
        (1.5, "must be None, a callable, the name of a kernel, a C function pointer or its address, got 1.5"),
    ]:
        with pytest.raises(ValueError, match=message):
            simulate(arm, Q0, V0, 1.0, controller)
    with pytest.raises(ValueError, match="controller_data belongs to a C function"):
        simulate(arm, Q0, V0, 1.0, python_law, controller_data=ffi.NULL)
    with pytest.raises(ValueError, match="controller_data must be a cffi pointer or an address, got 'x'"):
        simulate(arm, Q0, V0, 1.0, ffi.addressof(lib, "controller"), controller_data="x")


def friction(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -0.5 * np.sign(v)


def smooth_friction(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -0.5 * np.tanh(v / 0.01)


@pytest.mark.parametrize(
    ("controller", "settings"),
    [
        # 0.5 / 0.01 makes the motion stiff at rest: stable steps are about 3.3 / 50 s long, some 150 for the 10 s.
        (smooth_friction, {"max_steps": 5000}),
        (friction, {"sample_period": 0.01, "max_steps": 5000}),
        (friction, {"method": "rk4", "step": 0.01}),
    ],
)
def test_dry_friction_does_not_stall(
    arms: SimpleNamespace, controller: ControllerFunction, settings: dict[str, Any]
) -> None:
    # The oscillator turns about -0.5 sign(v) in half circles, 3.2 to -2.2 to 1.2 to -0.2, where |q| < 0.5 holds it.
    motion = simulate(arms.oscillator, [3.2], [0.0], 20.0, controller, **settings)
    assert motion.statistics.status is Status.DONE
    # Creep of the smooth law: v = 0.01 * atanh(2 |q|) < 0.005 m/s. Chatter of the others: 0.5 N for 0.01 s.
    assert np.abs(motion.v[600:]).max() < 0.011
    # Creep, or chatter, from the stop at 3 pi s to 10 s moves it by less than 0.006 m; each of the three turns, found
    # up to 0.01 s late or smoothed over 0.01 m/s, by less than 1 N 0.01 s 0.01 m/s / 0.5 N = 0.0002 m.
    assert motion.q[500, 0] == pytest.approx(-0.2, abs=0.007)


@pytest.mark.filterwarnings("ignore:the simulation of:RuntimeWarning")
def test_dry_friction_that_is_not_smoothed_ends(arms: SimpleNamespace) -> None:
    motion = simulate(arms.oscillator, [0.3], [0.1], 10.0, friction, max_steps=2000)
    assert motion.statistics.status in (Status.TOO_MANY_STEPS, Status.STEP_UNDERFLOW)
