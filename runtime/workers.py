"""Processes beside this one that compute something: what they say to each other, and how they are started.

A process is a Python interpreter of its own, told everything through its standard input, whose end is its own.  Nothing of
the program that asked runs in it, so that it needs no guarded ``__main__``, and no fork.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, BinaryIO, Generic, Self, TypeVar

from kanegen.interpreter import interpreter

_PROGRAM = """
import importlib, pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
importlib.import_module(sys.argv[1]).serve()
"""

N = TypeVar("N")


class Workers(Generic[N]):
    """Processes that take names from a queue until it is empty, and hand what they computed to ``done(name, result)``.

    Each runs ``serve()`` of a ``module``.  ``told`` is what it is told first, ``known`` gives what is known of a name.  A
    name for which a process had no result, for whatever reason, is left out.
    """

    def __init__(
        self,
        module: str,
        count: int,
        told: object,
        queue: deque[N],
        known: Callable[[N], object],
        done: Callable[[N, Any], None],
    ) -> None:
        self._queue, self._known, self._done = queue, known, done
        try:
            first = pickle.dumps(sys.path) + pickle.dumps(told)
        except (
            TypeError,
            AttributeError,
            pickle.PickleError,
        ):  # what cannot be sent stays in this process
            first, count = b"", 0
        self._processes = [started for _ in range(count) if (started := _start(module)) is not None]
        self._threads = [
            threading.Thread(target=self._feed, args=(process, first), daemon=True)
            for process in self._processes
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for what is being computed; after an error, end it."""
        if error is not None:
            self._queue.clear()
            for process in self._processes:
                process.kill()
        for thread in self._threads:
            thread.join()

    @property
    def at_work(self) -> bool:
        """Whether more results may come."""
        return any(thread.is_alive() for thread in self._threads)

    def _feed(self, process: subprocess.Popen[bytes], first: bytes) -> None:
        """Give a process one name after another."""
        assert process.stdin is not None and process.stdout is not None  # they are pipes
        with contextlib.suppress(OSError, EOFError, pickle.PickleError, AttributeError, ImportError), process:
            try:
                process.stdin.write(first)
                while self._queue:
                    name = self._queue.popleft()
                    pickle.dump((name, self._known(name)), process.stdin)
                    process.stdin.flush()
                    self._done(name, pickle.load(process.stdout))
            except IndexError:
                return  # another one took the last
            except BaseException:
                process.kill()
                raise


def _start(module: str) -> subprocess.Popen[bytes] | None:
    """A process, or None where none can be started."""
    command = interpreter()
    if command is None:
        return None
    try:
        return subprocess.Popen(
            [command, "-c", _PROGRAM, module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None


def pipes() -> tuple[BinaryIO, BinaryIO]:
    """In such a process, where tasks come from and where results go.  What else is written goes nowhere."""
    results = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    return sys.stdin.buffer, results


def usual_jobs() -> int:
    """How many processes may derive kernels at once where nothing is said: as many as cores that this one may use."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        cores = os.cpu_count() or 1
    return min(cores, _MOST_JOBS)


_MOST_JOBS = 4
"""Few kernels of a mechanism take long, and every process takes a second to begin."""
