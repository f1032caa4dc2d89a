"""Case 84: limits that no joint has."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import kanegen
from kanegen.codegen.commands.doctor import diagnose
from kanegen.codegen.mechanism.findings import Severity
from kanegen.codegen.mechanism.importers import read_file
from tests.mechanism.importers.documents import pendulum

TOML = """
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "j"
type = "revolute"
parent = "base"
child = "b"
axis = [1, 0, 0]
limits = {{ lower = {0}, upper = {1}, velocity = {2}, effort = {3} }}
"""
URDF = pendulum('<limit lower="LOWER" upper="UPPER" velocity="VELOCITY" effort="EFFORT"/>', kind="revolute")


def written(folder: Path, kind: str, *limits: str) -> Path:
    path = folder / f"p.{kind}"
    if kind == "toml":
        path.write_text(TOML.format(*limits))
    else:
        text = URDF
        for name, value in zip(("LOWER", "UPPER", "VELOCITY", "EFFORT"), limits, strict=True):
            text = text.replace(name, value)
        path.write_text(text)
    return path


@pytest.mark.parametrize("kind", ["urdf", "toml"])
@pytest.mark.parametrize("huge", ["1e16", "3.4028234663852886e+38", "1e9", "1e12"])
def test_the_largest_numbers_are_no_limits(tmp_path: Path, kind: str, huge: str) -> None:
    """Case 84: FLT_MAX and round large numbers are what programs write for none; a note says so, and no warning."""
    path = written(tmp_path, kind, f"-{huge}", huge, huge, huge)
    imported = read_file(path)
    limits = imported.mechanism.joint("j").limits
    assert limits is not None
    assert (limits.lower, limits.upper, limits.velocity, limits.effort) == (None,) * 4
    said = [f for f in imported.findings if "taken for no limit" in f.what]
    assert [f.severity for f in said] == [Severity.NOTE] * 4
    assert {(f.file, f.line) for f in said} == {(str(path), 4 if kind == "urdf" else 12)}


@pytest.mark.parametrize("kind", ["urdf", "toml"])
def test_a_negative_force_is_called_by_its_value(tmp_path: Path, kind: str) -> None:
    """Case 84: effort="-10" is neither 0 nor 10: it is left out, and load and doctor say so."""
    path = written(tmp_path, kind, "-1", "1", "2", "-10")
    with pytest.warns(kanegen.ModelWarning, match=r"effort: is negative, -10, and was left out"):
        robot = kanegen.load(path, kernels=["kinetic_energy"], interpreted=True)
    assert robot.joint_limits["j"].effort is None
    assert robot.joint_limits["j"].velocity == 2
    (found,) = (f for f in diagnose(str(path)) if "-10" in f.what)
    assert found.severity is Severity.WARNING
    assert not any("is 0" in f.what for f in diagnose(str(path)))


@pytest.mark.parametrize("kind", ["urdf", "toml"])
def test_minus_one_is_no_limit_as_in_sdf(tmp_path: Path, kind: str) -> None:
    """Case 84: SDF writes -1 for a speed and a force without limit, and converters copy it."""
    limits = read_file(written(tmp_path, kind, "-1", "1", "-1", "-1")).mechanism.joint("j").limits
    assert limits is not None
    assert (limits.lower, limits.velocity, limits.effort) == (-1, None, None)


def test_ordinary_limits_are_worth_no_word(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        imported = read_file(written(tmp_path, "urdf", "-3.14", "3.14", "1e3", "1e6"))
    assert not imported.findings


def test_mjcf_ranges(tmp_path: Path) -> None:
    """Case 84: the same function reads MJCF."""
    pytest.importorskip("mujoco")
    path = tmp_path / "p.xml"
    path.write_text(
        "<mujoco><compiler angle='radian'/><worldbody><body name='b'><joint name='j' type='hinge' axis='0 1 0' "
        "limited='true' range='-1e9 1e9'/><geom size='0.1'/></body></worldbody></mujoco>"
    )
    imported = read_file(path)
    limits = imported.mechanism.joint("j").limits
    assert limits is not None and limits.lower is None and limits.upper is None
    assert sum("taken for no limit" in f.what for f in imported.findings) == 2
