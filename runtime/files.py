"""Reading the files that people name, and those that these name: regular files only, up to a size.

A pipe would wait for ever, a device such as /dev/zero would never end.  This module is read by generator and runtime alike.
"""

from __future__ import annotations

import errno
import os
import stat

from kanegen.limits import LARGEST_FILE

_KINDS = (
    (stat.S_ISDIR, "is a directory"),
    (stat.S_ISFIFO, "is a pipe, not a file"),
    (stat.S_ISSOCK, "is a socket, not a file"),
    (stat.S_ISCHR, "is a device, not a file"),
    (stat.S_ISBLK, "is a device, not a file"),
)


def contents(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a regular file.

    Raises OSError, whose ``strerror`` says why not: also for what is no regular file, for one larger than
    ``LARGEST_FILE`` and for a path that no file can have.  Never waits.
    """
    name = os.fspath(path)
    try:
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except ValueError as error:  # a null character, or one that the file system cannot write
        raise OSError(errno.EINVAL, f"is no path ({error})", name) from None
    try:
        status = os.fstat(descriptor)
        for is_kind, what in _KINDS:
            if is_kind(status.st_mode):
                raise OSError(errno.EINVAL, what, name)
    except OSError:
        os.close(descriptor)
        raise
    with open(descriptor, "rb") as stream:  # noqa: PTH123  (a descriptor has no path)
        raw = b"" if status.st_size > LARGEST_FILE.value else stream.read(LARGEST_FILE.value + 1)
    if max(status.st_size, len(raw)) > LARGEST_FILE.value:
        raise OSError(errno.EFBIG, f"is larger than {LARGEST_FILE.value // 2**20} MiB", name)
    return raw


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a regular file; no for paths that no file can have, however long or odd."""
    return os.path.isfile(path)  # noqa: PTH113  (Path.is_file raises OSError for names that are too long)


def exists(path: str | os.PathLike[str]) -> bool:
    """Whether there is anything; no for paths that nothing can have."""
    return os.path.exists(path)  # noqa: PTH110
