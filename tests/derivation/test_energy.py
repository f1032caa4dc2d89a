"""Energies and momentum: Pinocchio on turned trees, the oracle on the arm of the paper, and their laws."""

from __future__ import annotations

import numpy as np
import pytest

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.energy import kinetic_energy, momentum, potential_energy
from kanegen.codegen.derivation.inertial_gauge import regroup
from kanegen.codegen.derivation.placement import place
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import BASE, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.witnesses.pinocchio_trees import PinocchioTree

from .comparison import ROUNDING, Array, derived, worst
from .trees import random_states, random_tree


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("joints", [1, 3, 6])
@pytest.mark.parametrize("regrouped", [False, True], ids=["as described", "regrouped"])
def test_trees_against_pinocchio(seed: int, joints: int, regrouped: bool) -> None:
    mechanism = random_tree(seed, joints)
    tree = place(mechanism, Choices())
    if regrouped:
        tree = regroup(tree, Choices())
    witness = PinocchioTree(mechanism)
    q, v = random_states(seed, 20, joints)[:2]
    arguments = {"q": q, "v": v}
    states = list(zip(q, v, strict=True))
    kinetic = evaluate(kinetic_energy(tree, mechanism, Choices()), arguments)["T"]
    # regrouped inertias are differences: they lose as many digits as the largest exceeds the result, two here
    tolerance = ROUNDING * (100 if regrouped else 1)
    assert worst(kinetic, np.array([witness.kinetic_energy(*state) for state in states])) < tolerance
    total = evaluate(momentum(tree, mechanism, Choices()), arguments)["momentum"]
    assert worst(total, np.array([witness.momentum(*state) for state in states])) < tolerance
    potential = evaluate(potential_energy(tree, mechanism, Choices()), {"q": q})["U"]
    expected = np.array([witness.potential_energy(state) for state in q])
    assert np.abs(potential - expected).max() < tolerance * np.abs(expected).max()


def test_the_arm_against_the_oracle(states: dict[str, Array]) -> None:
    arm = mechanism("stanford_arm")
    arguments = {"q": states["q"], "v": states["qd"]}
    kinetic = evaluate(derived(kinetic_energy, arm), arguments)["T"]
    potential = evaluate(derived(potential_energy, arm), {"q": states["q"]})["U"]
    # the two energies reach 100 J and may cancel; so may the terms of W31
    assert np.abs(kinetic + potential - states["energy"]).max() < 100 * ROUNDING
    angular = evaluate(derived(momentum, arm), arguments)["momentum"][:, 4]
    assert np.abs(angular - states["H_n2_W31"]).max() < 100 * ROUNDING


def test_potential_energy_is_zero_at_the_base_origin() -> None:
    """A mass of 2 kg lifted along a slide from the origin: 2 g h, and zero at h = 0."""
    builder = MechanismBuilder("lift", gravity=(0, 0, -9.81))
    builder.body("load", mass=2)
    builder.prismatic("height", BASE, "load", axis=(0, 0, 1))
    lift = builder.build()
    energy = evaluate(derived(potential_energy, lift), {"q": [[0.0], [0.5]]})["U"]
    assert energy == pytest.approx([0.0, 9.81], rel=1e-15)


def test_momentum_of_a_sliding_point() -> None:
    """m v along x, and r x m v about the base origin."""
    builder = MechanismBuilder("sliding_point")
    builder.body("point", mass=2, center=(0, 3, 5))
    builder.prismatic("slide", BASE, "point", axis=(1, 0, 0))
    point = builder.build()
    found = evaluate(derived(momentum, point), {"q": [0.7], "v": [1.5]})["momentum"]
    assert found == pytest.approx([3.0, 0.0, 0.0, 0.0, 15.0, -9.0], rel=1e-15)
