"""Kane's forces of plain trees against the oracle of the Stanford Arm and the recursive formulation."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.kane import forces, nonholonomic_forces
from kanegen.codegen.derivation.kane.kernels import KaneFormulation
from kanegen.codegen.graph import Graph, constant, count, evaluate, inputs
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.folding import with_numbers
from tests.derivation.comparison import (
    DIGITS,
    EXACT,
    ROUNDING,
    Array,
    derived,
    difference,
    exactly,
    numbers,
    worst,
)
from tests.derivation.trees import random_states, random_tree

from .support import newton_euler, program_of, tree_forces

ARM = mechanism("stanford_arm")


def test_the_stanford_arm(states: dict[str, Array]) -> None:
    found = evaluate(
        tree_forces(with_numbers(ARM)), {"q": states["q"], "v": states["qd"], "a": states["qdd"]}
    )
    assert worst(found["tau"], states["Q_gen"]) < ROUNDING


def test_the_same_work_as_the_kernel_for_joint_rates() -> None:
    """Given rates are the speeds themselves: neither form costs more than the other."""
    kernel = count(derived(KaneFormulation().inverse_dynamics, ARM))
    assert count(tree_forces(with_numbers(ARM))) == kernel


@pytest.mark.parametrize("joints", [1, 2, 4, 7])
@pytest.mark.parametrize("seed", range(4))
def test_two_formulations_are_the_same_function(seed: int, joints: int) -> None:
    tree = random_tree(seed, joints)
    q, v, a, _ = random_states(seed, 20, joints)
    kane, recursive = tree_forces(tree), newton_euler(tree)
    found, expected = (evaluate(p, {"q": q, "v": v, "a": a})["tau"] for p in (kane, recursive))
    assert worst(found, expected) < 10 * ROUNDING  # both round, and terms of seven bodies may cancel
    with mpmath.workdps(DIGITS):
        arguments = {"q": q[0], "v": v[0], "a": a[0]}
        assert difference(exactly(kane, **arguments), exactly(recursive, **arguments)) < EXACT


def test_parameters_stay_live() -> None:
    q, v, a, _ = random_states(11, 20, 6)
    arguments = {"q": q, "v": v, "a": a}
    live = evaluate(tree_forces(ARM), arguments, numbers(ARM))["tau"]
    assert worst(live, evaluate(tree_forces(with_numbers(ARM)), arguments)["tau"]) < ROUNDING


def test_any_expressions_serve_as_motion() -> None:
    """Coordinates that are twice an input, and rates that are zeros: forces are those of gravity."""
    graph = Graph()
    q, still = inputs(graph, "q", 6), [constant(graph, 0)] * 6
    tau = forces(with_numbers(ARM), graph, [x * 2 for x in q], still, still)
    half = random_states(12, 20, 6)[0]
    found = evaluate(program_of(graph, {"q": 6}, tau), {"q": half})["tau"]
    expected = evaluate(newton_euler(ARM), {"q": 2 * half, "v": np.zeros((20, 6)), "a": np.zeros((20, 6))})
    assert worst(found, expected["tau"]) < ROUNDING


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
