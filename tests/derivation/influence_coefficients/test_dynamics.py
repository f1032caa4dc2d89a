"""I* and P* of augmented links are the sums over the links; their values are held in tests/matrix."""

from __future__ import annotations

import mpmath
import pytest

from kanegen.codegen.derivation.influence_coefficients import dynamic_model
from kanegen.codegen.graph import Graph, Program, inputs
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.catalogue.khalil_arms import KHALIL_ARMS
from kanegen.codegen.mechanism.catalogue.planar_linkages import five_bar
from kanegen.codegen.mechanism.folding import with_numbers
from tests.derivation.comparison import EXACT
from tests.derivation.trees import random_tree

from .support import (
    DIGITS,
    exact_numbers,
    gap,
    model_results,
    open_tree,
    program,
    values,
)

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
