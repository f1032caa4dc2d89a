"""Arms from Denavit-Hartenberg parameters, standard and modified, and the comparison arms of the catalogue."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism import JointKind, Mechanism, ModelError
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.denavit_hartenberg import (
    DHRow,
    LinkParameters,
    ModifiedDH,
    Placed,
    from_dh,
    from_modified_dh,
)
from kanegen.codegen.mechanism.values import degrees

from . import witness

ARMS = (
    "stanford_general",
    "stanford_simplified",
    "rx90_general",
    "rx90_simplified",
    "puma560_general",
    "general_6r",
)
UNIT_LINK = LinkParameters((1, 1, 1, 0, 0, 0), (0, 0, 0), 1)


def modified_dh(alpha: float, d: float, theta: float, r: float) -> np.ndarray:
    """Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r), written out (Khalil & Kleinfinger 1986)."""
    ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
    return np.array(
        [
            [ct, -st, 0, d],
            [ca * st, ca * ct, -sa, -r * sa],
            [sa * st, sa * ct, ca, r * ca],
            [0, 0, 0, 1],
        ]
    )


def test_poses_follow_the_definition() -> None:
    rng = np.random.default_rng(86)
    table = rng.uniform(-1, 1, (5, 4)).round(3)
    sliding = (False, True, False, False, True)
    rows = [ModifiedDH(*(float(x) for x in row), sliding=s) for row, s in zip(table, sliding, strict=True)]
    arm = from_modified_dh("arm", rows, [UNIT_LINK] * 5)
    q = rng.uniform(-2, 2, 5)
    pose = np.eye(4)
    for (alpha, d, theta, r), s, x in zip(table, sliding, q, strict=True):
        pose = pose @ modified_dh(alpha, d, theta + (0 if s else x), r + (x if s else 0))
    # five products of 4 x 4 matrices with entries below 6
    np.testing.assert_allclose(witness.body_poses(arm, q)["link5"], pose, rtol=0, atol=5 * 4 * 6 * 4 * 2**-53)


def about_origin(arm: Mechanism, body: str) -> tuple[list[list[Fraction]], list[Fraction], Fraction]:
    """Tensor about the link's origin, first moment and mass, in exact arithmetic: J = I + m (|c|^2 1 - c
    c^T)."""
    inertia = arm.body(body).inertia
    assert inertia is not None
    m, c = Fraction(inertia.mass), [Fraction(x) for x in inertia.center]
    square = sum(x * x for x in c)
    tensor = [
        [Fraction(inertia.tensor[i][j]) + m * ((i == j) * square - c[i] * c[j]) for j in range(3)]
        for i in range(3)
    ]
    return tensor, [m * x for x in c], m


def test_tensors_about_origins_come_back_exactly() -> None:
    link = LinkParameters(("0.5", "0.6", "0.7", "0.01", "-0.02", "0.03"), ("0.3", "-0.2", "0.1"), "1.7")
    arm = from_modified_dh("arm", [ModifiedDH()], [link])
    tensor, moment, mass = about_origin(arm, "link1")
    f = Fraction
    assert tensor == [
        [f("0.5"), f("0.01"), f("-0.02")],
        [f("0.01"), f("0.6"), f("0.03")],
        [f("-0.02"), f("0.03"), f("0.7")],
    ]
    assert moment == [f("0.3"), f("-0.2"), f("0.1")]
    assert mass == f("1.7")


@pytest.mark.parametrize("name", ARMS)
def test_which_parameters_vanish(name: str) -> None:
    """Counts depend on it: everything present in general arms, the literature's choice in simplified ones."""
    kept = {
        "stanford_simplified": ["YZ", "Y", "Z", "YZ", "YZ", "Z"],
        "rx90_simplified": ["Z", "X", "Y", "Z", "Y", "Z"],
    }.get(name)
    arm = mechanism(name)
    for j in range(1, 7):
        tensor, moment, mass = about_origin(arm, f"link{j}")
        assert mass > 0
        off_diagonal = [tensor[0][1], tensor[0][2], tensor[1][2]]
        if kept is None:
            assert all(off_diagonal)
            assert all(moment)
        else:
            assert not any(off_diagonal)
            assert {letter for letter, x in zip("XYZ", moment, strict=True) if x} == set(kept[j - 1])
        assert all(tensor[i][i] for i in range(3))


@pytest.mark.parametrize("name", ARMS)
def test_geometry_of_the_comparison_arms(name: str) -> None:
    arm = mechanism(name)
    sliding = [joint.name for joint in arm.joints if joint.kind is JointKind.PRISMATIC]
    assert sliding == (["q3"] if name.startswith("stanford") else [])
    assert all(joint.axis == (0, 0, 1) for joint in arm.joints)
    assert arm.gravity == (0, 0, Fraction("-9.81"))
    if name != "general_6r":
        entries = {entry for joint in arm.joints for row in joint.rotation for entry in row}
        assert entries == {0, 1, -1}  # quarter turns, exactly


def test_pose_of_the_general_arm() -> None:
    alpha = np.radians([0, 37, -53, 71, -29, 61])
    d = (0, 0.31, 0.27, 0.13, 0.17, 0.11)
    r = (0, 0.21, 0.19, 0.23, 0.29, 0.31)
    q = np.linspace(-1, 1.5, 6)
    pose = np.eye(4)
    for row in zip(alpha, d, q, r, strict=True):
        pose = pose @ modified_dh(*row)
    arm = mechanism("general_6r")
    # six products of 4 x 4 matrices with entries below 2
    np.testing.assert_allclose(witness.body_poses(arm, q)["link6"], pose, rtol=0, atol=6 * 4 * 2 * 4 * 2**-53)


def test_bad_tables_are_refused() -> None:
    with pytest.raises(ModelError, match="arm 'a': has 1 row and 2 links"):
        from_modified_dh("a", [ModifiedDH()], [UNIT_LINK] * 2)
    with pytest.raises(ModelError, match="link 1, mass: is zero"):
        from_modified_dh("a", [ModifiedDH()], [LinkParameters((1, 1, 1), (0, 0, 0), 0)])
    with pytest.raises(ModelError, match="link 1, alpha: not a finite number, nan"):
        from_modified_dh("a", [ModifiedDH(alpha=float("nan"))], [UNIT_LINK])


# -- any table, standard and modified ------------------------------------------------------------------------------------


def standard_dh(theta: float, d: float, a: float, alpha: float) -> np.ndarray:
    """Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha), written out (Paul 1981)."""
    ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
    return np.array(
        [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st], [0, sa, ca, d], [0, 0, 0, 1]]
    )


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_poses_of_any_table(convention: str) -> None:
    """All links and the tool, revolute and prismatic, with and without offsets along x, on a turned base."""
    rng = np.random.default_rng(1955)
    table = rng.uniform(-1, 1, (6, 4)).round(3)
    table[[1, 4], 2] = 0  # a
    sliding = (False, True, False, True, False, False)
    rows = [DHRow(*(float(x) for x in row), prismatic=s) for row, s in zip(table, sliding, strict=True)]
    arm = from_dh(
        rows,
        convention,
        base=Placed((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)),
        tool=Placed((0.3, -0.2, 0.1), (0.1, 0.2, 0.3), "tip"),
    )
    assert (arm.coordinates, arm.frames[-1].name) == (("q1", "q2", "q3", "q4", "q5", "q6"), "tip")
    q = rng.uniform(-2, 2, 6)
    pose = placed((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    for j, ((theta, d, a, alpha), s, x) in enumerate(zip(table, sliding, q, strict=True), start=1):
        theta, d = theta + (0 if s else x), d + (x if s else 0)
        pose = pose @ (
            standard_dh(theta, d, a, alpha) if convention == "standard" else modified_dh(alpha, a, theta, d)
        )
        # seven products of 4 x 4 matrices with entries below 6
        near = {"rtol": 0, "atol": 7 * 4 * 6 * 4 * 2**-53}
        np.testing.assert_allclose(witness.frame_pose(arm, q, f"link{j}"), pose, **near)
    tip = pose @ placed((0.3, -0.2, 0.1), (0.1, 0.2, 0.3))
    np.testing.assert_allclose(witness.frame_pose(arm, q, "tip"), tip, **near)


def placed(position: tuple[float, ...], rpy: tuple[float, ...]) -> np.ndarray:
    """Roll, pitch and yaw about fixed axes, written out."""
    pose = np.eye(4)
    x, y, z = (witness.rotation_about(np.eye(3)[i], angle) for i, angle in enumerate(rpy))
    pose[:3, :3], pose[:3, 3] = z @ y @ x, position
    return pose


QUARTER = degrees(90)
PUMA = [
    DHRow(
        d="0.672",
        alpha=QUARTER,
        mass=0,
        inertia=(0, "0.35", 0),
        rotor_inertia="200e-6",
        gear_ratio="-62.6111",
    ),
    DHRow(
        a="0.4318",
        mass="17.4",
        center=("-0.3638", "0.006", "0.2275"),
        inertia=("0.13", "0.524", "0.539"),
        rotor_inertia="200e-6",
        gear_ratio="107.815",
    ),
    DHRow(
        d="0.15005",
        a="0.0203",
        alpha=-QUARTER,
        mass="4.8",
        center=("-0.0203", "-0.0141", "0.070"),
        inertia=("0.066", "0.086", "0.0125"),
        rotor_inertia="200e-6",
        gear_ratio="-53.7063",
    ),
    DHRow(
        d="0.4318",
        alpha=QUARTER,
        mass="0.82",
        center=(0, "0.019", 0),
        inertia=("1.8e-3", "1.3e-3", "1.8e-3"),
        rotor_inertia="33e-6",
        gear_ratio="76.0364",
    ),
    DHRow(
        alpha=-QUARTER,
        mass="0.34",
        inertia=("0.3e-3", "0.4e-3", "0.3e-3"),
        rotor_inertia="33e-6",
        gear_ratio="71.923",
    ),
    DHRow(
        mass="0.09",
        center=(0, 0, "0.032"),
        inertia=("0.15e-3", "0.15e-3", "0.04e-3"),
        rotor_inertia="33e-6",
        gear_ratio="76.686",
    ),
]
"""The PUMA 560 in standard parameters (Corke & Armstrong-Helouvry, ICRA 1994; Corke, Robotics, Vision & Control)."""


def test_the_puma_of_the_textbook() -> None:
    """Gravity forces and mass matrix, with the motors' inertias, as printed for the configuration qn, four decimals."""
    arm = from_dh(
        PUMA, "standard", name="puma560", allow_unphysical=True
    )  # of link 1 Ixx and Izz are not known
    qn = np.array([0, np.pi / 4, np.pi, 0, np.pi / 4, 0])
    robot = kanegen.load(arm, kernels=["gravity_forces", "mass_matrix"], interpreted=True)
    np.testing.assert_allclose(
        robot.gravity_forces(qn), [0, 31.6399, 6.0351, 0, 0.0283, 0], rtol=0, atol=0.5e-4
    )
    printed = [
        [3.6594, -0.4044, 0.1006, -0.0025, 0, 0],
        [-0.4044, 4.4137, 0.3509, 0, 0.0024, 0],
        [0.1006, 0.3509, 0.9378, 0, 0.0015, 0],
        [-0.0025, 0, 0, 0.1925, 0, 0],
        [0, 0.0024, 0.0015, 0, 0.1713, 0],
        [0, 0, 0, 0, 0, 0.1941],
    ]
    np.testing.assert_allclose(robot.mass_matrix(qn), printed, rtol=0, atol=0.5e-4)


def test_both_conventions_describe_the_same_arm() -> None:
    """A standard row (theta, d, a, alpha) is the modified rows that have a and alpha one row later.

    The frames of the links are others then: those of the modified table stand at the joints.
    """
    shifted = [
        DHRow(theta=row.theta, d=row.d, a=before.a, alpha=before.alpha)
        for before, row in zip([DHRow(), *PUMA], PUMA, strict=False)
    ]
    standard, modified = from_dh(PUMA, allow_unphysical=True), from_dh(shifted, "modified")
    q = np.linspace(-1, 1.5, 6)
    # six products of 4 x 4 matrices with entries below 1, twice
    near = {"rtol": 0, "atol": 2 * 6 * 4 * 4 * 2**-53}
    np.testing.assert_allclose(
        witness.frame_pose(standard, q, "link6"), witness.frame_pose(modified, q, "link6"), **near
    )


def test_inertia_about_the_origin_of_the_link() -> None:
    row = {"d": 1, "a": 2, "alpha": QUARTER, "mass": 2, "center": (1, 0, 0)}
    about_origin = from_dh([DHRow(**row, inertia=(1, 3, 4), about="origin")])
    assert about_origin.bodies == from_dh([DHRow(**row, inertia=(1, 1, 2))]).bodies


def test_wrong_tables() -> None:
    with pytest.raises(ModelError, match="its convention is 'craig'"):
        from_dh([DHRow()], "craig")
    with pytest.raises(ModelError, match="has no rows"):
        from_dh([])
    with pytest.raises(ModelError, match="link 1, a: not a finite number, inf"):
        from_dh([DHRow(a=float("inf"))])
    with pytest.raises(ModelError, match="link 1: its inertia is about 'com'"):
        from_dh([DHRow(mass=1, about="com")])
