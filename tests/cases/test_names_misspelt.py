"""Names of models, scenarios, formulations and speeds that are nearly right: the message says which was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

import kanegen
from kanegen.codegen import cli
from kanegen.errors import ModelError, UnknownModelError


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["generate", "stanford_amr"], "stanford_arm"),
        (["compare", "stanford_amr", "--formulations"], "stanford_arm"),
        (["simulate", "stanford_amr", "--scenario", "x"], "stanford_arm"),
        (["doctor", "stanford_amr"], "stanford_arm"),
        (["simulate", "stanford_arm", "--scenario", "free-swivle"], "free-swivel"),
        (["generate", "stanford_arm", "--speeds", "kane_levinsn"], "kane_levinson"),
    ],
)
def test_names_on_the_command_line(
    arguments: list[str],
    meant: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Case 91: one letter wrong, or two exchanged."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 1
    told = "".join(capsys.readouterr())
    assert f"Did you mean '{meant}'?" in told
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["generate", "stanford_arm", "--formulation", "recursiv"], "recursive"),
        (["compare", "stanford_arm", "--against", "pinochio"], "pinocchio"),
    ],
)
def test_choices_on_the_command_line(
    arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Case 91: a choice that is none ends with the usage, and says what was meant."""
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert f"Did you mean '{meant}'?" in capsys.readouterr().err


def test_names_in_python() -> None:
    """Case 91: the same of ``load``; where nothing is like the name, another way out is told."""
    with pytest.raises(UnknownModelError, match=r"Did you mean 'four_bar'\?"):
        kanegen.load("four_baar")
    with pytest.raises(UnknownModelError, match="Check the name, or the path and its spelling"):
        kanegen.load("xyzzy")
    with pytest.raises(ModelError, match=r"formulation 'recursiv': is not known.*Did you mean 'recursive'\?"):
        kanegen.load("stanford_arm", formulation="recursiv", interpreted=True)
