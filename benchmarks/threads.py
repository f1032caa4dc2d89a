"""What does a second thread gain, beside a second process that has its own batch?

Time is that of the wall.  The batch fits the second cache of each core; the two processes take turns with one alone, so
that what a machine loses when both cores work is seen on both sides.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import kanegen
from benchmarks.course import Course, columns, say
from benchmarks.machines import INPUTS, Machine, machine
from benchmarks.protocol import measure, python_contestant
from benchmarks.robot_files import RobotMissing
from kanegen.codegen.commands.benchmark_records import Claim, Contents, Table

ROWS = 8192
GAIN = 1.8
"""What a second thread is to gain, or as much as a second process does."""

KERNELS = ("inverse_dynamics", "forward_dynamics")


def section(course: Course) -> Contents:
    """The Stanford Arm and a Panda."""
    claims, rows = [], []
    for name in course.machines[:2]:
        try:
            timed = machine(name)
        except RobotMissing as reason:
            course.missing(reason)
            continue
        robot = kanegen.load(timed.model, kernels=list(timed.kernels))
        for kernel in KERNELS:
            say(f"{name}: {kernel} on threads and in processes")
            one, two = _threads(robot, timed, kernel, course.rounds)
            threads, processes = one / two, _processes(timed, kernel, 0.1 if course.quick else 0.5)
            rows.append((f"{name}, {kernel}", one, two, threads, processes))
            what = f"{name}, {kernel}, {ROWS:,} rows: one thread / two; as two processes, or {GAIN}"
            claims.append(Claim(what, threads, min(GAIN, processes)))
    heads = columns(
        f"{ROWS:,} rows", "ns a state, 1 thread", "ns a state, 2 threads", "threads x", "processes x"
    )
    return Contents(tuple(claims), (Table("a second thread and a second process", heads, tuple(rows)),))


def _threads(robot: Any, timed: Machine, kernel: str, rounds: int) -> tuple[float, float]:
    """The smallest times [ns] of a state on one thread and on two."""
    call, (inputs, out) = getattr(robot, kernel), _batch(timed, kernel)

    def ways() -> Iterator[Any]:
        for threads in (1, 2):

            def run(threads: int = threads) -> None:
                call(*inputs, out=out, threads=threads)

            yield python_contestant(str(threads), run, ROWS, 20, time.perf_counter_ns)

    timings = measure(list(ways()), 2 * rounds).timings
    return timings["1"].minimum, timings["2"].minimum


def _batch(timed: Machine, kernel: str) -> tuple[list[Any], Any]:
    states = timed.states(ROWS)
    return [getattr(states, name) for name in INPUTS[kernel]], np.empty((ROWS, timed.dof))


def _processes(timed: Machine, kernel: str, seconds: float) -> float:
    """What two processes compute together in a second over what one does alone."""
    command = [sys.executable, "-m", "benchmarks.threads", timed.name, kernel, str(seconds)]
    both, alone = _rates([command, command]), _rates([command])
    return sum(both) / alone[0]


def _rates(commands: Sequence[Sequence[str]]) -> list[float]:
    """Passes a second of processes that begin together: each waits for a line before it measures."""
    running = [
        subprocess.Popen(c, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for c in commands
    ]
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    for process in running:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    return [float(process.communicate()[0]) for process in running]


def main() -> None:
    """One process: says when it is ready, waits for a line, and prints its passes a second by the quickest one."""
    name, kernel, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    timed = machine(name)
    robot = kanegen.load(timed.model, kernels=list(timed.kernels))
    call, (inputs, out) = getattr(robot, kernel), _batch(timed, kernel)
    call(*inputs, out=out)
    print("ready", flush=True)
    sys.stdin.readline()
    least, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        call(*inputs, out=out)
        least = min(least, time.perf_counter() - start)
    print(1.0 / least)


if __name__ == "__main__":
    main()
