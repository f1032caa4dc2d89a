"""Kernels of influence coefficients: names, what is zero and costs nothing, springs; values are held in tests/matrix."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.influence_coefficients.equations import dynamic_model
from kanegen.codegen.graph import Graph, Program, count, evaluate, inputs
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.catalogue.khalil_arms import KHALIL_ARMS
from kanegen.codegen.mechanism.catalogue.planar_linkages import five_bar
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.passes.optimize import optimize
from kanegen.options import Options
from tests.derivation.comparison import EXACT
from tests.derivation.trees import random_tree

from .support import DIGITS, exact_numbers, gap, model_results, open_tree, program, values


def evaluated(tree: Mechanism, kernel: str, **given: Any) -> Any:
    """The result of a kernel, as the textbook has it."""
    found = KernelSources(tree, Options(formulation="influence_coefficients")).plain(kernel)
    return evaluate(found, given)[found.outputs[0].name]


def test_structure() -> None:
    """Positions: symmetric.  Rotations: nothing in the later joint's row.  Joints beyond or beside: nothing at all."""
    tree = random_tree(2, 5)
    q = np.linspace(-1, 1, 5)
    for name in KernelSources(tree, Options()).frames:
        G, H = (evaluated(tree, f"influence_{order}_{name}", q=q) for order in "GH")
        assert np.array_equal(H[:3], H[:3].transpose(0, 2, 1)), name
        both = (H[3:] != 0) & (H[3:].transpose(0, 2, 1) != 0)
        assert not both.any(), name
        idle = ~G.any(axis=0)
        assert not H[:, idle].any(), name
        assert not H[:, :, idle].any(), name


def test_structural_zeros_cost_nothing() -> None:
    """The hand of the Stanford Arm: 6 x 6 x 6 entries, few of which differ."""
    arm = mechanism("stanford_arm")
    second = KernelSources(arm, Options(formulation="influence_coefficients")).plain("influence_H_F")
    counts = count(optimize(second)[0])
    assert (counts.multiplications, counts.additions, counts.divisions) == (53, 20, 0)


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


def test_a_spring_without_rest_length_has_a_rate_where_its_ends_meet() -> None:
    builder = MechanismBuilder("collapsed")
    builder.body("rod", mass=1)
    builder.revolute("hinge", BASE, "rod", (0, 0, 1))
    builder.frame("tip", "rod", position=(2, 0, 0))
    builder.body("anchor", mass=1)
    builder.prismatic("rail", BASE, "anchor", (1, 0, 0), position=(2, 0, 0))
    builder.translational_spring("spring", "anchor", "tip", stiffness=5)
    tree = builder.build()
    # U = 5/2 |tip - anchor|^2 with tip = 2 (cos q, sin q), anchor = (2 + x, 0): at 0 the Hessian is 5 diag(4, 1)
    K = evaluated(tree, "effective_stiffness", q=np.zeros(2))
    assert pytest.approx(np.diag([20.0, 5.0]), abs=1e-14) == K


def test_without_springs_nothing_resists() -> None:
    tree = MechanismBuilder("free")
    tree.body("rod", mass=1)
    tree.revolute("hinge", BASE, "rod", (0, 0, 1))
    for kernel in ("effective_stiffness", "effective_damping"):
        assert evaluated(tree.build(), kernel, q=np.ones(1)) == 0


@pytest.mark.parametrize("live", [True, False])
def test_parameters_of_springs(live: bool) -> None:
    """They stay live or take their values, as the rest of the mechanism does."""
    builder = MechanismBuilder("tunable")
    k = builder.parameter("k", 4, "N m/rad")
    builder.body("rod", mass=1)
    builder.revolute("hinge", BASE, "rod", (0, 0, 1))
    builder.torsional_spring("spring", "hinge", stiffness=k)
    tree = builder.build()
    options = Options(formulation="influence_coefficients", live_parameters=live)
    found = KernelSources(tree, options).plain("effective_stiffness")
    parameters = {"k": 7.0} if live else None
    assert evaluate(found, {"q": np.zeros(1)}, parameters)["K"][0, 0] == (7.0 if live else 4.0)


def test_friction_has_no_part_in_the_inertia_power() -> None:
    """It is no quadratic form of the speeds: its slopes would stand in P*, and ask for speeds."""
    smooth = five_bar()
    rough = replace(smooth, joints=tuple(replace(joint, friction=Fraction(1, 2)) for joint in smooth.joints))
    options = Options(friction=True, formulation="influence_coefficients")
    home = {"q": [[float(x) for x in smooth.home]]}
    found = [evaluate(KernelSources(m, options).plain("inertia_power"), home)["P"] for m in (smooth, rough)]
    np.testing.assert_array_equal(found[0], found[1])
