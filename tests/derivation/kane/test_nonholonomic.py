"""Nonholonomic partial velocities, formed first, give N^T times the forces of the tree; what they cost, and refuse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.kane import forces, nonholonomic_forces
from kanegen.codegen.derivation.motion_maps.spanning_tree import spanning_tree
from kanegen.codegen.graph import (
    Expression,
    Graph,
    OperationCounts,
    Program,
    constant,
    count,
    evaluate,
    inputs,
)
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism import JointRate, Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.folding import with_numbers
from tests.derivation.comparison import DIGITS, EXACT, ROUNDING, Array, derived, difference, exactly, worst
from tests.derivation.force_programs import newton_euler, program, program_of
from tests.derivation.speeds import kane_kernels
from tests.derivation.trees import random_states, random_tree

ARM = mechanism("stanford_arm")


def forces_through(tree: Mechanism, count: int) -> Program:
    """q, v, a, N -> tau on ``count`` speeds, where N (n x count, by rows) is an input."""
    n = len(tree.coordinates)
    graph = Graph()
    q, v, a = (inputs(graph, name, n) for name in "qva")
    entries = inputs(graph, "N", n * count)
    rows = [entries[s * count : (s + 1) * count] for s in range(n)]
    tau = nonholonomic_forces(tree, graph, q, v, a, rows)
    return program_of(graph, {"q": n, "v": n, "a": n, "N": n * count}, tau)


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


# -- operations -----------------------------------------------------------------------------------------------------------

# N is given: where the speeds are rates of joints its rows are those of the unit matrix, other entries are inputs.

Rows = Sequence[Sequence[Expression]]
Method = Callable[[Mechanism, Graph, Sequence[Sequence[Expression]], Rows], list[Expression]]


def partials_first(
    tree: Mechanism, graph: Graph, motion: Sequence[Sequence[Expression]], N: Rows
) -> list[Expression]:
    q, v, a = motion
    return nonholonomic_forces(tree, graph, q, v, a, N)


def forces_first(
    tree: Mechanism, graph: Graph, motion: Sequence[Sequence[Expression]], N: Rows
) -> list[Expression]:
    q, v, a = motion
    return list(vec.apply_total(graph, vec.transpose(N), forces(tree, graph, q, v, a)))


def counted(name: str, method: Method) -> OperationCounts:
    constrained = with_numbers(mechanism(name))
    tree = spanning_tree(constrained)
    n, speeds = len(tree.coordinates), constrained.speeds
    graph = Graph()
    motion = [inputs(graph, given, n) for given in "qva"]
    entries = inputs(graph, "N", n * len(speeds))
    N = [list(entries[s * len(speeds) : (s + 1) * len(speeds)]) for s in range(n)]
    for r, speed in enumerate(speeds):
        if isinstance(speed, JointRate):
            unit = [constant(graph, int(r == k)) for k in range(len(speeds))]
            N[tree.coordinates.index(speed.joint)] = unit
    sizes = {"q": n, "v": n, "a": n, "N": n * len(speeds)}
    return count(program_of(graph, sizes, method(tree, graph, motion, N)))


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("four_bar", (31, 18), (29, 19)),
        ("five_bar", (54, 34), (50, 34)),
        ("four_bar_tilted", (50, 28), (49, 29)),
    ],
)
def test_linkages(name: str, first: tuple[int, int], last: tuple[int, int]) -> None:
    for method, expected in ((partials_first, first), (forces_first, last)):
        found = counted(name, method)
        assert (found.multiplications, found.additions, found.divisions) == (*expected, 0)


def test_long_trees_with_several_speeds_favour_finished_forces() -> None:
    """Six legs with four coordinates each and six speeds: every body of a leg has six partial velocities."""
    first, last = (
        counted("stewart_platform", method).multiplications for method in (partials_first, forces_first)
    )
    assert last < first < 2.5 * last


def test_the_same_work_as_the_kernel_for_joint_rates() -> None:
    """Given rates are the speeds themselves: neither form costs more than the other."""
    kernel = count(derived(kane_kernels(ARM)["inverse_dynamics"], ARM))
    assert count(program(with_numbers(ARM), forces)) == kernel


def test_sizes_are_checked() -> None:
    graph = Graph()
    q, v, a = (inputs(graph, name, 6) for name in "qva")
    unit = [[constant(graph, int(r == s)) for r in range(6)] for s in range(6)]
    with pytest.raises(ValueError, match="as many as the tree has coordinates"):
        nonholonomic_forces(ARM, graph, q[:5], v, a, unit)
    with pytest.raises(ValueError, match="as many as the tree has coordinates"):
        nonholonomic_forces(ARM, graph, q, v, a, unit[:5])
    with pytest.raises(ValueError, match="differ in length"):
        nonholonomic_forces(ARM, graph, q, v, a, [*unit[:5], unit[5][:5]])
