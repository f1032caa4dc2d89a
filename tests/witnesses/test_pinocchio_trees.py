"""The witness itself is tested: against the Stanford Arm's oracle, and against laws that bind its answers together."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.peers.verification import largest_relative_error, oracle_states
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder, without_fixed_joints
from kanegen.codegen.mechanism.catalogue import mechanism

from .pinocchio_trees import PinocchioTree

ROUNDING = 1e-13
"""A state of these small mechanisms takes some 500 roundings of 1.1e-16 in each algorithm: 6e-14 of the largest term,
were all of them to add up."""


@pytest.fixture(scope="module")
def branched() -> Mechanism:
    """Two branches, fixed joints inside and at an end, skew axes, full tensors, coordinates out of the tree's order."""
    builder = MechanismBuilder("branched", gravity=("1.1", "-2.3", "-9.2"))
    names = ("trunk", "bracket", "left", "plate", "right", "tip")
    for index, name in enumerate(names, start=1):
        tensor = (0.03 * index, 0.04 * index, 0.05 * index, 0.001, -0.002, 0.003)
        builder.body(name, mass=0.5 * index, center=(0.1, -0.03 * index, 0.05), inertia=tensor)
    builder.revolute("j1", BASE, "trunk", axis=(0, 0, 1), position=(0.1, 0.2, 0.3), rotation=(0.3, -0.2, 0.5))
    builder.fixed("weld", "trunk", "bracket", position=(0.2, 0.1, -0.1), rotation=(-0.7, 0.4, 0.1))
    builder.prismatic(
        "j2", "bracket", "left", axis=(2, -1, 2), position=(0, 0.3, 0), rotation=(0.1, 0.2, 0.3)
    )
    builder.revolute("j3", "left", "plate", axis=(1, 2, -2), position=(0.3, 0, 0.1))
    builder.revolute(
        "j4", "bracket", "right", axis=(0, 1, 0), position=(-0.1, 0.2, 0.4), rotation=(0, 0.9, 0)
    )
    builder.fixed("tool", "right", "tip", position=(0, 0, 0.3), rotation=(1.0, 0, 0))
    builder.frame("sensor", "tip", position=(0.01, 0.02, 0.03), rotation=(0, 0.5, 0))
    builder.coordinates(("j4", "j1", "j3", "j2"))
    return builder.build()


def states(count: int, n: int) -> np.ndarray:
    """Random q, v, a, tau: (4, count, n)."""
    return np.random.default_rng(7).uniform(-2.0, 2.0, (4, count, n))


def test_the_catalogue_arm_reproduces_the_oracle() -> None:
    tree, oracle = PinocchioTree(mechanism("stanford_arm")), oracle_states()
    tau = [tree.inverse_dynamics(*row) for row in zip(oracle.q, oracle.v, oracle.a, strict=True)]
    a = [tree.forward_dynamics(*row) for row in zip(oracle.q, oracle.v, oracle.applied, strict=True)]
    assert largest_relative_error(np.array(tau), oracle.tau) < 1e-13
    # Accelerations: the condition of the mass matrix, at most 12,000 in these states, times a rounding of 1.1e-16.
    assert largest_relative_error(np.array(a), oracle.resulting) < 12_000 * 1.1e-16


def test_fixed_joints_are_only_placements(branched: Mechanism) -> None:
    """The same mechanism with its fixed joints merged by kanegen moves alike."""
    whole, merged = PinocchioTree(branched), PinocchioTree(without_fixed_joints(branched))
    for q, v, a, tau in zip(*states(20, 4), strict=True):
        forces = whole.inverse_dynamics(q, v, a)
        assert np.abs(merged.inverse_dynamics(q, v, a) - forces).max() < ROUNDING * np.abs(forces).max()
        pose = whole.frame_pose(q, "sensor")
        assert np.abs(merged.frame_pose(q, "sensor") - pose).max() < ROUNDING
        # 300: the condition of the mass matrix, at most 264 in these states.
        accelerations = whole.forward_dynamics(q, v, tau)
        error = np.abs(merged.forward_dynamics(q, v, tau) - accelerations).max()
        assert error < 300 * ROUNDING * np.abs(accelerations).max()


def test_answers_agree_with_each_other(branched: Mechanism) -> None:
    """tau = M a + h, h(q, 0) = g, T = v M v / 2, and power, momentum and poses by central differences."""
    tree = PinocchioTree(branched)
    step = 1e-5
    # Truncation h^2/6 f''' with f''' of order 100, and rounding 1e-16 |f| / h with |f| of order 100: both near 2e-9.
    differencing = 1e-8
    for q, v, a, _ in zip(*states(10, 4), strict=True):
        mass = tree.mass_matrix(q)
        forces = tree.inverse_dynamics(q, v, a)
        scale = np.abs(forces).max()
        assert np.array_equal(mass, mass.T)
        assert np.abs(mass @ a + tree.bias_forces(q, v) - forces).max() < ROUNDING * scale
        assert np.abs(tree.bias_forces(q, 0 * v) - tree.gravity_forces(q)).max() < ROUNDING * scale
        assert tree.kinetic_energy(q, v) == pytest.approx(v @ mass @ v / 2, rel=ROUNDING)
        ahead, behind = q + step * v, q - step * v
        power = (tree.potential_energy(ahead) - tree.potential_energy(behind)) / (2 * step)
        assert power == pytest.approx(tree.gravity_forces(q) @ v, abs=differencing * scale)
        jacobian = tree.frame_jacobian(q, "sensor")
        velocity = (tree.frame_pose(ahead, "sensor") - tree.frame_pose(behind, "sensor"))[:3, 3] / (2 * step)
        assert np.abs(jacobian[:3] @ v - velocity).max() < differencing


def test_momentum_is_that_of_the_whole_mass_and_changes_by_the_external_forces(branched: Mechanism) -> None:
    """A slide of the whole tree along x carries m v; angular momentum is about the base origin, r x m v."""
    builder = MechanismBuilder("sliding_point")
    builder.body("point", mass=2, center=(0, 3, 5))
    builder.prismatic("slide", BASE, "point", axis=(1, 0, 0))
    tree = PinocchioTree(builder.build())
    momentum = tree.momentum(np.array([0.7]), np.array([1.5]))
    assert momentum == pytest.approx([3.0, 0.0, 0.0, 0.0, 15.0, -9.0], rel=1e-15)
    # Kinetic energy is homogeneous in v: the momentum of v and of -v are opposite.
    whole = PinocchioTree(branched)
    q, v = states(1, 4)[:2, 0]
    assert np.array_equal(whole.momentum(q, v), -whole.momentum(q, -v))
