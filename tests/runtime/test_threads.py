"""The pool of threads: every part once, whoever asks, in whichever process."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import platform
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import constrained_robots
import described
import numpy as np
import pytest
import robots

import kanegen
from kanegen.arrays import kernel_type
from kanegen.errors import DeadCentreError
from kanegen.kernels import compiled

integrators = pytest.importorskip("kanegen._integrators")
ffi, lib = integrators.ffi, integrators.lib

N, GRAIN = 1000, 7


def shared_out(threads: int, inner: Callable[[int], None] = lambda first: None) -> list[tuple[int, int, int]]:
    """The ranges of a task of N parts as they were done: first, last, thread."""
    found: list[tuple[int, int, int]] = []

    @ffi.callback("kanegen_task")
    def task(context: Any, first: int, last: int) -> None:
        inner(first)
        found.append((first, last, threading.get_ident()))

    lib.kanegen_parallel_for(threads, N, GRAIN, task, ffi.NULL)
    return found


def once(ranges: list[tuple[int, int, int]]) -> bool:
    """Whether the ranges are all of N, in pieces of GRAIN."""
    return sorted(r[:2] for r in ranges) == [(i, min(i + GRAIN, N)) for i in range(0, N, GRAIN)]


@pytest.mark.parametrize("threads", [2, 3, 16])
def test_threads_do_every_part_once(threads: int) -> None:
    together, here = threading.Barrier(threads), threading.local()  # so that all come, however slow

    def meet(first: int) -> None:
        if not hasattr(here, "met"):
            here.met = True
            together.wait(30)

    ranges = shared_out(threads, meet)
    assert once(ranges)
    assert len({thread for *_, thread in ranges}) == threads
    assert once(shared_out(10**6))


def test_one_thread_gets_all_at_once() -> None:
    for threads in (0, 1):
        assert shared_out(threads) == [(0, N, threading.get_ident())]
    lib.kanegen_parallel_for(4, 0, 1, ffi.NULL, ffi.NULL)  # nothing to do, by nobody


def test_threads_ask_at_once_and_within_tasks() -> None:
    found: list[bool] = []
    asking = [
        threading.Thread(target=lambda: found.append(once(shared_out(3, lambda first: again(first, found)))))
        for _ in range(4)
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert found and all(found)


def again(first: int, found: list[bool]) -> None:
    if first % (50 * GRAIN) == 0:
        found.append(once(shared_out(2)))


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
def test_forked_processes_have_threads_of_their_own() -> None:
    assert once(shared_out(3))
    stop = threading.Event()
    busy = threading.Thread(target=lambda: [shared_out(2) for _ in iter(stop.is_set, True)])
    busy.start()  # so that forks meet a pool at work
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                os._exit(0 if once(shared_out(3)) and once(shared_out(2)) else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        busy.join()
    assert once(shared_out(3))


STATES = np.random.default_rng(65)


def states_of(robot: Any, kernel: str, count: int) -> list[Any]:
    spec = robot._kernels[kernel].spec
    return [
        STATES.uniform(-1, 1, (count, *argument.shape)).astype(kernel_type(spec)) for argument in spec.inputs
    ]


def same_bits(one: Any, other: Any) -> None:
    for x, y in zip(
        *(found if isinstance(found, tuple) else (found,) for found in (one, other)), strict=True
    ):
        assert x.dtype == y.dtype
        assert x.tobytes() == y.tobytes()


@pytest.mark.parametrize("name", ["stanford_arm", "live_pendulum", "cart_pole"])
def test_results_do_not_depend_on_threads(name: str) -> None:
    robot = kanegen.load(name) if name == "stanford_arm" else getattr(robots, name)()
    for kernel in robot.kernels:
        arrays = states_of(robot, kernel, 3 * compiled.states_for_a_thread(robot._kernels[kernel].spec) + 5)
        alone = robot.call(kernel, *arrays)
        for threads in (2, 3, -1, 2**70):
            same_bits(robot.call(kernel, *arrays, threads=threads), alone)
        rows = robot.call(kernel, *(x[::-1].copy()[::-1] for x in arrays), threads=2)  # converted
        same_bits(rows, alone)
        out = tuple(map(np.zeros_like, alone)) if isinstance(alone, tuple) else np.zeros_like(alone)
        robot.call(kernel, *arrays, out=out, threads=np.int32(3))
        same_bits(out, alone)
        same_bits(
            robot.call(kernel, *(x[:2] for x in arrays), threads=64),
            robot.call(kernel, *(x[:2] for x in arrays)),
        )


def test_every_call_takes_threads() -> None:
    arm = kanegen.load("stanford_arm")
    q, v, a = states_of(arm, "inverse_dynamics", 1000)
    wrench = {"F": STATES.uniform(-1, 1, (1000, 6))}
    for call in (
        lambda **how: arm.inverse_dynamics(q, v, a, **how),
        lambda **how: arm.forward_dynamics(q, v, a, external=wrench, **how),
        lambda **how: arm.frame_jacobian(q, "F", **how),
        lambda **how: arm.frame_forces(q, wrench["F"], "F", **how),
        lambda **how: arm.mass_matrix(q[0], **how),
    ):
        same_bits(call(threads=2), call())


@pytest.mark.parametrize(
    ("threads", "error"),
    [
        (0, ValueError),
        (-2, ValueError),
        (True, ValueError),
        (None, TypeError),
        (1.5, TypeError),
        ("2", TypeError),
    ],
)
def test_numbers_of_threads_that_are_none(threads: Any, error: type[Exception]) -> None:
    cart_pole, interpreted = robots.cart_pole(), robots.interpreted_cart_pole()
    for robot in (cart_pole, interpreted):
        for q in (np.zeros(2), np.zeros((3, 2)), [0.0, 0.0]):
            with pytest.raises(error, match="threads: expected"):
                robot.mass_matrix(q, threads=threads)
    same_bits(interpreted.mass_matrix(np.zeros((3, 2)), threads=2), interpreted.mass_matrix(np.zeros((3, 2))))


def test_the_first_row_that_fails_is_named_whoever_found_it() -> None:
    robot = described.robot(constrained_robots.pendulum())
    angle = STATES.uniform(0.1, 3.0, 20_000)
    angle[[7, 15_000]] = 0.0  # the rod lies along x
    q = 0.5 * np.stack([np.cos(angle), -np.sin(angle)], axis=-1)
    said = set()
    for threads in (1, 2, 7):
        with pytest.raises(DeadCentreError, match="row 7 of the batch") as error:
            robot.forward_dynamics(q, np.ones((20_000, 1)), np.zeros((20_000, 1)), threads=threads)
        said.add(str(error.value))
    assert len(said) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="a rounding mode by its number")
def test_threads_round_as_the_caller_does() -> None:
    mathematics = ctypes.CDLL("libm.so.6")
    upward = {"x86_64": 0x800, "aarch64": 0x400000}.get(platform.machine())
    if upward is None:
        pytest.skip("a rounding mode by its number")
    arm = kanegen.load("stanford_arm")
    arrays = states_of(arm, "forward_dynamics", 20_000)
    nearest = arm.forward_dynamics(*arrays, threads=3)
    out = [np.empty_like(nearest) for _ in range(3)]
    assert mathematics.fesetround(upward) == 0
    try:
        for i, threads in enumerate((1, 2, 3)):
            arm.forward_dynamics(*arrays, out[i], threads=threads)
    finally:
        assert mathematics.fesetround(0) == 0
    assert out[0].tobytes() == out[1].tobytes() == out[2].tobytes() != nearest.tobytes()
    same_bits(arm.forward_dynamics(*arrays, threads=3), nearest)


def in_a_process(seed: int) -> bytes:
    q = np.random.default_rng(seed).uniform(-1, 1, (5000, 6))
    found: bytes = kanegen.load("stanford_arm").inverse_dynamics(q, q, q, threads=2).tobytes()
    return found


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
def test_processes_of_multiprocessing_have_threads() -> None:
    alone = [in_a_process(seed) for seed in range(4)]  # and the threads of this process have begun
    with multiprocessing.get_context("fork").Pool(2) as processes:
        assert processes.map_async(in_a_process, range(4)).get(60) == alone


def test_python_threads_call_at_once() -> None:
    arm = kanegen.load("stanford_arm")
    arrays = states_of(arm, "inverse_dynamics", 5000)
    alone = arm.inverse_dynamics(*arrays)
    with ThreadPoolExecutor(4) as callers:
        for found in callers.map(lambda i: arm.inverse_dynamics(*arrays, threads=1 + i % 3), range(60)):
            same_bits(found, alone)
