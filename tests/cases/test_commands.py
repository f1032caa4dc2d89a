"""The command: exit codes, one clear message, what was meant by names that are nearly right, and nothing half-written."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from unittest import mock

import pytest

import kanegen
from kanegen.codegen import cli, deriving
from kanegen.codegen.commands.parser import Parser
from kanegen.options import FIELDS, OF_FILES
from tests.mechanism.importers.documents import pendulum
from tests.refusals import refused

from .files import command, written

GRAVITY = ["generate", "stanford_arm", "--search", "0", "--kernels", "gravity_forces"]
MEANT = "Did you mean '{}'?"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("generate nosuch", "model 'nosuch'"),
        ("generate ../x", "../x: does not exist"),
        ("generate robots/arm", "does not exist"),
        ("generate arm.step", "does not exist"),
        ("generate stanford_arm --kernels nosuch", "has no kernel 'nosuch'; expected some of inverse_"),
        ("generate stanford_arm --speeds nosuch", "'nosuch'"),
        (" ".join([*GRAVITY, "-o", "file/below"]), "file/below"),
        ("simulate nosuch --scenario feedback", "mechanism 'nosuch': is not built in"),
        ("simulate stanford_arm --scenario nosuch", "expected one of prescribed"),
        ("simulate stanford_arm --scenario feedback --plot x.nosuch", "ends in '.nosuch'"),
        ("generate stanford_amr", MEANT.format("stanford_arm")),
        ("compare stanford_amr --formulations", MEANT.format("stanford_arm")),
        ("simulate stanford_amr --scenario x", MEANT.format("stanford_arm")),
        ("doctor stanford_amr", MEANT.format("stanford_arm")),
        ("simulate stanford_arm --scenario free-swivle", MEANT.format("free-swivel")),
        ("generate stanford_arm --speeds kane_levinsn", MEANT.format("kane_levinson")),
    ],
)
def test_a_wrong_request(words, told, tmp_path, monkeypatch):
    """Case 91: one line on what is wrong, and what was meant; who gave a file is not told to give one."""
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("mine")
    code, report = command(*words.split())
    assert code == 1 and told in " ".join(report.split())
    if not words.startswith("doctor"):
        (line,) = report.splitlines()
        assert line.startswith("kanegen: ") and "Give one of these, or a file" not in line
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", ""),
        ("nosuch", ""),
        ("generate", ""),
        ("generate stanford_arm --kernels", ""),
        ("generate stanford_arm --gravity 0 0", ""),
        ("generate stanford_arm --gravity 0 0 nan", ""),
        ("generate stanford_arm --gravity 0 0 1e400", ""),
        ("generate stanford_arm --search -5", ""),
        ("generate stanford_arm --sincos nosuch", ""),
        ("simulate stanford_arm", ""),
        ("generate stanford_arm --formulation recursiv", MEANT.format("recursive")),
        ("compare stanford_arm --against pinochio", MEANT.format("pinocchio")),
        ("simulat stanford_arm", MEANT.format("simulate")),
        (
            "simulate stanford_arm --tmie 1",
            "kanegen simulate: error: unrecognized arguments: --tmie 1; did you mean '--time'",
        ),
        ("list stanford_arm", "kanegen list: error: unrecognized"),
        ("simulate stanford_arm --time x", "expected a finite number"),
        ("simulate --set q.q1=1 stanford_arm --time 1", "MODEL (it comes first, or last)"),
    ],
)
def test_wrong_usage(words, told, capsys):
    """Case 91: a choice that is none ends with the usage, and says what was meant."""
    assert refused(lambda: cli.main(words.split()), kind=SystemExit).code == 2
    error = capsys.readouterr().err
    assert "error: " in error and told in error and len(error.splitlines()) == 3


def test_all_commands_change_models_alike():
    """What changes a model is asked for in the same words wherever one is read."""
    for name in ("generate", "convert", "simulate", "trajectory", "doctor", "compare"):
        flags = {flag for action in subparser(name)._actions for flag in action.option_strings}
        missing = {FIELDS[option].metadata["flag"].flag for option in OF_FILES} - flags
        assert missing == ({"--allow-unphysical"} if name == "doctor" else set()), name
        assert ("--friction" in flags) == (name in ("generate", "simulate", "trajectory")), name


def subparser(name):
    parser = Parser()
    import_module(f"kanegen.codegen.commands.{name}").arguments(parser)
    return parser


def test_names_in_python():
    """Case 91: the same of ``load``; where nothing is like the name, another way out is told."""
    for name, told in (("four_baar", MEANT.format("four_bar")), ("xyzzy", "the path and its spelling")):
        refused(lambda name=name: kanegen.load(name), told, kind=kanegen.UnknownModelError)


def test_interrupted(tmp_path):
    """Ctrl-C while a kernel is derived: no traceback, the exit code of shells, nothing written."""
    with mock.patch.object(deriving, "_optimize", side_effect=KeyboardInterrupt):
        assert command(*GRAVITY, "-o", tmp_path / "out") == (130, "kanegen: interrupted\n")
    with mock.patch.object(
        cli, "import_module", side_effect=KeyboardInterrupt
    ):  # while the command is imported
        assert command(*GRAVITY, "-o", tmp_path / "out") == (130, "kanegen: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_a_directory_with_spaces_and_letters_of_any_language(tmp_path):
    """Case 33."""
    out = tmp_path / "dir with ü space"
    code, report = command(*GRAVITY, "--gravity", "0", "0", "-1.62", "-o", out)
    assert code == 0 and report.endswith(f"files to {out}\n")
    assert json.loads((out / "manifest.json").read_text())["gravity"] == [0.0, 0.0, -1.62]


@pytest.mark.needs("pinocchio")
def test_compare_says_what_it_leaves_out(tmp_path, monkeypatch):
    """Case 91: kernels that the other engine has no answer for; nothing need be compiled for that."""
    monkeypatch.setenv("CC", "/no/such/cc")
    model = written(tmp_path, ".urdf", pendulum())
    code, report = command("compare", model, "--against", "pinocchio", "--states", "2")
    assert code == 0
    assert "coordinate_rates" in " ".join(report.split()).partition("not compared, as Pinocchio")[2]
