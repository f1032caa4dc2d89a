"""The boundary that only errors of kanegen leave: around the command line, ``load``, ``generate`` and ``simulate``.

What is wrong with a model, a file or a request is found where it is read, and is a ``KanegenError`` there.  What nobody
expected is reported here as a fault of kanegen, with the name of the input and with its cause.  Nothing of a user's own is
touched: exceptions of controllers, of signal handlers and of functions in a model pass as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeVar

from kanegen.errors import FileError, InternalError, KanegenError, shortened

F = TypeVar("F", bound=Callable[..., Any])

_INSTALLED = {"site-packages", "dist-packages"}
_calls: set[CodeType] = set()


def calls_user(function: F) -> F:
    """Marks a function that calls one of a user: whatever is raised through it is the user's."""
    _calls.add(function.__code__)
    return function


@contextmanager
def boundary(doing: str, name: object, *passing: type[Exception]) -> Iterator[None]:
    """Let only errors of kanegen through, and those of types ``passing``: arguments checked, as everywhere in NumPy.

    ``doing`` and ``name`` say what of what was being done: "loading", "arm.urdf".  MemoryError passes: what was asked for
    is too large for this machine, which is nobody's fault.  So do warnings that were made errors.
    """
    try:
        yield
    except Exception as error:
        passes: tuple[type[Exception], ...] = (KanegenError, Warning, MemoryError, *passing)
        if isinstance(error, passes) or _from_user(error.__traceback__):
            raise
        if isinstance(error, OSError):
            raise FileError(_told(error), error.errno) from error
        raise InternalError(f"{doing} {shortened(name)}".strip(), error) from error


def _told(error: OSError) -> str:
    """What the system said, with the file it said it of."""
    where = "" if error.filename is None else f"{shortened(error.filename)}: "
    return f"{where}{error.strerror or shortened(error) or type(error).__name__}"


def _from_user(traceback: TracebackType | None) -> bool:
    """Whether an exception came through code that is neither kanegen's nor of an installed library.

    The boundary itself and what stands directly within it are kanegen's.
    """
    for _ in range(2):
        traceback = traceback and traceback.tb_next
    while traceback is not None:
        if traceback.tb_frame.f_code in _calls or _is_users(traceback.tb_frame):
            return True
        traceback = traceback.tb_next
    return False


def _is_users(frame: FrameType) -> bool:
    """Whether a frame runs code of a user, by its module."""
    module = frame.f_globals.get("__name__")
    if not isinstance(module, str):
        return False  # code made by a library
    package = module.partition(".")[0]
    if package == "kanegen" or package in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(package), "__file__", None) or frame.f_code.co_filename
    return _INSTALLED.isdisjoint(Path(file).parts)
