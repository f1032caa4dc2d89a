"""The cache of mechanisms that were generated and compiled here: how entries get into it, and which are used.

An entry is a directory.  It is made elsewhere beside its place, checked, recorded, put on the disk and renamed into its
place, under a lock, so that it is there whole or not at all, and is made once however many processes ask for it.  It is
compared with its record before anything of it is used; one that differs is set aside, and made anew.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kanegen import record
from kanegen.cache_place import VARIABLE, cache_directory
from kanegen.durable import sync_folder, way_out, what_failed
from kanegen.errors import BuildError, CacheError, FileError

PATIENCE = 5.0
"""Seconds after which somebody who waits for another process is told so."""

_log = logging.getLogger("kanegen")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry that is as it was published: where it is, and what is in its files."""

    directory: Path
    files: Mapping[str, bytes]


def entry(name: str, make: Callable[[Path], None]) -> Entry:
    """The entry of this name, made by ``make(directory)`` if it is not there yet, or is damaged.

    ``make`` also checks what it made: when it returns, the entry is published.  What it leaves in the directory when it
    raises BuildError is kept, and the error names its new place; after any other error nothing stays.

    Raises CacheError where the cache cannot be read or written, and what ``make`` raises.
    """
    root = cache_directory()
    found, _ = _look(root / name)
    if found is not None:
        return found
    with _lock(root, name):
        found, reason = _look(root / name)
        if found is not None:
            return found
        if reason is not None:
            _set_aside(root / name, reason)
        return _publish(root, name, make)


def entries(beginning: str) -> Iterator[Entry]:
    """The entries whose names begin so, as far as they are as they were published."""
    root = cache_directory()
    try:
        places = sorted(root.glob(f"{beginning}*"))
    except OSError as error:
        raise CacheError(f"{root} cannot be read: {error.strerror or error}. Load again") from error
    for place in places:
        if not place.suffix:  # .lock, .failed, .damaged
            found, reason = _look(place)
            if found is not None:
                yield found
            elif reason is not None:
                _log.warning("%s. It is not used", reason)


def _look(place: Path) -> tuple[Entry | None, str | None]:
    """The entry at a place, or why it is not used; neither where nothing is there.  Raises CacheError."""
    try:
        files = record.contents(place, place.name)
    except record.DamagedError as damage:
        return None, str(damage)
    except OSError as error:
        raise CacheError(f"{place} cannot be read: {error.strerror or error}. Load again") from error
    return (None if files is None else Entry(place, files)), None


@contextlib.contextmanager
def _lock(root: Path, name: str) -> Iterator[None]:
    """Keep other processes and threads from making the same entry.  Raises CacheError."""
    from filelock import FileLock, Timeout

    path = root / f"{name}.lock"
    lock = FileLock(path, mode=0o600, thread_local=False)
    try:
        try:
            lock.acquire(timeout=PATIENCE)
        except Timeout:
            _log.warning(
                "%s is held by another process, which makes this mechanism; waiting until it ends. To go on without "
                "it, end that process, or set %s to another directory",
                path,
                VARIABLE,
            )
            lock.acquire()
    except OSError as error:
        obstacle = f"delete {path}, or " if path.is_symlink() or path.is_dir() else ""
        raise _unwritable(path, error, obstacle) from error
    try:
        yield
    finally:
        lock.release()


def _set_aside(place: Path, reason: str) -> None:
    """Move an entry that is not used out of the way.  Raises CacheError."""
    aside = place.with_name(f"{place.name}.damaged")
    _remove(aside)
    try:
        place.rename(aside)
    except OSError as error:
        raise CacheError(
            f"{reason}, so that it is not used, and it cannot be set aside ({error.strerror or error}). Delete "
            f"{place}, or set {VARIABLE} to another directory"
        ) from error
    _log.warning("%s. It is set aside as %s, and made anew", reason, aside)


def _publish(root: Path, name: str, make: Callable[[Path], None]) -> Entry:
    place = root / name
    try:
        for abandoned in root.glob(f".{name}.*"):  # of processes that were killed: the lock is ours now
            _remove(abandoned)
        work = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=root))
    except OSError as error:
        raise _unwritable(root, error) from error
    try:
        make(work)
        files = record.seal(work, name)
        work.rename(place)
        sync_folder(root)
    except BuildError as error:
        raise BuildError(error.command, error.output, _kept(work, root / f"{name}.failed")) from error
    except OSError as error:
        origin = error.__cause__ if isinstance(error, FileError) else error
        if not isinstance(origin, OSError) or not _is_about(origin, root):
            raise
        raise _unwritable(root, origin) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Entry(place, files)


def _kept(work: Path, place: Path) -> Path:
    """Where what a compiler choked on is kept.  Raises CacheError."""
    _remove(place)
    try:
        return work.rename(place)
    except OSError as error:
        raise _unwritable(place.parent, error) from error


def _is_about(error: OSError, root: Path) -> bool:
    """Whether an error is one of the cache; errors of writing and of the disk name no file."""
    named = error.filename
    return not isinstance(named, str | os.PathLike) or Path(named).is_relative_to(root)


def _remove(path: Path) -> None:
    """Remove a folder or whatever is in its place, as far as possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def _unwritable(place: Path, error: OSError, first: str = "") -> CacheError:
    cure = way_out(error, f"{first}set {VARIABLE} to a directory that can be written")
    return CacheError(f"{what_failed(error, place)}. {cure}")
