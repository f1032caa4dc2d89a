"""``kanegen.sweep``: a study, what is missing of it computed somewhere, and its results in a folder."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from kanegen.arrays import Values
from kanegen.boundary import boundary
from kanegen.kernels.checks import LOOKED_AT
from kanegen.kernels.threads import thread_count
from kanegen.progress import Progress
from kanegen.simulation.arm import needed_kernels
from kanegen.simulation.request import check_mechanism
from kanegen.sweeps.chunks import arrow
from kanegen.sweeps.executors import checked, chunks_of
from kanegen.sweeps.results import Sweep, writing
from kanegen.sweeps.sources import Sources, sources_of
from kanegen.sweeps.study import Study, check_parameters, study_of


def sweep(
    arm: Any,
    duration: float,
    controller: str | None = None,
    method: str = "dopri5",
    *,
    output: str | os.PathLike[str],
    q0: Values | Mapping[str, Any] | None = None,
    v0: Values | Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    samples: int | None = None,
    seed: int = 0,
    chunk: int = 4096,
    outputs: Sequence[str] = (),
    executor: Any = "threads",
    threads: int = 1,
    times: ArrayLike | None = None,
    references: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Sweep:
    """Many runs of ``simulate_many`` with values that differ, kept in the folder ``output``; called again, it goes on there.

    ``parameters``, gains of laws among them, ``q0`` and ``v0`` have by name a number [SI units], the same for all runs, or
    what differs: ``{"grid": [1, 2, 5]}``, ``{"grid": [0, 1], "count": 11}``, ``{"latin": [0, 1]}`` for a Latin hypercube, or
    ``{"random": [0, 1]}``, each of the last three with ``"scale": "log"`` if wanted.  There are all combinations of grids,
    and for each of them the same ``samples`` of what is drawn, whose random numbers come from ``seed``.  q0 that is not
    given is home, v0 rest.

    ``controller``, ``method`` ("dopri5" or "rk4"), ``times``, ``references`` and the ``settings`` rtol, atol, step,
    sample_period, max_steps, max_step, breaks, t0 and drift are those of ``simulate_many``.  ``outputs`` are kernels of
    t, q, v and x by name, evaluated at the end of each run.

    ``chunk`` runs are computed together, and are what is lost where the sweep is interrupted.  Neither that nor the executor
    changes a number.  executor: "threads", in this process on ``threads`` threads; "processes", as many on this machine,
    which need no guarded ``__main__``; or the workers of Dask, by the address of their scheduler, "tcp://HOST:8786", or a
    client, with ``threads`` threads for each task.  Workers compile the C that they are sent, for the instruction set of the
    robot; of one that lacks it an error says so.

    Raises ModelError for draws that are wrong, KanegenError where the folder belongs to another study, where a run cannot
    begin, and where pyarrow is missing; what ``simulate_many`` raises for the rest.
    """
    with boundary("sweeping", getattr(arm, "name", ""), TypeError, ValueError):
        arrow()
        check_mechanism(arm)
        executor = checked(executor)
        given = {"method": method, "times": times, "references": references, **settings}
        unknown = given.keys() - SETTINGS
        if unknown:
            raise TypeError(
                f"sweep: there is no setting {min(unknown)!r}; settings are {', '.join(SETTINGS)}"
            )
        study, robot = study_of(
            arm,
            duration,
            controller,
            {name: value for name, value in given.items() if value is not None},
            q0=q0,
            v0=v0,
            parameters=parameters or {},
            samples=samples,
            seed=seed,
            chunk=chunk,
            outputs=outputs,
        )
        sources = sources_of(robot, _kernels(robot, study))
        study = replace(study, sources=sources.digests)
        _carry_out(robot, study, sources, Path(output), executor, thread_count(threads))
        return Sweep(Path(output))


SETTINGS = (
    *(
        "method",
        "step",
        "rtol",
        "atol",
        "times",
        "sample_period",
        "max_steps",
        "max_step",
        "breaks",
        "t0",
        "drift",
    ),
    "references",
)
"""What ``simulate_many`` is told of all runs."""


def _kernels(arm: Any, study: Study) -> list[str]:
    """The kernels that runs need."""
    law = study.controller
    more = [*LOOKED_AT, *([] if law is None else [law, f"closed_loop_{law}"])]
    return [*needed_kernels(arm), *(name for name in more if name in arm.kernels), *study.outputs]


def _carry_out(
    arm: Any, study: Study, sources: Sources, directory: Path, executor: Any, threads: int
) -> None:
    """Compute what is missing in a folder."""
    with writing(directory, study) as writer, Progress(sys.stderr) as progress:
        if writer.fresh:
            progress.stage(f"{study.model}: looking at the parameters of {study.runs:,} runs")
            check_parameters(arm, study)
            writer.begin()
        done = Sweep(directory).done
        wanted = [index for index in range(study.chunks) if index not in done]
        runs = sum(last - first for first, last in map(study.span, done))
        before, begin = runs, time.perf_counter()
        progress.stage(f"{study.model}: {runs:,} of {study.runs:,} runs")
        chunks = chunks_of(executor, arm, study, sources, wanted, threads)
        with ThreadPoolExecutor(_WRITERS) as pool, contextlib.closing(chunks):
            written: deque[Future[None]] = deque()
            for index, content in chunks:
                written.append(pool.submit(writer.add, index, content))
                if len(written) > 4 * _WRITERS:
                    written.popleft().result()
                first, last = study.span(index)
                runs += last - first
                rate = (runs - before) / max(time.perf_counter() - begin, 1e-9)
                left = _told((study.runs - runs) / rate)
                progress.stage(
                    f"{study.model}: {runs:,} of {study.runs:,} runs, {rate:,.0f} a second, {left} left"
                )
            for one in written:
                one.result()


_WRITERS = 4
"""Threads that put files on the disk, while other chunks come."""


def _told(seconds: float) -> str:
    """A time that is left."""
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
