"""The methods of the literature against recursive Newton-Euler, on ten trees, at 40 digits; their counts as written."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.historical import FORCES, INERTIA, METHODS, WALKER_ORIN, as_written
from kanegen.codegen.derivation.historical.as_written import counted
from kanegen.codegen.derivation.historical.newton_euler import composite_bodies
from kanegen.codegen.graph import Expression, Graph, Program, evaluate, inputs
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder, catalogue
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.pipeline import Options, interpret
from tests.derivation.comparison import DIGITS, EXACT, derived, difference, exactly, worst
from tests.derivation.force_programs import newton_euler, program, program_of
from tests.derivation.structured_trees import structured_tree
from tests.derivation.tree_kernels import mass_matrix
from tests.derivation.trees import random_tree


def gantry() -> Mechanism:
    """Slides on the base, a hinge that carries a hinge and a slide, and a carrier without mass."""
    builder = MechanismBuilder("gantry", gravity=(1, -2, -9))
    for k, name in enumerate(("rail", "cart", "carrier", "pole", "hook")):
        heavy = {} if name == "carrier" else {"mass": 1 + k, "center": (0.1 * k, 0.2, -0.1)}
        builder.body(name, **heavy, **({"inertia": (0.3, 0.4, 0.5, 0.02, 0.01, 0.03)} if heavy else {}))
    builder.prismatic("x", BASE, "rail", (1, 2, 2))
    builder.prismatic("y", "rail", "cart", (0, -1, 0), (0.1, 0.2, 0.3), (0.3, 0.1, 0.2))
    builder.revolute("turn", "cart", "carrier", (0.6, 0, 0.8), (0, 0.1, 0.4))
    builder.revolute("swing", "carrier", "pole", (0, 1, 0), (0.2, 0, 0), (0.5, 0.4, 0))
    builder.prismatic("lift", "carrier", "hook", (0, 0, -1), (-0.2, 0.1, 0), (0.2, 0.6, 0.1))
    return builder.build()


TREES: dict[str, Callable[[], Mechanism]] = {
    name: partial(catalogue.mechanism, name)
    for name in ("stanford_arm", "general_6r", "sim_yoo_lee_robot", "cylindrical_arm")
} | {
    "gantry": gantry,
    "branches": partial(random_tree, 8, 5),
    "more_branches": partial(random_tree, 3, 7),
    "hinges_and_slides": partial(structured_tree, 3, 5),
    "massless_links": partial(structured_tree, 5, 4),
    "two_slides": partial(structured_tree, 12, 4),
}
"""Hinges and slides, next to the base and beyond, in chains and in branches, with massless links and welded ones."""

ROUNDING = 1e-12
"""Some thousand roundings of 1.1e-16 on terms that are at most ten times the largest force."""

STATES = 10


@cache
def tree(name: str) -> Mechanism:
    return with_numbers(TREES[name]())


@pytest.mark.parametrize("name", TREES)
def test_forces(name: str) -> None:
    mechanism = tree(name)
    witness, n = newton_euler(mechanism), len(mechanism.coordinates)
    at = dict(zip("qva", np.random.default_rng(1965).uniform(-2, 2, (3, STATES, n)), strict=True))
    one = {key: values[0] for key, values in at.items()}
    expected = evaluate(witness, at)["tau"]
    with mpmath.workdps(DIGITS):
        exact = exactly(witness, **one)
        for method, (forces, _) in FORCES.items():
            found = program(mechanism, forces)
            assert worst(evaluate(found, at)["tau"], expected) <= ROUNDING, method
            assert difference(exactly(found, **one), exact) <= EXACT, method


@pytest.mark.parametrize("name", TREES)
def test_composite_bodies(name: str) -> None:
    mechanism = tree(name)
    n, graph = len(mechanism.coordinates), Graph()
    rows = INERTIA[WALKER_ORIN](mechanism, graph, inputs(graph, "q", n))
    found = program_of(graph, {"q": n}, [x for row in rows for x in row])
    q = np.random.default_rng(1982).uniform(-2, 2, n)
    with mpmath.workdps(DIGITS):
        assert difference(exactly(found, q=q), exactly(derived(mass_matrix, mechanism), q=q)) <= EXACT


def test_walker_and_orin_solve_with_composite_bodies() -> None:
    """Forward dynamics needs fewer operations so than with a mass matrix from forces, and says whose it is."""
    kernels = ("mass_matrix", "forward_dynamics")
    found, columns = (
        interpret("stanford_arm", Options(formulation=name, kernels=kernels)).programs
        for name in (WALKER_ORIN, "luh_walker_paul_1980")
    )
    for kernel in kernels:
        assert "Walker & Orin 1982" in found[kernel].source
        assert size(found[kernel]) < size(columns[kernel])


def size(found: Program) -> int:
    return len(found.graph.reachable(found.roots))


# -- as written ----------------------------------------------------------------------------------------------------------


def hinges(n: int) -> Mechanism:
    """A chain of n hinges with arbitrary numbers."""
    builder, parent = MechanismBuilder(f"hinges_{n}"), BASE
    for k in range(n):
        builder.body(f"b{k}", mass=1 + k, center=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5, 0.02, 0.01, 0.03))
        builder.revolute(f"j{k}", parent, f"b{k}", (0, 0, 1), (0.1, 0.2, 0.3), (0.1 * k, 0.2, 0.3))
        parent = f"b{k}"
    return builder.build()


def refs(values: list[Expression] | list[list[Expression]]) -> list[object]:
    return [x.ref if isinstance(x, Expression) else refs(x) for x in values]


@pytest.mark.parametrize("name", ["stanford_arm", "branches", "gantry"])
def test_what_is_counted_is_what_is_derived(name: str) -> None:
    """The same nodes of the same graph, with and without the counting."""
    mechanism = tree(name)
    for method, (count, _) in METHODS.items():
        counts, found, graph = counted(count, mechanism)
        q, v, a = (inputs(graph, x, len(mechanism.coordinates)) for x in "qva")
        assert refs(found) == refs(FORCES[method][0](mechanism, graph, q, v, a))
        assert counts.divisions == 0
    _, found, graph = counted(composite_bodies, mechanism)
    assert refs(found) == refs(
        INERTIA[WALKER_ORIN](mechanism, graph, inputs(graph, "q", len(mechanism.coordinates)))
    )


def test_one_link_by_hand() -> None:
    """A hinge on the base: tau = z . (J z q'' + z q' x J z q' + s x m (z q'' x s + z q' x (z q' x s) - R^T g)).

    Rates times the axis 3 each, J twice 9 and 6, five vector products 6 and 3, R^T g 9 and 6, m 3, the sums of two
    accelerations and of two moments with a third 6 and 6, the product with z 3 and 2.
    """
    counts = as_written("luh_walker_paul_1980", hinges(1))
    assert counts.multiplications == 2 * 3 + 2 * 9 + 5 * 6 + 9 + 3 + 3
    assert counts.additions == 2 * 6 + 5 * 3 + 6 + 6 + 6 + 2


def test_a_slide_on_the_base_by_hand() -> None:
    """m (z q'' - R^T g) along z: rate and acceleration 3 each, R^T g 9 and 6, m 3, s x f 6 and 3, sums 3, z 3 and 2."""
    builder = MechanismBuilder("slide")
    builder.body("b", mass=2, center=(0.1, 0.2, 0.3), inertia=(1, 1, 1))
    builder.prismatic("j", BASE, "b", (0, 0, 1), rotation=(0.1, 0.2, 0.3))
    counts = as_written("luh_walker_paul_1980", builder.build())
    assert (counts.multiplications, counts.additions) == (2 * 3 + 9 + 3 + 6 + 3, 6 + 3 + 3 + 2)
