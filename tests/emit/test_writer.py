"""Writing: all files or none, and the folder as it was when anything fails."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from emitted.programs import double_pendulum, every_operation, model, program

from kanegen.codegen.emit import generated_files, write_model
from kanegen.codegen.graph import Graph, inputs
from kanegen.errors import ModelError

GENERATED = model(double_pendulum())
OTHER = model(every_operation())


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("folder", ["plain", "with spaces/and more", "Zürich/Ωμέγα", "a'b\"c;d"])
def test_any_folder(tmp_path: Path, folder: str) -> None:
    written = write_model(GENERATED, tmp_path / folder)
    assert [path.name for path in written] == ["arm.c", "arm.h", "arm.cdef", "arm.pyi", "manifest.json"]
    assert contents(tmp_path / folder) == generated_files(GENERATED)


def test_relative_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_model(GENERATED, "here")
    assert contents(tmp_path / "here") == generated_files(GENERATED)


def test_replaces_its_own_files_and_leaves_others(tmp_path: Path) -> None:
    write_model(GENERATED, tmp_path)
    (tmp_path / "notes.txt").write_text("mine", encoding="ascii")
    write_model(OTHER, tmp_path)
    assert contents(tmp_path) == generated_files(OTHER) | {"notes.txt": b"mine"}


@pytest.mark.parametrize("failing", range(5))
def test_failure_leaves_the_folder_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """The disk fails at the n-th renaming: over an older model, and in a folder that was not there."""
    write_model(GENERATED, tmp_path / "old")
    calls = iter(range(100))
    rename = os.replace

    def replace(source: Path, target: Path) -> None:
        new = target.parent == source.parent.parent and not source.name.endswith(".before")
        if new and next(calls) == failing:
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(OSError, match="No space left"):
        write_model(OTHER, tmp_path / "old")
    assert contents(tmp_path / "old") == generated_files(GENERATED)
    calls = iter(range(100))
    with pytest.raises(OSError, match="No space left"):
        write_model(OTHER, tmp_path / "new" / "folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old"]


def test_interruption_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_model(GENERATED, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_touched_when_the_text_cannot_be_made(tmp_path: Path) -> None:
    g = Graph()
    (q,) = inputs(g, "q", 1)
    too_large = model(program("f", g, {"q": 1}, {"y": (q * 10**39,)}), single_precision=True)
    with pytest.raises(ModelError, match=r"does not fit in float; .* or generate without single precision"):
        write_model(too_large, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="ascii")
    with pytest.raises(OSError, match="file"):
        write_model(GENERATED, tmp_path / "file")
    assert contents(tmp_path) == {"file": b"mine"}
