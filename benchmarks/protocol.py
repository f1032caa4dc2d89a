"""The timing protocol: warm up, take turns, keep every sample, report the minimum and the median.

Every contestant does the same thing: one call for each of the same random states is one *pass*, and one pass
gives one sample, the nanoseconds per call.  In each round all contestants take a turn of several passes, so that a
change in the machine's speed meets them all; the first turn of each is thrown away.  The minimum is the figure for
ratios (noise only ever adds time), the median tells how quiet the machine was.  Time is that of the thread, so that other
programs on the machine disturb less; what several threads do is measured by the wall's clock.

Results are not thrown away unseen: native drivers sum a component of every result into a volatile sink, and
the Python loops call functions that the interpreter cannot leave out.  Results are compared in passes of their own.
"""

from __future__ import annotations

import gc
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Contestant:
    """Something to be timed.

    Attributes:
        name: how the tables call it; unique within a measurement.
        turn: runs a few passes and returns the nanoseconds per call of each.
    """

    name: str
    turn: Callable[[], Sequence[float]]


@dataclass(frozen=True)
class Timing:
    """Nanoseconds per call of one contestant over all its passes."""

    minimum: float
    median: float
    passes: int

    @classmethod
    def of(cls, samples: Sequence[float]) -> Timing:
        """The summary of samples in nanoseconds per call."""
        return cls(minimum=min(samples), median=statistics.median(samples), passes=len(samples))


@dataclass(frozen=True)
class Measurement:
    """The timings of one interleaved run, by contestant, in the order they were entered."""

    timings: dict[str, Timing] = field(default_factory=dict)


class DriverFailed(RuntimeError):
    """A native timing program ended with an error; the message holds what it said."""


def python_contestant(
    name: str,
    one_pass: Callable[[], object],
    calls: int,
    passes: int,
    clock: Callable[[], int] = time.thread_time_ns,
) -> Contestant:
    """A Python loop as a contestant.

    Args:
        name: the contestant's name.
        one_pass: makes ``calls`` calls.
        calls: calls in one pass.
        passes: passes in one turn.
        clock: nanoseconds: of the thread, unless others work for it.
    """

    def turn() -> list[float]:
        samples = []
        collecting = gc.isenabled()
        gc.disable()
        try:
            for _ in range(passes):
                start = clock()
                one_pass()
                samples.append((clock() - start) / calls)
        finally:
            if collecting:
                gc.enable()
        return samples

    return Contestant(name, turn)


def native_contestant(name: str, command: Sequence[str | Path]) -> Contestant:
    """A native timing program as a contestant: it prints the nanoseconds per call of each pass, one a line."""
    return Contestant(name, lambda: run_driver(command))


def run_driver(command: Sequence[str | Path]) -> list[float]:
    """Run a native timing program and return the numbers it prints.

    Raises:
        DriverFailed: when it ends with an error.
    """
    finished = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        raise DriverFailed(f"{Path(command[0]).name} failed: {finished.stderr.strip()}")
    return [float(line) for line in finished.stdout.split()]


def measure(contestants: Sequence[Contestant], rounds: int) -> Measurement:
    """Let all contestants take turns for ``rounds`` rounds after one round of warming up."""
    samples: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    for contestant in contestants:
        contestant.turn()
    for _ in range(rounds):
        for contestant in contestants:
            samples[contestant.name].extend(contestant.turn())
    return Measurement({name: Timing.of(values) for name, values in samples.items()})
