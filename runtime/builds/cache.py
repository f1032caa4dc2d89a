"""The cache of mechanisms that were generated and compiled here: how entries get into it, and which are used.

An entry is a directory.  It is made elsewhere beside its place, checked, recorded, put on the disk and renamed into its
place, under a lock, so that it is there whole or not at all, and is made once however many processes ask for it.

Its record has name, size and SHA-256 of every file in it.  It is compared before anything of the entry is used; an entry
that differs is set aside, and made anew.  That guards against disks, interrupted copies and editors;
against other users, owners and modes do (``cache_place``).
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import logging
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kanegen.builds.cache_place import VARIABLE, cache_directory, distrust
from kanegen.errors import BuildError, CacheError, FileError, KanegenError
from kanegen.files import sync, sync_folder, way_out, what_failed, write_new

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
        files = recorded(place, place.name)
    except DamagedError as damage:
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
    remove(aside)
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
            remove(abandoned)
        work = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=root))
    except OSError as error:
        raise _unwritable(root, error) from error
    try:
        make(work)
        files = seal(work, name)
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
    remove(place)
    try:
        return work.rename(place)
    except OSError as error:
        raise _unwritable(place.parent, error) from error


def _is_about(error: OSError, root: Path) -> bool:
    """Whether an error is one of the cache; errors of writing and of the disk name no file."""
    named = error.filename
    return not isinstance(named, str | os.PathLike) or Path(named).is_relative_to(root)


def remove(path: Path) -> None:
    """Remove a folder or whatever is in its place, as far as possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def _unwritable(place: Path, error: OSError, first: str = "") -> CacheError:
    cure = way_out(error, f"{first}set {VARIABLE} to a directory that can be written")
    return CacheError(f"{what_failed(error, place)}. {cure}")


RECORD_FILE = "record.json"
RECORD_FORMAT = 1

_MOST_BYTES = 1 << 20  # of a record; one of twenty files has 2 kB
_OF_THE_MACHINE = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR}
"""Errors of reading that say nothing about what is read."""


class DamagedError(KanegenError):
    """An entry is not what was published; the message says what is wrong, without a full stop."""


def seal(directory: Path, name: str) -> dict[str, bytes]:
    """Close the files of an entry to others, put them on the disk, and record them; the folder, too.

    ``name`` is that of the entry, so that no entry passes for another.  Returns the contents of the files.  Raises OSError.
    """
    contents = {path.name: _closed(path) for path in sorted(directory.iterdir()) if path.is_file()}
    files = {file: [len(content), _sha256(content)] for file, content in contents.items()}
    text = json.dumps({"format": RECORD_FORMAT, "entry": name, "files": files}, indent=1)
    write_new(directory / RECORD_FILE, text.encode("ascii"), 0o600)
    directory.chmod(0o700)
    sync_folder(directory)
    return contents


def recorded(directory: Path, name: str) -> dict[str, bytes] | None:
    """The contents of the files of an entry, each as it was recorded; None where there is no entry.

    Raises DamagedError where anything differs, and OSError where the machine cannot read at the moment.
    """
    try:
        status = directory.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISDIR(status.st_mode):
        raise DamagedError(f"{directory} is not a directory")
    reason = distrust(directory, status)
    if reason is not None:
        raise DamagedError(reason)
    files = _parse(_read(directory / RECORD_FILE), directory / RECORD_FILE, name)
    return {file: _compared(directory / file, size, digest) for file, (size, digest) in files.items()}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _closed(path: Path) -> bytes:
    """The content of a file, which is on the disk and private afterwards."""
    path.chmod(0o600)
    with path.open("r+b") as file:
        content = file.read()
        sync(file.fileno())
    return content


def _compared(path: Path, size: int, digest: str) -> bytes:
    content = _read(path, size)
    if _sha256(content) != digest:
        raise DamagedError(f"{path} has other bytes than when it was made")
    return content


def _read(path: Path, size: int | None = None) -> bytes:
    """A regular file that only trusted users can have written, of the size recorded where there is one."""
    flags = os.O_RDONLY | sum(
        getattr(os, f, 0) for f in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
    )
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise DamagedError(f"{path} is not a file")
            reason = distrust(path, status)
            if reason is not None:
                raise DamagedError(reason)
            if size is None and status.st_size > _MOST_BYTES:
                raise DamagedError(f"{path} has {status.st_size} bytes")
            if size is not None and status.st_size != size:
                raise DamagedError(f"{path} has {status.st_size} bytes, and had {size} when it was made")
            return file.read(status.st_size)
    except OSError as error:
        if error.errno in _OF_THE_MACHINE:
            raise
        raise DamagedError(f"{path} cannot be read ({error.strerror})") from error


def _parse(content: bytes, path: Path, name: str) -> dict[str, tuple[int, str]]:
    """Sizes and digests by name of file."""
    try:
        data = json.loads(content)
        files: Mapping[str, tuple[int, str]] = {
            file: (int(size), str(digest)) for file, (size, digest) in data["files"].items()
        }
        entry, plain = data["entry"], all(Path(file).name == file for file in files)
        readable = data["format"] == RECORD_FORMAT and plain and bool(files)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        readable, files, entry = False, {}, ""
    if not readable:
        raise DamagedError(f"{path} is no record")
    if entry != name:
        raise DamagedError(f"{path} belongs to {str(entry)[:80]!r}")
    return dict(files)
