"""What do sweeps add to simulations, and what would more cores do?

    python -m benchmarks.sweeps RUNS_IN_A_CHUNK ROUNDS

Feedback simulations of the Stanford Arm with gains of their own, as in ``many``, "rk4", final states alone.  CPU seconds of
a chunk: drawing, simulating, and all of it with its Parquet file; of the process that hands out chunks, writing the file and
a task of Dask that does nothing.  Then whole sweeps, on one thread and on two: runs for each second that a core was busy.
The least of all rounds.  What a thousand cores would do follows from these: docs/guide/sweeps.md.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import kanegen
from benchmarks.course import Course, columns, in_a_process, say
from benchmarks.many import COUNT, DURATION, METHODS, arm
from benchmarks.protocol import DriverFailed
from kanegen.codegen.commands.benchmark_records import Contents, Table
from kanegen.sweeps.chunks import chunk
from kanegen.sweeps.results import writing

TASKS = 2000
"""Empty ones, for the time of one."""


def section(course: Course) -> Contents:
    """Both tables, measured in a process of their own."""
    count, rounds = (64, 1) if course.quick else (COUNT, 3)
    say("sweeps")
    try:
        found = in_a_process("benchmarks.sweeps", str(count), str(rounds))
    except DriverFailed as reason:
        course.missing(reason)
        return Contents((), ())
    of_chunk = tuple((name, 1e3 * found[name]) for name in PARTS if name in found)
    rates = tuple((int(name.split()[0]), found[name]) for name in ("1 thread", "2 threads"))
    what = f"sweeps of stanford_arm, rk4, chunks of {count:,} runs of {DURATION} s"
    return Contents(
        (),
        (
            Table(
                f"{what}: {found['bytes']:,.0f} bytes of a chunk", columns("of a chunk", "CPU ms"), of_chunk
            ),
            Table(f"{what}: rate", columns("threads", "runs / s of a core"), rates),
        ),
    )


PARTS = ("draw", "simulate", "chunk", "write", "task")


def least(call: Callable[[], Any], rounds: int) -> float:
    """The least CPU time [s] of the process in some calls."""
    found = []
    for _ in range(rounds):
        begin = time.process_time()
        call()
        found.append(time.process_time() - begin)
    return min(found)


def swept(robot: Any, count: int, chunks: int, output: Path, threads: int = 1) -> kanegen.Sweep:
    """A sweep of so many chunks, each gain between half and twice what it is."""
    return kanegen.sweep(
        robot,
        DURATION,
        "reach",
        "rk4",
        **METHODS["rk4"],
        q0={"q2": {"latin": [1.3, 1.7]}},
        parameters={name: {"latin": [value / 2, 2 * value]} for name, value in robot.parameters.items()},
        samples=chunks * count,
        chunk=count,
        output=output,
        threads=threads,
    )


def of_a_chunk(robot: Any, count: int, rounds: int, folder: Path) -> dict[str, float]:
    """Seconds of what a chunk is made of, and the bytes of its file."""
    study = swept(robot, count, 1, folder).study
    content, given = chunk(robot, study, 0, 1), study.given(0, count)
    gains = {name[2:]: values for name, values in given.items() if name.startswith("p.")}
    q0, v0 = robot.configuration({"q2": given["q0.q2"]}), robot.speeds()
    settings: dict[str, Any] = {"method": "rk4", "parameters": gains, **METHODS["rk4"]}

    def simulate() -> None:
        kanegen.simulate_many(robot, q0, v0, DURATION, "reach", **settings)

    with writing(folder, study) as writer:
        return {
            "draw": least(lambda: study.given(0, count), rounds),
            "simulate": least(simulate, rounds),
            "chunk": least(lambda: chunk(robot, study, 0, 1), rounds),
            "write": least(lambda: writer.add(0, content), 5 * rounds),
            "bytes": len(content),
        }


def task() -> float:
    """CPU seconds of scheduler and client for one task of many, with two workers in other processes."""
    import distributed

    given: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**given) as cluster, distributed.Client(cluster) as client:
        client.gather(client.map(int, range(TASKS)))
        begin = time.process_time()
        for future in distributed.as_completed(client.map(float, range(TASKS))):
            future.result()
        return (time.process_time() - begin) / TASKS


def main() -> None:
    """All as JSON, for so many runs in a chunk, the least of so many rounds."""
    count, rounds = map(int, sys.argv[1:])
    robot, numbers = arm(), itertools.count()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = of_a_chunk(robot, count, rounds, folder / "one")

        def rate(threads: int) -> float:
            seconds = least(
                lambda: swept(robot, count, 2, folder / str(next(numbers)), threads=threads), rounds
            )
            return 2 * count / seconds

        found |= {"1 thread": rate(1), "2 threads": rate(2)}
    if find_spec("distributed"):
        found["task"] = task()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
