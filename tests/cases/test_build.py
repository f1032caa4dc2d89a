"""Building (CASES 39 to 42): no compiler, a wrong one, a broken cache; two processes at once."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

import kanegen

from .machines import pendulum


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KANEGEN_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("cc", ["/no/such/cc", '"', "no-such-compiler -O2"])
def test_a_compiler_that_is_not_there(
    cc: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Case 39: the sentence names the variable, and NumPy serves."""
    monkeypatch.setenv("CC", cc)
    with caplog.at_level(logging.WARNING, logger="kanegen"):
        arm = kanegen.load(pendulum(), kernels=["mass_matrix"])
    assert arm.target is None
    assert arm.mass_matrix([0.3])[0, 0] == 0.5
    (record,) = caplog.records
    assert record.getMessage().startswith(f"no C compiler was found: $CC={cc} cannot be run.")


def test_a_compiler_that_fails(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 42: command, output and the kept C; the next compiler begins anew."""
    script = tmp_path / "bad cc"
    script.write_text('#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "boom: $*" >&2\nexit 3\n')
    script.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("CC", f"'{script}'")
        with pytest.raises(kanegen.BuildError) as caught:
            kanegen.load(pendulum(), kernels=["mass_matrix"])
    error = caught.value
    assert str(script) in error.command
    assert "boom: " in error.output
    assert (error.source / "pendulum.c").is_file()
    assert [path for path in cache.iterdir() if path.is_dir()] == [error.source]
    assert kanegen.load(pendulum(), kernels=["mass_matrix"]).target


def test_a_binary_that_was_cut_off(cache: Path) -> None:
    """Case 41: whatever happened to the cache, the message says which directory to delete."""
    program = "import kanegen; from tests.cases.machines import pendulum; kanegen.load(pendulum(), kernels=['mass_matrix'])"
    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[2], check=True)
    (binary,) = cache.glob("*/_kernels*.so")
    binary.write_bytes(b"")
    with pytest.raises(
        kanegen.ManifestError, match=r"cannot be loaded .*\. Delete the directory and load again"
    ):
        kanegen.load(pendulum(), kernels=["mass_matrix"])


def test_two_processes_write_the_same_files(tmp_path: Path) -> None:
    """Case 40, for ``generate``: the directory holds one whole set of files afterwards."""
    program = (
        "import kanegen; from tests.cases.machines import pendulum\n"
        f"kanegen.generate(pendulum(), {str(tmp_path / 'out')!r}, kernels=['mass_matrix'])"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parents[2]) for _ in range(2)
    ]
    assert [process.wait() for process in processes] == [0, 0]
    kanegen.generate(pendulum(), tmp_path / "alone", kernels=["mass_matrix"])
    one, other = (sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("out", "alone"))
    assert one == other
    assert kanegen.load(tmp_path / "out").mass_matrix([0.3])[0, 0] == 0.5
