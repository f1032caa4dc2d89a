"""``python -m benchmarks``: every section gives claims and tables; committed results are whole and say nothing of paths."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest

from benchmarks.__main__ import SECTIONS, main
from benchmarks.course import Course, without_paths
from benchmarks.report import RESULTS
from kanegen.codegen.commands.benchmark_results import collect
from kanegen.codegen.commands.report import markdown

pytestmark = pytest.mark.few_passes
COMMITTED = sorted(RESULTS.glob("20*.json"))


def test_a_quick_run_writes_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--only", "motions", "kernels", "--output", str(tmp_path), "--name", "x"]) == 0
    report = collect([tmp_path / "x.json"])
    assert not report.unread and capsys.readouterr().out
    (result,) = report.results
    assert {claim.what.split(",")[0] for claim in result.contents.claims} >= {"stanford_arm"}
    titles = [table.title for table in result.contents.tables]
    assert titles[0] == "10 s of feedback, stanford_arm" and "stanford_arm, inverse_dynamics" in titles
    times = result.contents.tables[titles.index("stanford_arm, inverse_dynamics")]
    place = [column.name for column in times.columns].index("difference")
    differences = {row[0]: row[place] for row in times.rows if isinstance(row[place], float)}
    rows = [name for name in differences if "kanegen" in str(name)]
    assert rows and all(differences[name] == 0.0 for name in rows if "single" not in str(name))
    assert all(difference < 1e-3 for difference in differences.values())  # single precision's, at most
    assert (tmp_path / "x.md").read_text(encoding="utf-8") == markdown(report)


def test_a_peer_that_cannot_take_part_is_noted_once() -> None:
    with tempfile.TemporaryDirectory() as folder:
        course = Course((), Path(folder))
        course.missing("Engine: is not installed")
        course.missing("Engine: is not installed")
    assert course.left_out == ["Engine: is not installed"]
    assert without_paths("cannot open /home/me/x.urdf\nmore") == "cannot open ..."


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_committed_results_are_whole(path: Path) -> None:
    report = collect([path])
    (result,) = report.results
    assert result.contents.claims and all(table.rows for table in result.contents.tables)
    text = path.with_suffix(".md").read_text(encoding="utf-8")
    assert text == markdown(report)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d-[a-z0-9-]+", path.stem)
    assert not re.search(r"(^|[\s\"'(])/(home|tmp|root|work|usr|opt)/", path.read_text(encoding="utf-8"))


def test_sections_have_names_of_modules() -> None:
    assert all(section.__module__ == f"benchmarks.{name}" for name, section in SECTIONS.items())
