"""Warnings about models: each once in what a user asks for, and at the line where it is asked."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from kanegen.errors import ModelWarning

_PACKAGE = "kanegen"


class Told:
    """What has been said of models within a ``once``.

    ``heard`` are all warnings, those that an outer ``once`` had said before among them; ``read`` says whether a model file
    has been read.  ``said`` is shared with what is not to be repeated, and ``above`` encloses this.
    """

    def __init__(self, said: set[str], above: Told | None) -> None:
        self.heard: dict[str, None] = {}
        self.read = False
        self.said, self.above = said, above

    def hear(self, message: str, kept: str) -> bool:
        """Whether a message is new; ``kept`` is its form for ``heard``, here and in what encloses this."""
        for scope in self.outwards():
            scope.heard[kept] = None
        new = message not in self.said
        self.said.add(message)
        return new

    def outwards(self) -> Iterator[Told]:
        """This, and everything that encloses it."""
        scope: Told | None = self
        while scope is not None:
            yield scope
            scope = scope.above


_current: ContextVar[Told | None] = ContextVar("told", default=None)


@contextmanager
def once(before: Told | None = None) -> Iterator[Told]:
    """Within this, no message becomes a warning twice, nor one that was said in ``before``."""
    above = _current.get()
    known = before or above
    told = Told(set() if known is None else known.said, above)
    token = _current.set(told)
    try:
        yield told
    finally:
        _current.reset(token)


def warn(message: str, kept: str | None = None) -> None:
    """A ``ModelWarning`` at the line outside this package that led here.

    ``kept`` is how the message is kept with what is made of the model, by default as it is.
    """
    told = _current.get()
    if told is None or told.hear(message, kept or message):
        warnings.warn(message, ModelWarning, stacklevel=_outside())


def model_was_read() -> None:
    """Tell what encloses this that a model file has been read."""
    told = _current.get()
    for scope in told.outwards() if told is not None else ():
        scope.read = True


def _outside() -> int:
    """The level, as seen from ``warn``, of the first frame that is not of this package."""
    frame = inspect.currentframe()
    frame = None if frame is None else frame.f_back
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
        level += 1
    return level
