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
    corpus,
    every_kind,
    flexible,
    kernel_claim,
    kernels,
    printed,
    robots,
    row,
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
        "kanegen: benchmark report\n6 results; 9 claims: 4 reached, 3 not reached, 2 not measured\n"
    )
    claim = ["inverse_dynamics:", "Engine,", "C++", "/", "kanegen,", "C"]
    assert ["kernels_stanford_arm", *claim, "20", ">=", "18", "yes"] in lines
    assert ["kernels_stanford_arm", *claim, "-", ">=", "24", "not", "measured"] in lines
    assert row("simulation_stanford_arm SciPy RK45 / kanegen.simulate, rtol 1e-06 90 >= 100 NO") in lines
    assert row("robots panda, inverse_dynamics: Engine, C++ / kanegen 9 >= 8 yes") in lines
    assert row("corpus files that fail 1 <= 0 NO") in lines
    assert row("corpus largest difference from Pinocchio 2.0e-09 <= 1.0e-10 NO") in lines
    headings = [line for line in out.splitlines() if line.endswith(".json)")]
    assert [heading.split()[1] for heading in headings] == [
        f"({x}.json)" for x in ("e", "d", "c", "b", "aa", "a")
    ]


def test_what_a_result_was_measured_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = printed(capsys, folder / "e.json")
    assert "machine    Some Processor | 3 GHz, 1 core, avx2 fma; Linux x86_64\n" in out
    assert "compilers  cc 12.2.0; no C++ compiler\n" in out
    assert "flags      -O3 -march=native\n" in out
    assert "packages   Python 3.11.7, numpy 2.0.0\n" in out
    assert "protocol   states 8, unit ns per call\n" in out
    assert "left out   Engine two: is not installed\n" in out


def test_counts_beside_published_and_times_by_language(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = words(printed(capsys, folder / "e.json")[0])
    assert ["the", "book", "300", "100", "-", "4", "x"] in lines
    assert ["kanegen", "(kanegen", "0.1.0)", "60", "40", "0", "1", "x"] in lines
    # from C++ over kanegen's C, from Python over kanegen's checked call
    assert ["Engine,", "C++", "1000", "2000", "20", "x", "1.0e-15"] in lines
    assert ["Engine,", "Python", "5000", "10000", "2.5", "x", "1.0e-15"] in lines


def test_other_kinds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = words(printed(capsys, folder)[0])
    assert ["SciPy", "RK45", "1.0e-06", "1.0e-09", "180", "190", "90", "x", "2.0e-12"] in lines
    assert ["five_bar", "forward_dynamics", "143", "84", "3"] in lines
    assert row("Engine, C, with a projection 5600 11200 100 x 1.0e-15 3.0e-15") in lines
    assert ["panda", "inverse_dynamics", "273", "270", "0", "100", "900", "9", "x", "2.5e-15"] in lines
    assert ["panda", "mass_matrix", "273", "270", "0", "100", "-", "-", "-"] in lines
    assert ["panda", "robots", "panda.urdf", "7", "300"] in lines


def test_flexible_arms(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = words(printed(capsys, folder / "aa.json")[0])
    claim = "flexible_arms bent, equations_of_motion: the book's 900 multiplications / kanegen's"
    assert row(f"{claim} 9 >= 4 yes") in lines
    assert row("flexible_arms bent, swing: seconds of motion - >= 50 not measured") in lines
    assert row("bent 6 2 3 his formula 800 700 - 8 x") in lines
    assert row("bent 6 2 3 kanegen 100 80 0 1 x") in lines
    assert row("Engine, C++, rigid chain 4500 9000 5 x 1.0e-15") in lines
    assert row("bent swing 5 4 5 800 1250 x") in lines


def test_flexible_arms_without_a_compiler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = changed(flexible(), "forward_dynamics.timings", {})
    lines = words(printed(capsys, write(tmp_path, "f.json", {**document, "scenarios": []}))[0])
    assert row("bent 6 2 3 kanegen 100 80 0 1 x") in lines
    assert not any("Engine," in line for line in lines)


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
    assert report["claims"] == {"reached": 4, "not reached": 3, "not measured": 2}
    assert report["not in this report"] == []
    first = report["results"][0]
    assert (first["benchmark"], first["file"]) == ("kernels_stanford_arm", "e.json")
    assert first["environment"] == ENVIRONMENT
    assert first["protocol"] == {"states": 8, "unit": "ns per call"}
    assert first["left_out"] == ["Engine two: is not installed"]
    assert [claim["reached"] for claim in first["claims"]] == [True, None]
    assert first["tables"][0]["rows"][0] == {
        "source": "the book",
        "mult": 300,
        "add": 100,
        "div": None,
        "mult and add over kanegen's": 4.0,
    }
    assert first["tables"][1]["rows"][1]["over the first"] == 20.0


def test_markdown(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.md"
    out, _ = printed(capsys, folder, "--output", path)
    assert out == f"wrote {path}\n"
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# kanegen: benchmark report\n\n6 results")
    assert "\n## kernels\\_stanford\\_arm (e.json)\n\n- machine: Some Processor \\| 3 GHz, 1 core" in text
    assert "\n| the book | 300 | 100 | - | 4 x |\n" in text
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
    write(tmp_path / "benchmarks/results", "robots.json", robots())
    assert printed(capsys)[0].splitlines()[1].startswith("1 result; 1 claim: 1 reached")
    write(tmp_path / "figures", "corpus.json", corpus())
    assert printed(capsys)[0].splitlines()[1].startswith("2 results; 3 claims")


def test_without_kanegen_there_are_no_ratios_to_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = kernels()
    del document["kernels"]["inverse_dynamics"]["operation_counts"][1]
    lines = words(printed(capsys, write(tmp_path, "k.json", document))[0])
    assert ["the", "book", "300", "100", "-", "-"] in lines


def test_an_aim_just_missed_is_shown_with_its_digits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = changed(kernels(), "claims", [kernel_claim(17.9996, 18.0)])
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
