"""The record of an entry of the cache: name, size and SHA-256 of every file in it, against damage and exchange.

It is written when an entry is whole, and compared before anything of the entry is used.  It guards against disks,
interrupted copies and editors; against other users, owners and modes do (``trust``).
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from kanegen.durable import sync, sync_folder, write_new
from kanegen.errors import KanegenError
from kanegen.trust import distrust

FILE_NAME = "record.json"
FORMAT = 1

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
    text = json.dumps({"format": FORMAT, "entry": name, "files": files}, indent=1)
    write_new(directory / FILE_NAME, text.encode("ascii"), 0o600)
    directory.chmod(0o700)
    sync_folder(directory)
    return contents


def contents(directory: Path, name: str) -> dict[str, bytes] | None:
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
    recorded = _parse(_read(directory / FILE_NAME), directory / FILE_NAME, name)
    return {file: _compared(directory / file, size, digest) for file, (size, digest) in recorded.items()}


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
        readable = data["format"] == FORMAT and plain and bool(files)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        readable, files, entry = False, {}, ""
    if not readable:
        raise DamagedError(f"{path} is no record")
    if entry != name:
        raise DamagedError(f"{path} belongs to {str(entry)[:80]!r}")
    return dict(files)
