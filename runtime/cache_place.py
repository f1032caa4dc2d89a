"""Where the cache of compiled mechanisms is: a directory into which no other user can put code."""

from __future__ import annotations

import functools
import logging
import os
import stat
import tempfile
from pathlib import Path

from kanegen.durable import make_folders
from kanegen.errors import CacheError
from kanegen.trust import distrust_of_way, tighten

VARIABLE = "KANEGEN_CACHE_DIR"
"""Environment variable that names the directory."""

_log = logging.getLogger("kanegen")


def cache_directory() -> Path:
    """The directory, which exists afterwards.

    $KANEGEN_CACHE_DIR where it is set; else the user's cache directory; else, where there is no home, or it cannot be
    written or trusted or no code may run there, a private directory among the temporary files.  A directory of this user
    that others may write is closed to them.

    Raises CacheError where there is none, or where $KANEGEN_CACHE_DIR cannot be used.
    """
    chosen = os.environ.get(VARIABLE)
    if not chosen:
        return _user_directory() or _temporary_directory()
    try:
        directory = Path(chosen).expanduser().absolute()
    except RuntimeError as error:  # ~ of a user who is not there
        raise _unusable(chosen, str(error)) from error
    reason = _objection(directory, named=True)
    if reason is not None:
        raise _unusable(chosen, reason)
    return directory


def _unusable(chosen: str, reason: str) -> CacheError:
    return CacheError(
        f"{VARIABLE}={chosen} cannot be used: {reason}. Name another directory: one of your own, where code may run"
    )


def _objection(directory: Path, named: bool = False) -> str | None:
    """Why compiled code is not kept in a directory, which is made if it is not there; None where it may be."""
    try:
        make_folders(directory, 0o700)
        _tighten(directory)
        reason = distrust_of_way(directory, named)
    except OSError as error:
        return f"{error.filename or directory}: {error.strerror or error}"
    if reason is None and _forbids_execution(directory):
        reason = (
            f"{directory} is on a file system that is mounted noexec, so that no code can be loaded from it"
        )
    return reason


def _tighten(directory: Path) -> None:
    before = tighten(directory)
    if before is not None:
        for lock in directory.glob("*.lock"):  # whoever can open one can hold it, and make us wait
            status = lock.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                lock.chmod(0o600)
        level = logging.WARNING if before & stat.S_IWOTH else logging.INFO
        _log.log(
            level,
            "%s could be written by other users (mode %04o), and is closed to them now",
            directory,
            before,
        )


def _forbids_execution(directory: Path) -> bool:
    """Whether the file system is mounted so that no library can be loaded from it, where the system tells."""
    flag = getattr(os, "ST_NOEXEC", 0)
    return bool(flag and os.statvfs(directory).f_flag & flag)


def _user_directory() -> Path | None:
    """The platform's place for caches of this user, if it can be used."""
    from platformdirs import user_cache_path

    try:
        directory = user_cache_path("kanegen", appauthor=False)
    except RuntimeError:
        return None
    if not directory.is_absolute():  # no home directory is known: "~" stayed as it was
        return None
    try:
        make_folders(directory, 0o700)
    except OSError:
        return None
    reason = _objection(directory)
    if reason is None:
        return directory if os.access(directory, os.W_OK | os.X_OK) else None
    _warn_once(f"{reason}; compiled mechanisms go among the temporary files. {VARIABLE} names another place")
    return None


def _temporary_directory() -> Path:
    """A directory among the temporary files that belongs to this user and that no one else can write.

    Where the name is taken by something else, the first of its kind that serves, so that one is made once, and not by
    every process.
    """
    owner = os.getuid() if hasattr(os, "getuid") else 0
    temporary = Path(tempfile.gettempdir()).absolute()
    expected = temporary / f"kanegen-{owner}"
    reason = _private_objection(expected)
    if reason is None:
        return expected
    private = next(
        (p for p in sorted(temporary.glob(f"kanegen-{owner}-*")) if _private_objection(p) is None), None
    )
    if private is None:
        try:
            private = Path(tempfile.mkdtemp(prefix=f"kanegen-{owner}-", dir=temporary))
            still = _private_objection(private)
        except OSError as error:
            still = f"{temporary} cannot be written ({error.strerror or error})"
        if private is None or still is not None:
            raise CacheError(
                f"there is no directory to keep compiled mechanisms in: {still}. Set {VARIABLE} to a directory of your "
                "own, where code may run"
            )
    _warn_once(f"{reason}; compiled mechanisms go to {private}")
    return private


def _private_objection(directory: Path) -> str | None:
    """As ``_objection``, for a place where everybody may put something: a link, or what is not ours, does not serve."""
    try:
        status = directory.lstat()
    except FileNotFoundError:
        return _objection(directory)
    except OSError as error:
        return f"{directory}: {error.strerror or error}"
    if not stat.S_ISDIR(status.st_mode):
        return f"{directory} is not a directory"
    return _objection(directory)


@functools.cache
def _warn_once(message: str) -> None:
    """The directory is asked for several times in a load."""
    _log.warning("%s", message)
