"""Models in files (CASES 1 to 18): the right value, or the true reason for which there is none."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import kanegen
from kanegen.codegen.commands import doctor
from kanegen.codegen.mechanism import ModelError
from kanegen.codegen.mechanism.importers.urdf import from_urdf
from tests.mechanism.importers.documents import joint, link, pendulum, robot

Array = NDArray[np.float64]
KERNELS = ["inverse_dynamics", "mass_matrix"]
TOLERANCE = 1e-12
"""Some hundred roundings of numbers of order one."""


def inertial(moments: str = "1 2 2.5 0 0 0", origin: str = "", mass: str = "1") -> str:
    """Moments in the order xx yy zz xy xz yz."""
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    entries = " ".join(f'{name}="{value}"' for name, value in zip(names, moments.split(), strict=True))
    return f'<inertial>{origin}<mass value="{mass}"/><inertia {entries}/></inertial>'


def load(text: str, *kernels: str, **options: bool) -> kanegen.Robot:
    return kanegen.load(from_urdf(text, **options), kernels=list(kernels or KERNELS), interpreted=True)


def mass_of(inside: str, kind: str = "continuous", body: str = "") -> float:
    """The only entry of the mass matrix of a pendulum."""
    found = load(pendulum(inside, kind=kind, body=body or inertial()), "mass_matrix").mass_matrix([0.4])
    return float(found[0, 0])


def test_a_turned_inertial_frame() -> None:
    """Case 1: diag(1, 2, 2.5) with its frame turned by 90 degrees about z, and the axis x: the 2 is about x."""
    for yaw in ("1.5707963267948966", "1.57079632679"):
        turned = inertial(origin=f'<origin rpy="0 0 {yaw}"/>')
        assert mass_of('<axis xyz="1 0 0"/>', body=turned) == 2.0


@pytest.mark.parametrize(
    ("axis", "expected"), [("0 0 2", 2.5), ("0 0 1", 2.5), ("0 -3 0", 2.0), ("-1 0 0", 1.0)]
)
def test_axes_of_any_length_and_sign(axis: str, expected: float) -> None:
    """Cases 2 and 3."""
    assert mass_of(f'<axis xyz="{axis}"/>') == expected
    assert mass_of(f'<axis xyz="{axis}"/>', kind="prismatic") == 1.0


def test_the_opposite_axis_is_the_opposite_coordinate() -> None:
    """Case 3: and limits keep their numbers."""
    limit = '<limit lower="-1" upper="2" velocity="1" effort="1"/>'
    offset = inertial(origin='<origin xyz="0 0.3 0.1"/>')
    one, other = (
        from_urdf(pendulum(f'<axis xyz="{x} 0 0"/>{limit}', kind="revolute", body=offset)) for x in (1, -1)
    )
    assert one.joint("j").limits == other.joint("j").limits
    kernels = ["inverse_dynamics", "frame_pose_b"]
    a, b = (kanegen.load(m, kernels=kernels, interpreted=True) for m in (one, other))
    q, v, acceleration = np.random.default_rng(0).uniform(-1, 1, (3, 20, 1))
    assert_allclose(a.frame_pose(q, "b"), b.frame_pose(-q, "b"), atol=TOLERANCE)
    assert_allclose(
        a.inverse_dynamics(q, v, acceleration), -b.inverse_dynamics(-q, -v, -acceleration), atol=TOLERANCE
    )


def test_defaults_of_the_specification() -> None:
    """Case 4: no axis is x, no origin is the identity, and an axis of zero has no default."""
    arm = load(pendulum(), "frame_pose_b")
    s, c = np.sin(0.3), np.cos(0.3)
    expected = [[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]]
    assert_allclose(arm.frame_pose([0.3], "b"), expected, atol=1e-15)
    with pytest.raises(ModelError, match="line 4: joint 'j', <axis> xyz: is the zero vector"):
        from_urdf(pendulum('<axis xyz="0 0 0"/>'))


ARM = robot(
    link("a", ""),
    link("b", inertial("0.4 0.5 0.6 0.01 -0.02 0.03", '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>', "1.5")),
    link("c", inertial("0.3 0.4 0.5 0.03 0.02 -0.01", '<origin xyz="-0.3 0.1 0.2" rpy="-0.4 1.5 0.6"/>', "0.7")),
    link("d", inertial("0.03 0.04 0.05 0 0.002 0", '<origin xyz="0.1 0 0.2" rpy="1 2 3"/>', "0.2")),
    joint("turn", "a", "b", '<origin xyz="0.1 0.2 0.3" rpy="0.7 -0.8 0.9"/><axis xyz="1 2 -2"/>'),
    joint("slide", "b", "c", '<origin xyz="0.4 0 0.1" rpy="0.1 0.2 0.3"/><axis xyz="0 3 4"/>'
          '<limit lower="-1" upper="1" velocity="1" effort="1"/>', kind="prismatic"),
    joint("weld", "c", "d", '<origin xyz="0.3 -0.2 0.1" rpy="0.3 0.2 0.1"/>', kind="fixed"),
)  # fmt: skip


def test_turned_frames_and_a_weld_against_pinocchio() -> None:
    """Cases 5 and 9: a revolute and a prismatic joint, full inertias, a turned body behind a fixed joint."""
    pinocchio = pytest.importorskip("pinocchio")
    model = pinocchio.buildModelFromXML(ARM)
    data = model.createData()
    arm = load(ARM, *KERNELS, "frame_pose_d")
    for q, v, a in np.random.default_rng(1).uniform(-1, 1, (20, 3, 2)):
        wound = np.array([np.cos(q[0]), np.sin(q[0]), q[1]])
        expected = pinocchio.rnea(model, data, wound, v, a)
        assert_allclose(arm.inverse_dynamics(q, v, a), expected, atol=TOLERANCE * np.abs(expected).max())
        upper = np.triu(pinocchio.crba(model, data, wound))
        assert_allclose(arm.mass_matrix(q), upper + np.triu(upper, 1).T, atol=TOLERANCE)
        pinocchio.framesForwardKinematics(model, data, wound)
        pose = data.oMf[model.getFrameId("d")].homogeneous
        assert_allclose(arm.frame_pose(q, "d"), pose, atol=TOLERANCE)
    # The slide along a line that is upright carries all that hangs on it: 0.7 and 0.2 kg, exactly.
    assert arm.mass_matrix([0.0, 0.0])[1, 1] == pytest.approx(0.9, rel=1e-15)


def test_a_continuous_joint_is_one_angle() -> None:
    """Case 6."""
    arm = load(pendulum(), "mass_matrix")
    assert (arm.nq, arm.dof, arm.joint_names) == (1, 1, ("j",))


def test_a_mimic_is_no_degree_of_freedom() -> None:
    """Case 7: M_r = T^T M T with T = (1, -2), and the follower at -2 q + 0.1."""
    parts = [link("a", ""), link("b", inertial()), link("c", inertial(origin='<origin xyz="0.2 0 0.1"/>'))]
    first = joint("j", "a", "b", '<axis xyz="0 1 0"/>')
    second = joint("k", "b", "c", '<origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>{}')
    both = load(robot(*parts, first, second.format("")), *KERNELS, "frame_pose_c")
    tied = load(
        robot(*parts, first, second.format('<mimic joint="j" multiplier="-2" offset="0.1"/>')),
        *KERNELS,
        "frame_pose_c",
    )
    assert (tied.dof, tied.joint_names) == (1, ("j",))
    t = np.array([1.0, -2.0])
    for q, v, a in np.random.default_rng(2).uniform(-1, 1, (20, 3)):
        state = np.array([q, -2 * q + 0.1])
        assert_allclose(tied.mass_matrix([q]), [[t @ both.mass_matrix(state) @ t]], atol=TOLERANCE)
        assert_allclose(
            tied.inverse_dynamics([q], [v], [a]), [t @ both.inverse_dynamics(state, t * v, t * a)], atol=1e-11
        )
        assert_allclose(tied.frame_pose([q], "c"), both.frame_pose(state, "c"), atol=TOLERANCE)


def test_a_link_without_inertial() -> None:
    """Case 8: everything but forward dynamics works, and the doctor says so beforehand."""
    text = robot(
        link("a", ""),
        link("b", inertial()),
        link("tip", ""),
        joint("j", "a", "b"),
        joint("wrist", "b", "tip"),
    )
    arm = kanegen.load(from_urdf(text), interpreted=True)
    assert arm.inverse_dynamics([0.1, 0.2], [1, 2], [3, 4]).tolist() == [3.0, 0.0]
    with pytest.raises(kanegen.MissingInertiaError, match="joint 'wrist': has no inertia behind it"):
        arm.forward_dynamics([0.1, 0.2], [1, 2], [3, 4])


def test_two_parents() -> None:
    """Case 10."""
    links = [link(name) for name in "abc"]
    with pytest.raises(ModelError) as caught:
        from_urdf(robot(*links, joint("j", "a", "c"), joint("i", "a", "b"), joint("k", "b", "c")))
    message = str(caught.value)
    assert (
        "link 'c': has two parents, by joint 'j' (line 5, from 'a') and joint 'k' (line 7, from 'b')"
        in message
    )
    assert "A loop is declared between two frames with MechanismBuilder.loop" in message


def test_a_decimal_comma(tmp_path: Path) -> None:
    """Case 11: file, line, element and the text found."""
    path = tmp_path / "arm.urdf"
    path.write_text(pendulum('<origin xyz="0,3 0 0"/>'))
    with pytest.raises(
        ModelError, match=r"arm\.urdf:4: joint 'j', <origin> xyz: is '0,3 0 0', with a decimal comma"
    ):
        kanegen.load(path, interpreted=True)


def test_an_impossible_inertia(tmp_path: Path) -> None:
    """Case 12: the doctor reports the eigenvalues; generation needs a flag."""
    path = tmp_path / "arm.urdf"
    path.write_text(pendulum(body=inertial("1 1 5 0 0 0")))
    (error,) = [f for f in doctor.diagnose(str(path)) if f.severity.value == "error"]
    assert "principal moments 1, 1, 5 kg m^2" in error.what
    with pytest.raises(ModelError, match="principal moments 1, 1, 5"):
        from_urdf(path)
    assert mass_matrix_of(from_urdf(path, allow_unphysical=True)) == 1.0


def mass_matrix_of(mechanism: object) -> float:
    arm = kanegen.load(mechanism, kernels=["mass_matrix"], interpreted=True)  # type: ignore[arg-type]
    return float(arm.mass_matrix([0.2])[0, 0])


def test_names_that_no_language_likes() -> None:
    """Case 13: originals lead to their own bodies."""
    names = ("I", "a b.c-d/e", "&quot;; system(&quot;x", "f&#10;g", "'")
    parts = [link("root", ""), *(link(name, inertial()) for name in names)]
    above = ("root", *names[:-1])
    kinds = ("int", "lambda", "q", "double ", "j")
    slides = [
        joint(kind, parent, name, kind="prismatic")
        for kind, parent, name in zip(kinds, above, names, strict=True)
    ]
    arm = kanegen.load(from_urdf(robot(*parts, *slides, name="double")), interpreted=True)
    assert arm.joint_names == kinds
    assert arm.frame_names == ("root", "I", "a b.c-d/e", '"; system("x', "f\ng", "'")
    assert arm.frame_pose([1, 2, 3, 4, 5], '"; system("x')[0, 3] == 6.0


def test_joints_of_several_coordinates_name_them() -> None:
    """Case 14: the order of the quaternion is in the names."""
    free = kanegen.load(
        from_urdf(pendulum(kind="floating", body=inertial())), kernels=["mass_matrix"], interpreted=True
    )
    assert free.coordinate_names == ("j_x", "j_y", "j_z", "j_qx", "j_qy", "j_qz", "j_qw")
    assert_allclose(free.mass_matrix([1, 2, 3, 0, 0, 0, 1]), np.diag([1, 1, 1, 1, 2, 2.5]), atol=1e-15)


def test_a_floating_base_against_pinocchio() -> None:
    """Case 14: the same coordinates and speeds as Pinocchio's free flyer."""
    pinocchio = pytest.importorskip("pinocchio")
    model = pinocchio.buildModelFromXML(ARM, pinocchio.JointModelFreeFlyer())
    data = model.createData()
    arm = load(ARM, floating_base=True)
    random = np.random.default_rng(4)
    for v, a in random.uniform(-1, 1, (10, 2, 8)):
        q = random.uniform(-1, 1, 9)
        q[3:7] /= np.linalg.norm(q[3:7])
        wound = np.array([*q[:7], np.cos(q[7]), np.sin(q[7]), q[8]])
        expected = pinocchio.rnea(model, data, wound, v, a)
        assert_allclose(arm.inverse_dynamics(q, v, a), expected, atol=TOLERANCE * np.abs(expected).max())
        upper = np.triu(pinocchio.crba(model, data, wound))
        assert_allclose(arm.mass_matrix(q), upper + np.triu(upper, 1).T, atol=TOLERANCE * upper.max())


def test_meshes_need_no_ros() -> None:
    """Case 15."""
    mesh = '<visual><geometry><mesh filename="package://somewhere/b.dae"/></geometry></visual>'
    assert mass_of("", body=inertial() + mesh) == 1.0


def test_xacro_without_its_package_and_a_laugh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 16."""
    monkeypatch.setitem(sys.modules, "xacro", None)
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="x"/></robot>'
    )
    with pytest.raises(ModelError, match=r"this looks like xacro.*pip install 'kanegen\[xacro\]'"):
        kanegen.load(path, interpreted=True)
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha"}">' for i in range(20))
    with pytest.raises(ModelError, match="document type"):
        from_urdf(f"<?xml version='1.0'?><!DOCTYPE robot [{laughs}]><robot name='&l19;'/>")


def test_moving_the_base() -> None:
    """Case 18: wherever the arm is mounted, its mass matrix is the same."""
    mounted = ARM.replace(
        "</robot>", link("floor", "") + joint("m", "floor", "a", MOUNT, kind="fixed") + "</robot>"
    )
    here, there = load(ARM, "mass_matrix"), load(mounted, "mass_matrix")
    q = np.random.default_rng(3).uniform(-2, 2, (50, 2))
    assert_allclose(there.mass_matrix(q), here.mass_matrix(q), atol=TOLERANCE)


MOUNT = '<origin xyz="7 -3 5" rpy="0.5 1 2"/>'
