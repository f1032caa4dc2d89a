"""Writing files so that they are on the disk when a name appears, and saying what to do when they cannot be written.

This module imports nothing of kanegen, so that every room may import it.
"""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

_UNSUPPORTED = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF, errno.EISDIR}
"""What file systems say that know no such thing: some of networks, and of user space, above all of folders."""


def write_new(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file that is not there yet, down to the disk.  Raises OSError."""
    with os.fdopen(os.open(path, _new_file_flags(), mode), "wb") as file:
        file.write(content)
        file.flush()
        sync(file.fileno())


def sync(descriptor: int) -> None:
    """Put what was written on the disk, where the file system can.  Raises OSError."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise


def _new_file_flags() -> int:
    """Flags that open a new file, and never what a link at its name leads to."""
    optional = ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY")
    return os.O_WRONLY | os.O_CREAT | os.O_EXCL | sum(getattr(os, name, 0) for name in optional)


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk, where the system can.  Raises OSError."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


def make_folders(folder: Path, mode: int = 0o777) -> list[Path]:
    """Make a folder and those above it, all with this mode.  Returns those that were missing, the lowest first.

    Raises OSError; what was made is gone then.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    made: list[Path] = []
    try:
        for path in reversed(missing):
            path.mkdir(mode, exist_ok=True)
            made.insert(0, path)
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    except BaseException:
        remove_folders(made)
        raise
    return made


def remove_folders(folders: list[Path]) -> None:
    """Remove folders as far as they are empty."""
    for path in folders:
        with contextlib.suppress(OSError):
            path.rmdir()


def what_failed(error: OSError, folder: Path) -> str:
    """The path and the reason, for a message; errors of writing do not always name a path themselves."""
    path = error.filename if isinstance(error.filename, str | os.PathLike) else folder
    return f"{os.fspath(path)} cannot be written: {error.strerror or error}"


def way_out(error: OSError, otherwise: str) -> str:
    """What to do about it; ``otherwise`` is where to write instead, as an imperative without its full stop."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk, or what you may use of it, is full: make room there, or {otherwise}"
    return f"{otherwise[0].upper()}{otherwise[1:]}"
