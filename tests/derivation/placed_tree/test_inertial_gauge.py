"""Regrouped inertias: nothing that kanegen reports may change, whatever amounts cross the joints."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree import inertial_gauge
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.placed_tree.inertial_gauge import EMPTIED, KEPT, regroup
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree, place
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.derivation.comparison import DIGITS, EXACT, difference, exactly
from tests.derivation.structured_trees import states, structured_tree
from tests.derivation.tree_kernels import DYNAMICS

ARM = mechanism("stanford_arm")
KERNELS = ("inverse_dynamics", "mass_matrix", "kinetic_energy", "potential_energy", "momentum")


def invariants(tree: PlacedTree, described: Mechanism) -> list[list[mpmath.mpf]]:
    """Values of the kernels at one state, in 40 digits."""
    at = {name: value[0] for name, value in states(3, 1, described.dof).items()}
    results = []
    for kernel in KERNELS:
        program = DYNAMICS[kernel](tree, described, Choices())
        results.append(exactly(program, **{argument.name: at[argument.name] for argument in program.inputs}))
    return results


def alternatives(tree: PlacedTree) -> dict[str, int]:
    """Also of masses that empty something of a parent."""
    choices = Choices({EMPTIED: 1})
    regroup(tree, choices)
    return {point: decision.alternatives for point, decision in choices.points.items()}


def check(described: Mechanism, answers: dict[str, int], wanted: list[list[mpmath.mpf]]) -> None:
    found = invariants(regroup(place(described, Choices()), Choices(answers)), described)
    for kernel, one, other in zip(KERNELS, found, wanted, strict=True):
        if any(x != 0 for x in other):
            assert difference(one, other) < EXACT, (kernel, answers)
        else:
            assert all(abs(x) < EXACT for x in one), (kernel, answers)


def test_every_alternative_of_every_body_of_the_arm() -> None:
    with mpmath.workdps(DIGITS):
        wanted = invariants(place(ARM, Choices()), ARM)
        for point, count in alternatives(place(ARM, Choices())).items():
            for answer in range(count):
                check(ARM, {EMPTIED: 1, point: answer}, wanted)


@pytest.mark.parametrize("seed", range(60, 70))
def test_any_combination_on_any_machine(seed: int) -> None:
    """The constant of the potential energy included: mass at the base origin has none."""
    described = structured_tree(seed, 4)
    rng = np.random.default_rng(seed)
    with mpmath.workdps(DIGITS):
        wanted = invariants(place(described, Choices()), described)
        points = alternatives(place(described, Choices()))
        for _ in range(3):
            check(described, {p: int(rng.integers(2 * n)) % n for p, n in points.items()}, wanted)


def test_minimal_parameters_of_revolute_joints() -> None:
    """By default mass, first and second moment along the axis all leave: three zeros (Gautier & Khalil 1990)."""
    tree = regroup(place(ARM, Choices()), Choices())
    for body in tree.bodies:
        if body.revolute:
            assert body.mass == 0
            assert body.first_moment[body.axis] == 0
            assert body.second_moment[body.axis][body.axis] == 0
        else:
            assert all(entry == 0 for entry in itertools.chain(*body.second_moment))
            assert body.mass == Fraction("6.1")  # C, D, E and F


def test_a_mass_that_stays_empties_a_component_of_the_parent() -> None:
    """For each joint beside the axis of another one; alone, and by the default where masses are looked for."""
    described = mechanism("puma560_general")
    tree = place(described, Choices())
    usual = regroup(tree, Choices())
    assert not any(body.mass for body in usual.bodies)
    choices = Choices({EMPTIED: 1})
    emptied = regroup(tree, choices)
    kept = [point for point in choices.points if point.startswith(KEPT) and point != EMPTIED]
    assert kept
    for i, body in enumerate(emptied.bodies):
        assert (body.mass != 0) == (f"{KEPT} {body.name}" in kept)
        if body.mass:
            first, before = (x.bodies[body.parent].first_moment for x in (emptied, usual))
            assert first.count(Fraction(0)) == before.count(Fraction(0)) + 1, i
    last = {point: choices.points[point].alternatives - 1 for point in kept}
    assert regroup(tree, Choices({EMPTIED: 1, **last})).bodies == usual.bodies


@pytest.mark.parametrize(("beside", "offered"), [("0.3", True), ("1e-3", False), ("-1e-9", False)])
def test_no_mass_stays_that_cancels_digits(beside: str, offered: bool) -> None:
    """A joint that is hardly beside an axis would need a mass of tons there, and another one against it."""
    builder = MechanismBuilder("arm")
    for name in ("first", "second", "third"):
        builder.body(name, 2, ("0.1", "0.2", "0.3"), ((2, 0, 0), (0, 3, 0), (0, 0, 4)))
    builder.revolute("q1", BASE, "first", (0, 0, 1))
    builder.revolute("q2", "first", "second", (0, 1, 0))
    builder.revolute("q3", "second", "third", (0, 0, 1), position=(beside, 0, 0))
    points = alternatives(place(builder.build(), Choices()))
    assert (f"{KEPT} third" in points) == offered


def test_points_carry_the_name_by_which_derivations_are_remembered() -> None:
    """A derivation is taken from memory by the answers to the points of these names."""
    derive = Deriver(ARM, DYNAMICS["mass_matrix"])
    _, points = derive({})
    gauges = [point for point, decision in points.items() if point.startswith(inertial_gauge.POINT)]
    assert len(gauges) == 5  # the revolute joints
    assert all(points[point].coarse for point in gauges)
