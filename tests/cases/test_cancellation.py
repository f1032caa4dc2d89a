"""Distances of points that meet (case 64): as many digits near there as anywhere, and no silence there."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import DistanceRate, JointRate

STIFFNESS, REST, RADIUS = 30.0, 0.05, 0.3
NEAR = (1e-7, 1e-8, 1e-12, -1e-8, 0.01, 2.0)


def hinge(damping: float = 0.0, at: float = 0.0, axis: tuple[float, float, float] = (0, 1, 0)) -> Mechanism:
    """A hinge at ``at``, a spring whose ends 0.3 m from it meet at q = 0."""
    b = MechanismBuilder("hinge", gravity=(0, 0, 0))
    b.body("arm", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.revolute("j", "base", "arm", axis, position=(at, 0, 0))
    end = (RADIUS, 0, 0) if axis == (0, 1, 0) else (axis[2] * 0.5, 0, -axis[0] * 0.5)
    b.frame("p", "arm", end)
    b.frame("w", "base", (end[0] + at, end[1], end[2]))
    b.translational_spring("s", "w", "p", STIFFNESS, damping, REST)
    return b.build()


def moment(q: float, rate: float = 0.0, damping: float = 0.0) -> float:
    """By hand: the distance is 0.6 |sin(q/2)|, its slope 0.3 cos(q/2) with the sign of q."""
    slope = RADIUS * math.cos(q / 2) * math.copysign(1, q)
    return slope * (STIFFNESS * (2 * RADIUS * abs(math.sin(q / 2)) - REST) + damping * slope * rate)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_spring_whose_ends_meet(compiled: bool) -> None:
    """Case 64: the moment by hand, to some roundings, however near the ends are; -0.45 N m at the smallest angles."""
    for damping in (0.0, 2.0):
        arm = kanegen.load(hinge(damping), interpreted=not compiled)
        for q in NEAR:
            found = arm.inverse_dynamics([q], [0.5], [0.0])
            # some ten roundings of the two parts of the moment, of which the spring's is the larger
            assert_allclose(found, [moment(q, 0.5, damping)], rtol=2e-15, atol=1e-15)
        assert arm.inverse_dynamics([1e-8], [0.0], [0.0])[0] == pytest.approx(-0.45, rel=1e-7)


@pytest.mark.parametrize("axis", [(0, 1, 0), (0.6, 0, 0.8)])
def test_hinges_elsewhere_and_with_oblique_axes(axis: tuple[float, float, float]) -> None:
    """Case 64: numbers in a difference are added up exactly, before anything is rounded."""
    arm = kanegen.load(hinge(at=0.7, axis=axis), interpreted=True)
    radius = RADIUS if axis[1] else 0.5
    for q in NEAR:
        expected = (
            radius
            * math.cos(q / 2)
            * math.copysign(1, q)
            * STIFFNESS
            * (2 * radius * abs(math.sin(q / 2)) - REST)
        )
        assert_allclose(arm.inverse_dynamics([q], [0.0], [0.0]), [expected], rtol=1e-14)


def test_a_strut_whose_ends_come_close() -> None:
    """Case 64: the speed of a strut between two points 0.3 m from a hinge is 0.3 cos(q/2) dq/dt."""
    b = MechanismBuilder("strut", gravity=(0, 0, 0))
    b.body("arm", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.revolute("j", "base", "arm", (0, 1, 0))
    b.frame("p", "arm", (RADIUS, 0, 0))
    b.frame("w", "base", (RADIUS, 0, 0))
    b.speeds([DistanceRate("w", "p")])
    b.home([0.5])
    arm = kanegen.load(b.build(), interpreted=True)
    inertia = 0.01 + 0.01
    for q in (1e-3, 1e-6):
        # J l'' = J (0.3 cos(q/2) q'' - 0.15 sin(q/2) q'^2); tau drives the length
        slope = RADIUS * math.cos(q / 2)
        assert_allclose(arm.coordinate_rates([q], [1.0]), [1 / slope], rtol=1e-14)
        assert_allclose(arm.mass_matrix([q]), [[inertia / slope**2]], rtol=1e-14)


def test_an_equation_of_ones_own_keeps_its_differences() -> None:
    """Case 64: a root that a user writes over squares of differences keeps these; the residual is 0.6 sin(q/2)."""
    b = MechanismBuilder("rope", gravity=(0, 0, 0))
    b.body("arm", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.body("mass", 1.0)
    b.revolute("j", "base", "arm", (0, 1, 0))
    b.prismatic("x", "base", "mass", (1, 0, 0))
    j, x = sympy.symbols("j x")
    third = sympy.Rational(3, 10)
    length = sympy.sqrt((third * sympy.cos(j) - third) ** 2 + (third * sympy.sin(j)) ** 2)
    b.position_constraint("rope", length - x, [j, x])
    b.speeds([JointRate("j")])
    b.home([0.5, 0.6 * math.sin(0.25)])
    arm = kanegen.load(b.build(), interpreted=True, kernels=["constraint_residual", "constraint_jacobian"])
    for q in (1e-7, 1e-8, 1e-12):
        assert_allclose(arm.constraint_residual([q, 0.0]), [0.6 * math.sin(q / 2)], rtol=1e-14)
        assert_allclose(arm.constraint_jacobian([q, 0.0]), [[0.3, -1.0]], rtol=1e-14)


@pytest.mark.parametrize("compiled", [False, True])
def test_where_there_is_no_direction_one_is_told(compiled: bool) -> None:
    """Cases 63 and 64: calls and simulations say that a spring with a length has no direction; bind returns NaN."""
    arm = kanegen.load(hinge(), interpreted=not compiled)
    with pytest.raises(kanegen.DeadCentreError, match=r"'s' between 'w' and 'p'.*rest length 0"):
        arm.inverse_dynamics([0.0], [0.0], [0.0])
    with pytest.raises(kanegen.DeadCentreError, match="first in row 1 of the batch"):
        arm.inverse_dynamics([[0.1], [0.0]], [[0.0], [0.0]], [[0.0], [0.0]])
    with pytest.raises(kanegen.DeadCentreError, match="has no direction"):
        kanegen.simulate(arm, [0.0], [0.0], 1.0)
    step = arm.bind("inverse_dynamics")
    step.q[:] = 0.0
    step()
    assert np.isnan(step.tau).all()


def test_springs_whose_ends_stay_apart_cost_no_more() -> None:
    """Case 64: their distance may be had from the law of cosines: sums of squares are kept where digits need them."""
    b = MechanismBuilder("apart", gravity=(0, 0, 0))
    b.body("arm", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.revolute("j", "base", "arm", (0, 1, 0))
    b.frame("p", "arm", (RADIUS, 0, 0))
    b.frame("w", "base", (0.8, 0, 0.1))
    b.translational_spring("s", "w", "p", STIFFNESS, 1.0, REST)
    counts = kanegen.load(b.build(), interpreted=True).operation_counts["gravity_forces"]
    # before springs were written without their slopes it was 10 / 5, a division and a root
    assert (counts.multiplications, counts.additions) <= (8, 5)
    assert (counts.divisions, counts.square_roots) == (1, 1)
