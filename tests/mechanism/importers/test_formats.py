"""Which importer a file gets, by suffix and content."""

from __future__ import annotations

from pathlib import Path

import pytest

from kanegen.codegen.mechanism import ModelError
from kanegen.codegen.mechanism.importers import read_file
from kanegen.codegen.mechanism.importers.model_file import format_of

from .documents import pendulum


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.urdf", pendulum(), "urdf"),
        ("a.URDF", pendulum(), "urdf"),
        ("a.xml", pendulum(), "urdf"),
        ("a", pendulum(), "urdf"),
        ("a.txt", "\ufeff<?xml version='1.0'?>\n<!-- <mujoco> -->\n" + pendulum(), "urdf"),
        ("a.xml", "<mujoco/>", "mjcf"),
        ("a.urdf", "<mujoco/>", "mjcf"),
        ("a.mjcf", "<mujocoinclude/>", "mjcf"),
        ("a.xacro", pendulum(), "xacro"),
        ("a.urdf.xacro", pendulum(), "xacro"),
        ("a.urdf", "<robot>\n<xacro:macro name='m'/></robot>", "xacro"),
        ("a.toml", "name = 'a'", "toml"),
        ("a.urdf", "hello", "urdf"),
        ("a.urdf", "<!DOCTYPE robot [<!ENTITY x 'y'>]><robot/>", "urdf"),
    ],
)
def test_formats(tmp_path: Path, name: str, content: str, expected: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert format_of(path) == expected


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("a.sdf", "<sdf version='1.6'/>", "is an SDF file"),
        ("a.world", "<sdf version='1.6'/>", "is an SDF file"),
        ("a.dae", "<COLLADA/>", "tell no known format"),
        ("a.bin", "\x00\x01", "tell no known format"),
        ("a.urdf", "", "no element found"),
        ("a.urdf", "<robot", "unclosed token"),
    ],
)
def test_what_has_no_format(tmp_path: Path, name: str, content: str, what: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        read_file(path)
    assert what in caught.value.what
    assert caught.value.where.startswith(str(path))


def test_what_is_no_file(tmp_path: Path) -> None:
    for path, what in ((tmp_path, "is a directory"), (tmp_path / "no.urdf", "does not exist")):
        with pytest.raises(ModelError, match=what):
            read_file(path)


def test_options_reach_the_importer(tmp_path: Path) -> None:
    path = tmp_path / "a.urdf"
    path.write_text(pendulum('<origin rpy="1.5708 0 0"/>'))
    read = read_file(path, floating_base=True, angle_tolerance=1e-5).mechanism
    assert read.dof == 7
    assert {entry for row in read.joint("j").rotation for entry in row} == {0, 1, -1}
