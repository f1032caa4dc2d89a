"""What do sweeps add to simulations, how do they grow with cores, and where does that end?

    python -m benchmarks.sweeps [--chunk N] [--chunks N] [--duration S] [--rounds N] [--output NAME.json]

Feedback simulations of the Stanford Arm with gains of their own, "rk4" at 1 ms, final states alone, as in
``benchmarks.many``.  CPU seconds of one chunk: drawing, simulating, and all of it with its Parquet file; of the process that
hands out chunks, writing the file and a task of Dask that does nothing.  Then whole sweeps, on one thread and
on two: runs for each second that a core was busy.  The least of all rounds.  What more cores would do follows from these,
see docs/guide/sweeps.md.
"""

from __future__ import annotations

import functools
import itertools
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kanegen
from benchmarks.drivers.build import FLAGS, compiler_command
from benchmarks.environment import environment
from benchmarks.many import arm
from benchmarks.protocol import command_line
from benchmarks.report import number, table, write_json
from kanegen.sweeps.chunks import chunk
from kanegen.sweeps.results import writing

TASKS = 2000
"""Empty ones, for the time of one."""


def least(clock: Callable[[], float], call: Callable[[], Any], rounds: int) -> float:
    """The least time [s] of some calls by a clock."""
    found = []
    for _ in range(rounds):
        begin = clock()
        call()
        found.append(clock() - begin)
    return min(found)


def drawn(robot: Any) -> dict[str, Any]:
    """Each gain between half and twice what it is."""
    return {name: {"latin": [value / 2, 2 * value]} for name, value in robot.parameters.items()}


def swept(robot: Any, options: Any, folder: Path, chunks: int, **more: Any) -> kanegen.Sweep:
    """A sweep of so many chunks."""
    return kanegen.sweep(
        robot,
        options.duration,
        "reach",
        "rk4",
        step=1e-3,
        q0={"q2": {"latin": [1.3, 1.7]}},
        parameters=drawn(robot),
        samples=chunks * options.chunk,
        chunk=options.chunk,
        output=folder,
        **more,
    )


def task_seconds() -> float:
    """CPU seconds of scheduler and client for one task of many, with two workers in other processes."""
    import distributed

    given: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**given) as cluster, distributed.Client(cluster) as client:
        client.gather(client.map(int, range(TASKS)))
        begin = time.process_time()
        for future in distributed.as_completed(client.map(float, range(TASKS))):
            future.result()
        return (time.process_time() - begin) / TASKS


def parts(robot: Any, options: Any, folder: Path) -> tuple[dict[str, float], int]:
    """Seconds of what a chunk is made of, and the bytes of its file."""
    study = swept(robot, options, folder / "one", 1).study
    content = chunk(robot, study, 0, 1)
    _, last = study.span(0)
    given = study.given(0, last)
    gains = {name[2:]: values for name, values in given.items() if name.startswith("p.")}
    q0 = {"q2": given["q0.q2"]}

    def simulate() -> None:
        kanegen.simulate_many(
            robot,
            robot.configuration(q0),
            robot.speeds(None),
            options.duration,
            "reach",
            "rk4",
            step=1e-3,
            parameters=gains,
        )

    found = {
        "draw": least(time.process_time, lambda: study.given(0, last), options.rounds),
        "simulate": least(time.process_time, simulate, options.rounds),
        "chunk": least(time.process_time, lambda: chunk(robot, study, 0, 1), options.rounds),
    }
    with writing(folder / "one", study) as writer:
        found["write"] = least(time.process_time, lambda: writer.add(0, content), 5 * options.rounds)
    return found, len(content)


def main() -> int:
    """The command line."""
    parser = command_line(__doc__, "sweeps.json", states=4096, passes=1)
    parser.add_argument("--chunk", type=int, default=4096, help="runs in one (default %(default)s)")
    parser.add_argument("--chunks", type=int, default=8, help="of a whole sweep (default %(default)s)")
    parser.add_argument("--duration", type=float, default=0.5, help="of a run (default %(default)s)")
    options = parser.parse_args()
    robot = arm()
    runs, rates, numbers = options.chunks * options.chunk, {}, itertools.count()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seconds, size = parts(robot, options, folder)
        for threads in (1, 2):
            whole = functools.partial(swept, robot, options, chunks=options.chunks, threads=threads)
            call = lambda whole=whole: whole(folder=folder / str(next(numbers)))  # noqa: E731
            rates[str(threads)] = runs / least(time.process_time, call, options.rounds)
    seconds["task"] = task_seconds()
    print(table(["of a chunk", "ms"], [[name, number(1e3 * value)] for name, value in seconds.items()]))
    rows = [[f"{threads} threads", number(rate)] for threads, rate in rates.items()]
    print(table([f"{runs} runs, {robot.target}", "runs a second of a core"], rows))
    where = environment(compiler_command("CC", "cc"), compiler_command("CXX", "c++"), FLAGS)
    document = {
        "benchmark": "sweeps",
        "target": robot.target,
        "runs_in_a_chunk": options.chunk,
        "duration": options.duration,
        "environment": where.as_json(),
        "seconds_of_a_chunk": seconds,
        "bytes_of_a_chunk": size,
        "runs_a_second_of_a_core": rates,
    }
    print(f"written: {write_json(options.output, document).name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
