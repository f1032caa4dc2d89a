"""The directory of mechanisms that were generated and compiled here: where it is, and how entries get into it.

An entry is a directory.  It is made elsewhere beside its place and renamed into it, under a lock, so that it is there
whole or not at all, and is made once however many processes ask for it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from kanegen.errors import BuildError, CacheError

VARIABLE = "KANEGEN_CACHE_DIR"
"""Environment variable that names the directory."""

_log = logging.getLogger("kanegen")


def cache_directory() -> Path:
    """The directory, which exists afterwards.

    $KANEGEN_CACHE_DIR where it is set; else the user's cache directory; else, where there is no home or it cannot be
    written, a private directory among the temporary files.  Raises CacheError when $KANEGEN_CACHE_DIR cannot be made.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        directory = Path(chosen).expanduser().absolute()
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CacheError(
                f"{VARIABLE}={chosen} cannot be used: {error}. Name another directory"
            ) from error
        return directory
    return _user_directory() or _temporary_directory()


def _user_directory() -> Path | None:
    """The platform's place for caches of this user, if it can be written."""
    from platformdirs import user_cache_path

    try:
        directory = user_cache_path("kanegen", appauthor=False)
        if not directory.is_absolute():  # no home directory is known: "~" stayed as it was
            return None
        directory.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return directory if os.access(directory, os.W_OK | os.X_OK) else None


def _temporary_directory() -> Path:
    """A directory among the temporary files that belongs to this user and that no one else can write.

    Compiled code is loaded from it, so a directory that somebody else prepared under the expected name is not used.
    """
    owner = os.getuid() if hasattr(os, "getuid") else 0
    directory = Path(tempfile.gettempdir()) / f"kanegen-{owner}"
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
        status = directory.lstat()
    except OSError as error:
        raise CacheError(
            f"no directory can be written to keep compiled mechanisms: {error}. Set {VARIABLE}"
        ) from error
    others_may_write = bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)) and os.name == "posix"
    if (
        not stat.S_ISDIR(status.st_mode)
        or others_may_write
        or (hasattr(os, "getuid") and status.st_uid != owner)
    ):
        private = Path(tempfile.mkdtemp(prefix="kanegen-"))
        _log.warning("%s belongs to somebody else; compiled mechanisms go to %s", directory, private)
        return private
    return directory


def entry(name: str, make: Callable[[Path], None]) -> Path:
    """The entry of this name, made by ``make(directory)`` if it is not there yet.

    What ``make`` leaves in the directory when it raises BuildError is kept, and the error names its new place; after
    any other error nothing stays.
    """
    root = cache_directory()
    place = root / name
    if place.is_dir():
        return place
    with _lock(root, name):
        if not place.is_dir():
            _publish(root, place, make)
    return place


@contextlib.contextmanager
def _lock(root: Path, name: str) -> Iterator[None]:
    """Keep other processes and threads from making the same entry.  Raises CacheError."""
    from filelock import FileLock

    lock = FileLock(root / f"{name}.lock", thread_local=False)
    try:
        lock.acquire()
    except OSError as error:
        raise _unwritable(root, error) from error
    try:
        yield
    finally:
        lock.release()


def _publish(root: Path, place: Path, make: Callable[[Path], None]) -> None:
    for abandoned in root.glob(f".{place.name}.*"):  # of processes that were killed: the lock is ours now
        shutil.rmtree(abandoned, ignore_errors=True)
    try:
        work = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=root))
    except OSError as error:
        raise _unwritable(root, error) from error
    try:
        make(work)
        work.chmod(0o755)
        work.rename(place)
    except BuildError as error:
        kept = root / f"{place.name}.failed"
        shutil.rmtree(kept, ignore_errors=True)
        work.rename(kept)
        raise BuildError(error.command, error.output, kept) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _unwritable(root: Path, error: OSError) -> CacheError:
    return CacheError(f"{root} cannot be written: {error}. Set {VARIABLE} to a directory that can")
