"""What the cache of compiled mechanisms keeps, and making room in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kanegen.builds.cache import RECORD_FILE, remove
from kanegen.builds.cache_place import cache_directory
from kanegen.errors import CacheError

_NAME = re.compile(
    r"(?P<unfinished>\.)?(?P<model>[A-Za-z0-9_]*)-[0-9a-f]{32}-[0-9a-f]{8}(?P<rest>\.\w+)?", re.ASCII
)
"""Names of entries: that of the model, the key of its C, that of the compiler; and of what went before them."""

_STATES = {".failed": "failed", ".damaged": "damaged"}


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder of the cache: of the mechanism ``model``, with so many bytes, changed at ``time`` [s since 1970].

    ``state`` is "compiled"; "described", where it is known what there is and kernels are kept apart; "failed", where a
    compiler failed; "damaged", where an entry was set aside; or "unfinished", where one is being made, or was by a process
    that was killed.
    """

    path: Path
    model: str
    state: str
    size: int
    time: float


def kept() -> tuple[Kept, ...]:
    """What is in the cache, by name; what else lies in its folder is left alone.  Raises CacheError."""
    root = cache_directory()
    try:
        return tuple(_kept(root))
    except OSError as error:
        raise CacheError(f"{root} cannot be read: {error.strerror or error}. Try again") from error


def clear() -> tuple[Kept, ...]:
    """Remove everything from the cache but what is being made now.  Returns what is gone.  Raises CacheError.

    Robots that are loaded keep what they have.
    """
    from filelock import FileLock, Timeout

    gone = []
    for folder in kept():
        name = folder.path.name.removeprefix(".").partition(".")[0]
        try:
            with FileLock(folder.path.parent / f"{name}.lock", mode=0o600, timeout=0):
                remove(folder.path)
        except Timeout:
            continue
        except OSError as error:
            raise CacheError(f"{folder.path} cannot be removed: {error.strerror or error}") from error
        if folder.path.exists():
            raise CacheError(f"{folder.path} cannot be removed. Delete it yourself, or see whose it is")
        gone.append(folder)
    return tuple(gone)


def _kept(root: Path) -> Iterator[Kept]:
    for path in sorted(root.iterdir()):
        name = _NAME.fullmatch(path.name)
        if name is None or path.is_symlink() or not path.is_dir():
            continue
        state = "unfinished" if name["unfinished"] else _STATES.get(name["rest"] or "", "compiled")
        if state == "compiled" and not (path / RECORD_FILE).is_file():
            state = "damaged"
        if state == "compiled" and not any(path.glob("_kernels.*")):
            state = "described"
        files = [file.stat() for file in path.rglob("*") if file.is_file()]
        yield Kept(path, name["model"], state, sum(file.st_size for file in files), path.stat().st_mtime)
