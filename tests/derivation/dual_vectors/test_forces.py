"""Forces by dual vectors against recursive Newton-Euler: the Stanford Arm and trees turned and placed anywhere."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.dual_vectors import forces, forces_on_speeds
from kanegen.codegen.graph import Graph, constant, count, evaluate, inputs
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.comparison import DIGITS, EXACT, Array, difference, exactly, numbers, worst
from tests.derivation.trees import random_states, random_tree

from .programs import newton_euler, program, program_of

TOLERANCE = 1e-12
"""Some thousand roundings of 1.1e-16 on terms that are at most ten times the largest force."""


def motions(mechanism: Mechanism, count: int = 5) -> dict[str, Array]:
    q, v, a, _ = random_states(3, count, len(mechanism.coordinates))
    return {"q": q, "v": v, "a": a}


def test_stanford_arm_of_the_oracle(states: dict[str, Array]) -> None:
    arm = with_numbers(mechanism("stanford_arm"))
    at = {"q": states["q"], "v": states["qd"], "a": states["qdd"]}
    for found in (program(arm), optimize(program(arm))[0]):
        assert worst(evaluate(found, at)["tau"], states["Q_gen"]) <= TOLERANCE


def test_operations_of_the_stanford_arm() -> None:
    counts = count(optimize(program(with_numbers(mechanism("stanford_arm"))))[0])
    assert (counts.multiplications, counts.additions, counts.sincos) == (188, 143, 4)  # q1 drops out
    assert counts.divisions == counts.square_roots == 0


def test_stanford_arm_with_live_parameters() -> None:
    arm = mechanism("stanford_arm")
    at = {"q": np.full(6, 0.4), "v": np.linspace(-1, 1, 6), "a": np.linspace(2, -1, 6)}
    halved = {name: value / 2 for name, value in numbers(arm).items()}
    found = evaluate(program(arm), at, halved)["tau"]
    expected = evaluate(newton_euler(arm, live_parameters=True), at, halved)["tau"]
    assert worst(found[None], expected[None]) <= TOLERANCE


@pytest.mark.parametrize(("seed", "joints"), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 4), (8, 7)])
def test_random_trees(seed: int, joints: int) -> None:
    tree = random_tree(seed, joints)
    at = motions(tree)
    found = program(tree)
    expected = evaluate(newton_euler(tree), at)["tau"]
    for candidate in (found, optimize(found)[0]):
        assert worst(evaluate(candidate, at)["tau"], expected) <= TOLERANCE


def test_random_tree_to_thirty_digits() -> None:
    tree = random_tree(9, 5)
    q, v, a, _ = random_states(9, 1, 5)
    with mpmath.workdps(DIGITS):
        arguments = {"q": list(q[0]), "v": list(v[0]), "a": list(a[0])}
        found, expected = (exactly(p, **arguments) for p in (program(tree), newton_euler(tree)))
        assert difference(found, expected) < EXACT


def test_what_is_welded_to_the_base_needs_no_force() -> None:
    builder = MechanismBuilder("welded")
    builder.body("post", mass=3, center=(0, 0, 1), inertia=(1, 1, 1))
    builder.body("arm", mass=2, center=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    builder.fixed("weld", BASE, "post", position=(0, 0, 0.5))
    builder.revolute("hinge", "post", "arm", (0, 1, 0), position=(0, 0, 2))
    tree = builder.build()
    at = {"q": np.array([0.3]), "v": np.array([1.0]), "a": np.array([-2.0])}
    # (0.2 + 2 0.5^2) a - m g c cos q, falling about +y
    expected = (0.2 + 2 * 0.5**2) * -2.0 - 2 * 9.81 * 0.5 * np.cos(0.3)
    assert evaluate(program(tree), at)["tau"][0] == pytest.approx(expected, rel=TOLERANCE)


def test_arguments_may_be_any_expressions() -> None:
    """Numbers and repeated expressions for coordinates: what vanishes costs nothing."""
    tree = random_tree(4, 4)
    graph = Graph()
    x = inputs(graph, "x", 1)[0]
    zero = constant(graph, 0)
    tau = forces(tree, graph, [x, zero, x, zero], [zero] * 4, [zero] * 4)
    found = evaluate(program_of(graph, {"x": 1}, tau), {"x": np.array([0.7])})["tau"]
    at = {"q": np.array([0.7, 0, 0.7, 0]), "v": np.zeros(4), "a": np.zeros(4)}
    expected = evaluate(newton_euler(tree), at)["tau"]
    assert worst(found[None], expected[None]) <= TOLERANCE


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
