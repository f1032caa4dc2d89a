"""Where chunks are computed: in this process on threads, in processes of this machine, or by workers of Dask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kanegen.sweeps.chunks import chunk
from kanegen.sweeps.study import Study


def in_this_process(
    arm: Any, study: Study, wanted: Iterable[int], threads: int
) -> Iterator[tuple[int, bytes]]:
    """Chunks in order, each on these threads."""
    for index in wanted:
        yield index, chunk(arm, study, index, threads)
