"""Expressions of launch files and xacro in a plain URDF (side of Case 66), and what messages say of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.commands.doctor import diagnose
from kanegen.codegen.mechanism.importers import from_urdf, read_file
from tests.mechanism.importers.documents import link, pendulum, robot

SHAPE = """<link name='c'><visual><geometry><mesh filename='$(find nowhere)/c.stl'/></geometry></visual></link>
<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint>"""
IN_OTHER_PROGRAMS = [
    "<gazebo><plugin name='c' filename='libc.so'><parameters>$(find nowhere)/c.yaml</parameters></plugin></gazebo>",
    "<gazebo><description>costs $(5)</description></gazebo>",
    "<ros2_control name='c'><hardware><param name='file'>${file}</param></hardware></ros2_control>",
    "<sensor name='s'><topic>$(arg topic)</topic></sensor>",
    "<description>$(find nowhere)</description>",
    SHAPE,
]


@pytest.mark.parametrize("element", IN_OTHER_PROGRAMS)
def test_what_has_no_part_in_the_mechanism_is_not_expanded(tmp_path: Path, element: str) -> None:
    """Case 66: a plain .urdf keeps what other programs expand; the mechanism is that without it."""
    text = pendulum().replace("</robot>", f"{element}</robot>")
    path = tmp_path / "p.urdf"
    path.write_text(text)
    mechanism = pipeline.read(path, pipeline.Options())
    assert [joint.name for joint in mechanism.joints][:2] == ["root_joint", "j"]
    assert from_urdf(text) == mechanism
    assert not [f for f in diagnose(str(path)) if f.severity.value in ("error", "warning")]


@pytest.mark.parametrize(
    "change",
    [
        ('type="continuous"', 'type="$(arg kind)"'),
        ('mass value="1"', 'mass value="${m}"'),
        ("</robot>", "<transmission><joint name='$(arg j)'/></transmission></robot>"),
        ("</robot>", "<gazebo><xacro:if value='1'/></gazebo></robot>"),
    ],
)
def test_what_the_mechanism_depends_on_is(change: tuple[str, str]) -> None:
    """Case 66: numbers, names and types with expressions are none of URDF."""
    with pytest.raises(kanegen.ModelError, match="this looks like xacro"):
        from_urdf(pendulum().replace(*change))


def test_a_missing_argument_is_called_by_its_name(tmp_path: Path) -> None:
    """Case 66: the cure can be copied."""
    pytest.importorskip("xacro")
    path = tmp_path / "p.xacro"
    path.write_text(pendulum().replace('mass value="1"', 'mass value="$(arg weight)"'))
    with pytest.raises(
        kanegen.ModelError, match=r"arguments=\{'weight': value\} in Python, --arg weight:=value"
    ):
        read_file(path)


def test_an_element_of_another_program_gets_no_wrong_name() -> None:
    """Case 65: <drake:coupler_constraint> is no misspelt ball constraint, and what is refused is not ignored."""
    end = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
    for tag, cure in (
        ("drake:coupler_constraint", "Describe it with MechanismBuilder"),
        ("drake:bal_constraint", "Rename it to <drake:ball_constraint>"),
    ):
        with pytest.raises(kanegen.ModelError, match=cure) as caught:
            from_urdf(robot(link("a", ""), link("b"), end, f"<{tag}/>"))
        assert "ignored" not in str(caught.value)
