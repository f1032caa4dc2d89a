"""URDF: what is refused, with file, line, element, value, expectation and cure."""

from __future__ import annotations

import logging

import pytest

from kanegen.codegen.mechanism import ModelError
from kanegen.codegen.mechanism.importers.urdf import from_urdf
from kanegen.errors import ModelWarning
from tests.refusals import refused as of_call

from .documents import INERTIAL, link, pendulum, robot


def refused(text: str, **options: bool) -> ModelError:
    error: ModelError = of_call(lambda: from_urdf(text, **options), where="line ")
    assert error.expected
    return error


def inertial(
    mass: str = 'value="1"', inertia: str = 'ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"'
) -> str:
    return f"<inertial><mass {mass}/><inertia {inertia}/></inertial>"


@pytest.mark.parametrize(
    ("text", "where", "what", "cure"),
    [
        # Case 11
        (pendulum(body=inertial('value="1,5"')), "line 3: link 'b', <mass> value", "decimal comma", "'1.5'"),
        (pendulum('<origin xyz="0 0"/>'), "line 4: joint 'j', <origin> xyz", "2 numbers", "as many"),
        (pendulum('<origin rpy="0 0 x"/>'), "line 4: joint 'j', <origin> rpy", "'x' is no number", "decimal"),
        (pendulum('<axis xyz="nan 0 1"/>'), "line 4: joint 'j', <axis> xyz", "not finite", "finite"),
        (pendulum(body=inertial('value="inf"')), "line 3: link 'b', <mass> value", "not finite", "finite"),
        (
            pendulum('<limit lower="a"/>', kind="revolute"),
            "line 4: joint 'j', <limit> lower",
            "no number",
            "decimal",
        ),
        # Case 4
        (pendulum('<axis xyz="0 0 0"/>'), "line 4: joint 'j', <axis> xyz", "is the zero vector", '"0 0 1"'),
        (pendulum("<axis/>"), "line 4: joint 'j', <axis>", "no attribute 'xyz'", "Add it"),
        (
            pendulum('<axis xzy="0 0 1"/>'),
            "line 4: joint 'j', <axis>",
            "no attribute 'xyz'",
            "Rename the attribute 'xzy'",
        ),
        # elements and attributes
        (pendulum(body="<inertial/>"), "line 3: link 'b', <inertial>", "has no <mass>", "Add <mass>"),
        (
            pendulum(body='<inertial><mass value="1"/></inertial>'),
            "line 3: link 'b', <inertial>",
            "has no <inertia>",
            "Add",
        ),
        (
            pendulum(body='<inertial><mas value="1"/></inertial>'),
            "line 3: link 'b', <inertial>",
            "has no <mass>",
            "Rename <mas>",
        ),
        (pendulum(body=inertial("")), "line 3: link 'b', <mass>", "no attribute 'value'", "Add it"),
        (
            pendulum(body=inertial().replace('<mass value="1"/>', "<mass>1.5</mass>")),
            "line 3: link 'b', <mass>",
            "no attribute 'value'",
            'value="1.5"',
        ),
        (
            pendulum(body=inertial(inertia='ixx="1" iyy="1" izz="1"')),
            "line 3: link 'b', <inertia>",
            "no attribute 'ixy'",
            "",
        ),
        (
            robot(link("a"), "<joint name='j' type='fixed'><parent link='a'/></joint>"),
            "line 3: joint 'j', <joint>",
            "has no <child>",
            "",
        ),
        (
            robot(link("a"), "<joint name='j' type='fixed'><parent/><child link='a'/></joint>"),
            "line 3: joint 'j', <parent>",
            "no attribute 'link'",
            "",
        ),
        (robot("<link/>"), "line 2: <link>", "no attribute 'name'", ""),
        (robot('<link name=""/>'), "line 2: <link>", 'has the name ""', "Name it"),
        # types
        (
            pendulum(kind="Revolute"),
            "line 4: joint 'j'",
            "its type is 'Revolute'",
            "Did you mean 'revolute'?",
        ),
        (pendulum(kind="screw"), "line 4: joint 'j'", "its type is 'screw'", ""),
        (
            pendulum().replace(' type="continuous"', ""),
            "line 4: joint 'j', <joint>",
            "no attribute 'type'",
            "",
        ),
        # quantities
        (
            pendulum('<dynamics damping="-1"/>'),
            "line 4: joint 'j', <dynamics> damping",
            "is negative, '-1'",
            "sign",
        ),
        (pendulum('<origin quat_xyzw="0 0 0 0"/>'), "line 4: joint 'j', <origin> quat_xyzw", "is zero", ""),
        (
            pendulum('<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>'),
            "line 4: joint 'j', <origin> quat_xyzw",
            "beside rpy",
            "",
        ),
        # Case 12
        (pendulum(body=inertial('value="-1"')), "line 3: link 'b', mass", "is negative, -1.0", "unphysical"),
        (
            pendulum(body=inertial(inertia='ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"')),
            "line 3: link 'b', inertia",
            "principal moments 1, 1, 5 kg m^2: the largest exceeds",
            "",
        ),
        (
            pendulum(body=inertial(inertia='ixx="1" iyy="1" izz="1" ixy="2" ixz="0" iyz="0"')),
            "line 3: link 'b', inertia",
            "principal moments -1, 1, 3 kg m^2: one is negative",
            "",
        ),
        # nothing moves
        (pendulum(kind="fixed"), "line 1: robot 'r'", "2 links and no joint that can", "floating_base=True"),
        # other formats
        ("<mujoco/>", "line 1", "the root element is <mujoco>: this is MJCF", ""),
        ("<sdf><model/></sdf>", "line 1", "this is SDF", ""),
        ("<html/>", "line 1", "the root element is <html>", ""),
        (
            robot('<xacro:macro name="m" xmlns:xacro="x"/>', link("a")),
            "line 2",
            "this looks like xacro",
            "pip install 'xacro",
        ),
        (robot(link("${prefix}a")), "line 2", "this looks like xacro", "pip install 'xacro"),
    ],
)
def test_refusals(text: str, where: str, what: str, cure: str) -> None:
    error = refused(text)
    assert error.where == where or error.where.startswith(f"{where}, ")
    assert what in error.what
    assert cure in error.cure


def test_several_errors_are_counted() -> None:
    error = refused(pendulum('<origin xyz="0,3 0 0"/><axis xyz="0 0 0"/>', body=inertial('value="-1"')))
    assert "(2 more errors: kanegen doctor lists all.)" in error.cure


def test_impossible_inertias_can_be_allowed(caplog: pytest.LogCaptureFixture) -> None:
    text = pendulum(body=inertial(inertia='ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"'))
    with caplog.at_level(logging.INFO):
        assert from_urdf(text, allow_unphysical=True).dof == 1
    assert "the largest exceeds the sum of the others" in caplog.text


def test_a_point_mass_with_rounding_noise_is_possible() -> None:
    noise = inertial(inertia='ixx="-1e-22" iyy="1e-35" izz="3e-20" ixy="0" ixz="0" iyz="0"')
    assert from_urdf(pendulum(body=noise)).dof == 1


def test_the_second_of_two_elements_is_reported() -> None:
    with pytest.warns(ModelWarning) as told:
        arm = from_urdf(pendulum('<origin xyz="1 0 0"/><origin xyz="2 0 0"/>', body=INERTIAL + INERTIAL))
    assert arm.joint("j").position == (1, 0, 0)
    first, second = (str(warning.message) for warning in told)
    assert first.startswith("line 3: link 'b': has 2 elements <inertial>")
    assert second.startswith("line 4: joint 'j': has 2 elements <origin>")
