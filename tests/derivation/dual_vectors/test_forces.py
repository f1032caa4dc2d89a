"""Forces on speeds by dual vectors."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.dual_vectors import forces, forces_on_speeds
from kanegen.codegen.graph import Graph, constant, inputs
from tests.derivation.comparison import DIGITS, EXACT, difference, exactly
from tests.derivation.force_programs import program_of
from tests.derivation.trees import random_tree


@pytest.mark.parametrize("seed", range(3))
def test_forces_on_speeds_are_combinations_of_forces(seed: int) -> None:
    """(7) put into (10) is N^T times the holonomic equations, at 40 digits."""
    tree = random_tree(seed, 4)
    graph = Graph()
    q, v, a = (inputs(graph, name, 4) for name in "qva")
    flat = inputs(graph, "N", 8)
    N = [[flat[2 * r + s] for s in range(2)] for r in range(4)]
    tau = forces(tree, graph, q, v, a)
    transposed = [sum((N[r][s] * tau[r] for r in range(4)), constant(graph, 0)) for s in range(2)]
    sizes = {"q": 4, "v": 4, "a": 4, "N": 8}
    rng = np.random.default_rng(seed)
    arguments = {name: list(rng.uniform(-2, 2, size)) for name, size in sizes.items()}
    with mpmath.workdps(DIGITS):
        found = exactly(program_of(graph, sizes, forces_on_speeds(tree, graph, q, v, a, N)), **arguments)
        assert difference(found, exactly(program_of(graph, sizes, transposed), **arguments)) < EXACT
