"""``make run``: what a newcomer sees."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import kanegen.generated
from kanegen.codegen.commands import tour
from kanegen.codegen.emit.writer import write_files

COMMITTED = Path(kanegen.generated.__file__).parent / "stanford_arm"
pytestmark = [
    pytest.mark.filterwarnings("ignore:the compiled integrators are missing:RuntimeWarning"),
    pytest.mark.all_passes,
]


def test_the_summary_fits_a_screen_and_says_what_came_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    code, figures = tmp_path / "build" / "stanford_arm", tmp_path / "figures"
    tour.main(["--c", str(code), "--figures", str(figures)])
    text = capsys.readouterr().out
    assert len(text.splitlines()) <= 25
    assert max(map(len, text.splitlines())) <= 160 + len(str(tmp_path))
    counts = [[*re.findall(r"(\d+) \+ (\d+)", line)] for line in text.splitlines()]
    beside = {row[0]: row[1:] for row in counts if row}
    assert beside["2195", "1719"] == [("1910", "1458"), ("286", "192")]
    assert beside["1541", "1196"] == [("1731", "1400"), ("248", "164")]
    assert beside["852", "738"] == [("747", "594"), ("149", "110")]
    assert beside["646", "394"] == [("641", "407"), ("183", "129")]
    assert ("106", "79") in beside
    for study in ("prescribed-motion", "feedback", "free-swivel"):
        assert re.search(rf"^  {study} .*\d", text, re.MULTILINE)
        for suffix in ("png", "csv", "txt"):
            assert (figures / f"{study}.{suffix}").stat().st_size > 0
    check_committed(code)
    assert "106 *    79 +" in (tmp_path / "build" / "stanford_arm.txt").read_text(encoding="utf-8")


def check_committed(code: Path) -> None:
    """The committed C is what the generator writes: every file but the measured certificate, every byte."""
    names = {*json.loads((COMMITTED / "manifest.json").read_text(encoding="utf-8"))["files"], "manifest.json"}
    assert {path.name for path in code.iterdir()} == names | {"certificate.json"}
    for name in names:
        assert (code / name).read_bytes() == (COMMITTED / name).read_bytes(), name


def test_no_zero_has_a_sign(tmp_path: Path) -> None:
    """The torque about the vertical of the free swivel is zero, and integrals of it are."""
    from kanegen.codegen.commands.simulate import run_scenario

    lines: list[str] = []
    run_scenario("stanford_arm", "free-swivel", None, tmp_path / "swivel.csv", lines.append)
    minus_zero = re.compile(r"(?<![\d.])-0\.?0*(?![\d.e])")
    assert not minus_zero.search("\n".join(lines))
    assert not minus_zero.search((tmp_path / "swivel.csv").read_text(encoding="utf-8"))


def test_what_stands_in_the_way_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tour.pipeline, "generate", lambda _, code, *__: write_files({"arm.c": b""}, code))
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as ended:
        tour.main(["--c", str(tmp_path / "file" / "arm"), "--figures", str(tmp_path)])
    assert ended.value.code == 1
    assert "kanegen: " in capsys.readouterr().err
