"""The command: exit codes, one clear message, and nothing half-written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kanegen.codegen import cli, pipeline
from tests.mechanism.importers.documents import pendulum

GRAVITY = ["generate", "stanford_arm", "--search", "0", "--kernels", "gravity_forces"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["generate", "nosuch"],
            "model 'nosuch': is neither built in nor a file here; expected one of stanford_arm",
        ),
        (["generate", "../x"], "../x: does not exist"),
        (
            ["generate", "stanford_arm", "--kernels", "nosuch"],
            "has no kernel 'nosuch'; expected some of inverse_",
        ),
        (["generate", "stanford_arm", "--speeds", "nosuch"], "has no generalized speeds called 'nosuch'"),
        ([*GRAVITY, "-o", "file/below"], "file/below"),
        (["simulate", "nosuch", "--scenario", "feedback"], "mechanism 'nosuch': is not built in"),
        (
            ["simulate", "stanford_arm", "--scenario", "nosuch"],
            "scenario 'nosuch': .* expected one of prescribed",
        ),
        (["simulate", "stanford_arm", "--scenario", "feedback", "--plot", "x.nosuch"], "ends in '.nosuch'"),
    ],
)
def test_a_wrong_request(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("mine")
    assert cli.main(arguments) == 1
    printed = capsys.readouterr()
    (line,) = printed.err.splitlines()
    assert re.match(f"kanegen: .*{message}", line)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nosuch"],
        ["generate"],
        ["generate", "stanford_arm", "--kernels"],
        ["generate", "stanford_arm", "--gravity", "0", "0"],
        ["generate", "stanford_arm", "--gravity", "0", "0", "nan"],
        ["generate", "stanford_arm", "--gravity", "0", "0", "1e400"],
        ["generate", "stanford_arm", "--search", "-5"],
        ["generate", "stanford_arm", "--sincos", "nosuch"],
        ["simulate", "stanford_arm"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert "error: " in capsys.readouterr().err


def test_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C while a kernel is derived: no traceback, the exit code of shells, nothing written."""

    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "derive", interrupt)
    assert cli.main([*GRAVITY, "-o", str(tmp_path / "out")]) == 130
    assert capsys.readouterr().err == "kanegen: interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_a_directory_with_spaces_and_letters_of_any_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Case 33."""
    out = tmp_path / "dir with ü space"
    assert cli.main([*GRAVITY, "--gravity", "0", "0", "-1.62", "-o", str(out)]) == 0
    assert capsys.readouterr().out.endswith(f"files to {out}\n")
    assert json.loads((out / "manifest.json").read_text())["gravity"] == [0.0, 0.0, -1.62]


def test_who_gave_a_file_is_not_told_to_give_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Case 91: a path that leads nowhere, and a name that is not built in."""
    for model, message in (
        (str(tmp_path / "robots" / "arm"), "does not exist"),
        ("arm.step", "does not exist"),
        ("no_such_arm", "is neither built in nor a file here"),
    ):
        assert cli.main(["generate", model, "-o", str(tmp_path / "c")]) == 1
        line = capsys.readouterr().err
        assert message in line
        assert "Give one of these, or a file" not in line


def test_compare_says_what_it_leaves_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Case 91: kernels that the other engine has no answer for."""
    pytest.importorskip("pinocchio")
    model = tmp_path / "arm.urdf"
    model.write_text(pendulum(), encoding="utf-8")
    assert cli.main(["compare", str(model), "--against", "pinocchio", "--states", "2"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "not compared, as Pinocchio" in printed
    assert "coordinate_rates" in printed.partition("not compared")[2]
