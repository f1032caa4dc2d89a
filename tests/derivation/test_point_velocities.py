"""Generalized speeds that are components of the velocity of a point, against Pinocchio and Newton-Euler."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.kane.equations import equations
from kanegen.codegen.derivation.kane.kernels import KaneFormulation
from kanegen.codegen.derivation.placement import place
from kanegen.codegen.graph import Argument, Expression, Program, evaluate
from kanegen.codegen.mechanism import (
    BASE,
    GeneralizedSpeed,
    JointKind,
    JointRate,
    Mechanism,
    MechanismBuilder,
    ModelError,
    Vector3,
)
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.speeds import DistanceRate, PointVelocityComponent
from tests.derivation import tree_kernels
from tests.witnesses.pinocchio_trees import PinocchioTree

from .comparison import DIGITS, EXACT, ROUNDING, derived, difference, exactly, numbers, worst
from .speeds import AXES, SKEW, speeds_from_rates
from .trees import random_states, random_tree

ARM = mechanism("stanford_arm")


def line_to_base(tree: Mechanism, body: str) -> list[str]:
    """The movable joints from a body to the base."""
    joints = []
    while body != BASE:
        joint = next(joint for joint in tree.joints if joint.child == body)
        if joint.kind is not JointKind.FIXED:
            joints.append(joint.name)
        body = joint.parent
    return joints


def tree_with_point_speeds(
    seed: int, joints: int, directions: Sequence[Vector3]
) -> tuple[Mechanism, tuple[GeneralizedSpeed, ...]]:
    """A random tree with slides; rates of the last joints before the frame "tip" give way to its velocity."""
    while True:
        tree = random_tree(seed, joints)
        replaced = line_to_base(tree, tree.frame("tip").body)[: len(directions)]
        kinds = {tree.joint(name).kind for name in replaced}
        if len(replaced) == len(directions) and (len(directions) < 2 or len(kinds) == 2):
            components = iter(directions)
            return tree, tuple(
                PointVelocityComponent("tip", next(components)) if name in replaced else JointRate(name)
                for name in tree.coordinates
            )
        seed += 1000


def matrix_of(tree: Mechanism, speeds: Sequence[GeneralizedSpeed], which: str, live: bool = False) -> Program:
    """W or Y as a program of q."""
    kane = equations(tree, speeds, live_parameters=live)
    rows: Sequence[Sequence[Expression]] = getattr(kane, which)
    n = len(rows)
    refs = tuple(x.ref for row in rows for x in row)
    given, found = Argument("q", (n,), "", ""), Argument("matrix", (n, n), "", "")
    return Program(which, "", "", (given,), (found,), kane.graph, (refs,))


@pytest.mark.parametrize("directions", [AXES[:1], SKEW[:2], AXES], ids=["1", "2 skew", "3"])
@pytest.mark.parametrize("seed", range(3))
def test_rows_are_those_of_jacobians(seed: int, directions: Sequence[Vector3]) -> None:
    """Y against Pinocchio; W Y = 1.  The frame sits on a body that is welded on, turned."""
    tree, speeds = tree_with_point_speeds(seed, 4, directions)
    witness = PinocchioTree(tree)
    q = random_states(seed, 20, 4)[0]
    expected = np.array([speeds_from_rates(tree, speeds, witness, state) for state in q])
    Y = evaluate(matrix_of(tree, speeds, "speeds_from_rates"), {"q": q})["matrix"]
    assert worst(Y, expected) < ROUNDING
    W = evaluate(matrix_of(tree, speeds, "rates_from_speeds"), {"q": q})["matrix"]
    residual = np.abs(W @ expected - np.eye(4)).reshape(20, -1).max(axis=1)
    # W comes from expanded determinants of 3 x 3: their terms may exceed the determinant by the condition squared
    assert np.all(residual < ROUNDING * np.linalg.cond(expected) ** 2)


def test_velocity_relative_to_a_body_on_the_way() -> None:
    """What carries both drops out."""
    tree = ARM
    witness = PinocchioTree(tree)
    speed = PointVelocityComponent("E", SKEW[0], relative_to="B")
    speeds: tuple[GeneralizedSpeed, ...] = (*(JointRate(name) for name in tree.coordinates[:5]), speed)
    assert tree.coordinates[5] == "q6"
    q = random_states(8, 20, 6)[0]
    Y = evaluate(matrix_of(tree, speeds, "speeds_from_rates"), {"q": q})["matrix"]
    expected = np.array([speeds_from_rates(tree, speeds, witness, state) for state in q])
    assert worst(Y, expected) < ROUNDING
    assert not Y[:, 5, :2].any()


@pytest.mark.parametrize("directions", [AXES[:1], SKEW[:2]], ids=["1", "2 skew"])
@pytest.mark.parametrize("seed", range(2))
def test_the_same_mechanics(seed: int, directions: Sequence[Vector3]) -> None:
    """u = Y q' and u' = Y q'' + Y' q' give Q = Y^T tau as Newton-Euler finds it from q' and q'', and back."""
    tree, speeds = tree_with_point_speeds(seed, 3, directions)
    kernels = KaneFormulation(speeds).kernels({})
    Y = matrix_of(tree, speeds, "speeds_from_rates")
    q, v, a, _ = random_states(seed, 1, 3)
    with mpmath.workdps(2 * DIGITS):
        q0, rates, accelerations = mpmath.matrix(q[0]), mpmath.matrix(v[0]), mpmath.matrix(a[0])
        step = mpmath.mpf(10) ** -DIGITS  # truncation 1e-80, rounding 1e-80 / 1e-40

        def y(at: Any) -> Any:
            entries = exactly(Y, q=list(at))
            return mpmath.matrix([entries[i : i + 3] for i in range(0, 9, 3)])

        ahead, behind = y(q0 + step * rates), y(q0 - step * rates)
        u = y(q0) * rates
        u_dot = y(q0) * accelerations + (ahead - behind) * rates / (2 * step)
        tau = exactly(derived(kernels["inverse_dynamics"], tree), q=list(q0), v=list(u), a=list(u_dot))
        expected = exactly(derived(tree_kernels.inverse_dynamics, tree), q=q[0], v=v[0], a=a[0])
        assert difference(list(y(q0).T * mpmath.matrix(tau)), expected) < EXACT
        back = exactly(derived(kernels["forward_dynamics"], tree), q=list(q0), v=list(u), tau=tau)
        assert difference(back, list(u_dot)) < EXACT
        qdot = exactly(derived(kernels["coordinate_rates"], tree), q=list(q0), v=list(u))
        assert difference(qdot, list(rates)) < EXACT


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
    Y = evaluate(matrix_of(arm, speeds, "speeds_from_rates", live=True), {"q": q}, numbers(arm))["matrix"]
    s, c = np.sin(q[:, 1]), np.cos(q[:, 1])
    expected = np.array([[0.5 * s, 0 * s], [0.5 * c + 0.3, 0.3 + 0 * s]]).transpose(2, 0, 1)
    assert worst(Y, expected) < ROUNDING
    inputs = derived(KaneFormulation(speeds).inverse_dynamics, arm).inputs
    assert [argument.unit for argument in inputs] == ["rad", "m/s", "m/s^2"]
    assert "velocity of hand relative to base along (1, 0, 0) of its frame" in inputs[1].description


@pytest.mark.parametrize(
    ("frame", "relative_to", "direction", "message"),
    [
        ("G", BASE, AXES[0], "'G' is not a frame that moves; expected one of 'A'"),
        (BASE, BASE, AXES[0], "'base' is not a frame that moves"),
        ("F", "G", AXES[0], "'G' is not a frame; expected"),
        ("B", "F", AXES[0], "relative to 'F', on which 'B' does not hang"),
        ("F", "F", AXES[0], "relative to 'F', on which 'F' does not hang"),
        ("F", BASE, (Fraction(1), Fraction(1), Fraction(0)), "length 1.41421"),
        # A's origin is on the axis about which A turns
        ("A", BASE, AXES[0], "do not determine the joint rates"),
    ],
)
def test_speeds_that_will_not_do(frame: str, relative_to: str, direction: Vector3, message: str) -> None:
    rates = [JointRate(name) for name in ARM.coordinates[:5]]
    speed = PointVelocityComponent(frame, direction, relative_to)
    with pytest.raises(ModelError) as caught:
        KaneFormulation((*rates, speed)).inverse_dynamics(place(ARM, Choices()), ARM, Choices())
    assert message in str(caught.value)


def test_rates_of_distances_are_no_components_of_velocities() -> None:
    """On trees Kane's method takes rates and components alone; as speeds of the mechanism itself they do."""
    speeds = [*(JointRate(name) for name in ARM.coordinates[:5]), DistanceRate("base", "F")]
    with pytest.raises(
        ModelError, match=r"u6: is the rate of the distance from 'base' to 'F'.*MechanismBuilder"
    ):
        KaneFormulation(tuple(speeds)).inverse_dynamics(place(ARM, Choices()), ARM, Choices())
