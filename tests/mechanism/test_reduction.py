"""Bodies behind fixed joints: lumped exactly, nothing lost."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kanegen.codegen.mechanism import (
    Inertia,
    Mechanism,
    MechanismBuilder,
    ModelError,
    numeric,
    validated,
    without_fixed_joints,
)

from . import witness


def branched(live: bool = False) -> Mechanism:
    """Two moving links with turned and offset bodies welded on, one of them carrying a moving body in its
    turn."""
    builder = MechanismBuilder("branched", gravity=(0.3, -0.4, -9.81))
    mass = builder.parameter("m", 0.7, "kg") if live else 0.7
    builder.body("post", mass=50)
    builder.body("upper", mass=3, center=(0.1, 0, 0.2), inertia=(0.2, 0.3, 0.15, 0.01, -0.02, 0.03))
    builder.body("motor", mass=1.5, center=(0, 0.05, 0), inertia=(0.01, 0.02, 0.015))
    builder.body("bracket")
    builder.body("lower", mass=2, center=(0, 0, 0.3), inertia=(0.1, 0.1, 0.02))
    builder.body("tool", mass=mass, center=(0.02, 0.03, 0.1), inertia=(0.004, 0.003, 0.002))
    builder.fixed("weld_post", "base", "post", (0, 0, 0.5), (0, 0, 0.4))
    builder.revolute("q1", "post", "upper", (0, 0, 1), (0.1, 0, 0.2))
    builder.fixed("weld_motor", "upper", "motor", (0.2, -0.1, 0.3), (0.3, 0.5, -0.7))
    builder.fixed("weld_bracket", "motor", "bracket", (0, 0.1, 0), (1.1, 0, 0))
    builder.prismatic("q2", "bracket", "lower", (0.6, 0, 0.8), (0.3, 0, 0), (0, 0.2, 0))
    builder.fixed("weld_tool", "lower", "tool", (0, 0, 0.6), (0, 0, 1.2))
    builder.frame("tip", "tool", (0, 0, 0.2), (0.1, 0.2, 0.3))
    builder.coordinates(["q2", "q1"])
    return builder.build()


@pytest.mark.parametrize("live", [False, True])
def test_dynamics_and_poses_are_kept(live: bool) -> None:
    full = branched(live)
    reduced = without_fixed_joints(full)
    assert [joint.name for joint in reduced.joints] == ["q1", "q2"]
    assert [body.name for body in reduced.bodies] == ["upper", "lower"]
    assert [joint.parent for joint in reduced.joints] == ["base", "upper"]
    assert reduced.coordinates == full.coordinates
    assert validated(reduced) == reduced
    constant = witness.potential_energy(reduced, np.zeros(2)) - witness.potential_energy(full, np.zeros(2))
    for q in np.random.default_rng(5).uniform(-2, 2, (10, 2)):
        # entries are sums of some 50 products, each below 10 and rounded a few times
        np.testing.assert_allclose(
            witness.mass_matrix(reduced, q), witness.mass_matrix(full, q), rtol=0, atol=200 * 10 * 2**-53
        )
        # energies below 1e3 J, some 50 roundings
        assert witness.potential_energy(reduced, q) - witness.potential_energy(full, q) == pytest.approx(
            constant, abs=50 * 1000 * 2**-53
        )
        for frame in full.frames:
            # four or five products of matrices with entries below 3
            np.testing.assert_allclose(
                witness.frame_pose(reduced, q, frame.name),
                witness.frame_pose(full, q, frame.name),
                rtol=0,
                atol=100 * 3 * 2**-53,
            )


def test_total_moving_mass_is_conserved_exactly() -> None:
    """Case 9."""
    full = branched()
    reduced = without_fixed_joints(full)

    def total(mechanism: Mechanism) -> Fraction:
        return sum((numeric(b.inertia.mass, mechanism) for b in mechanism.bodies if b.inertia), Fraction(0))

    assert total(reduced) == total(full) - 50 == Fraction("7.2")  # the post stands on the ground


def test_parallel_axes_by_hand() -> None:
    builder = MechanismBuilder("dumbbell")
    builder.body("a", mass=1, inertia=(1, 1, 1))
    builder.body("b", mass=3, inertia=(2, 2, 2))
    builder.revolute("q1", "base", "a", (0, 0, 1))
    builder.fixed("weld", "a", "b", (0, 2, 0))
    lumped = without_fixed_joints(builder.build()).body("a").inertia
    # centre at 3/4 of the distance 2; reduced mass 3/4 times 2^2 adds 3 across the line
    tensor = tuple(tuple(Fraction(x) for x in row) for row in ((6, 0, 0), (0, 3, 0), (0, 0, 6)))
    assert lumped == Inertia(Fraction(4), (Fraction(0), Fraction(3, 2), Fraction(0)), tensor)


def test_bodies_without_inertia_add_nothing() -> None:
    builder = MechanismBuilder("m")
    builder.body("a")
    builder.body("b")
    builder.body("c", mass=2, center=(1, 0, 0))
    builder.body("d")
    builder.revolute("q1", "base", "a", (0, 0, 1))
    builder.fixed("w1", "a", "b", (0, 1, 0))
    builder.fixed("w2", "b", "c", (0, 0, 1))
    builder.revolute("q2", "c", "d", (0, 0, 1))
    reduced = without_fixed_joints(builder.build())
    inertia = reduced.body("a").inertia
    assert inertia is not None
    assert inertia.mass == 2
    assert inertia.center == (1, 1, 1)
    assert reduced.body("d").inertia is None


def test_frames_of_what_stands_on_the_ground_stay() -> None:
    reduced = without_fixed_joints(branched())
    (post,) = [frame for frame in reduced.frames if frame.name == "post"]
    assert post.body == "base"
    assert post.position == (0, 0, Fraction(1, 2))


def test_nothing_to_do_returns_the_same() -> None:
    builder = MechanismBuilder("m")
    builder.body("a", mass=1)
    builder.revolute("q1", "base", "a", (0, 0, 1))
    mechanism = builder.build()
    assert without_fixed_joints(mechanism) is mechanism


def test_masses_that_cancel_are_refused() -> None:
    builder = MechanismBuilder("m")
    builder.body("a", mass=1)
    builder.body("b", mass=-1)
    builder.revolute("q1", "base", "a", (0, 0, 1))
    builder.fixed("w", "a", "b", (1, 0, 0))
    with pytest.raises(ModelError, match="body 'a': the masses fixed to it cancel"):
        without_fixed_joints(builder.build(allow_unphysical=True))
