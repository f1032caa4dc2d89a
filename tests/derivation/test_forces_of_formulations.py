"""Forces of plain trees by every formulation: the oracle of the Stanford Arm, recursive Newton-Euler, and counts."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from kanegen.codegen.derivation import dual_vectors, euler_parameters, influence_coefficients, kane
from kanegen.codegen.derivation.historical import FORCES, WALKER_ORIN
from kanegen.codegen.graph import Graph, constant, count, evaluate, inputs
from kanegen.codegen.mechanism import BASE, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.passes.optimize import optimize

from .comparison import Array, numbers, worst
from .force_programs import Forces, newton_euler, program, program_of
from .trees import random_tree

TOLERANCE = 1e-12
"""Some thousand roundings of 1.1e-16 on terms that are at most ten times the largest force."""

FORMULATIONS: dict[str, Forces] = {
    "kane": kane.forces,
    "dual_vectors": dual_vectors.forces,
    "euler_parameters": euler_parameters.forces,
    "influence_coefficients": influence_coefficients.forces,
    "influence_link_by_link": partial(influence_coefficients.forces, link_by_link=True),
    **{name: forces for name, (forces, _) in FORCES.items() if name != WALKER_ORIN},
}
COUNTS = {
    "kane": None,  # those of its kernel: test_nonholonomic of kane
    "dual_vectors": (186, 143, 4),
    "euler_parameters": (420, 300, 5),
    "influence_coefficients": (295, 181, 4),
    "influence_link_by_link": (1180, 952, 5),
    "uicker_1965": (1016, 700, 5),
    "hollerbach_1980_4x4": (286, 192, 5),
    "hollerbach_1980_3x3": (286, 192, 5),
    "luh_walker_paul_1980": (150, 111, 4),
}
"""Multiplications, additions, sines with cosines of the Stanford Arm, optimized."""

every_formulation = pytest.mark.parametrize("name", FORMULATIONS)
ARM = mechanism("stanford_arm")


@every_formulation
def test_stanford_arm_of_the_oracle(states: dict[str, Array], name: str) -> None:
    found = program(with_numbers(ARM), FORMULATIONS[name])
    small = optimize(found)[0]
    at = {"q": states["q"], "v": states["qd"], "a": states["qdd"]}
    for candidate in (found, small):
        assert worst(evaluate(candidate, at)["tau"], states["Q_gen"]) <= TOLERANCE
    counts = count(small)
    assert counts.divisions == counts.square_roots == 0
    assert COUNTS[name] in (None, (counts.multiplications, counts.additions, counts.sincos))


@every_formulation
def test_stanford_arm_with_live_parameters(name: str) -> None:
    at = {"q": np.full(6, 0.4), "v": np.linspace(-1, 1, 6), "a": np.linspace(2, -1, 6)}
    halved = {name: value / 2 for name, value in numbers(ARM).items()}
    found = evaluate(program(ARM, FORMULATIONS[name]), at, halved)["tau"]
    expected = evaluate(newton_euler(ARM, live_parameters=True), at, halved)["tau"]
    assert worst(found[None], expected[None]) <= TOLERANCE


@every_formulation
def test_carriers_without_inertia_and_what_is_welded_to_the_base(name: str) -> None:
    builder = MechanismBuilder("carried")
    builder.body("post", mass=3, center=(0, 0, 1), inertia=(1, 1, 1))
    builder.body("carrier")
    builder.body("arm", mass=2, center=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    builder.fixed("weld", BASE, "post", position=(0, 0, 0.5))
    builder.prismatic("lift", "post", "carrier", (0, 0, 1))
    builder.revolute("hinge", "carrier", "arm", (0, 1, 0), position=(0, 0, 2))
    at = {"q": np.array([0.1, 0.3]), "v": np.array([0.0, 1.0]), "a": np.array([0.5, -2.0])}
    # the centre rises by lift - 0.5 sin q: its acceleration is 0.5 - 0.5 (a cos q - v^2 sin q)
    rise = 0.5 - 0.5 * (-2.0 * np.cos(0.3) - np.sin(0.3))
    moment = 0.2 * -2.0 + 2 * 0.5**2 * -2.0 - 2 * (9.81 + 0.5) * 0.5 * np.cos(0.3)
    found = evaluate(program(builder.build(), FORMULATIONS[name]), at)["tau"]
    assert found == pytest.approx([2 * (9.81 + rise), moment], rel=TOLERANCE)


@every_formulation
def test_arguments_may_be_any_expressions(name: str) -> None:
    """Repeated expressions and zeros for coordinates, rates and accelerations: what vanishes costs nothing."""
    tree, graph = random_tree(4, 4), Graph()
    x, zero = inputs(graph, "x", 1)[0], constant(graph, 0)
    tau = FORMULATIONS[name](tree, graph, [x, zero, x, zero], [zero, x, zero, x], [x] * 4)
    found = evaluate(program_of(graph, {"x": 1}, tau), {"x": np.array([0.7])})["tau"]
    at = {"q": np.array([0.7, 0, 0.7, 0]), "v": np.array([0, 0.7, 0, 0.7]), "a": np.full(4, 0.7)}
    assert worst(found[None], evaluate(newton_euler(tree), at)["tau"][None]) <= TOLERANCE
