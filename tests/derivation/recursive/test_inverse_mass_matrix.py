"""The inverse of the mass matrix: by both methods and in any order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from kanegen.codegen.derivation.linear.inverse import inverse
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.recursive.inverse_mass_matrix import METHOD
from kanegen.codegen.graph import Argument, Graph, Program, constant, count, evaluate, inputs
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder, ModelError
from tests.derivation.comparison import Array
from tests.derivation.structured_trees import states
from tests.derivation.tree_kernels import DYNAMICS, inverse_mass_matrix


def chain(joints: int) -> Mechanism:
    """Equal links, turned by right angles."""
    builder = MechanismBuilder("chain")
    parent = BASE
    for number in range(joints):
        name = f"link{number}"
        builder.body(name, mass=1, center=(0.1, 0.02, 0.01), inertia=(0.1, 0.12, 0.15, 0.01, 0.02, 0.003))
        turn = np.pi / 2 if number % 2 else -np.pi / 2
        builder.revolute(f"joint{number}", parent, name, (0, 0, 1), (0.3, 0, 0), (turn, 0, 0))
        parent = name
    return builder.build()


def test_a_long_chain_by_both_methods() -> None:
    machine = chain(21)
    q = states(1, 2, 21)["q"]
    derive = Deriver(machine, inverse_mass_matrix)
    one, points = derive({})
    other, _ = derive({METHOD: 1})
    assert points[METHOD].alternatives == 2
    found = [evaluate(program, {"q": q})["Minv"] for program in (one, other)]
    M = evaluate(Deriver(machine, DYNAMICS["mass_matrix"])({})[0], {"q": q})["M"]
    # relative to the inverse of the matrix that rounding has moved
    tolerance = 1e-15 * np.linalg.cond(M).max()
    for matrix in found:
        assert np.abs(matrix - np.linalg.inv(M)).max() < tolerance * np.abs(matrix).max()


def solved(matrix: Array, blocks: list[list[int]]) -> Array:
    """The inverse of a matrix of numbers that the graph does not know to be numbers, zeros excepted."""
    graph = Graph()
    n = len(matrix)
    entries = inputs(graph, "m", n * n)
    symbolic = [
        [constant(graph, 0) if matrix[i, j] == 0 else entries[n * min(i, j) + max(i, j)] for j in range(n)]
        for i in range(n)
    ]
    found = inverse(symbolic, blocks)
    shape = (n, n)
    program = Program(
        "inverse", "", "", (Argument("m", shape, "1", ""),), (Argument("z", shape, "1", ""),), graph,
        (tuple(x.ref for row in found for x in row),),
    )  # fmt: skip
    return evaluate(program, {"m": matrix})["z"]


def test_every_order_and_block() -> None:
    rng = np.random.default_rng(0)
    factor = rng.uniform(-1, 1, (4, 4))
    matrix = factor @ factor.T + np.eye(4)
    matrix[0, 3] = matrix[3, 0] = matrix[1, 2] = matrix[2, 1] = 0
    wanted = np.linalg.inv(matrix)
    for order in permutations(range(4)):
        a, b, c, d = order
        for blocks in ([[a], [b], [c], [d]], [[a, b], [c, d]], [[a], [b, c], [d]]):
            assert np.abs(solved(matrix, blocks) - wanted).max() < 1e-14


def test_separate_branches_stay_separate() -> None:
    """Zeros of the inverse are known where nothing couples two joints."""
    builder = MechanismBuilder("branches")
    for name in ("one", "two"):
        builder.body(name, mass=2, center=(0.1, 0, 0), inertia=(1, 2, 2.5))
        builder.revolute(f"joint {name}", BASE, name, (0, 0, 1))
    program = Deriver(builder.build(), inverse_mass_matrix)({})[0]
    assert count(program).divisions == 0
    assert evaluate(program, {"q": np.zeros(2)})["Minv"] == pytest.approx(np.eye(2) / 2.52, rel=1e-15)


def test_a_joint_that_nothing_resists_is_named() -> None:
    builder = MechanismBuilder("idle")
    builder.body("hand")
    builder.revolute("wrist", BASE, "hand", (0, 0, 1))
    with pytest.raises(ModelError, match=r"'wrist'.*has no inertia behind it"):
        Deriver(builder.build(), inverse_mass_matrix)({})
