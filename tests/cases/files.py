"""Models as texts, which the cases load as a user loads a file."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import kanegen
from kanegen.codegen import cli
from kanegen.codegen.mechanism.importers import read_file
from tests.refusals import refused

LoadText = Callable[..., kanegen.Robot]
"""``load_text(text, *kernels, suffix=".urdf", compiled=False, **options)``, a fixture: see ``conftest``."""

UNIT = "1 2 2.5 0 0 0"
READERS = {".xml": "mujoco", ".xacro": "xacro"}
"""What reads a format beside kanegen itself."""


def inertial(moments: str = UNIT, origin: str = "", mass: str = "1") -> str:
    """An ``<inertial>`` with moments in the order xx yy zz xy xz yz."""
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    entries = " ".join(f'{name}="{value}"' for name, value in zip(names, moments.split(), strict=True))
    return f'<inertial>{origin}<mass value="{mass}"/><inertia {entries}/></inertial>'


def written(folder: Path, suffix: str, text: str | bytes) -> Path:
    """A file of this content; the test is skipped where nothing reads its format."""
    if reader := READERS.get(f".{suffix.rpartition('.')[2]}"):
        pytest.importorskip(reader)
    path = folder / f"model{suffix}"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def command(*words: str | Path) -> tuple[int, str]:
    """The code with which a command ends, and what it prints on both streams."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        code = cli.main([str(word) for word in words])
    return code, out.getvalue()


def refused_file(folder: Path, suffix: str, text: str | bytes, where: str, *words: str) -> kanegen.ModelError:
    """The error for a file: the same from every door, in one line with file, place and cure, and nothing is written."""
    path = written(folder, suffix, text)
    error = refused(partial(read_file, path), *words, where=where)
    assert error.where.startswith(str(path))
    assert len(str(error)) < 3000
    assert str(refused(partial(kanegen.load, path))) == str(error)
    code, report = command("doctor", path)
    assert code == 1 and error.what in " ".join(report.split())
    assert command("generate", path, "-o", folder / "out") == (1, f"kanegen: {error}\n")
    assert not (folder / "out").exists()
    return error
