"""q' = W(q) u: the paper's eqs 5 - 11, Pinocchio's angular velocities, and speeds that will not do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.kane.kernels import KaneFormulation
from kanegen.codegen.derivation.kinematical_equations import KinematicalEquations
from kanegen.codegen.derivation.motion import Motion
from kanegen.codegen.derivation.placement import place
from kanegen.codegen.graph import Argument, Graph, Program, constant, count, evaluate, inputs
from kanegen.codegen.mechanism import (
    BASE,
    AngularVelocityComponent,
    GeneralizedSpeed,
    JointRate,
    Mechanism,
    MechanismBuilder,
    ModelError,
)
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.catalogue.stanford_arm import kane_levinson_speeds
from tests.witnesses.pinocchio_trees import PinocchioTree

from .comparison import ROUNDING, derived, numbers, worst
from .speeds import AXES, SKEW, speeds_from_rates, tree_with_speeds
from .trees import random_states

ARM = mechanism("stanford_arm")


def kinematical(
    mechanism: Mechanism, speeds: tuple[GeneralizedSpeed, ...], live_parameters: bool = False
) -> KinematicalEquations:
    graph = Graph()
    n = mechanism.dof
    rest = [constant(graph, 0)] * n
    tree = place(mechanism, Choices(), live_parameters)
    return KinematicalEquations(Motion(tree, graph, Choices(), inputs(graph, "q", n), rest, rest), speeds)


def matrix(equations: KinematicalEquations, which: str) -> Program:
    """W or Y as a program of q."""
    rows = getattr(equations, which)
    graph, n = rows[0][0].graph, len(rows)
    refs = tuple(x.ref for row in rows for x in row)
    arguments = Argument("q", (n,), "", ""), Argument("matrix", (n, n), "", "")
    return Program(which, "", "", arguments[:1], arguments[1:], graph, (refs,))


def test_the_arm_has_equations_5_to_11() -> None:
    equations = kinematical(ARM, kane_levinson_speeds)
    graph = equations.speeds_from_rates[0][0].graph
    q = inputs(graph, "q", 6)
    u = inputs(graph, "v", 6)
    (s2, s3), (c2, c3) = ([q[1].sine(), q[2].sine()], [q[1].cosine(), q[2].cosine()])
    zero, one = constant(graph, 0), constant(graph, 1)
    assert equations.speeds_from_rates[:3] == (
        (s2 * s3, c3, zero, zero, zero, zero),
        (c2, zero, one, zero, zero, zero),
        (-(s2 * c3), s3, zero, zero, zero, zero),
    )
    first = (s3 * u[0] - c3 * u[2]) * (1 / s2)
    assert equations.solve(u) == [first, c3 * u[0] + s3 * u[2], u[1] - first * c2, *u[3:]]


def test_only_the_sine_of_q2_is_divided_by() -> None:
    """Eqs 8 - 10 are singular at q2 = 0 alone: q3 may take any value, a multiple of 90 degrees included."""
    program = derived(KaneFormulation(kane_levinson_speeds).coordinate_rates, ARM)
    operations = count(program)
    assert (operations.multiplications, operations.additions, operations.divisions) == (6, 3, 1)
    q = np.zeros((5, 6))
    q[:, 1] = 0.7
    q[:, 2] = np.arange(5) * np.pi / 2
    assert np.all(np.isfinite(evaluate(program, {"q": q, "v": np.ones((5, 6))})["qdot"]))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("directions", [AXES[:1], SKEW[:2], AXES, SKEW], ids=["1", "2 skew", "3", "3 skew"])
def test_speeds_of_turned_trees(
    seed: int, directions: tuple[tuple[Fraction, Fraction, Fraction], ...]
) -> None:
    """Y against Pinocchio; W Y = 1.  The tool is welded on, turned: its speeds are those of its own axes."""
    tree, speeds = tree_with_speeds(seed, 5, directions)
    witness = PinocchioTree(tree)
    equations = kinematical(tree, speeds)
    q = random_states(seed, 20, 5)[0]
    expected = np.array([speeds_from_rates(tree, speeds, witness, state) for state in q])
    Y = evaluate(matrix(equations, "speeds_from_rates"), {"q": q})["matrix"]
    W = evaluate(matrix(equations, "rates_from_speeds"), {"q": q})["matrix"]
    assert worst(Y, expected) < ROUNDING
    condition = np.linalg.cond(expected)
    residual = np.abs(W @ expected - np.eye(5)).reshape(20, -1).max(axis=1)
    assert np.all(residual < ROUNDING * condition)


def test_live_parameters_stay_in_the_equations() -> None:
    """An angle between joint frames that stays a parameter."""
    builder = MechanismBuilder("wrist")
    twist = builder.parameter("twist", 0.3, "rad", "between the first two axes")
    for name in ("first", "second", "third"):
        builder.body(name, mass=1)
    builder.revolute("q1", BASE, "first", axis=(0, 0, 1))
    builder.revolute("q2", "first", "second", axis=(1, 0, 0), rotation=(twist, 0, 0))
    builder.revolute("q3", "second", "third", axis=(0, 0, 1), rotation=(0, twist, 0))
    wrist = builder.build()
    speeds = tuple(AngularVelocityComponent("third", axis) for axis in AXES)
    q = random_states(3, 20, 3)[0]
    live, folded = (
        evaluate(
            matrix(kinematical(wrist, speeds, live), "rates_from_speeds"),
            {"q": q},
            numbers(wrist) if live else None,
        )["matrix"]
        for live in (True, False)
    )
    # W grows near its singularities: entries of 100 lose two digits.
    assert worst(live, folded) < 100 * ROUNDING


def rates(*names: str) -> tuple[GeneralizedSpeed, ...]:
    return tuple(JointRate(name) for name in names)


def angular(body: str, *direction: int | Fraction) -> AngularVelocityComponent:
    x, y, z = (Fraction(component) for component in direction)
    return AngularVelocityComponent(body, (x, y, z))


@pytest.mark.parametrize(
    ("speeds", "message"),
    [
        (rates("q1", "q2"), "2 are given; expected 6"),
        (rates("q1", "q2", "q3", "q4", "q5", "q7"), "u6: is the rate of 'q7', which is not a movable joint"),
        (rates("q1", "q2", "q3", "q4", "q5", "q5"), "u6: repeats u5"),
        ((*rates("q1", "q2", "q3", "q4", "q5"), angular("G", 1, 0, 0)), "'G', which is not a moving body"),
        ((*rates("q1", "q2", "q3", "q4", "q5"), angular("D", 1, 1, 0)), "length 1.41421"),
        # B turns about two axes only, and q6 moves none of them
        (
            (angular("B", 1, 0, 0), angular("B", 0, 1, 0), angular("B", 0, 0, 1), *rates("q4", "q5", "q6")),
            "do not determine the joint rates",
        ),
        ((*rates("q1", "q2", "q3", "q4", "q5"), angular("F", 1, 0, 0)), "do not determine the joint rates"),
    ],
)
def test_speeds_that_will_not_do(speeds: tuple[GeneralizedSpeed, ...], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        kinematical(ARM, speeds)
    assert message in str(caught.value)
