"""Chunks computed by workers of Dask, each of which builds the robot once from the C that comes with the study."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Generator, Sequence
from typing import Any

import distributed

from kanegen.errors import KanegenError, shortened
from kanegen.robot import Robot
from kanegen.sweeps.chunks import chunk
from kanegen.sweeps.sources import Sources
from kanegen.sweeps.study import Study

_AHEAD = 10_000
"""Chunks that the scheduler knows of at a time: some for each worker, however many there are."""


class Robots(distributed.WorkerPlugin):  # type: ignore[misc]  # the library has no types
    """Has a worker build the robot of a study, when it comes."""

    def __init__(self, study: Study, sources: Sources) -> None:
        self.name = f"kanegen-{study.digest}"
        self._study, self._sources = study, sources
        self._found: Robot | KanegenError | None = None

    async def setup(self, worker: Any) -> None:
        """Build it; an error is raised by the first chunk that the worker is given."""
        try:
            self._found = await asyncio.to_thread(self._sources.robot, self._study)
        except KanegenError as error:
            self._found = KanegenError(f"worker {worker.address}: {error}")

    def chunk(self, index: int, threads: int) -> bytes:
        """A chunk of the study.  Raises KanegenError."""
        if not isinstance(self._found, Robot):
            raise self._found or KanegenError("this worker has no robot yet")
        return chunk(self._found, self._study, index, threads)


def compute(name: str, index: int, threads: int) -> bytes:
    """In a task: a chunk of the study whose plugin has this name."""
    plugin: Robots = distributed.get_worker().plugins[name]
    return plugin.chunk(index, threads)


def on_workers(
    where: Any, study: Study, sources: Sources, wanted: Sequence[int], threads: int
) -> Generator[tuple[int, bytes], None, None]:
    """Chunks in whatever order the workers finish them.  ``where``: a scheduler's address, or a client.

    A chunk whose worker is lost is computed by another one.  Raises KanegenError where chunks fail, where their workers are
    lost again and again, and where the scheduler is.
    """
    if not wanted:
        return
    plugin, left = Robots(study, sources), iter(wanted)
    places: dict[str, int] = {}
    try:
        with contextlib.ExitStack() as at_end:
            client = where
            if isinstance(where, str):
                client = at_end.enter_context(distributed.Client(where))
            client.register_plugin(plugin)
            at_end.callback(client.unregister_worker_plugin, plugin.name)
            running = distributed.as_completed(loop=client.loop)

            def submit(count: int) -> None:
                for index in itertools.islice(left, count):
                    key = f"{plugin.name}-{index}"
                    places[key] = index
                    running.add(client.submit(compute, plugin.name, index, threads, key=key))

            submit(_AHEAD)
            for future in running:
                yield places.pop(future.key), future.result()
                submit(1)
    except (OSError, RuntimeError, distributed.KilledWorker, asyncio.CancelledError) as error:
        if isinstance(error, KanegenError):
            raise
        told = f"{type(error).__name__}: {shortened(error)}"
        raise KanegenError(f"Dask: {told}. Sweep again: it goes on where it was") from error
