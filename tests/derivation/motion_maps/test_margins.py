"""Margins of dead centres against singular values of the equations and the speeds, which know nothing of eliminations."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.arrays import FloatArray
from kanegen.codegen.mechanism import LoopKind, Mechanism, MechanismBuilder, catalogue
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed, JointRate, PointVelocityComponent
from kanegen.errors import DeadCentreError

pytestmark = pytest.mark.few_passes

MARGIN = "dead_centre_margin"
INERTIA = (0.01, 0.02, 0.03)


@dataclass(frozen=True)
class Case:
    """A mechanism, a way into a dead centre of it, and the rows of its speeds, by hand.

    ``way`` gives closed configurations at the distance s from it, in radians, or in units of ``size``.
    """

    mechanism: Mechanism
    way: Callable[[float], list[float]]
    speeds: Callable[[FloatArray], list[list[float]]]

    def sigma(self, s: float) -> float:
        """The least singular value of [A; Y]: the inverse of the largest rates for equations and speeds of length one."""
        q = np.array(self.way(s))
        arm = robot(self.mechanism)
        rows = np.array(self.speeds(q))
        if arm.constraints is not None:
            rows = np.vstack([arm.constraint_jacobian(q), rows])
        return float(np.linalg.svd(rows, compute_uv=False)[len(q) - 1])

    def margin(self, s: float) -> float:
        """The least of the margins."""
        return float(robot(self.mechanism).call(MARGIN, self.way(s)).min())


@cache
def robot(mechanism: Mechanism, **options: Any) -> kanegen.Robot:
    """Without a compiler."""
    return kanegen.load(mechanism, interpreted=True, **options)


def slider_crank(size: float = 1.0, *, along: bool = True) -> Case:
    """A crank, a rod of three times its length, and a slider, whose velocity is the one speed: no free rate of the plan."""
    crank, rod = 0.1 * size, 0.3 * size
    b = MechanismBuilder("slider_crank")
    for name in ("crank", "rod", "slider"):
        b.body(name, 1, inertia=INERTIA)
    b.revolute("q1", "base", "crank", (0, 0, 1))
    b.revolute("q2", "crank", "rod", (0, 0, 1), position=(crank, 0, 0))
    b.prismatic("x", "base", "slider", (1, 0, 0))
    b.frame("end", "rod", (rod, 0, 0))
    b.frame("pin", "slider")
    b.loop("pin joint", LoopKind.REVOLUTE, "pin", "end")
    b.speeds([PointVelocityComponent("pin", (1, 0, 0)) if along else JointRate("x")])

    def closed(q1: float) -> list[float]:
        lean = -math.asin(crank * math.sin(q1) / rod)
        return [q1, lean - q1, crank * math.cos(q1) + rod * math.cos(lean)]

    b.home(tuple(closed(1.2)))
    return Case(b.build(), closed, lambda q: [[0, 0, 1]])


def parallelogram() -> Case:
    """Its bars fold into one line along x: the equation along x has no coefficients left."""
    b = MechanismBuilder("parallelogram")
    for name in ("crank", "coupler", "rocker"):
        b.body(name, 1, inertia=INERTIA)
    b.revolute("q1", "base", "crank", (0, 0, 1))
    b.revolute("q2", "crank", "coupler", (0, 0, 1), position=(0.5, 0, 0))
    b.revolute("q3", "base", "rocker", (0, 0, 1), position=(2, 0, 0))
    b.frame("left", "coupler", (2, 0, 0))
    b.frame("right", "rocker", (0.5, 0, 0))
    b.loop("pin", LoopKind.REVOLUTE, "left", "right")
    b.speeds([JointRate("q1")])
    b.home((1.0, -1.0, 1.0))
    return Case(b.build(), lambda s: [s, -s, s], lambda q: [[1, 0, 0]])


def polar() -> Case:
    """The velocity across the arm is r dq/dt, which knows nothing of dq/dt where r vanishes."""
    b = MechanismBuilder("polar")
    b.body("arm", 1, inertia=INERTIA)
    b.body("tip", 1, inertia=INERTIA)
    b.revolute("turn", "base", "arm", (0, 0, 1))
    b.prismatic("r", "arm", "tip", (1, 0, 0))
    b.frame("end", "tip")
    b.speeds([JointRate("r"), PointVelocityComponent("end", (0, 1, 0))])
    b.home((0, 0.5))
    return Case(b.build(), lambda s: [0.3, s], lambda q: [[0, 1], [q[1], 0]])


def stretched(arms: int) -> Case:
    """Arms of two links, their tips' velocities on the axes of the last link: outwards is nothing if they are stretched."""
    b = MechanismBuilder(f"stretched{arms}")
    speeds: list[GeneralizedSpeed] = []
    for k in range(arms):
        b.body(f"upper{k}", 1, inertia=INERTIA)
        b.body(f"lower{k}", 1, inertia=INERTIA)
        b.revolute(f"a{k}", "base", f"upper{k}", (0, 0, 1))
        b.revolute(f"b{k}", f"upper{k}", f"lower{k}", (0, 0, 1), position=(0.7, 0, 0))
        b.frame(f"tip{k}", f"lower{k}", (0.4, 0, 0))
        speeds += [PointVelocityComponent(f"tip{k}", axis) for axis in ((1, 0, 0), (0, 1, 0))]
    b.speeds(speeds)
    b.home((0.2, 1.1) * arms)

    def rows(q: FloatArray) -> list[list[float]]:
        found = np.zeros((2 * arms, 2 * arms))
        for k in range(arms):
            bent = q[2 * k + 1]
            found[2 * k, 2 * k] = 0.7 * math.sin(bent)
            found[2 * k + 1, 2 * k : 2 * k + 2] = 0.7 * math.cos(bent) + 0.4, 0.4
        return [list(row) for row in found]

    return Case(b.build(), lambda s: [0.2, s, *(0.3, 0.9) * (arms - 1)], rows)


def spoke() -> Case:
    """A mass on a plane whose velocity points away from the origin: at the origin its equation says nothing."""
    x, y, dx, dy = sympy.symbols("x y dx dy")
    b = MechanismBuilder("spoke")
    b.body("carrier", 1)
    b.body("mass", 1)
    b.prismatic("x", "base", "carrier", (1, 0, 0))
    b.prismatic("y", "carrier", "mass", (0, 1, 0))
    b.velocity_constraint("outwards", y * dx - x * dy, (x, y), (dx, dy))
    b.speeds([JointRate("x")])
    b.home((0.5, 0.4))
    return Case(b.build(), lambda s: [s, 0.4 * s], lambda q: [[1, 0]])


CASES = {
    "one speed that is no free rate": slider_crank,
    "one speed that is a free rate": lambda: slider_crank(along=False),
    "an equation of a loop that vanishes": parallelogram,
    "one row of the speeds that vanishes": polar,
    "one row of two that vanishes": lambda: stretched(1),
    "one row of four that vanishes": lambda: stretched(2),
    "an equation of velocity that vanishes": spoke,
}


@pytest.mark.parametrize("name", CASES)
def test_margins_vanish_as_the_square_of_the_least_singular_value(name: str) -> None:
    case = CASES[name]()
    ratios = [case.margin(s) / case.sigma(s) ** 2 for s in (1e-3, 1e-4, 1e-5, 1e-6)]
    # both are smooth in s and vanish with it, so that ratios differ by s times some derivative of order one
    np.testing.assert_allclose(ratios, ratios[-1], rtol=1e-2)
    # home is as regular as can be, and x0 the largest of some hundred values around it to within a factor of sqrt(2)
    at_home = robot(case.mechanism).call(MARGIN, [float(x) for x in case.mechanism.home])
    assert at_home.min() > 0.1
    random = np.random.default_rng(3).uniform(-4, 4, (500, len(case.way(1.0))))
    found = robot(case.mechanism).call(MARGIN, random)
    assert (found >= 0).all()
    assert (found <= 1).all()


@pytest.mark.parametrize("name", CASES)
def test_calls_are_refused_where_half_of_the_digits_are_gone(name: str) -> None:
    case = CASES[name]()
    arm = robot(case.mechanism)
    speeds = [1.0] * len(arm.speed_names)
    assert np.isfinite(arm.coordinate_rates(case.way(1e-6), speeds)).all()
    with pytest.raises(DeadCentreError):
        arm.coordinate_rates(case.way(1e-10), speeds)


def test_the_unit_of_length_has_no_part_in_it() -> None:
    metres, millimetres = slider_crank(), slider_crank(1e-3)
    for s in (1.2, 0.1, 1e-5):
        # of two numbers x0 that are powers of two one may be the next
        assert 0.45 < millimetres.margin(s) / metres.margin(s) < 2.2
    four_bar = catalogue.mechanism("four_bar")
    bars = ("ground", "crank", "coupler", "rocker")
    lengths = {p.name: float(p.value) / 1000 for p in four_bar.parameters if p.name in bars}
    live = robot(four_bar, live_parameters=True)
    q = live.assemble()
    # some fifty roundings
    np.testing.assert_allclose(
        live.with_parameters(lengths).call(MARGIN, q), live.call(MARGIN, q), rtol=1e-14
    )


def test_a_wheel_that_lies_flat_touches_the_ground_nowhere() -> None:
    bicycle = robot(catalogue.mechanism("whipple_bicycle"), kernels=(MARGIN,))
    q = np.zeros(len(bicycle.coordinate_names))
    for lean in (1e-3, 1e-6):
        q[bicycle.coordinate_names.index("lean")] = math.pi / 2 - lean
        assert bicycle.call(MARGIN, q)[-1] == pytest.approx(lean**2, rel=1e-6)
    assert bicycle.call(MARGIN, np.zeros_like(q))[-1] == 1
