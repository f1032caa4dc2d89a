"""A long simulation in C listens to Ctrl-C, and to whatever else handlers of signals raise."""

from __future__ import annotations

import signal
import sys
import threading
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from references import Run

from kanegen.simulation import calls_from_c as simulation_callbacks
from kanegen.simulation import simulate
from kanegen.simulation.calls_from_c import MOST_STEPS, Interrupts
from kanegen.simulation.compiled import find_integrators

HOURS = {"duration": 1e6, "method": "rk4", "step": 1e-4, "max_steps": 10**12, "times": []}
"""A run of ten thousand million steps."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent to threads")


def soon(send: int) -> None:
    """Send a signal to the main thread while it computes."""
    main = threading.main_thread().ident
    threading.Timer(0.1, signal.pthread_kill, (main, send)).start()


def python_controller(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.zeros(1)


@pytest.mark.parametrize("controller", [None, python_controller])
@pytest.mark.parametrize("sample_period", [None, 1e5])
def test_an_interrupt_ends_a_simulation(
    arms: SimpleNamespace, controller: Any, sample_period: float | None
) -> None:
    # a process that a shell starts in the background ignores SIGINT, until someone listens
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        soon(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            simulate(arms.pendulum, [1.0], [0.0], controller=controller, sample_period=sample_period, **HOURS)
    finally:
        signal.signal(signal.SIGINT, previous)
    motion = simulate(arms.pendulum, [1.0], [0.0], 1.0)  # nothing stays behind
    assert motion.statistics.t == 1.0


class TiredError(Exception):
    pass


def test_what_another_handler_raises(arms: SimpleNamespace) -> None:
    def handler(*_: Any) -> None:
        raise TiredError

    previous = signal.signal(signal.SIGUSR1, handler)
    try:
        soon(signal.SIGUSR1)
        with pytest.raises(TiredError):
            simulate(arms.pendulum, [1.0], [0.0], **HOURS)
    finally:
        signal.signal(signal.SIGUSR1, previous)


def test_a_handler_that_raises_nothing_lets_it_go_on(arms: SimpleNamespace) -> None:
    seen: list[int] = []
    previous = signal.signal(signal.SIGUSR1, lambda number, _: seen.append(number))
    try:
        soon(signal.SIGUSR1)
        motion = simulate(
            arms.pendulum, [1.0], [0.0], 1e6, method="rk4", step=1e-2, times=[], max_steps=10**12,
            sample_period=1.0, controller=lambda t, q, v: stop_after(seen),
        )  # fmt: skip
    except TiredError:
        assert seen == [signal.SIGUSR1]
    else:
        raise AssertionError(motion.statistics)
    finally:
        signal.signal(signal.SIGUSR1, previous)


def stop_after(seen: list[int]) -> np.ndarray:
    if seen:
        raise TiredError
    return np.zeros(1)


def test_looks_are_about_as_far_apart_however_long_steps_take(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(simulation_callbacks.time, "perf_counter", lambda: now)
    for seconds_for_a_step in (1e-7, 1e-4, 0.03, 1.0):
        interrupts = Interrupts([0])
        steps, gaps = interrupts.steps_until_next(), []
        for _ in range(60):
            gaps.append(steps * seconds_for_a_step)
            now += gaps[-1]
            steps = interrupts.steps_until_next()
            assert 0 < steps <= MOST_STEPS
        assert max(gaps[-20:]) <= max(0.1, seconds_for_a_step)
        assert min(gaps[-20:]) >= 0.0125
    interrupts = Interrupts([0])
    for _ in range(60):
        steps = interrupts.steps_until_next()
    assert steps == MOST_STEPS  # in no time at all


def test_a_pause_that_says_stop(integrators: ModuleType, arms: SimpleNamespace) -> None:
    """Of the C interface: zero ends the integration, where it was."""
    find_integrators()  # tells the extension what its calls of Python are
    functions = {"forward_dynamics": ("dynamics", arms.pendulum.kernel_address("forward_dynamics"))}
    run = Run(integrators, [1.0], [0.0], functions, step=0.125)
    answers = iter([1, 1, 0])
    handle = run.ffi.new_handle(SimpleNamespace(steps_until_next=lambda: next(answers)))
    run.system.pause, run.system.pause_data = run.lib.kanegen_python_pause, handle
    assert run("rk4") == "KANEGEN_STOPPED"
    assert (run.done.accepted, run.done.t) == (2, 0.25)
