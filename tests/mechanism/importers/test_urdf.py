"""URDF: what is read, and what of it reaches the mechanism."""

from __future__ import annotations

import logging
from fractions import Fraction
from pathlib import Path

import pytest

from kanegen.codegen.mechanism import BASE, JointKind, ModelError
from kanegen.codegen.mechanism.findings import Severity
from kanegen.codegen.mechanism.importers import read_file
from kanegen.codegen.mechanism.importers.urdf import from_urdf, read
from kanegen.codegen.mechanism.records import JointLimits, Mimic
from kanegen.errors import ModelWarning

from .documents import INERTIAL, joint, link, pendulum, robot


def test_the_smallest_robot() -> None:
    arm = from_urdf(pendulum())
    assert (arm.name, arm.dof, arm.coordinates) == ("r", 1, ("j",))
    assert arm.gravity == (0, 0, Fraction("-9.81"))
    root, moving = arm.joints
    assert (root.name, root.kind, root.parent, root.child) == ("root_joint", JointKind.FIXED, BASE, "a")
    assert (moving.name, moving.kind, moving.parent, moving.child) == ("j", JointKind.REVOLUTE, "a", "b")
    assert moving.axis == (1, 0, 0)  # the default of the specification
    assert [frame.name for frame in arm.frames] == ["a", "b"]
    assert arm.body("a").inertia is None


def test_a_path_and_a_text(tmp_path: Path) -> None:
    path = tmp_path / "p.urdf"
    path.write_text(pendulum())
    assert from_urdf(path) == from_urdf(str(path)) == from_urdf(pendulum()) == read_file(path).mechanism
    assert from_urdf("\ufeff \n" + pendulum()) == from_urdf(pendulum())


def test_numbers_are_the_decimals_that_are_written() -> None:
    body = (
        '<inertial><origin xyz="0.1 -.2 3e-1"/><mass value="0.7"/>'
        '<inertia ixx="0.3" iyy="0.4" izz="0.5" ixy="0.01" ixz="0.02" iyz="0.03"/></inertial>'
    )
    arm = from_urdf(pendulum('<origin xyz="0.1 0 0"/><axis xyz="0 0 1"/>', body=body))
    inertia = arm.body("b").inertia
    assert inertia is not None
    assert inertia.mass == Fraction(7, 10)
    assert inertia.center == (Fraction(1, 10), Fraction(-1, 5), Fraction(3, 10))
    assert inertia.tensor == tuple(
        tuple(Fraction(entry) for entry in row)
        for row in (("0.3", "0.01", "0.02"), ("0.01", "0.4", "0.03"), ("0.02", "0.03", "0.5"))
    )
    assert arm.joint("j").position == (Fraction(1, 10), 0, 0)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("revolute", JointKind.REVOLUTE),
        ("continuous", JointKind.REVOLUTE),
        ("prismatic", JointKind.PRISMATIC),
    ],
)
def test_joints_of_one_coordinate(kind: str, expected: JointKind) -> None:
    assert from_urdf(pendulum(kind=kind)).joint("j").kind is expected


def test_joints_of_several_coordinates() -> None:
    ball = ("j_qx", "j_qy", "j_qz", "j_qw")
    assert from_urdf(pendulum(kind="spherical")).coordinates == ball
    assert from_urdf(pendulum(kind="floating")).coordinates == ("j_x", "j_y", "j_z", *ball)
    planar = from_urdf(pendulum('<axis xyz="0 0 1"/>', kind="planar"))
    assert planar.coordinates == ("j_x", "j_y", "j_angle")
    assert [joint.axis for joint in planar.joints[1:]] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


def test_the_order_is_that_of_the_file_depth_first() -> None:
    links = [link(name) for name in "abcd"]
    joints = [joint("z", "a", "b"), joint("y", "a", "c"), joint("x", "b", "d")]
    assert from_urdf(robot(*links, *joints)).coordinates == ("z", "x", "y")
    assert from_urdf(robot(*reversed(joints), *links)).coordinates == ("y", "z", "x")


def test_limits_damping_and_friction_are_recorded() -> None:
    j = from_urdf(
        pendulum(
            '<limit lower="-1.5" upper="2" velocity="3" effort="4"/><dynamics damping="0.5" friction="0.25"/>',
            kind="revolute",
        )
    ).joint("j")
    assert j.limits == JointLimits(Fraction("-1.5"), Fraction(2), Fraction(3), Fraction(4))
    assert (j.damping, j.friction) == (Fraction(1, 2), Fraction(1, 4))


@pytest.mark.parametrize(
    ("limit", "kind", "expected"),
    [
        (
            '<limit lower="-1" velocity="2" effort="3"/>',
            "revolute",
            JointLimits(Fraction(-1), Fraction(0), Fraction(2), Fraction(3)),
        ),
        ('<limit velocity="2" effort="inf"/>', "continuous", JointLimits(None, None, Fraction(2), None)),
        (
            '<limit lower="-1" upper="1" velocity="2" effort="3"/>',
            "continuous",
            JointLimits(None, None, Fraction(2), Fraction(3)),
        ),
        ("", "revolute", None),
    ],
)
def test_limits_that_are_not_all_there(limit: str, kind: str, expected: JointLimits | None) -> None:
    assert from_urdf(pendulum(limit, kind=kind)).joint("j").limits == expected


def test_an_empty_range_is_left_out_with_a_warning() -> None:
    text = pendulum('<limit lower="2" upper="1" velocity="2" effort="3"/>', kind="prismatic")
    with pytest.warns(ModelWarning, match=r"line 4: joint 'j', <limit>: its lower limit 2\.0 is above"):
        arm = from_urdf(text)
    assert arm.joint("j").limits == JointLimits(None, None, Fraction(2), Fraction(3))


def test_mimics() -> None:
    arm = from_urdf(
        robot(
            link("a"),
            link("b"),
            link("c"),
            joint("j", "a", "b", '<mimic joint="k" multiplier="-2" offset="0.1"/>'),
            joint("k", "a", "c"),
        )
    )
    assert arm.mimics == (Mimic("j", "k", Fraction(-2), Fraction(1, 10)),)
    assert arm.coordinates == ("k",)


def test_a_mimic_of_a_fixed_joint_is_nothing() -> None:
    arm = from_urdf(
        robot(
            link("a"),
            link("b"),
            link("c"),
            joint("f", "a", "b", '<mimic joint="j"/>', kind="fixed"),
            joint("j", "b", "c"),
        )
    )
    assert arm.mimics == ()


def test_an_axis_that_is_no_unit_vector(caplog: pytest.LogCaptureFixture) -> None:
    """Case 2."""
    with caplog.at_level(logging.INFO):
        arm = from_urdf(pendulum('<axis xyz="0 0 2"/>'))
    assert arm.joint("j").axis == (0, 0, 1)
    (record,) = caplog.records
    assert record.levelname == "INFO"
    assert "line 4: joint 'j', <axis> xyz: has the length 2 and was normalised" in record.message


def test_an_axis_of_few_digits(tmp_path: Path) -> None:
    path = tmp_path / "p.urdf"
    path.write_text(pendulum('<axis xyz="0.707 0.707 0"/>'))
    imported = read(path)
    x, y, z = imported.mechanism.joint("j").axis
    assert x == y and z == 0 and abs(float(x * x + y * y) - 1) < 1e-15
    assert [finding.severity for finding in imported.findings] == [Severity.NOTE]


def test_the_root_with_inertia_is_fixed_or_floats() -> None:
    text = robot(link("a"), link("b"), joint("j", "a", "b"))
    fixed, free = from_urdf(text), from_urdf(text, floating_base=True)
    assert fixed.dof == 1
    assert free.dof == 7
    assert free.coordinates[:7] == tuple(
        f"root_joint_{part}" for part in ("x", "y", "z", "qx", "qy", "qz", "qw")
    )
    assert fixed.body("a").inertia == free.body("a").inertia != None  # noqa: E711


def test_a_single_link_can_only_float() -> None:
    text = robot(link("a"))
    with pytest.raises(ModelError, match="1 link and no joint that can move: 0 degrees of freedom"):
        from_urdf(text)
    assert from_urdf(text, floating_base=True).dof == 6


def test_a_root_called_base_is_the_base() -> None:
    arm = from_urdf(robot(link("base"), link("b"), joint("j", "base", "b")))
    assert [body.name for body in arm.bodies] == ["b"]
    assert arm.joint("j").parent == BASE


def test_another_link_called_base_is_renamed(tmp_path: Path) -> None:
    text = robot(link("base_link"), link("base"), joint("j", "base_link", "base"))
    path = tmp_path / "p.urdf"
    path.write_text(text)
    imported = read(path)
    assert imported.mechanism.joint("j").child == "base_link_2"
    (finding,) = imported.findings
    assert (finding.line, finding.where) == (3, "link 'base'")
    floating = from_urdf(robot(link("base"), link("b"), joint("j", "base", "b")), floating_base=True)
    assert [body.name for body in floating.bodies if not body.carrier] == ["base_link", "b"]


def test_a_joint_called_root_joint() -> None:
    arm = from_urdf(robot(link("a"), link("b"), joint("root_joint", "a", "b")))
    assert [j.name for j in arm.joints] == ["root_joint_2", "root_joint"]


def test_meshes_and_what_other_programs_want_are_never_looked_at() -> None:
    """Case 15."""
    visual = '<visual><geometry><mesh filename="package://nowhere/x.dae" scale="a b"/></geometry></visual>'
    rest = "<gazebo><x y='z'/></gazebo><transmission/><material name='m'><color rgba='none'/></material>"
    collision = '<collision><origin xyz="not numbers"/></collision>'
    dressed = robot(link("a", ""), link("b", INERTIAL + visual + collision), joint("j", "a", "b"), rest)
    assert from_urdf(dressed) == from_urdf(pendulum())


def test_an_inertial_of_nothing_is_no_inertia() -> None:
    body = '<inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
    assert from_urdf(pendulum(body=body)).body("b").inertia is None


def test_an_orientation_as_a_quaternion() -> None:
    """URDF 1.2; twice the half turn about z, not normalised."""
    arm = from_urdf(pendulum('<origin xyz="0 0 1" quat_xyzw="0 0 2 0"/>'))
    assert arm.joint("j").rotation == ((-1, 0, 0), (0, -1, 0), (0, 0, 1))


def test_a_robot_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "my arm.v2.urdf"
    path.write_text(pendulum().replace(' name="r"', "", 1))
    imported = read(path)
    assert imported.mechanism.name == "my arm"
    assert [finding.severity for finding in imported.findings] == [Severity.NOTE]


def test_names_of_any_characters() -> None:
    """Case 13."""
    text = robot(
        link("a", ""),
        link("&quot;; system(&quot;x&#10;"),
        joint("lambda", "a", "&quot;; system(&quot;x&#10;"),
        name="double",
    )
    arm = from_urdf(text)
    assert (arm.name, arm.coordinates, arm.bodies[1].name) == ("double", ("lambda",), '"; system("x\n')


def test_the_same_bytes_give_the_same_mechanism() -> None:
    text = pendulum('<origin rpy="0.3 0.2 0.1"/>')
    assert from_urdf(text) == from_urdf(text)


def test_a_long_robot_is_read_fast_enough_to_be_no_trouble() -> None:
    """300 joints, and none of it quadratic in a way that shows; also no recursion."""
    links = [link(f"l{i}") for i in range(301)]
    joints = [joint(f"j{i}", f"l{i}", f"l{i + 1}", '<origin xyz="0 0 1" rpy="0.1 0 0"/>') for i in range(300)]
    assert from_urdf(robot(*links, *joints)).dof == 300
