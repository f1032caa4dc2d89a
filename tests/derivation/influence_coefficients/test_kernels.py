"""Kernels of influence coefficients: names, what is zero and costs nothing, springs; values are held in tests/matrix."""

from __future__ import annotations

from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.influence_coefficients import dynamic_model, hand_influence, kernels
from kanegen.codegen.derivation.influence_coefficients.kernels import (
    effective_damping,
    effective_stiffness,
    influence_G,
    influence_H,
)
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.derivation.recursive.kinematics import frames_of, start
from kanegen.codegen.graph import Graph, Program, count, evaluate, inputs
from kanegen.codegen.mechanism import (
    BASE,
    Frame,
    Mechanism,
    MechanismBuilder,
    ModelError,
)
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.catalogue.khalil_arms import KHALIL_ARMS
from kanegen.codegen.mechanism.catalogue.planar_linkages import five_bar
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.comparison import EXACT, derived
from tests.derivation.trees import random_tree

from .support import (
    DIGITS,
    exact_numbers,
    frame_of,
    gap,
    model_results,
    open_tree,
    placed,
    program,
    random_arm,
    values,
)

HELD = random_arm(1, 6)
SPATIAL = (0, 1, 2, 3, 4, 5)


def all_kernels(arm: Mechanism) -> dict[str, Program]:
    tree = placed(arm)
    hands = [(frame_of(tree, "hand"), SPATIAL)]
    found = kernels(tree, {frame.name: frame.name for frame in frames_of(tree)}, hands=hands)
    return {name: optimize(Deriver(arm, build)({})[0])[0] for name, build in found.items()}


def test_names_and_arguments() -> None:
    found = all_kernels(HELD)
    frames = ("link1", "link2", "link3", "link4", "link5", "link6", "hand")
    expected = {f"influence_{order}_{frame}" for order in "GH" for frame in frames}
    expected |= {
        "effective_inertia",
        "inertia_power",
        "effective_damping",
        "effective_stiffness",
        "spring_forces",
    }
    expected |= {"hand_inertia_hand", "hand_power_hand", "hand_forces_hand"}
    assert set(found) == expected
    assert all(program.name == name for name, program in found.items())
    assert found["influence_G_hand"].outputs[0].shape == (6, 6)
    assert found["influence_H_hand"].outputs[0].shape == (6, 6, 6)
    assert [argument.name for argument in found["hand_forces_hand"].inputs] == ["q", "e", "de"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((0, 0), "controlled rows"),
        ((), "controlled rows"),
        ((0, 6), "controlled rows"),
        ((0, 1, 2, 3, 4, 5), "at most 3 rows"),
        ((0, 2), "cannot follow vx, vz"),
    ],
)
def test_rows_that_no_arm_follows(rows: tuple[int, ...], message: str) -> None:
    arm = random_arm(3, 3, planar=True)
    tree = placed(arm)
    with pytest.raises(ModelError, match=message):
        hand_influence(start(tree, Choices()), frame_of(tree, "hand"), rows)


def coefficients(tree: Mechanism, frame: Frame) -> tuple[Any, Any]:
    first, second = (
        derived(partial(build, frame=frame, kernel="kernel"), tree) for build in (influence_G, influence_H)
    )
    return first, second


def test_structure() -> None:
    """Positions: symmetric.  Rotations: nothing in the later joint's row.  Joints beyond or beside: nothing at all."""
    tree = random_tree(2, 5)
    frames = {frame.name: frame for frame in frames_of(placed(tree))}
    q = np.linspace(-1, 1, 5)
    for name, frame in frames.items():
        first, second = coefficients(tree, frame)
        G, H = evaluate(first, {"q": q})["G"], evaluate(second, {"q": q})["H"]
        assert np.array_equal(H[:3], H[:3].transpose(0, 2, 1)), name
        both = (H[3:] != 0) & (H[3:].transpose(0, 2, 1) != 0)
        assert not both.any(), name
        idle = ~G.any(axis=0)
        assert not H[:, idle].any(), name
        assert not H[:, :, idle].any(), name


def test_structural_zeros_cost_nothing() -> None:
    """The hand of the Stanford Arm: 6 x 6 x 6 entries, few of which differ."""
    arm = mechanism("stanford_arm")
    _, second = coefficients(arm, Frame("F", "F"))
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
    K = evaluate(derived(effective_stiffness, tree), {"q": np.zeros(2)})["K"]
    assert pytest.approx(np.diag([20.0, 5.0]), abs=1e-14) == K


def test_without_springs_nothing_resists() -> None:
    tree = MechanismBuilder("free")
    tree.body("rod", mass=1)
    tree.revolute("hinge", BASE, "rod", (0, 0, 1))
    for build, name in ((effective_stiffness, "K"), (effective_damping, "C")):
        assert evaluate(derived(build, tree.build()), {"q": np.ones(1)})[name] == 0


@pytest.mark.parametrize("live", [True, False])
def test_parameters_of_springs(live: bool) -> None:
    """They stay live or take their values, as the rest of the mechanism does."""
    builder = MechanismBuilder("tunable")
    k = builder.parameter("k", 4, "N m/rad")
    builder.body("rod", mass=1)
    builder.revolute("hinge", BASE, "rod", (0, 0, 1))
    builder.torsional_spring("spring", "hinge", stiffness=k)
    tree = builder.build()
    build = partial(effective_stiffness, live_parameters=live)
    found = build(place(tree, Choices(), live), tree, Choices())
    parameters = {"k": 7.0} if live else None
    assert evaluate(found, {"q": np.zeros(1)}, parameters)["K"][0, 0] == (7.0 if live else 4.0)
