"""Arms from modified Denavit-Hartenberg parameters, and the comparison arms of the catalogue."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kanegen.codegen.mechanism import JointKind, Mechanism, ModelError
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.denavit_hartenberg import LinkParameters, ModifiedDH, from_modified_dh

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
    with pytest.raises(ModelError, match="arm 'a': has 1 rows and 2 links"):
        from_modified_dh("a", [ModifiedDH()], [UNIT_LINK] * 2)
    with pytest.raises(ModelError, match="link 1, mass: is zero"):
        from_modified_dh("a", [ModifiedDH()], [LinkParameters((1, 1, 1), (0, 0, 0), 0)])
    with pytest.raises(ModelError, match="link 1, alpha: not a finite number, nan"):
        from_modified_dh("a", [ModifiedDH(alpha=float("nan"))], [UNIT_LINK])
