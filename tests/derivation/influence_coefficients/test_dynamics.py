"""I* and P* against composite inertias and derivatives of the mass matrix."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.influence_coefficients import dynamic_model
from kanegen.codegen.derivation.influence_coefficients.programs import effective_inertia, inertia_power
from kanegen.codegen.graph import Graph, Program, inputs
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.catalogue.khalil_arms import KHALIL_ARMS
from kanegen.codegen.mechanism.catalogue.planar_linkages import five_bar
from kanegen.codegen.mechanism.folding import with_numbers
from tests.derivation.comparison import EXACT, derived
from tests.derivation.tree_kernels import bias_forces, gravity_forces, mass_matrix
from tests.derivation.trees import random_tree

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


def model_program(tree: Mechanism, link_by_link: bool) -> Program:
    n = len(tree.coordinates)
    graph = Graph()
    model = dynamic_model(tree, graph, inputs(graph, "q", n), link_by_link=link_by_link)
    return program(graph, {"q": n}, **model_results(model))


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
