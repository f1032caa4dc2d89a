"""Kernels in a fraction of the time: for tests of what they give, not of how many operations they take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kanegen import generator, workers
from kanegen.builds import compiler


def build_quickly(patch: pytest.MonkeyPatch) -> None:
    """Compile mechanisms in this process with less optimization, and still with the same bits in lanes.

    Nothing is forced to disk, and no further process derives kernels where a test does not ask for it: there is a test in
    each core.
    """
    patch.setattr(compiler, "COMPILE_FLAGS", (*compiler.COMPILE_FLAGS, "-O2"))
    patch.setattr(compiler, "FLAGS_OF_CALLS", ("-O0",))
    patch.setattr(workers, "_MOST_JOBS", 1)
    patch.setattr(os, "fsync", lambda descriptor: None)


def begin() -> None:
    """Derive and compile quickly from here to the end of the process."""
    build_quickly(pytest.MonkeyPatch())
    FewPasses().begin()


class FewPasses:
    """Kernels of this process are derived with neither searches nor the passes that take long, once this has begun."""

    def __init__(self) -> None:
        self._patch = pytest.MonkeyPatch()
        self._begun = False

    def begin(self) -> None:
        from kanegen.codegen import deriving
        from kanegen.codegen.passes import optimize

        self._begun = True
        self._patch.setattr(deriving, "_budget", lambda sources: 1)
        self._patch.setattr(optimize, "PASSES", optimize.PASSES[:2])
        self._patch.setattr(optimize, "_SMALL", -1)
        # what is cached so has keys of its own
        digest = f"{generator.generator_digest()}, few passes"
        self._patch.setattr(generator, "generator_digest", lambda: digest)

    def end(self) -> None:
        self._begun = False
        self._patch.undo()

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Derive as users do."""
        begun = self._begun
        self.end()
        try:
            yield
        finally:
            if begun:
                self.begin()
