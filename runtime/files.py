"""Reading and writing the files of users: regular files up to a size, written so that they are on the disk.

A pipe would wait for ever, a device such as /dev/zero would never end.  Every room may import this module.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

from kanegen.errors import FileError
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
        if (what := no_file(status.st_mode)) is not None:
            raise OSError(errno.EINVAL, what, name)
    except OSError:
        os.close(descriptor)
        raise
    with open(descriptor, "rb") as stream:  # noqa: PTH123  (a descriptor has no path)
        raw = b"" if status.st_size > LARGEST_FILE.value else stream.read(LARGEST_FILE.value + 1)
    if max(status.st_size, len(raw)) > LARGEST_FILE.value:
        raise OSError(errno.EFBIG, f"is larger than {LARGEST_FILE.value // 2**20} MiB", name)
    return raw


def no_file(mode: int) -> str | None:
    """What something of this ``st_mode`` is that neither a file nor a link is: "is a directory"; else None."""
    return next((what for is_kind, what in _KINDS if is_kind(mode)), None)


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a regular file; no for paths that no file can have, however long or odd."""
    return os.path.isfile(path)  # noqa: PTH113  (Path.is_file raises OSError for names that are too long)


def exists(path: str | os.PathLike[str]) -> bool:
    """Whether there is anything; no for paths that nothing can have."""
    return os.path.exists(path)  # noqa: PTH110


_UNSUPPORTED = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF, errno.EISDIR}
"""What file systems say that know no such thing: some of networks, and of user space, above all of folders."""


def write_new(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file that is not there yet, down to the disk.  Raises OSError."""
    with os.fdopen(os.open(path, _new_file_flags(), mode), "wb") as file:
        file.write(content)
        file.flush()
        sync(file.fileno())


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that a failure leaves nothing of it behind; a pipe or a device as it is.

    Raises OSError, which names the path that was given.
    """
    try:
        if path.exists() and not path.is_file():  # it cannot be replaced
            path.write_bytes(content)
            return
        target = path.resolve()  # a link keeps pointing to the file it points to
        temporary = target.with_name(f"{target.name}.{os.getpid()}.{threading.get_ident()}.part")
        try:
            with temporary.open("xb") as stream:
                stream.write(content)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        error.filename = os.fspath(path)
        raise


def write_file(path: Path, content: bytes) -> None:
    """``write_whole`` in a folder that is made if need be, and is gone again where that fails.

    Raises FileError, which says the path, the reason and the way out.
    """
    try:
        with in_folders(path.parent):
            write_whole(path, content)
    except OSError as error:
        cure = way_out(error, "name another file")
        raise FileError(f"{what_failed(error, path)}. {cure}", error.errno) from error


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


@contextlib.contextmanager
def in_folders(folder: Path) -> Iterator[None]:
    """Make a folder and those above it; where what is done in it fails, those that were missing go if they are empty.

    Raises OSError.
    """
    made = make_folders(folder)
    try:
        yield
    except BaseException:
        _remove_folders(made)
        raise


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
        _remove_folders(made)
        raise
    return made


def _remove_folders(folders: list[Path]) -> None:
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
