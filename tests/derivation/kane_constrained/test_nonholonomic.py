"""Nonholonomic partial velocities, formed first, give N^T times the forces of the tree."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.kane import nonholonomic_forces
from kanegen.codegen.graph import Graph, constant, evaluate, inputs
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.folding import with_numbers
from tests.derivation.comparison import DIGITS, EXACT, ROUNDING, Array, difference, exactly, worst
from tests.derivation.trees import random_states, random_tree

from .support import forces_through, newton_euler, program_of

ARM = mechanism("stanford_arm")


def random_rates(seed: int, count: int, n: int, speeds: int) -> Array:
    """N, (count, n, speeds), with a third of its entries zero."""
    random = np.random.default_rng([seed, n, speeds])
    N: Array = random.uniform(-2.0, 2.0, (count, n, speeds)) * (random.random((n, speeds)) < 2 / 3)
    return N


@pytest.mark.parametrize(("joints", "speeds"), [(1, 1), (5, 2), (4, 4)])
def test_random_trees(joints: int, speeds: int) -> None:
    """v and a need not fit N: prescribed rates add to them what no speed does."""
    tree = random_tree(joints, joints)
    q, v, a, _ = random_states(joints, 20, joints)
    N = random_rates(joints, 20, joints, speeds)
    given = {"q": q, "v": v, "a": a}
    kane, recursive = forces_through(tree, speeds), newton_euler(tree)
    found = evaluate(kane, {**given, "N": N.reshape(20, -1)})["tau"]
    Q = evaluate(recursive, given)["tau"]
    # N^T Q may cancel: errors are measured by the sizes of its terms
    terms = np.einsum("bsr,bs->br", np.abs(N), np.abs(Q)).max(axis=1)
    assert np.all(np.abs(found - np.einsum("bsr,bs->br", N, Q)).max(axis=1) < 10 * ROUNDING * terms)
    with mpmath.workdps(DIGITS):
        one = {name: values[0] for name, values in given.items()}
        on_rates = exactly(recursive, **one)
        expected = [sum(mpmath.mpf(N[0, s, r]) * on_rates[s] for s in range(joints)) for r in range(speeds)]
        assert difference(exactly(kane, **one, N=N[0].ravel()), expected) < EXACT


def test_what_a_speed_does_not_move_is_not_asked_for() -> None:
    """A speed that moves the last joint alone meets F alone: the force is that of q5, and no other is formed."""
    graph = Graph()
    tree = with_numbers(ARM)
    q, v, a = (inputs(graph, name, 6) for name in "qva")
    column = [[constant(graph, int(name == "q5"))] for name in tree.coordinates]
    program = program_of(graph, dict.fromkeys("qva", 6), nonholonomic_forces(tree, graph, q, v, a, column))
    states = dict(zip("qva", random_states(4, 20, 6)[:3], strict=True))
    place = tree.coordinates.index("q5")
    assert worst(evaluate(program, states)["tau"], evaluate(newton_euler(ARM), states)["tau"][:, [place]]) < (
        100 * ROUNDING  # the force of one joint of many, by its own size
    )


def test_no_speed_no_force() -> None:
    graph = Graph()
    q, v, a = (inputs(graph, name, 6) for name in "qva")
    assert nonholonomic_forces(ARM, graph, q, v, a, [()] * 6) == []


def test_exact_numbers_in_the_matrix() -> None:
    """N may hold numbers: two equal joints geared 1 : -3/2."""
    tree = random_tree(2, 2, fixed=False)
    graph = Graph()
    q, v, a = (inputs(graph, name, 2) for name in "qva")
    gear = Fraction(-3, 2)
    tau = nonholonomic_forces(tree, graph, q, v, a, [[constant(graph, 1)], [constant(graph, gear)]])
    states = dict(zip("qva", random_states(5, 20, 2)[:3], strict=True))
    found = evaluate(program_of(graph, dict.fromkeys("qva", 2), tau), states)["tau"]
    Q = evaluate(newton_euler(tree), states)["tau"]
    assert np.abs(found[:, 0] - (Q[:, 0] + float(gear) * Q[:, 1])).max() < ROUNDING * np.abs(Q).max() * 10
