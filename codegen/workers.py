"""Processes beside this one that derive kernels of a mechanism: what they say to each other, and how they are started.

A process is a Python interpreter of its own, told everything through its standard input.  Nothing of the program that asked
for the kernels runs in it, so that it needs no guarded ``__main__``, and no fork.
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
from typing import Any, BinaryIO

from kanegen.interpreter import interpreter

_PROGRAM = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from kanegen.codegen.deriving import serve
serve()
"""


class Workers:
    """Processes that take names from a queue until it is empty, and hand what they derived to ``done(name, result)``.

    ``told`` is what each is told first, ``known`` gives what is known of a name.  A name that a process could
    not derive, for whatever reason, is left out: who asked derives it then, and sees the reason.
    """

    def __init__(
        self,
        count: int,
        told: object,
        queue: deque[str],
        known: Callable[[str], object],
        done: Callable[[str, Any], None],
    ) -> None:
        self._queue, self._known, self._done = queue, known, done
        try:
            first = pickle.dumps(sys.path) + pickle.dumps(told)
        except (
            TypeError,
            AttributeError,
            pickle.PickleError,
        ):  # classes of a compiled core stay in their process
            first, count = b"", 0
        self._processes = [started for _ in range(count) if (started := _start()) is not None]
        self._threads = [
            threading.Thread(target=self._feed, args=(process, first), daemon=True)
            for process in self._processes
        ]

    def __enter__(self) -> Workers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for what is being derived; after an error, end it."""
        if error is not None:
            self._queue.clear()
            for process in self._processes:
                process.kill()
        for thread in self._threads:
            thread.join()

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


def _start() -> subprocess.Popen[bytes] | None:
    """A process, or None where none can be started."""
    command = interpreter()
    if command is None:
        return None
    try:
        return subprocess.Popen(
            [command, "-c", _PROGRAM],
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
    """How many processes may derive at once where nothing is said: as many as cores that this one may use."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        cores = os.cpu_count() or 1
    return min(cores, _MOST_JOBS)


_MOST_JOBS = 4
"""Few kernels of a mechanism take long, and every process takes a second to begin."""
