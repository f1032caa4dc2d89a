"""Faults of files, one at a time: the n-th operation below a folder fails, or the process is killed there.

The errors take turns, a third of the operations each; kills come at all of them.  Python tells an audit hook of every file
that is opened, made, renamed, removed, listed, and of every mode that is changed; what the hook raises comes out of the
operation, which is not done.  fsync is wrapped.  Writing fails where the system lets no file have more than so many bytes.
A hook stays for ever, so that all of this belongs into processes of its own: ``python -m tests.cases.faults cache FOLDER``,
which prints one line for each thing that went wrong, and last how many faults there were.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kanegen.builds import cache
from kanegen.builds.cache_place import VARIABLE
from kanegen.codegen.emit.writer import write_files
from kanegen.errors import KanegenError

EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.listdir", "os.scandir"}
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)
KILL = -1
SHORT = errno.EFBIG
SIZES = (0, 1, 100, 500, 4095, 7999)
NAME = "arm"
CONTENTS = {"first": b"the first file", "second": b"the second file\n" * 500}


@dataclass
class Fault:
    """The operation below ``folder`` that fails with ``code``, or kills; None counts alone."""

    folder: str
    number: int | None = None
    code: int = 0
    seen: int = 0

    def at(self, path: object) -> None:
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if isinstance(path, str | os.PathLike) and os.fspath(path).startswith(self.folder):
            self.seen += 1
            if self.number is not None and self.seen - 1 == self.number:
                if self.code == KILL:
                    os.kill(os.getpid(), signal.SIGKILL)
                raise OSError(self.code, os.strerror(self.code), os.fspath(path))


_active: list[Fault] = []
_fsync = os.fsync


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _active and event in EVENTS:
        _active[-1].at(arguments[0])


def _failing_fsync(descriptor: int) -> None:
    if _active:
        _active[-1].at(Path(f"/proc/self/fd/{descriptor}").readlink())
    _fsync(descriptor)


@contextlib.contextmanager
def fault(folder: Path, number: int | None = None, code: int = 0) -> Iterator[Fault]:
    made = Fault(str(folder), number, code)
    _active.append(made)
    try:
        yield made
    finally:
        _active.pop()


class Cache:
    """An entry of the cache, from nothing or over a damaged one."""

    def __init__(self, damaged: bool) -> None:
        self.damaged = damaged
        self.name = "a damaged entry" if damaged else "a new entry"

    def prepare(self, folder: Path) -> None:
        os.environ[VARIABLE] = str(folder / "cache")
        if self.damaged:
            made = cache.entry(NAME, self.make)
            (made.directory / "second").write_bytes(b"the second fil")

    @staticmethod
    def make(directory: Path) -> None:
        for name, content in CONTENTS.items():
            (directory / name).write_bytes(content)

    def run(self, folder: Path) -> None:
        found = cache.entry(NAME, self.make)
        assert dict(found.files) == CONTENTS

    def complaint(self, folder: Path) -> str | None:
        """What is wrong afterwards: the entry is whole or known to be damaged, and then it is mended."""
        place = folder / "cache" / NAME
        with contextlib.suppress(cache.DamagedError):
            left = cache.recorded(place, NAME)
            if left is not None and left != CONTENTS:
                return "a half entry is taken for a whole one"
        self.run(folder)
        if cache.recorded(place, NAME) != CONTENTS:
            return "the entry is not mended"
        return "work is left" if list(place.parent.glob(f".{NAME}.*")) else None


class Writer:
    """Generated files, into a new folder or over older ones."""

    old, new = (
        {"arm.c": text, "arm.h": text[::-1], "manifest.json": text + b"!"}
        for text in (b"old" * 99, b"new" * 3000)
    )

    def __init__(self, over: bool) -> None:
        self.over = over
        self.name = "files over older ones" if over else "new files"

    def prepare(self, folder: Path) -> None:
        if self.over:
            write_files(self.old, folder / "out")

    def run(self, folder: Path) -> None:
        write_files(self.new, folder / "out")

    def complaint(self, folder: Path) -> str | None:
        """What is wrong afterwards: with a manifest, the files are one set; and what was abandoned goes with the next."""
        out = folder / "out"
        if (out / "manifest.json").exists() and self.files(out) not in (self.old, self.new):
            return "a mixed set has a manifest"
        self.run(folder)
        if self.files(out) != self.new:
            return "the files are not written anew"
        return "work is left" if {path.name for path in out.iterdir()} != set(self.new) else None

    def files(self, out: Path) -> dict[str, bytes]:
        return {name: (out / name).read_bytes() for name in self.new if (out / name).exists()}

    def unchanged(self, folder: Path) -> bool:
        """After an error that leaves the process alive."""
        out = folder / "out"
        return (
            self.files(out) in (self.old, self.new)
            if self.over
            else not out.exists() or self.files(out) == self.new
        )


SCENARIOS: dict[str, tuple[Any, ...]] = {
    "cache": (Cache(damaged=False), Cache(damaged=True)),
    "writer": (Writer(over=False), Writer(over=True)),
}


def _count(scenario: Any, folder: Path) -> int:
    scenario.prepare(folder)
    with fault(folder) as counted:
        scenario.run(folder)
    shutil.rmtree(folder)
    return counted.seen


def _failing(scenario: Any, folder: Path, number: int, code: int) -> str | None:
    """What is wrong when an operation fails."""
    try:
        with fault(folder, number, code):
            scenario.run(folder)
    except KanegenError as error:
        if str(folder) not in str(error):
            return f"the error names no path: {error}"
        if "belongs to two mechanisms" in str(error):
            return None
    except Exception as error:  # noqa: BLE001 - whatever else comes out is the finding
        return f"raw {type(error).__name__}: {error}"
    if isinstance(scenario, Writer) and not scenario.unchanged(folder):
        return "the files are neither as they were nor new"
    return None


def _short(scenario: Any, folder: Path, size: int, code: int) -> str | None:
    """What is wrong when no file may have more bytes than this."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        scenario.run(folder)
    except KanegenError as error:
        if str(folder) not in str(error) or os.strerror(code) not in str(error):
            return f"the error names no path or no reason: {error}"
    except Exception as error:  # noqa: BLE001 - whatever else comes out is the finding
        return f"raw {type(error).__name__}: {error}"
    else:
        return "more bytes were written than may be"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    if isinstance(scenario, Writer) and not scenario.unchanged(folder):
        return "the files are neither as they were nor new"
    return None


def _killed(scenario: Any, folder: Path, number: int, code: int) -> str | None:
    """What is wrong when the process is killed before an operation."""
    child = os.fork()
    if child == 0:
        with fault(folder, number, code):
            scenario.run(folder)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return None if os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0 else "the process failed otherwise"


ATTEMPTS: dict[int, Callable[[Any, Path, int, int], str | None]] = {
    **dict.fromkeys(ERRORS, _failing),
    KILL: _killed,
    SHORT: _short,
}


def main(kind: str, place: str) -> None:
    sys.addaudithook(_hook)
    os.fsync = _failing_fsync
    faults = 0
    for scenario in SCENARIOS[kind]:
        operations = range(_count(scenario, Path(place) / "count"))
        for code, attempt in ATTEMPTS.items():
            for number in (
                SIZES
                if code == SHORT
                else operations[ERRORS.index(code) :: 3]
                if code in ERRORS
                else operations
            ):
                folder = Path(place) / f"{faults}"
                scenario.prepare(folder)
                wrong = attempt(scenario, folder, number, code) or scenario.complaint(folder)
                if wrong is not None:
                    what = "killed" if code == KILL else errno.errorcode[code]
                    sys.stdout.write(f"{scenario.name}, operation {number}, {what}: {wrong}\n")
                shutil.rmtree(folder)
                faults += 1
    sys.stdout.write(f"{faults}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
