"""The pool of threads: every part once, whoever asks, in whichever process."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import pytest

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


@pytest.mark.parametrize("threads", [2, 3, 16, 10**6])
def test_threads_do_every_part_once(threads: int) -> None:
    together = threading.Barrier(min(threads, 16))  # so that there are as many, however slow
    begun = iter(range(16))

    def meet(first: int) -> None:
        if next(begun, None) is not None and threads <= 16 and first // GRAIN < threads:
            together.wait(30)

    ranges = shared_out(threads, meet)
    assert once(ranges)
    if threads <= 16:
        assert len({thread for *_, thread in ranges}) == threads


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
