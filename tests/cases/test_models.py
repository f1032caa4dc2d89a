"""Models (CASES 8, 12, 13, 18, 21): what is doubtful is named, what is right is unchanged."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder, ModelError, catalogue

from .machines import pendulum


def chain(*masses: float) -> MechanismBuilder:
    """Bodies b0, b1, … on hinges j0, j1, … about z, y, z, y, …; a mass of 0 stands for a body without inertia."""
    builder = MechanismBuilder("chain")
    for i, mass in enumerate(masses):
        if mass:
            builder.body(f"b{i}", mass=mass, center=("0.1", "0.2", "0.3"), inertia=("0.1", "0.2", "0.25"))
        else:
            builder.body(f"b{i}")
        parent = f"b{i - 1}" if i else "base"
        builder.revolute(f"j{i}", parent, f"b{i}", axis=(0, i % 2, 1 - i % 2), position=("0.2", 0, "0.1"))
    return builder


@pytest.mark.parametrize("interpreted", [False, True])
def test_a_massless_body_at_the_tip(interpreted: bool) -> None:
    """Case 8: everything but forward dynamics works, and that says which joint is in its way."""
    arm = kanegen.load(chain(1, 0).build(), interpreted=interpreted)
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 4, 2))
    alone = kanegen.load(chain(1).build(), interpreted=True)
    expected = alone.inverse_dynamics(q[:, :1], v[:, :1], a[:, :1])
    # One hinge with one product of inertia: a few roundings of numbers of order one.
    assert_allclose(arm.inverse_dynamics(q, v, a), np.hstack([expected, np.zeros((4, 1))]), atol=1e-14)
    assert arm.frame_pose(q, "b1").shape == (4, 4, 4)
    assert "forward_dynamics" not in arm.kernels
    with pytest.raises(kanegen.MissingInertiaError, match="joint 'j1': has no inertia behind it"):
        arm.forward_dynamics(q, v, a)
    with pytest.raises(kanegen.MissingInertiaError, match="joint 'j1': has no inertia behind it"):
        kanegen.simulate(arm, q[0], v[0], 1.0)
    with pytest.raises(ModelError, match="joint 'j1': has no inertia behind it"):
        kanegen.load(chain(1, 0).build(), kernels=["forward_dynamics"], interpreted=interpreted)


def test_a_massless_body_in_the_middle() -> None:
    """Case 8: it carries something, so that forward dynamics is the inverse of inverse dynamics."""
    arm = kanegen.load(chain(1, 0, 2).build(), interpreted=True)
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 20, 3))
    back = arm.forward_dynamics(q, v, arm.inverse_dynamics(q, v, a))
    # The error of a solution is at most about n times the condition of M times the rounding of tau.
    bound = 30 * np.finfo(float).eps * np.linalg.cond(arm.mass_matrix(q)).max() * 10
    assert np.abs(back - a).max() < bound


def test_two_hinges_of_one_axis_without_inertia_between() -> None:
    """Case 8: inertia behind each joint, and yet a singular mass matrix: refused, never infinite."""
    builder = MechanismBuilder("coaxial")
    builder.body("a")
    builder.body("b", mass=1, center=("0.1", 0, 0), inertia=("0.1", "0.1", "0.1"))
    builder.revolute("j0", "base", "a", axis=(0, 0, 1))
    builder.revolute("j1", "a", "b", axis=(0, 0, 1))
    arm = kanegen.load(builder.build(), interpreted=True)
    with pytest.raises(
        kanegen.MissingInertiaError, match="joint 'j0': has no inertia behind it that the joints"
    ):
        arm.forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])


@pytest.mark.parametrize(
    ("inertia", "message"),
    [
        ((1, -1, 1), "principal moments -1, 1, 1 kg m^2: one is negative"),
        ((1, 1, 1, 2, 0, 0), "principal moments -1, 1, 3 kg m^2: one is negative"),
        ((1, 1, 5), "principal moments 1, 1, 5 kg m^2: the largest exceeds the sum of the others"),
    ],
)
def test_impossible_inertias_need_a_flag(inertia: tuple[int, ...], message: str) -> None:
    """Case 12."""
    builder = MechanismBuilder("impossible")
    builder.body("b", mass=1, inertia=inertia)
    builder.revolute("j", "base", "b", axis=(0, 0, 1))
    with pytest.raises(ModelError) as caught:
        builder.build()
    assert message in str(caught.value)
    arm = kanegen.load(builder.build(allow_unphysical=True), kernels=["mass_matrix"], interpreted=True)
    assert arm.mass_matrix([0.3])[0, 0] == inertia[2]


def test_names_that_differ_in_case_or_in_what_c_cannot_spell() -> None:
    """Case 13: each name leads to its own body, in C as in the interpreter."""
    names = ("a", "A", "a b", "a_b", "int", "q", '"; system("x', "ü\n")
    builder = MechanismBuilder("double")
    for i, name in enumerate(names):
        builder.body(name, mass=1, center=(Fraction(i + 1, 10), 0, 0))
        builder.prismatic(name, names[i - 1] if i else "base", name, axis=(1, 0, 0), position=(0, 0, i))
    mechanism = builder.build()
    robot = kanegen.load(mechanism, interpreted=True)
    poses = [name for name in robot.kernels if name.startswith("frame_pose_")]
    compiled = kanegen.load(mechanism, kernels=poses)
    assert compiled.joint_names == compiled.frame_names == names
    assert len({name.casefold() for name in poses}) == len(names)
    q = np.linspace(0.1, 0.8, len(names))
    for i, name in enumerate(names):
        # At most eight numbers of order one are added.
        assert_allclose(
            compiled.frame_pose(q, name)[:3, 3], [q[: i + 1].sum(), 0, i * (i + 1) / 2], atol=1e-14
        )


def test_moving_the_base_leaves_the_mass_matrix_of_the_stanford_arm() -> None:
    """Case 18: one turn and shift of everything the base carries."""
    arm = catalogue.mechanism("stanford_arm")
    turn = tuple(tuple(Fraction(x, 3) for x in row) for row in ((2, -1, 2), (2, 2, -1), (-1, 2, 2)))

    def turned(vector: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        return tuple(sum(r * x for r, x in zip(row, vector, strict=True)) for row in turn)

    joints = []
    for joint in arm.joints:
        if joint.parent == "base":
            columns = [turned(column) for column in zip(*joint.rotation, strict=True)]
            place = tuple(x + d for x, d in zip(turned(joint.position), (7, -3, 5), strict=True))
            joint = replace(joint, rotation=tuple(zip(*columns, strict=True)), position=place)
        joints.append(joint)
    moved = replace(arm, joints=tuple(joints), laws=())
    kernels = ["mass_matrix", "gravity_forces"]
    here, there = (kanegen.load(m, kernels=kernels, interpreted=True) for m in (arm, moved))
    q = np.random.default_rng(2).uniform(-3, 3, (50, 6))
    expected = here.mass_matrix(q)
    # The mass matrix does not contain the pose of the base: the same sums of at most some hundred roundings.
    assert_allclose(there.mass_matrix(q), expected, atol=1e-13 * np.abs(expected).max())
    # Gravity, which did not turn, is another one for the arm.
    assert np.abs(there.gravity_forces(q) - here.gravity_forces(q)).max() > 1


def test_gravity_in_any_direction() -> None:
    """Case 21: 9.81 by default, linear in the argument, nothing for zero."""
    q = np.array([[0.4], [-2.0]])
    robots = {
        g: kanegen.load(pendulum(), gravity=g, kernels=["gravity_forces"], interpreted=True)
        for g in (None, (0, 0, -9.81), (0, 0, 0), (3, 0, 0), (0, 3, 0), (3, 2, -9.81))
    }
    found = {g: robot.gravity_forces(q) for g, robot in robots.items()}
    assert robots[None].gravity == (0.0, 0.0, -9.81)
    assert_allclose(found[None], 9.81 * np.sin(q), rtol=1e-14)
    assert_allclose(found[0, 0, -9.81], found[None], rtol=0)
    assert not found[0, 0, 0].any()
    assert not found[0, 3, 0].any()
    assert_allclose(found[3, 0, 0], 3 * np.cos(q), rtol=1e-14)
    assert_allclose(found[3, 2, -9.81], 9.81 * np.sin(q) + 3 * np.cos(q), rtol=1e-14)
