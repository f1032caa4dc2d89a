"""``kanegen cache``: the folder, what is in it, and removing it; and ``kanegen --version``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from filelock import FileLock

import kanegen
from kanegen.builds.cache import entry
from kanegen.codegen.cli import main
from kanegen.errors import BuildError
from tests.refusals import refused

NAME = f"arm-{'0' * 32}-01234567"


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["cache", *words]) == 0
    return capsys.readouterr().out


def test_what_is_kept_is_listed_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "cache"
    monkeypatch.setenv("KANEGEN_CACHE_DIR", str(root))
    assert told(capsys, "path") == f"{root}\n"
    entry(NAME, lambda folder: folder.joinpath("_kernels.so").write_text("code"))  # type: ignore[func-returns-value]
    entry(NAME.replace("arm", "base"), lambda folder: folder.joinpath("manifest.json").touch())
    damaged = root / NAME.replace("arm", "bent")
    damaged.mkdir()

    def fails(folder: Path) -> None:
        raise BuildError(["cc"], "no", folder)

    refused(lambda: entry(NAME.replace("arm", "odd"), fails), kind=BuildError)
    others = [root / "mine", root / f"{NAME}.txt.d"]
    for other in others:
        other.mkdir()
    listed = json.loads(told(capsys, "list", "--json"))
    assert [(kept["model"], kept["state"]) for kept in listed] == [
        ("arm", "compiled"),
        ("base", "described"),
        ("bent", "damaged"),
        ("odd", "failed"),
    ]
    assert told(capsys, "list").splitlines()[-1].startswith("4 entries, ")
    with FileLock(root / f"{NAME}.lock"):  # somebody makes it
        assert "removed 3 entries" in told(capsys, "clear")
    assert "removed 1 entry" in told(capsys, "clear")
    assert json.loads(told(capsys, "list", "--json")) == []
    assert all(other.is_dir() for other in others)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"kanegen {kanegen.__version__}\n"
