"""kanegen report: every kind of result in every form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kanegen.codegen.cli import main
from kanegen.codegen.commands.benchmark_records import Claim
from tests.commands.benchmark_documents import (
    ENVIRONMENT,
    changed,
    claim,
    corpus,
    every_kind,
    printed,
    row,
    sections,
    words,
    write,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return every_kind(tmp_path / "results")


def test_on_a_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = printed(capsys, folder)
    assert err == ""
    lines = words(out)
    assert out.startswith(
        "kanegen: benchmark report\n2 results; 6 claims: 2 reached, 3 not reached, 1 not measured\n"
    )
    shown = ["all", *["inverse_dynamics:", "Engine,", "C++", "/", "kanegen,", "C"]]
    for end in ("20 >= 18 yes", "- >= 24 not measured", "90 >= 100 NO", "150 <= 200 yes"):
        assert [*shown, *end.split()] in lines
    assert row("corpus files that fail 1 <= 0 NO") in lines
    assert row("corpus largest difference from Pinocchio 2.0e-09 <= 1.0e-10 NO") in lines
    headings = [line for line in out.splitlines() if line.endswith(".json)")]
    assert headings == ["all (b.json)", "corpus (a.json)"]


def test_what_a_result_was_measured_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = printed(capsys, folder / "b.json")
    assert "machine    Some Processor | 3 GHz, 1 core, avx2 fma; Linux x86_64\n" in out
    assert "compilers  cc 12.2.0; no C++ compiler\n" in out
    assert "flags      -O3 -march=native\n" in out
    assert "packages   Python 3.11.7, numpy 2.0.0\n" in out
    assert "protocol   states 8, unit ns per call\n" in out
    assert "left out   Engine two: is not installed\n" in out


def test_cells_as_their_columns_show_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = words(printed(capsys, folder / "b.json")[0])
    assert ["the", "book", "300", "-", "4", "x"] in lines
    assert ["kanegen,", "C", "50", "1", "x", "0"] in lines
    assert ["Engine,", "C++", "1000", "20", "x", "1.0e-15"] in lines


def test_the_corpus_in_figures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = words(printed(capsys, folder / "a.json")[0])
    assert ["p", "loaded", "2", "2", "2.0e-09"] in lines
    assert ["all", "4", "2", "2.0e-09"] in lines
    assert ["degrees", "of", "freedom", "9", "12", "b.urdf"] in lines
    assert ["p", "b.urdf", "loaded", "2.0e-09"] in lines
    assert ["o", "d.urdf", "failed", "-", "longer", "than", "1800", "s"] in lines
    assert not any("c.urdf" in line for line in lines)  # a refusal is no contradiction
    assert ["flags", "none", "given"] in lines


def test_a_corpus_with_nothing_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused = {**corpus(), "robots": corpus()["robots"][2:3]}
    lines = words(printed(capsys, write(tmp_path, "corpus.json", refused))[0])
    assert row("corpus largest difference from Pinocchio - <= 1.0e-10 not measured") in lines
    assert ["all", "1", "0", "-"] in lines


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = json.loads(printed(capsys, folder, "--json")[0])
    assert report["claims"] == {"reached": 2, "not reached": 3, "not measured": 1}
    assert report["not in this report"] == []
    first = report["results"][0]
    assert (first["benchmark"], first["file"]) == ("all", "b.json")
    assert first["environment"] == ENVIRONMENT
    assert first["protocol"] == {"states": 8, "unit": "ns per call"}
    assert first["left_out"] == ["Engine two: is not installed"]
    assert [claim["reached"] for claim in first["claims"]] == [True, None, False, True]
    assert first["tables"][0]["rows"][0] == {"source": "the book", "mult": 300, "div": None, "over": 4.0}


def test_markdown(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.md"
    out, _ = printed(capsys, folder, "--output", path)
    assert out == f"wrote {path}\n"
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# kanegen: benchmark report\n\n2 results")
    assert "\n## all (b.json)\n\n- machine: Some Processor \\| 3 GHz, 1 core" in text
    assert "\n| the book | 300 | - | 4 x |\n" in text
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert blocks
    for header, rule, *rows in blocks:
        widths = {line.replace("\\|", "").count("|") for line in (header, rule, *rows)}
        assert len(widths) == 1


def test_markdown_and_json_at_once(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = printed(capsys, folder, "--json", "-o", tmp_path / "report.md")
    assert json.loads(out)["results"]
    assert (tmp_path / "report.md").exists()


@pytest.mark.parametrize("name", ["report.json", "report", "nosuch/report.md"])
def test_where_no_report_can_be_written(
    name: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = printed(capsys, folder, "-o", tmp_path / name, code=1)
    assert out == ""
    assert err.startswith("kanegen: ") and str(tmp_path / name) in err and err.count("\n") == 1
    assert not (tmp_path / name).exists()


def test_the_default_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    out, err = printed(capsys, code=1)
    assert out == ""
    assert err.startswith("kanegen: no benchmark results in benchmarks/results and figures: make them")
    assert "`make bench`" in err and "`make corpus`" in err and err.count("\n") == 1
    write(tmp_path / "benchmarks/results", "today.json", sections())
    assert printed(capsys)[0].splitlines()[1].startswith("1 result; 4 claims: 2 reached")
    write(tmp_path / "figures", "corpus.json", corpus())
    assert printed(capsys)[0].splitlines()[1].startswith("2 results; 6 claims")


def test_an_aim_just_missed_is_shown_with_its_digits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = changed(sections(), "sections.kernels.claims", [claim(17.9996, 18.0)])
    lines = words(printed(capsys, write(tmp_path, "k.json", document))[0])
    assert any(line[-4:] == ["17.9996", ">=", "18", "NO"] for line in lines)


def test_claims_are_judged_by_their_figures() -> None:
    assert Claim("x", 2.0, 2.0).reached is True
    assert Claim("x", 1.9, 2.0).reached is False
    assert Claim("x", 2.1, 2.0, at_most=True).reached is False
    assert Claim("x", None, 2.0).reached is None


def test_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["report", "--nosuch"])
    assert caught.value.code == 2
    assert "error: " in capsys.readouterr().err
