"""Kernels that are derived in processes of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kanegen import workers
from kanegen.codegen import deriving, pipeline
from kanegen.codegen.pipeline import Options
from kanegen.errors import CertificateError

QUICK = Options(search=2)


def written(folder: Path, jobs: int) -> dict[str, bytes]:
    pipeline.generate("stanford_arm_rrp", folder, QUICK, jobs=jobs)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kernels that this process derives itself, in a test in which processes are worth starting at once."""
    names, derive = [], deriving._optimize

    def noting(sources, name, *others):  # type: ignore[no-untyped-def]
        names.append(name)
        return derive(sources, name, *others)

    monkeypatch.setattr(deriving, "_optimize", noting)
    monkeypatch.setattr(deriving, "_WORTH_A_PROCESS", 0.0)
    return names


def test_the_same_is_written(tmp_path: Path, here: list[str]) -> None:
    alone = written(tmp_path / "alone", 1)
    all_names = list(here)
    here.clear()
    assert written(tmp_path / "beside", 3) == alone
    assert len(here) == len(set(here)) < len(all_names)


@pytest.mark.parametrize("program", ["raise SystemExit(1)", "import time; time.sleep(60)"])
def test_processes_that_do_nothing(
    tmp_path: Path, here: list[str], monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """One that ends at once leaves its kernel to this process; after an error here, none is waited for."""
    monkeypatch.setattr(workers, "_PROGRAM", program)
    if "sleep" not in program:
        assert written(tmp_path, 2)
        assert len(here) == len(set(here)) > 5
        return
    names = []

    def failing(sources, name, *others):  # type: ignore[no-untyped-def]
        names.append(name)
        if len(names) == 3:
            raise CertificateError("wrong")
        return here_derive(sources, name, *others)

    here_derive = deriving._optimize
    monkeypatch.setattr(deriving, "_optimize", failing)
    with pytest.raises(CertificateError, match="wrong"):
        written(tmp_path, 2)


def test_without_an_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: list[str]) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/program")
    assert written(tmp_path, 2)
    assert len(here) > 5
