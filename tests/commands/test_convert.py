"""``kanegen convert`` and ``kanegen.convert``: files, what is said of them, and what is refused."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import kanegen
from kanegen import FileError, ModelError, ModelWarning
from kanegen.codegen.cli import main
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.importers import from_toml, from_urdf
from kanegen.options import OF_FILES
from tests.mechanism.importers.toml_models import PENDULUM
from tests.refusals import refused, warned

RESTING = PENDULUM.replace("axis", "damping = 0.2\naxis")
"""A pendulum with a damper, which acts only where it is asked to."""


def test_a_file_becomes_another_and_itself_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, urdf, again = (tmp_path / name for name in ("a.toml", "new/b.urdf", "c.TOML"))
    first.write_text(RESTING, encoding="utf-8")
    assert main(["convert", str(first), str(urdf)]) == 0
    told = capsys.readouterr()
    assert told.out == f"wrote {urdf}\n"
    assert told.err == ""
    assert main(["convert", str(urdf), str(again)]) == 0
    found, read = from_toml(again), from_toml(first)
    assert (found.joints, found.bodies) == (read.joints, read.bodies)
    assert main(["convert", "--floating-base", str(urdf), str(urdf.with_suffix(".xml"))]) == 0
    assert 'type="free"' in urdf.with_suffix(".xml").read_text(encoding="utf-8")


def test_what_is_lost_is_a_warning_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heavy, out = tmp_path / "heavy.toml", tmp_path / "heavy.urdf"
    heavy.write_text("gravity = [0, 0, -24.8]\n" + RESTING, encoding="utf-8")
    assert main(["convert", str(heavy), str(out), "--strict"]) == 1
    assert "gravity" in capsys.readouterr().err
    assert not out.exists()
    assert main(["convert", str(heavy), str(out)]) == 0
    assert capsys.readouterr().err.count("kanegen: warning: ") == 1
    written = warned(lambda: kanegen.convert(heavy, out), str(out), "gravity")
    assert from_urdf(written).joints == from_toml(heavy).joints
    refused(lambda: kanegen.convert("stanford_arm", out, strict=True), "parameters", "5 things more")
    with pytest.warns(ModelWarning):
        kanegen.convert("stanford_arm", out)  # in place of the other


def test_refusals(tmp_path: Path) -> None:
    file, folder = tmp_path / "a.toml", tmp_path / "folder.toml"
    file.write_text(RESTING, encoding="utf-8")
    folder.mkdir()
    refused(lambda: kanegen.convert(file, file), "itself", where=str(file))
    refused(lambda: kanegen.convert(file, tmp_path / "a.tml"), ".tml", ".toml")
    refused(lambda: kanegen.convert(file, tmp_path / "a"), "suffix")
    refused(lambda: kanegen.convert(file, folder), str(folder), kind=FileError)
    refused(lambda: kanegen.convert(file, 3), "PathLike", kind=TypeError)  # type: ignore[arg-type]
    refused(lambda: kanegen.convert(file, file / "b.toml"), str(file), kind=FileError)
    refused(lambda: kanegen.convert(file, "b.toml", kernels=["mass_matrix"]), "kernels", kind=TypeError)
    for name, out in (("a\x01", "a.urdf"), ("a\ud800", "b.toml")):
        builder = MechanismBuilder("odd")
        builder.body("rod", 1, (0, 0, 1), (1, 1, 1))
        builder.revolute(name, "base", "rod", (0, 1, 0))
        refused(lambda: kanegen.convert(builder.build(), tmp_path / out), "Rename")  # noqa: B023
        assert not (tmp_path / out).exists()


def test_the_options_are_those_of_files() -> None:
    named = list(inspect.signature(kanegen.convert).parameters)
    assert set(named) == {"model", "path", "strict", *OF_FILES}
    refused(lambda: main(["convert", "--search", "3", "stanford_arm", "a.toml"]), kind=SystemExit)


def test_a_model_that_is_wrong_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text(RESTING.replace("mass = 2", "mass = -2"), encoding="utf-8")
    refused(lambda: kanegen.convert(file, tmp_path / "b.toml"), "mass", kind=ModelError)
    kanegen.convert(file, tmp_path / "b.toml", allow_unphysical=True)
    assert from_toml(tmp_path / "b.toml", allow_unphysical=True) == from_toml(file, allow_unphysical=True)
