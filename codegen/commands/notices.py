"""Warnings on the command line: one line each, wherever they come from."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from kanegen.errors import ModelWarning

Say = Callable[[str], None]
"""Writes a line."""

_PACKAGE = logging.getLogger("kanegen")


class _Handler(logging.Handler):
    """Warnings of the log as lines."""

    def __init__(self, say: Say) -> None:
        super().__init__(logging.WARNING)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say(_line(record.getMessage()))


@contextmanager
def warnings_as_lines(say: Say) -> Iterator[None]:
    """Within this, warnings of models and of runs, and those in the log of kanegen, are lines for ``say``.

    One within another takes its place.
    """
    others = [handler for handler in _PACKAGE.handlers if isinstance(handler, _Handler)]
    handler = _Handler(say)
    with warnings.catch_warnings():
        warnings.simplefilter("always", ModelWarning)
        before = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, (ModelWarning, RuntimeWarning)):
                say(_line(message))
            else:
                before(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        for other in others:
            _PACKAGE.removeHandler(other)
        _PACKAGE.addHandler(handler)
        try:
            yield
        finally:
            _PACKAGE.removeHandler(handler)
            for other in others:
                _PACKAGE.addHandler(other)


def _line(message: Any) -> str:
    return "kanegen: warning: " + " ".join(str(message).split())
