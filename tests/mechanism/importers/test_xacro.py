"""xacro: expanded where the package is, refused with a sentence where it is not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kanegen.codegen.mechanism import ModelError
from kanegen.codegen.mechanism.findings import Severity
from kanegen.codegen.mechanism.importers import read_file
from kanegen.codegen.mechanism.importers.urdf import from_urdf
from kanegen.codegen.mechanism.importers.xacro import from_xacro, urdf_text

from .documents import INERTIAL, pendulum

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
MACRO = f"""{HEAD}
<xacro:property name="half" value="${{0.25 * 2}}"/>
<xacro:macro name="segment" params="name parent">
  <link name="${{name}}">{INERTIAL}</link>
  <joint name="${{name}}_joint" type="continuous">
    <origin xyz="0 0 ${{half}}"/>
    <parent link="${{parent}}"/><child link="${{name}}"/>
  </joint>
</xacro:macro>
</robot>"""
ROBOT = f"""{HEAD}
<xacro:include filename="$(find my_arm)/urdf/segment.xacro"/>
<xacro:arg name="root" default="a"/>
<link name="$(arg root)"/>
<xacro:segment name="b" parent="$(arg root)"/>
<xacro:segment name="c" parent="b"/>
</robot>"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A package with a macro and a robot that includes it."""
    pytest.importorskip("xacro")
    urdf = tmp_path / "src" / "my_arm_folder" / "urdf"
    urdf.mkdir(parents=True)
    (urdf.parent / "package.xml").write_text("<package><name>my_arm</name></package>")
    (urdf / "segment.xacro").write_text(MACRO)
    (urdf / "robot.xacro").write_text(ROBOT)
    return urdf


def refused(path: Path, **options: object) -> ModelError:
    with pytest.raises(ModelError) as caught:
        from_xacro(path, **options)  # type: ignore[arg-type]
    return caught.value


def test_macros_includes_and_packages(workspace: Path) -> None:
    arm = read_file(workspace / "robot.xacro").mechanism
    assert arm.coordinates == ("b_joint", "c_joint")
    assert float(arm.joint("c_joint").position[2]) == 0.5
    assert from_urdf(urdf_text(workspace / "robot.xacro")) == arm


def test_xacro_in_a_urdf_file(workspace: Path) -> None:
    path = workspace / "robot.urdf"
    path.write_text(ROBOT)
    assert read_file(path).mechanism.dof == 2
    with pytest.raises(ModelError, match="this looks like xacro"):
        from_urdf(path)


def test_a_xacro_file_without_macros_needs_no_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    path = tmp_path / "p.xacro"
    path.write_text(pendulum())
    assert from_xacro(path).dof == 1


def test_errors_have_the_line_of_the_macro(workspace: Path) -> None:
    """Lines survive expansion: the element is where somebody wrote it."""
    (workspace / "segment.xacro").write_text(MACRO.replace("0 0 ${half}", "0 0 ${half},5"))
    error = refused(workspace / "robot.xacro")
    assert error.where.startswith(f"{workspace / 'segment.xacro'}:6: joint 'b_joint', <origin> xyz")
    assert "with commas" in error.what


def test_fragments_are_called_so(workspace: Path) -> None:
    error = refused(workspace / "segment.xacro")
    assert error.where == f"{workspace / 'segment.xacro'}:1"
    assert error.what == "xacro fragment without a robot, macros only: segment"


def test_packages_can_be_given_or_found_by_ros_path(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    path = outside / "robot.xacro"
    path.write_text(ROBOT)
    assert "no package 'my_arm'" in refused(path).what
    assert from_xacro(path, packages={"my_arm": workspace.parent}).dof == 2
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{tmp_path / 'src'}")
    assert from_xacro(path).dof == 2


def test_a_package_may_be_found_by_the_name_of_its_folder(workspace: Path) -> None:
    (workspace.parent / "package.xml").unlink()
    workspace.parent.rename(workspace.parent.parent / "my_arm")
    assert from_xacro(workspace.parent.parent / "my_arm" / "urdf" / "robot.xacro").dof == 2


def test_hostile_includes_are_refused(workspace: Path) -> None:
    (workspace / "segment.xacro").write_text('<!DOCTYPE a [<!ENTITY x "y">]>' + MACRO)
    assert "document type" in refused(workspace / "robot.xacro").what


def test_macros_without_end(workspace: Path) -> None:
    path = workspace / "robot.xacro"
    path.write_text(f'{HEAD}<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/></robot>')
    assert "call themselves without end" in refused(path).what


def test_what_xacro_says_is_a_note(workspace: Path) -> None:
    path = workspace / "robot.xacro"
    path.write_text(ROBOT.replace('default="a"/>', 'default="a"/><xacro:property name="pi" value="3"/>'))
    findings = read_file(path).findings
    assert any(f.severity is Severity.NOTE and "redefining global symbol" in f.what for f in findings)


def test_one_expansion_leaves_nothing_behind(workspace: Path) -> None:
    import xacro
    from xacro import substitution_args

    before = xacro.parse, substitution_args._eval_find
    (workspace / "robot.xacro").write_text(ROBOT.replace("my_arm", "nothing"))
    refused(workspace / "robot.xacro")
    assert (xacro.parse, substitution_args._eval_find) == before
