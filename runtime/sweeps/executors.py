"""Where chunks are computed: in this process on threads, in processes of this machine, or by workers of Dask."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Generator, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from kanegen.errors import KanegenError, shown
from kanegen.extras import install_command
from kanegen.sweeps.chunks import chunk
from kanegen.sweeps.sources import Sources
from kanegen.sweeps.study import Study
from kanegen.workers import Workers, pipes

HERE, PROCESSES = "threads", "processes"

Chunks = Generator[tuple[int, bytes], None, None]
"""Chunks by their numbers, as they are done."""


def checked(executor: Any) -> Any:
    """The executor: "threads", "processes", a scheduler's address or a client of Dask.  Raises ValueError, KanegenError."""
    if executor in (HERE, PROCESSES):
        return executor
    if not hasattr(executor, "submit") and not (isinstance(executor, str) and "://" in executor):
        raise ValueError(
            f"executor: expected {HERE!r}, {PROCESSES!r} or the address of a Dask scheduler, tcp://HOST:PORT, got "
            f"{shown(executor)}"
        )
    try:
        import distributed  # noqa: F401  (whether it is there)
    except ImportError:
        raise KanegenError(
            f"executor: this needs distributed, which is not installed. Install it: {install_command('sweeps')}"
        ) from None
    return executor.replace("dask://", "tcp://") if isinstance(executor, str) else executor


def chunks_of(
    executor: Any, arm: Any, study: Study, sources: Sources, wanted: Sequence[int], threads: int
) -> Chunks:
    """Chunks of a study, in whatever order they are done: in this process by ``arm``, elsewhere from the sources.

    ``threads``: as many of this process, as many processes, or as many in each task of Dask.  Raises KanegenError.
    """
    if executor == HERE:
        return ((index, chunk(arm, study, index, threads)) for index in wanted)
    if executor == PROCESSES:
        return _in_processes(study, sources, wanted, threads)
    from kanegen.sweeps.dask import on_workers

    return on_workers(executor, study, sources, wanted, threads)


def _in_processes(study: Study, sources: Sources, wanted: Sequence[int], count: int) -> Chunks:
    """By so many processes.  What one leaves behind that is killed, others take; it ends where all are, again and again."""
    left = set(wanted)
    found: SimpleQueue[tuple[int, Any]] = SimpleQueue()
    while left:
        queue, before = deque(sorted(left)), len(left)
        with Workers(
            __name__,
            min(count, before),
            (study, sources),
            queue,
            lambda index: None,
            lambda index, content: found.put((index, content)),
        ) as workers:
            while left and (workers.at_work or not found.empty()):
                try:
                    index, content = found.get(timeout=0.2)
                except Empty:
                    continue
                if isinstance(content, Exception):
                    raise content
                left.discard(index)
                yield index, content
        if len(left) == before:
            raise KanegenError(
                f"sweep: all processes that were to compute runs ended before they had, such as those of chunk {min(left)}. "
                "Is there enough memory? Take fewer runs in a chunk, or fewer processes, and sweep again"
            )


def serve() -> None:
    """In a process of ``Workers``: compute chunks until nothing more comes."""
    tasks, results = pipes()
    study, sources = pickle.load(tasks)
    arm = None
    while True:
        try:
            index, _ = pickle.load(tasks)
        except EOFError:
            return
        try:
            arm = arm or sources.robot(study)
            found: bytes | Exception = chunk(arm, study, index, 1)
        except Exception as error:  # noqa: BLE001  (it is raised where the chunk was asked for)
            found = error
        pickle.dump(found, results)
        results.flush()
