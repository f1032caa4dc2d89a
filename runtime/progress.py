"""Progress of what takes long, on a terminal: what is being done now, on one line, and lines that stay."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TextIO, TypeAlias

_CLEAR = "\r\x1b[K"

Stage: TypeAlias = "Callable[[str], None]"
"""Told what begins."""


def silent(stage: str) -> None:
    """Nobody looks."""
    del stage


@contextmanager
def stages(title: str) -> Iterator[Stage]:
    """Shows on the terminal what begins for a model of this title; nothing where standard error is none."""
    with Progress(sys.stderr) as progress:
        yield lambda text: progress.stage(f"{title}: {text}")


class Progress:
    """Shows stages as they begin and lines when something is done.  Silent where nobody looks at the stream."""

    def __init__(self, stream: TextIO | None, *, quiet: bool = False) -> None:
        self._stream = stream or io.StringIO()  # standard error may be closed
        self._shown = not quiet and self._stream.isatty()
        self._stage: str | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave no stage behind, whatever happened."""
        self._wipe()

    def stage(self, text: str) -> None:
        """What begins now, until the next stage or line takes its place."""
        if self._shown:
            self._wipe()
            self._stream.write(f"{text} ...")
            self._stream.flush()
            self._stage = text

    def line(self, text: str) -> None:
        """What is done, to stay."""
        if self._shown:
            self._wipe()
            self._stream.write(f"{text}\n")
            self._stream.flush()

    def notice(self, text: str) -> None:
        """What must be said even where nobody looks, on a line of its own; the stage goes on."""
        stage = self._stage
        self._wipe()
        self._stream.write(f"{text}\n")
        self._stream.flush()
        if stage is not None:
            self.stage(stage)

    def _wipe(self) -> None:
        if self._stage is not None:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._stage = None
