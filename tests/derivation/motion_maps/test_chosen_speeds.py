"""q' = W(q) u: the paper's eqs 5 - 11, Pinocchio's angular velocities and velocities of points, speeds that will not do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kanegen.codegen.graph import constant, count, evaluate, inputs
from kanegen.codegen.mechanism import (
    BASE,
    AngularVelocityComponent,
    GeneralizedSpeed,
    JointRate,
    MechanismBuilder,
    ModelError,
)
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.catalogue.stanford_arm import kane_levinson_speeds
from kanegen.codegen.mechanism.speeds import DistanceRate, PointVelocityComponent
from tests.derivation.comparison import ROUNDING, derived, numbers, worst
from tests.derivation.speeds import (
    AXES,
    SKEW,
    chosen_speeds,
    kane_kernels,
    matrix_of,
    speeds_from_rates,
)
from tests.derivation.trees import random_states
from tests.witnesses.pinocchio_trees import PinocchioTree

ARM = mechanism("stanford_arm")


def test_the_arm_has_equations_5_to_11() -> None:
    chosen = chosen_speeds(ARM, kane_levinson_speeds)
    graph, q = chosen.graph, chosen.q
    u = inputs(graph, "v", 6)
    (s2, s3), (c2, c3) = ([q[1].sine(), q[2].sine()], [q[1].cosine(), q[2].cosine()])
    zero, one = constant(graph, 0), constant(graph, 1)
    assert chosen.speeds_from_rates[:3] == (
        (s2 * s3, c3, zero, zero, zero, zero),
        (c2, zero, one, zero, zero, zero),
        (-(s2 * c3), s3, zero, zero, zero, zero),
    )
    first = (s3 * u[0] - c3 * u[2]) * (1 / s2)
    assert chosen.solve(u) == [first, c3 * u[0] + s3 * u[2], u[1] - first * c2, *u[3:]]


def test_only_the_sine_of_q2_is_divided_by() -> None:
    """Eqs 8 - 10 are singular at q2 = 0 alone: q3 may take any value, a multiple of 90 degrees included."""
    program = derived(kane_kernels(ARM, kane_levinson_speeds)["coordinate_rates"], ARM)
    operations = count(program)
    assert (operations.multiplications, operations.additions, operations.divisions) == (6, 3, 1)
    q = np.zeros((5, 6))
    q[:, 1] = 0.7
    q[:, 2] = np.arange(5) * np.pi / 2
    assert np.all(np.isfinite(evaluate(program, {"q": q, "v": np.ones((5, 6))})["qdot"]))


def test_velocity_relative_to_a_body_on_the_way() -> None:
    """What carries both drops out."""
    speed = PointVelocityComponent("E", SKEW[0], relative_to="B")
    speeds: tuple[GeneralizedSpeed, ...] = (*(JointRate(name) for name in ARM.coordinates[:5]), speed)
    q = random_states(8, 20, 6)[0]
    Y = evaluate(matrix_of(chosen_speeds(ARM, speeds), "speeds_from_rates"), {"q": q})["matrix"]
    witness = PinocchioTree(ARM)
    assert worst(Y, np.array([speeds_from_rates(ARM, speeds, witness, state) for state in q])) < ROUNDING
    assert not Y[:, 5, :2].any()


def test_live_parameters_stay_in_angles() -> None:
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
            matrix_of(chosen_speeds(wrist, speeds, live), "rates_from_speeds"),
            {"q": q},
            numbers(wrist) if live else None,
        )["matrix"]
        for live in (True, False)
    )
    # W grows near its singularities: entries of 100 lose two digits.
    assert worst(live, folded) < 100 * ROUNDING


def test_live_parameters_stay_in_lengths() -> None:
    """A plane arm of two links whose tip's velocity along and across the second link are the speeds."""
    builder = MechanismBuilder("plane_arm")
    long, short = (builder.parameter(name, value, "m") for name, value in (("l1", "0.5"), ("l2", "0.3")))
    for name in ("upper", "lower"):
        builder.body(name, mass=1, inertia=(1, 1, 1))
    builder.revolute("q1", BASE, "upper", axis=(0, 0, 1))
    builder.revolute("q2", "upper", "lower", axis=(0, 0, 1), position=(long, 0, 0))
    builder.frame("hand", "lower", position=(short, 0, 0))
    arm = builder.build()
    speeds = tuple(PointVelocityComponent("hand", axis) for axis in AXES[:2])
    q = random_states(9, 20, 2)[0]
    rows = matrix_of(chosen_speeds(arm, speeds, live=True), "speeds_from_rates")
    s, c = np.sin(q[:, 1]), np.cos(q[:, 1])
    expected = np.array([[0.5 * s, 0 * s], [0.5 * c + 0.3, 0.3 + 0 * s]]).transpose(2, 0, 1)
    assert worst(evaluate(rows, {"q": q}, numbers(arm))["matrix"], expected) < ROUNDING
    given = derived(kane_kernels(arm, speeds)["inverse_dynamics"], arm).inputs
    assert [argument.unit for argument in given] == ["rad", "m/s", "m/s^2"]
    assert "velocity of hand relative to base along (1, 0, 0) of its frame" in given[1].description


def rates(*names: str) -> tuple[GeneralizedSpeed, ...]:
    return tuple(JointRate(name) for name in names)


def angular(body: str, *direction: int | Fraction) -> AngularVelocityComponent:
    x, y, z = (Fraction(component) for component in direction)
    return AngularVelocityComponent(body, (x, y, z))


FIVE = rates(*ARM.coordinates[:5])


@pytest.mark.parametrize(
    ("speeds", "message"),
    [
        (rates("q1", "q2"), "2 are given; expected 6"),
        ((*FIVE, *rates("q7")), "u6: is the rate of 'q7', which is not a movable joint"),
        ((*FIVE, *rates("q5")), "u6: repeats u5"),
        ((*FIVE, angular("G", 1, 0, 0)), "'G', which is not a moving body"),
        ((*FIVE, angular("D", 1, 1, 0)), "length 1.41421"),
        # B turns about two axes only, and q6 moves none of them
        (
            (angular("B", 1, 0, 0), angular("B", 0, 1, 0), angular("B", 0, 0, 1), *rates("q4", "q5", "q6")),
            "do not determine the joint rates",
        ),
        ((*FIVE, angular("F", 1, 0, 0)), "do not determine the joint rates"),
        ((*FIVE, PointVelocityComponent("G", AXES[0])), "'G' is not a frame that moves; expected one of 'A'"),
        ((*FIVE, PointVelocityComponent(BASE, AXES[0])), "'base' is not a frame that moves"),
        ((*FIVE, PointVelocityComponent("F", AXES[0], "G")), "'G' is not a frame; expected"),
        ((*FIVE, PointVelocityComponent("B", AXES[0], "F")), "relative to 'F', on which 'B' does not hang"),
        ((*FIVE, PointVelocityComponent("F", AXES[0], "F")), "relative to 'F', on which 'F' does not hang"),
        ((*FIVE, PointVelocityComponent("F", (Fraction(1), Fraction(1), Fraction(0)))), "length 1.41421"),
        # A's origin is on the axis about which A turns
        ((*FIVE, PointVelocityComponent("A", AXES[0])), "do not determine the joint rates"),
        # on trees Kane's method takes rates and components alone; as speeds of the mechanism itself these do
        ((*FIVE, DistanceRate("base", "F")), "u6: is the rate of the distance from 'base' to 'F'"),
    ],
)
def test_speeds_that_will_not_do(speeds: tuple[GeneralizedSpeed, ...], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        chosen_speeds(ARM, speeds)
    assert message in str(caught.value)
