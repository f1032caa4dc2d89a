"""I*, P* and forces against composite inertias, recursive Newton-Euler, and derivatives of the mass matrix."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.composite_inertia import mass_matrix
from kanegen.codegen.derivation.influence_coefficients import dynamic_model, forces
from kanegen.codegen.derivation.influence_coefficients.programs import effective_inertia, inertia_power
from kanegen.codegen.derivation.newton_euler import bias_forces, gravity_forces, inverse_dynamics
from kanegen.codegen.graph import Graph, Program, constant, count, evaluate, inputs
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.catalogue.khalil_arms import KHALIL_ARMS
from kanegen.codegen.mechanism.catalogue.planar_linkages import five_bar
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.comparison import EXACT, Array, derived, numbers, worst
from tests.derivation.trees import random_states, random_tree

from .support import (
    DERIVATIVE,
    DIGITS,
    derivative,
    exact_numbers,
    gap,
    model_results,
    open_tree,
    program,
    unit,
    values,
)

TOLERANCE = 1e-12
"""Some thousand roundings of 1.1e-16 on terms that are at most ten times the largest force."""

TREES = [random_tree(seed, n) for seed, n in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 4), (8, 7))]
ARM = mechanism("stanford_arm")
MACHINES = [
    ARM,
    *(with_numbers(build()) for build in KHALIL_ARMS.values()),
    with_numbers(open_tree(five_bar())),
]
"""Right angles, meeting axes, parallel axes, slides, branches: where terms vanish."""

every_tree = pytest.mark.parametrize("tree", [*TREES, *MACHINES], ids=lambda tree: tree.name)


def force_program(tree: Mechanism, link_by_link: bool = False) -> Program:
    n = len(tree.coordinates)
    graph = Graph()
    q, v, a = (inputs(graph, name, n) for name in "qva")
    tau = forces(tree, graph, q, v, a, link_by_link=link_by_link)
    return program(graph, {"q": n, "v": n, "a": n}, tau=tau)


def model_program(tree: Mechanism, link_by_link: bool) -> Program:
    n = len(tree.coordinates)
    graph = Graph()
    model = dynamic_model(tree, graph, inputs(graph, "q", n), link_by_link=link_by_link)
    return program(graph, {"q": n}, **model_results(model))


def size_of_terms(tree: Mechanism, at: dict[str, Array]) -> Array:
    """What roundings are relative to, state by state: inertial, centrifugal and gravity forces may cancel."""
    M = np.abs(evaluate(derived(mass_matrix, tree), at)["M"])
    bias, gravity = (
        evaluate(derived(build, tree), at)[name]
        for build, name in ((bias_forces, "h"), (gravity_forces, "g"))
    )
    accelerated = (M * np.abs(at["a"])[:, None, :]).sum(axis=2)
    return np.asarray((accelerated + np.abs(bias - gravity) + np.abs(gravity)).max(axis=1))


@every_tree
def test_forces(tree: Mechanism) -> None:
    q, v, a, _ = random_states(3, 5, len(tree.coordinates))
    at = {"q": q, "v": v, "a": a}
    expected = evaluate(derived(inverse_dynamics, tree), at)["tau"]
    scale = size_of_terms(tree, at)
    for link_by_link in (False, True):
        found = force_program(with_numbers(tree), link_by_link)
        for candidate in (found, optimize(found)[0]):
            error = np.abs(evaluate(candidate, at)["tau"] - expected).max(axis=1)
            assert (error <= TOLERANCE * scale).all()


@every_tree
def test_dynamic_influence_coefficients(tree: Mechanism) -> None:
    """I* is the mass matrix, P* its Christoffel symbols: derivatives by a complex step; the array holds no more."""
    n = len(tree.coordinates)
    mass = derived(mass_matrix, tree)
    with mpmath.workdps(DIGITS):
        (q,) = exact_numbers(5, n)
        inertia = values(derived(effective_inertia, tree), q=q)["I"]
        assert gap(inertia, values(mass, q=q)["M"]) < EXACT
        assert (inertia == inertia.T).all()
        dM = np.array([derivative(mass, unit(n, i), q=q)["M"] for i in range(n)], dtype=object)
        expected = (dM.transpose(1, 0, 2) + dM.transpose(1, 2, 0) - dM) / 2
        power = values(derived(inertia_power, tree), q=q)["P"]
        assert gap(power, expected) < DERIVATIVE
        assert (power == power.transpose(0, 2, 1)).all()


@every_tree
def test_inertia_power_is_the_bias_without_gravity(tree: Mechanism) -> None:
    n = len(tree.coordinates)
    with mpmath.workdps(DIGITS):
        q, v = exact_numbers(6, n, n)
        rates = np.array(v, dtype=object)
        power = values(derived(inertia_power, tree), q=q)["P"]
        bias = values(derived(bias_forces, tree), q=q, v=v)["h"]
        gravity = values(derived(gravity_forces, tree), q=q)["g"]
        assert gap([rates @ plane @ rates for plane in power], bias - gravity) < EXACT


@every_tree
def test_augmented_links_are_the_sums_over_the_links(tree: Mechanism) -> None:
    """(15), (16) and the weights as printed: the same I* and weights, and the same symmetric half of P*."""
    n = len(tree.coordinates)
    with mpmath.workdps(DIGITS):
        (q,) = exact_numbers(7, n)
        augmented, printed = (
            values(model_program(with_numbers(tree), link_by_link), q=q) for link_by_link in (False, True)
        )
        assert gap(augmented["I"], printed["I"]) < EXACT
        assert gap(augmented["loads"], printed["loads"]) < EXACT
        P = printed["P"].reshape(n, n, n)
        assert gap(augmented["P"], (P + P.transpose(0, 2, 1)) / 2) < EXACT


def test_arm_of_the_oracle(states: dict[str, Array]) -> None:
    at = {"q": states["q"], "v": states["qd"], "a": states["qdd"]}
    found = optimize(force_program(with_numbers(ARM)))[0]
    assert worst(evaluate(found, at)["tau"], states["Q_gen"]) <= TOLERANCE


def test_operations_of_the_stanford_arm() -> None:
    counts = count(optimize(force_program(with_numbers(ARM)))[0])
    assert (counts.multiplications, counts.additions, counts.sincos) == (302, 188, 4)  # q1 drops out
    assert counts.divisions == counts.square_roots == 0
    printed = count(optimize(force_program(with_numbers(ARM), link_by_link=True))[0])
    assert (printed.multiplications, printed.additions) == (1330, 1058)


def test_live_parameters() -> None:
    q, v, a, _ = random_states(8, 3, 6)
    at = {"q": q, "v": v, "a": a}
    halved = {name: value / 2 for name, value in numbers(ARM).items()}
    expected = evaluate(derived(inverse_dynamics, ARM, live_parameters=True), at, halved)["tau"]
    for link_by_link in (False, True):
        assert worst(evaluate(force_program(ARM, link_by_link), at, halved)["tau"], expected) <= TOLERANCE


def test_arguments_may_be_any_expressions() -> None:
    """Repeated expressions and zeros for coordinates, rates and accelerations."""
    tree = random_tree(4, 4)
    graph = Graph()
    x = inputs(graph, "x", 1)[0]
    zero = constant(graph, 0)
    found = program(graph, {"x": 1}, tau=forces(tree, graph, [x, zero, x, zero], [zero, x, zero, x], [x] * 4))
    at = {"q": np.array([0.7, 0, 0.7, 0]), "v": np.array([0, 0.7, 0, 0.7]), "a": np.full(4, 0.7)}
    expected = evaluate(derived(inverse_dynamics, tree), at)["tau"]
    assert worst(evaluate(found, {"x": np.array([0.7])})["tau"][None], expected[None]) <= TOLERANCE
