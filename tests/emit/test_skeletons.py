"""Skeletons: what was compiled of one is kept beside the compiled sources, and taken for no other."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from kanegen.codegen.emit import skeletons

VALUES = {"name": "x", "text": "y"}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where compiled sources are kept meanwhile; skeletons are read anew."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "kept"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    skeletons._environment.cache_clear()
    yield tmp_path / "kept"
    skeletons._environment.cache_clear()


def filled(folder: Path, text: str) -> str:
    """A skeleton of this text, filled as in another process."""
    (folder / "a.template").write_text(text)
    skeletons._environment.cache_clear()
    skeletons._environment().loader = FileSystemLoader(folder)
    return skeletons.fill("a", **VALUES)


def test_skeletons_are_compiled_once(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert filled(tmp_path, "{{ name }} {{ text }}") == "x y"
    assert [path.suffix for path in kept.rglob("a*")] == [".pyc"]
    monkeypatch.setattr(Environment, "compile", None)
    assert filled(tmp_path, "{{ name }} {{ text }}") == "x y"


def test_a_skeleton_that_has_changed_is_compiled_anew(kept: Path, tmp_path: Path) -> None:
    assert filled(tmp_path, "{{ name }} {{ text }}") == "x y"
    assert filled(tmp_path, "{{ text }} {{ name }}") == "y x"


def test_nothing_is_kept_where_python_keeps_nothing(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert filled(tmp_path, "{{ name }}") == "x"
    assert not kept.exists()


def test_a_folder_that_cannot_be_written_is_left_alone(kept: Path, tmp_path: Path) -> None:
    kept.write_text("no folder")
    assert filled(tmp_path, "{{ name }}") == "x"
