"""kanegen report: files that are no results, damaged ones, and none at all."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from kanegen.codegen.commands.benchmark_results import collect
from tests.commands.benchmark_documents import (
    Document,
    changed,
    corpus,
    every_kind,
    printed,
    sections,
    write,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return every_kind(tmp_path / "results")


def test_an_empty_folder_and_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, err = printed(capsys, tmp_path, code=1)
    assert f"no benchmark results in {tmp_path}: make them" in err
    _, err = printed(capsys, tmp_path / "nosuch", code=1)
    assert "nosuch: no such file or folder" in err and "`make bench`" in err


def test_a_file_named_twice_is_read_once(folder: Path) -> None:
    assert len(collect([folder, folder / "b.json"]).results) == 2


def test_other_json_is_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "f.json", {**sections(), "benchmark": "of tomorrow"})
    write(folder, "g.json", [1, 2])  # type: ignore[arg-type]
    out, err = printed(capsys, folder)
    assert err == ""
    assert (
        "not in this report\n  f.json: of benchmark 'of tomorrow', which this version does not know; it"
        in out
    )
    assert out.endswith("\n  g.json: no result of a benchmark\n")
    _, err = printed(capsys, folder / "f.json", code=1)
    assert "no benchmark results in" in err and "of benchmark 'of tomorrow'" in err


KERNELS = "sections.kernels"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: no JSON"),
        ('{"benchmark": "all",\n', "line 2: no JSON"),
        ('{"benchmark": "all", "x": NaN}', "holds NaN"),
        ("[" * 100_000, "nested too deeply"),
        ('{"benchmark": "all"}', "the document lacks 'environment'"),
        (changed(sections(), "benchmark", 3), "benchmark is 3; expected a text"),
        (changed(sections(), "environment", []), "environment is []; expected an object"),
        (changed(sections(), "environment.cores", "two"), "environment.cores is 'two'; expected a count"),
        (changed(sections(), "environment.cores", True), "environment.cores is True; expected a count"),
        (changed(sections(), "environment.flags", "-O3"), "environment.flags is '-O3'; expected a list"),
        (changed(sections(), "sections", ...), "the document lacks 'sections'"),
        (changed(sections(), f"{KERNELS}.claims.0.need", None), "claims[0].need is None; expected a number"),
        (changed(sections(), f"{KERNELS}.claims.0.need", 10**400), "expected a number that fits"),
        (changed(sections(), f"{KERNELS}.tables.0.rows", [[1]]), "tables[0].rows[0] has 1 cells; expected 4"),
        (
            changed(sections(), f"{KERNELS}.tables.0.columns.0.shown", "x"),
            "shown is 'x'; expected one of text",
        ),
        (changed(sections(), KERNELS, [1]), "kernels is [1]; expected an object"),
        (changed(corpus(), "robots.0.differences", 1), "robots[0].differences is 1; expected an object"),
    ],
)
def test_damaged_results_do_not_keep_the_others_back(
    content: Document | str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(folder, "z.json", content)
    out, err = printed(capsys, folder, code=1)
    assert out.startswith("kanegen: benchmark report\n2 results") and "\n  z.json: " in out
    assert err.startswith("kanegen: damaged results: z.json: ") and message in err and err.count("\n") == 1
    report = json.loads(printed(capsys, folder, "--json", code=1)[0])
    assert [file["damaged"] for file in report["not in this report"]] == [True]
    out, err = printed(capsys, path, code=1)
    assert out == "" and message in err and err.count("\n") == 1


def test_text_that_is_not_utf_8(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "z.json").write_bytes(b'{"benchmark": "\xff"}')
    assert "z.json: no JSON: the text is not UTF-8" in printed(capsys, folder, code=1)[1]


@pytest.mark.skipif(sys.get_int_max_str_digits() == 0, reason="this Python reads integers of any length")
def test_an_integer_that_python_does_not_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "z.json", '{"benchmark": ' + "9" * (sys.get_int_max_str_digits() + 1) + "}")
    assert "z.json: no JSON: " in printed(capsys, folder, code=1)[1]


def test_text_of_files_does_not_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = changed(sections(), "environment.processor", "a\x1b[31m\nb\ud800")
    out, _ = printed(capsys, write(tmp_path, "k.json", document))
    assert "machine    a?[31m b?, 1 core" in out
    assert "\x1b" not in out
