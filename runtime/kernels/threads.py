"""Threads for batches: how many a caller wants, and the pool of ``kanegen._integrators`` that has them."""

from __future__ import annotations

import functools
import operator
import os
from typing import Any

from kanegen.csrc.extensions import calls, integrators
from kanegen.errors import shown

RANGE = 100_000
"""Operations that are worth a thread's while: some microseconds in lanes, some tens of them without."""


def thread_count(threads: Any) -> int:
    """How many threads a caller wants, who says -1 for one on each processor that this process may use.

    Raises TypeError for what is no integer, ValueError for other numbers below one.
    """
    try:
        count = -2 if isinstance(threads, bool) else operator.index(threads)
    except TypeError:
        raise TypeError(f"threads: expected a number of threads, got {shown(threads)}") from None
    if count < 1 and count != -1:
        raise ValueError(f"threads: expected 1 or more, or -1 for all processors, got {shown(threads)}")
    if count == -1:
        count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if count > 1:
        pool()
    return min(count, 2**16)


@functools.cache
def pool() -> Any:
    """The extension with the pool, which calls by arrays know from now on; None where it was not built."""
    module, other = integrators(), calls()
    if module is not None and other is not None:
        function = module.ffi.addressof(module.lib, "kanegen_parallel_for")
        other.use_pool(int(module.ffi.cast("uintptr_t", function)))
    return module
