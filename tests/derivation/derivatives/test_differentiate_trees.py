"""Derivatives of inverse and forward dynamics of trees: Pinocchio, differentiation of the graph, and counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.derivatives.kernels import derivative_kernels, differentiated
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.graph import Program, count, evaluate, evaluate_entries, multiprecision
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder, ModelError, numeric
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.passes.sums import factor, flatten
from tests.derivation.comparison import DIGITS, EXACT, ROUNDING, Array
from tests.derivation.structured_trees import derive_by_chance, states, structured_tree
from tests.derivation.tree_kernels import DYNAMICS, inverse_dynamics_derivatives
from tests.derivation.trees import random_tree
from tests.witnesses import pinocchio_derivatives as peer
from tests.witnesses.pinocchio_trees import PinocchioTree

KERNELS = derivative_kernels(DYNAMICS, inverse_dynamics_derivatives)
INVERSE, FORWARD = KERNELS
BY_GRAPH = differentiated(DYNAMICS["inverse_dynamics"], DYNAMICS["mass_matrix"])

SINGULAR = 1e12
"""Condition of a mass matrix that is singular but for rounding: massless links between joints on one line."""


def reference(tree: Mechanism, kernel: str, at: dict[str, Array]) -> dict[str, Array]:
    """Pinocchio's outputs by name, states along the first axis."""
    witness = PinocchioTree(tree)
    function = getattr(peer, kernel)
    arguments = ("q", "v", "a") if kernel == INVERSE else ("q", "v", "tau")
    found = [function(witness, *state) for state in zip(*(at[name] for name in arguments), strict=True)]
    return {name: np.array([one[name] for one in found]) for name in found[0]}


def assert_close(
    tree: Mechanism, kernel: str, program: Program, at: dict[str, Array], wanted: dict[str, Array]
) -> None:
    """Errors relative to what the kernel adds up.

    Inverse dynamics: inertia times gravity and squares of rates (up to 2).  Forward dynamics: these through M^-1, and the
    result itself with as many digits lost as M^-1 has lost.
    """
    found = evaluate(program, at)
    witness = PinocchioTree(tree)
    masses = np.array([witness.mass_matrix(q) for q in at["q"]])
    gravity = float(np.linalg.norm([float(numeric(g, tree)) for g in tree.gravity]))
    terms = float(np.abs(masses).max()) * (1 + gravity)
    condition = 1.0
    if kernel == FORWARD:
        condition = float(np.linalg.cond(masses).max())
        terms *= float(np.abs(np.linalg.inv(masses)).max())
    for name, expected in wanted.items():
        scale = max(float(np.abs(expected).max()) * condition, terms)
        assert np.abs(found[name] - expected).max() <= ROUNDING * scale, (kernel, name)


def check_against_pinocchio(tree: Mechanism, seed: int) -> None:
    n = tree.dof
    at = states(seed, 3, n)
    rng = np.random.default_rng(seed)
    condition = np.linalg.cond([PinocchioTree(tree).mass_matrix(q) for q in at["q"]]).max()
    for kernel, build in KERNELS.items():
        if kernel == FORWARD and condition > SINGULAR:
            with pytest.raises(ModelError, match="no inertia behind it"):
                Deriver(tree, build)({})
            continue
        if kernel == FORWARD and condition > 1e8:
            continue  # Pinocchio's own result has no digits to compare left
        wanted = reference(tree, kernel, at)
        derive = Deriver(tree, build)
        textbook = Deriver(tree, build, gauge=False)({})[0]
        searched = [derive_by_chance(derive, rng, coarse)[0] for coarse in (False, True)]
        for program in (textbook, *(factor(flatten(found)) for found in searched)):
            assert_close(tree, kernel, program, at, wanted)


@pytest.mark.parametrize(("joints", "seed"), [(1, 0), (3, 2), (4, 4)])
def test_structured_trees_against_pinocchio(joints: int, seed: int) -> None:
    check_against_pinocchio(structured_tree(seed, joints), seed)


@pytest.mark.parametrize("name", ["stanford_arm"])
def test_arms_of_the_catalogue_against_pinocchio(name: str) -> None:
    check_against_pinocchio(mechanism(name), 11)


def exact(program: Program, **arguments: Sequence[Any] | Array) -> dict[str, list[mpmath.mpf]]:
    entries = {(name, i): mpmath.mpf(x) for name, values in arguments.items() for i, x in enumerate(values)}
    results = evaluate_entries(program, entries, multiprecision())
    return {argument.name: values for argument, values in zip(program.outputs, results, strict=True)}


@pytest.mark.parametrize(("joints", "seed"), [(2, 41), (4, 43)])
def test_composites_and_the_graph_give_the_same_at_40_digits(joints: int, seed: int) -> None:
    """Random answers at all decision points against the differentiated textbook derivation: no rounding hides an error."""
    tree = structured_tree(seed, joints)
    rng = np.random.default_rng(seed)
    at = {name: values[0] for name, values in states(seed, 1, joints).items() if name != "tau"}
    by_graph = Deriver(tree, BY_GRAPH, gauge=False)({})[0]
    derive = Deriver(tree, inverse_dynamics_derivatives)
    with mpmath.workdps(DIGITS):
        wanted = exact(by_graph, **at)
        largest = max(abs(x) for x in wanted["da"])
        for _ in range(3):
            program, answers = derive_by_chance(derive, rng)
            found = exact(program, **at)
            for name, values in wanted.items():
                scale = max(largest, *(abs(x) for x in values))
                error = max(abs(x - y) for x, y in zip(found[name], values, strict=True))
                assert error < EXACT * scale, (name, answers)


def seven_axes() -> Mechanism:
    """An arm with the geometry of common seven-axis robots: shoulder and wrist axes meet, two offsets at the elbow."""
    b = MechanismBuilder("seven_axes")
    quarter = np.pi / 2
    rows = [
        ((0, 0, 0.333), 0.0, 4.97, (0.004, 0.002, -0.05), (0.70, 0.71, 0.009)),
        ((0, 0, 0), -quarter, 0.65, (-0.003, -0.03, 0.003), (0.008, 0.028, 0.026)),
        ((0, -0.316, 0), quarter, 3.23, (0.027, 0.04, -0.066), (0.037, 0.036, 0.011)),
        ((0.0825, 0, 0), quarter, 3.59, (-0.053, 0.104, 0.027), (0.026, 0.020, 0.028)),
        ((-0.0825, 0.384, 0), -quarter, 1.23, (-0.012, 0.041, -0.038), (0.036, 0.030, 0.0087)),
        ((0, 0, 0), quarter, 1.67, (0.06, -0.014, -0.01), (0.0020, 0.0044, 0.0055)),
        ((0.088, 0, 0), quarter, 0.74, (0.01, 0.004, 0.062), (0.013, 0.010, 0.0048)),
    ]
    parent = BASE
    for k, (position, roll, mass, center, moments) in enumerate(rows, start=1):
        b.body(f"link{k}", mass=mass, center=center, inertia=(*moments, 0, 0, 0))
        b.revolute(f"q{k}", parent, f"link{k}", (0, 0, 1), position=position, rotation=(roll, 0, 0))
        parent = f"link{k}"
    return b.build(allow_unphysical=True)


def test_counts() -> None:
    """Operations before the search; differentiating the graph takes half as many more, or twice as many."""
    counted = {}
    for name, arm in (("stanford_arm", mechanism("stanford_arm")), ("seven_axes", seven_axes())):
        derived = [Deriver(arm, build)({})[0] for build in (*KERNELS.values(), BY_GRAPH)]
        counted[name] = tuple(count(program).total for program in derived)
    composites, forward, by_graph = counted["stanford_arm"]
    assert composites <= 926 and forward <= 1807 and by_graph >= 1.3 * composites
    composites, forward, by_graph = counted["seven_axes"]
    assert composites <= 2700 and forward <= 4750 and by_graph >= 1.6 * composites


def test_a_kernel_of_thirty_joints_grows_with_the_square() -> None:
    """Pairs of joints on one branch share 70 operations or so; no more than three times as many in an arbitrary tree."""
    tree = random_tree(1, 30, fixed=False)
    placed = place(tree, Choices())
    pairs = 0
    for body in placed.bodies:
        parent = body.parent
        while parent >= 0:
            pairs, parent = pairs + 1, placed.bodies[parent].parent
    assert count(inverse_dynamics_derivatives(placed, tree, Choices())).total < 210 * pairs + 700 * 30
