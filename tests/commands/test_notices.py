"""Warnings on the command line: one line each on stderr, whatever else is written."""

from __future__ import annotations

import json
import logging
import warnings
from pathlib import Path

import pytest

from kanegen.codegen.cli import main
from kanegen.codegen.commands.notices import warnings_as_lines
from kanegen.errors import ModelWarning
from kanegen.model_warnings import once, warn
from kanegen.progress import Progress
from tests.commands.test_progress import Terminal, seen
from tests.mechanism.importers.documents import pendulum

TWICE = "joint 'j': has 2 elements <axis> (lines 4, 4); the first was used; expected one. Remove the others."


@pytest.fixture
def doubtful(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(pendulum('<axis xyz="0 0 1"/>' * 2, kind="revolute"))
    return path


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_warning_is_one_line_and_the_output_stays_what_it_is(
    doubtful: Path, tmp_path: Path, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    kernels = ["--kernels", "kinetic_energy", "--search", "1"]
    assert main(["generate", str(doubtful), "-o", str(tmp_path / "out"), *kernels, *more]) == 0
    said = capsys.readouterr()
    assert said.err.splitlines() == [f"kanegen: warning: {doubtful}:4: {TWICE}"]
    if more:
        json.loads(said.out)


def test_doctor_lists_the_same_finding(doubtful: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(doubtful)]) == 0
    said = capsys.readouterr()
    assert f"{doubtful}:4: warning: {TWICE}" in said.out
    assert said.err == ""


def test_a_warning_stands_apart_from_the_stage() -> None:
    stream = Terminal()
    with Progress(stream) as progress, warnings_as_lines(progress.notice):
        progress.stage("reading the model")
        warn("the first")
        logging.getLogger("kanegen.cache").warning("the %s", "second")
        assert seen(stream.getvalue()) == [
            "kanegen: warning: the first",
            "kanegen: warning: the second",
            "reading the model ...",
        ]
    assert seen(stream.getvalue())[2:] == [""]


def test_one_message_is_one_line() -> None:
    lines: list[str] = []
    with once(), warnings_as_lines(lines.append):
        warnings.simplefilter("default", RuntimeWarning)
        for _ in range(3):
            warn("two\nlines")
            warnings.warn("the simulation is stiff", RuntimeWarning, stacklevel=1)
    assert lines == ["kanegen: warning: two lines", "kanegen: warning: the simulation is stiff"]


def test_other_warnings_pass() -> None:
    with pytest.warns(FutureWarning, match="other"), warnings_as_lines(pytest.fail):
        warnings.warn("other", FutureWarning, stacklevel=1)
    assert issubclass(ModelWarning, UserWarning)
