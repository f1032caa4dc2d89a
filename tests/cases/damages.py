"""Damages to an entry of the cache, and a process that loads what was damaged.

``python -m tests.cases.damages make|load NUMBER``: entries that hold the same pendulum under different names, compiled once.
Each loaded one prints a line: its number, how often a warning was logged, and the torque it computes, so that a crash of the
process is seen by the lines that are missing.  Making and loading are different processes, so that a library is opened anew.
"""

from __future__ import annotations

import json
import logging
import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import kanegen
from kanegen.builds import cache, extensions
from kanegen.kernels.compiled import CompiledBackend

MODEL = Path(__file__).parents[1] / "runtime" / "models" / "live_pendulum"
Damage = Callable[[Path, random.Random], None]


def library(entry: Path) -> Path:
    return next(entry.glob("_kernels*.so"))


def rewritten(name: str, text: str) -> Damage:
    return lambda entry, _: (entry / name).write_text(text) and None


def cut(name: str, part: float) -> Damage:
    def damage(entry: Path, _: random.Random) -> None:
        path = next(entry.glob(name))
        os.truncate(path, int(path.stat().st_size * part))

    return damage


def flipped(name: str, number: int) -> Damage:
    """Bits that are turned over, and the size stays."""

    def damage(entry: Path, rng: random.Random) -> None:
        path = next(entry.glob(name))
        content = bytearray(path.read_bytes())
        for _ in range(number):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        if bytes(content) == path.read_bytes():
            content[0] ^= 1
        path.write_bytes(content)

    return damage


def zeroed(name: str) -> Damage:
    """A block that the disk lost."""

    def damage(entry: Path, rng: random.Random) -> None:
        path = next(entry.glob(name))
        content = bytearray(path.read_bytes())
        start = rng.randrange(max(1, len(content) - 4096))
        content[start : start + 4096] = bytes(len(content[start : start + 4096]))
        content[0] ^= 1
        path.write_bytes(content)

    return damage


def appended(entry: Path, rng: random.Random) -> None:
    with rng.choice([library(entry), entry / "manifest.json"]).open("ab") as file:
        file.write(b"\0" * rng.randrange(1, 9000))


def missing(name: str) -> Damage:
    return lambda entry, _: next(entry.glob(name)).unlink()


def folder_instead(name: str) -> Damage:
    def damage(entry: Path, _: random.Random) -> None:
        path = next(entry.glob(name))
        path.unlink()
        path.mkdir()

    return damage


def link_instead(name: str, dangling: bool) -> Damage:
    """Even a link to the very same bytes: what it leads to may change."""

    def damage(entry: Path, _: random.Random) -> None:
        path = next(entry.glob(name))
        elsewhere = entry.parent.parent / f"{entry.name}.{path.name}"
        path.rename(elsewhere)
        path.symlink_to(elsewhere if not dangling else f"{elsewhere}.gone")

    return damage


def pipe_instead(name: str) -> Damage:
    def damage(entry: Path, _: random.Random) -> None:
        path = next(entry.glob(name))
        path.unlink()
        os.mkfifo(path)

    return damage


def mode(name: str, bits: int) -> Damage:
    return lambda entry, _: next(entry.glob(name)).chmod(bits)


def entry_mode(entry: Path, _: random.Random) -> None:
    entry.chmod(0o777)


def entry_replaced(kind: str) -> Damage:
    def damage(entry: Path, _: random.Random) -> None:
        if kind in ("link", "dangling link"):
            elsewhere = entry.parent.parent / entry.name
            entry.rename(elsewhere)
            entry.symlink_to(elsewhere if kind == "link" else f"{elsewhere}.gone")
            return
        shutil.rmtree(entry)
        if kind == "file":
            entry.write_bytes(b"")
        elif kind == "pipe":
            os.mkfifo(entry)
        else:
            entry.mkdir()

    return damage


def of_another(name: str) -> Damage:
    """Files of another mechanism, whole in themselves; or all of it, under this name."""

    def damage(entry: Path, _: random.Random) -> None:
        other = entry.with_name("other")
        if name == "everything":
            shutil.rmtree(entry)
            shutil.copytree(other, entry)
        else:
            shutil.copy2(next(other.glob(name)), next(entry.glob(name)))

    return damage


def record_changed(change: Callable[[dict[str, object]], object]) -> Damage:
    def damage(entry: Path, _: random.Random) -> None:
        data = json.loads((entry / cache.RECORD_FILE).read_text())
        change(data)
        (entry / cache.RECORD_FILE).write_text(json.dumps(data))

    return damage


LIBRARY, MANIFEST, RECORD = "_kernels*.so", "manifest.json", cache.RECORD_FILE
FILES = (LIBRARY, MANIFEST, RECORD, "live_pendulum.c")
TEXTS = (
    "[]",
    "null",
    '{"kernels": []}',
    "[" * 100_000,
    '{"a":' * 100_000,
    "1e999",
    '"text"',
    "{",
    "\0",
    "é" * 99,
)

DAMAGES: tuple[Damage, ...] = (
    *(cut(name, part) for name in FILES for part in (0.0, 0.5, 0.99)),
    *(flipped(name, number) for name in FILES for number in (1, 200)),
    *(zeroed(name) for name in FILES),
    *(rewritten(name, text) for name in (MANIFEST, RECORD) for text in TEXTS),
    *(missing(name) for name in FILES),
    *(folder_instead(name) for name in FILES),
    *(link_instead(name, dangling) for name in FILES for dangling in (False, True)),
    *(pipe_instead(name) for name in FILES),
    *(mode(name, bits) for name in FILES for bits in (0o666, 0o620, 0o602)),
    *(entry_replaced(kind) for kind in ("file", "link", "dangling link", "pipe", "empty directory")),
    *(of_another(name) for name in (LIBRARY, MANIFEST, RECORD, "everything")),
    *(
        record_changed(change)
        for change in (
            lambda data: data.update(format=2),
            lambda data: data.update(entry="other"),
            lambda data: data.update(files={}),
            lambda data: data.update(files=[]),
            lambda data: data.update(files={"../other/manifest.json": [1, ""]}),
            lambda data: data["files"].update({"manifest.json": [1, "0"]}),
            lambda data: data["files"].update({"manifest.json": [float("inf"), "0"]}),
            lambda data: data["files"].update({"manifest.json": None}),
            lambda data: data["files"].update({"none": [0, ""]}),
        )
    ),
    entry_mode,
    appended,
)
"""Every kind; random ones are drawn anew for each number."""


def damage(root: Path, number: int) -> None:
    """Damage the entry of a number: each kind in turn, with other bytes each time."""
    (entry,) = root.glob(f"n{number}-*[0-9a-f]")
    DAMAGES[number % len(DAMAGES)](entry, random.Random(number))


def _found(number: int | str) -> extensions.Compiled:
    return extensions.compiled_entry(
        f"n{number}" if isinstance(number, int) else number,
        {"number": number},
        lambda directory: extensions.copy_generated(MODEL, directory),
    )


def _compile_once(root: Path) -> None:
    """Compile the pendulum, and let everything that is made afterwards be a copy of that: what is tried is the cache."""
    compile_really, made = extensions._compile, root.parent / "compiled"

    def compile_(compiler: object, directory: Path, variants: object) -> None:
        if not made.exists():
            work = root.parent / "compiling"
            shutil.copytree(directory, work)
            compile_really(compiler, work, variants)  # type: ignore[arg-type]
            work.rename(made)
        for path in made.iterdir():
            shutil.copy2(path, directory)

    extensions._compile = compile_  # type: ignore[assignment]
    extensions.failure = lambda library: None


def _another(entry: Path, place: Path) -> None:
    """A whole entry of other bytes."""
    shutil.copytree(entry, place)
    (place / cache.RECORD_FILE).unlink()
    for path in (library(place), place / MANIFEST):
        with path.open("ab") as file:
            file.write(b"\n")
    cache.seal(place, place.name)


class _Counting(logging.Handler):
    seen = 0

    def emit(self, record: logging.LogRecord) -> None:
        type(self).seen += 1
        assert "It is set aside as" in record.getMessage(), record.getMessage()


def main(what: str, number: str) -> None:
    root = Path(os.environ["KANEGEN_CACHE_DIR"])
    root.mkdir(exist_ok=True)
    _compile_once(root)
    logging.getLogger("kanegen").addHandler(_Counting())
    if what == "make":
        other = _found("other").directory
        _another(other, root / "other")
    for i in range(int(number)):
        before = _Counting.seen
        found = _found(i)
        if what == "load":
            arm = kanegen.Robot(found.manifest, CompiledBackend(found.manifest, found.module))
            torque = arm.inverse_dynamics([0.3], [0.1], [1.0]).item()
            whole = cache.recorded(found.directory, found.directory.name) is not None
            sys.stdout.write(f"{i} {_Counting.seen - before} {whole} {torque!r}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
