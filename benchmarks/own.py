"""kanegen's own ways of calling a kernel from Python: bound, checked, and with rows of states."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.machines import INPUTS
from benchmarks.peers.engines import Array, PeerUnavailable
from benchmarks.protocol import Contestant, python_contestant
from benchmarks.states import States


@dataclass(frozen=True)
class Entry:
    """One contestant of one kernel.

    Attributes:
        contestant: what is timed.
        results: the results (count, columns) for the same states, asked for after the timing; None where they are
            those of another contestant.
    """

    contestant: Contestant
    results: Callable[[], Array] | None = None

    @property
    def name(self) -> str:
        """The contestant's name."""
        return self.contestant.name


BOUND = "kanegen, Python, bound call"
WRITTEN = "kanegen, Python, bound call, inputs written"
CHECKED = "kanegen, Python, checked call"
CHECKED_OUT = "kanegen, Python, checked call with out="


def rows_name(count: int, threads: int) -> str:
    """How tables call ``count`` rows in one call."""
    return f"kanegen, NumPy, {count:,} rows with out=, {threads} thread{'s' * (threads > 1)}"


def flat(found: Any) -> Array:
    """The outputs of a call, one or several, as one row."""
    return np.concatenate([np.ravel(x) for x in (found if isinstance(found, tuple) else (found,))])


def single_calls(robot: Any, kernel: str, states: States, passes: int) -> list[Entry]:
    """The bound call (the same state each time, and with every state written first) and the checked calls.

    Raises:
        PeerUnavailable: when there is no compiler, so that kernels are interpreted.
    """
    if robot.target is None:
        raise PeerUnavailable(f"{robot.name}: kanegen found no compiler and interprets, which is not timed")
    inputs = [getattr(states, name) for name in INPUTS[kernel]]
    rows = [tuple(row) for row in zip(*inputs, strict=True)]
    step, call, count = robot.bind(kernel), getattr(robot, kernel), states.count
    buffers = [getattr(step, name) for name in INPUTS[kernel]]
    for buffer, values in zip(buffers, rows[0], strict=True):
        buffer[:] = values

    def bound() -> None:
        for _ in range(count):
            step()

    def written() -> None:
        for row in rows:
            for buffer, values in zip(buffers, row, strict=True):
                buffer[:] = values
            step()

    def checked() -> None:
        for row in rows:
            call(*row)

    def results() -> Array:
        return np.array([flat(call(*row)) for row in rows])

    ways: list[tuple[str, Callable[[], object], Callable[[], Array] | None]] = [
        (BOUND, bound, None),
        (WRITTEN, written, None),
        (CHECKED, checked, results),
    ]
    out = call(*rows[0])
    if not isinstance(out, tuple):

        def with_out() -> None:
            for row in rows:
                call(*row, out=out)

        ways.append((CHECKED_OUT, with_out, None))
    return [Entry(python_contestant(name, run, count, passes), found) for name, run, found in ways]


def rows_calls(
    robot: Any, kernel: str, states: States, counts: Sequence[tuple[int, int]], passes: int
) -> list[Entry]:
    """Calls with so many rows on so many threads, the states again and again; time of the wall for several threads."""
    entries = []
    for count, threads in counts:
        inputs = [np.resize(getattr(states, name), (count, states.q.shape[1])) for name in INPUTS[kernel]]
        call = getattr(robot, kernel)
        given: dict[str, Any] = {"threads": threads}
        found = call(*inputs)
        if not isinstance(found, tuple):
            given["out"] = found
        clock = time.thread_time_ns if threads == 1 else time.perf_counter_ns

        def one_pass(
            call: Any = call, inputs: Sequence[Array] = inputs, given: dict[str, Any] = given
        ) -> None:
            call(*inputs, **given)

        turns = max(passes, 1 + 40_000 // count)
        entries.append(Entry(python_contestant(rows_name(count, threads), one_pass, count, turns, clock)))
    return entries


def copy_entry(columns: int, count: int, passes: int) -> Entry:
    """A copy of an array that moves as many bytes as a kernel reads and writes: what the memory allows."""
    source = np.ones((count, columns // 2))
    target = np.empty_like(source)
    name = f"NumPy, copy of as many bytes, {count:,} rows"
    return Entry(python_contestant(name, lambda: np.copyto(target, source), count, passes))
