"""The witness of constrained mechanisms is tested itself: against Pinocchio's trees and against laws of mechanics."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy

from kanegen.codegen.mechanism import (
    BASE,
    AngularVelocityComponent,
    JointRate,
    LoopKind,
    Mechanism,
    MechanismBuilder,
    PointVelocityComponent,
)

from .constrained_witness import ConstrainedWitness
from .pinocchio_trees import PinocchioTree

X = (Fraction(1), Fraction(0), Fraction(0))
Y = (Fraction(0), Fraction(1), Fraction(0))

ROUNDING = 1e-12
"""Some 1,000 roundings of 1.1e-16 in the tree's sums, times the conditions of the solves, below 10 in these mechanisms."""


def skew_linkage() -> Mechanism:
    """A four-bar whose ground axes are not parallel, with springs; its loop leaves one degree of freedom."""
    builder = MechanismBuilder("skew_linkage", gravity=(0.3, -9.7, 1.1))
    for name, length in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.7)):
        moment = length**3 / 12
        builder.body(
            name, mass=length, center=(length / 2, 0, 0), inertia=(0.2 * moment, moment, 1.1 * moment)
        )
    builder.body("cross")
    builder.revolute("q1", BASE, "crank", axis=(0, 0, 1))
    builder.revolute("q2", "crank", "cross", axis=(0, 0, 1), position=(0.3, 0, 0))
    builder.revolute("q3", "cross", "coupler", axis=(0, 1, 0))
    builder.revolute("q4", BASE, "rocker", axis=(0, 0, 1), position=(1, 0, 0), rotation=(0.2, 0, 0))
    builder.frame("coupler_tip", "coupler", position=(0.9, 0, 0))
    builder.frame("rocker_tip", "rocker", position=(0.7, 0, 0))
    builder.loop("closure", LoopKind.SPHERICAL, "coupler_tip", "rocker_tip")
    builder.speeds([JointRate("q1")])
    builder.home([1.0, -0.6, 0, 1.5])
    builder.torsional_spring("wound", "q2", stiffness=3, damping=0, rest=0.2)
    builder.translational_spring("stretched", "coupler_tip", "crank", stiffness=20, damping=0, rest=0.5)
    return builder.build()


def plane_linkage() -> Mechanism:
    """The same in a plane, closed by a revolute joint: three of its five equations are redundant."""
    builder = MechanismBuilder("plane_linkage", gravity=(0, -9.81, 0))
    for name, length in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.7)):
        moment = length**3 / 12
        builder.body(name, mass=length, center=(length / 2, 0, 0), inertia=(0, moment, moment))
    builder.revolute("q1", BASE, "crank", axis=(0, 0, 1))
    builder.revolute("q2", "crank", "coupler", axis=(0, 0, 1), position=(0.3, 0, 0))
    builder.revolute("q3", BASE, "rocker", axis=(0, 0, 1), position=(1, 0, 0))
    builder.frame("coupler_tip", "coupler", position=(0.9, 0, 0))
    builder.frame("rocker_tip", "rocker", position=(0.7, 0, 0))
    builder.loop("closure", LoopKind.REVOLUTE, "coupler_tip", "rocker_tip")
    builder.speeds([JointRate("q1")])
    builder.home([1.0, -0.6, 1.5])
    return builder.build()


def wheel(contact: str | None) -> Mechanism:
    """A heavy disc that rolls; with ``contact`` by construction of the tree, without by an equation of position."""
    builder = MechanismBuilder("wheel")
    for name in ("along", "heading", "raised", "leaning"):
        builder.body(name)
    builder.body("disc", mass=2, center=(0.02, 0, 0.01), inertia=(0.03, 0.05, 0.02))
    builder.prismatic("x", BASE, "along", axis=(1, 0, 0))
    builder.body("sideways")
    builder.prismatic("y", "along", "sideways", axis=(0, 1, 0))
    builder.revolute("yaw", "sideways", "heading", axis=(0, 0, 1))
    if contact is None:
        builder.prismatic("height", "heading", "raised", axis=(0, 0, 1))
        builder.revolute("lean", "raised", "leaning", axis=(1, 0, 0))
    else:
        builder.fixed("height", "heading", "raised")
        builder.revolute("lean", "raised", "leaning", axis=(1, 0, 0))
    builder.revolute(
        "spin", "leaning", "disc", axis=(0, 1, 0), position=(0, 0, 0 if contact is None else 0.3)
    )
    builder.frame("axle", "disc", rotation=(math.pi / 2, 0, 0))
    builder.rolling("rolling", "axle", 0.3, contact=contact)
    builder.speeds([JointRate("yaw"), JointRate("lean"), JointRate("spin")])
    heights = [] if contact else ["height"]
    builder.coordinates(["yaw", "lean", "spin", "x", "y", *heights])
    builder.home([0, 0.2, 0, 0, 0, *(0.29 for _ in heights)])
    return builder.build()


def turning_blade() -> Mechanism:
    """A sharp edge on a plate that turns at a given rate, its speeds those of a point and of a body."""
    builder = MechanismBuilder("turning_blade", gravity=(0, -9.81, 0))
    builder.body("plate", mass=3, center=(0.1, 0, 0), inertia=(0.1, 0.2, 0.3))
    builder.body("slider")
    builder.body("point", mass=2)
    builder.body("blade", mass=1, center=(0.5, 0.1, 0), inertia=(0.02, 0.03, 0.04))
    builder.revolute("turn", BASE, "plate", axis=(0, 1, 0))
    builder.prismatic("q1", "plate", "slider", axis=(1, 0, 0))
    builder.prismatic("q2", "slider", "point", axis=(0, 1, 0))
    builder.revolute("q3", "point", "blade", axis=(0, 0, 1))
    builder.prescribe("turn", 1.7)
    builder.frame("tip", "blade", position=(0.5, 0, 0))
    builder.knife_edge("edge", "tip", ground="plate")
    builder.speeds(
        [
            PointVelocityComponent("blade", X, "plate"),
            PointVelocityComponent("blade", Y, "plate"),
        ]
    )
    return builder.build()


def written_equations() -> Mechanism:
    """Equations given as text, and a speed that is a component of an angular velocity."""
    builder = MechanismBuilder("written")
    builder.body("first", mass=1, center=(0.2, 0, 0.1), inertia=(0.1, 0.2, 0.15))
    builder.body("second", mass=2, center=(0, 0.3, 0), inertia=(0.2, 0.1, 0.15))
    builder.body("third", mass=1.5, center=(0.1, 0.1, 0.1), inertia=(0.2, 0.1, 0.15))
    builder.body("fourth", mass=1.5, center=(0.1, 0.1, 0.1), inertia=(0.2, 0.1, 0.15))
    builder.revolute("a", BASE, "first", axis=(0, 0, 1))
    builder.revolute("b", "first", "second", axis=(1, 0, 0), position=(0.4, 0, 0))
    builder.prismatic("c", "second", "third", axis=(0, 1, 0))
    builder.revolute("d", "third", "fourth", axis=(0, 1, 0))
    q, rates = sympy.symbols("q:4"), sympy.symbols("u:4")
    builder.position_constraint("cam", q[2] - sympy.sin(q[1]) / 4 - q[0] ** 2 / 10, q)
    builder.velocity_constraint("gear", rates[3] - sympy.cos(q[0]) * rates[1], q, rates)
    builder.speeds([AngularVelocityComponent("second", Y), AngularVelocityComponent("second", X)])
    builder.home([0.3, 0.7, 0, 0])
    return builder.build()


MECHANISMS = [
    skew_linkage(),
    plane_linkage(),
    wheel("heading"),
    wheel(None),
    turning_blade(),
    written_equations(),
]

each = pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: f"{m.name}-{len(m.coordinates)}")


@each
def test_states_satisfy_all_equations(mechanism: Mechanism) -> None:
    witness = ConstrainedWitness(mechanism)
    random = np.random.default_rng(3)
    for _ in range(5):
        state = witness.state(random, 0.2)
        equations, speeds = (
            witness.constraints(state.q, state.qdot),
            witness.speeds(state.q, state.qdot),
        )
        assert np.abs(witness.residual(state.q)).max(initial=0.0) < ROUNDING
        assert np.abs(equations.rows @ state.qdot + equations.drift).max() < ROUNDING
        assert np.abs(equations.rows @ state.qddot + equations.curvature).max() < 100 * ROUNDING
        assert speeds.rows @ state.qdot + speeds.drift == pytest.approx(state.v, abs=ROUNDING)
        assert speeds.rows @ state.qddot + speeds.curvature == pytest.approx(state.a, abs=100 * ROUNDING)


@each
def test_rates_and_curvature_are_derivatives_along_the_motion(mechanism: Mechanism) -> None:
    """Central differences of the equations' values along q + q' t + q'' t^2 / 2, which satisfies them to order t^3."""
    witness = ConstrainedWitness(mechanism)
    state = witness.state(np.random.default_rng(4), 0.2)
    step = 1e-4

    def values(t: float) -> np.ndarray:
        q = state.q + t * state.qdot + t**2 / 2 * state.qddot
        equations = witness.constraints(q, state.qdot + t * state.qddot)
        return np.asarray(equations.rows @ (state.qdot + t * state.qddot) + equations.drift)

    # A'' of order 100 leaves 100 h^2; rounding 1e-15 / h is far below.
    assert np.abs(values(step) - values(-step)).max() / (2 * step) < 100 * step**2


@each
def test_forward_dynamics_inverts_inverse_dynamics(mechanism: Mechanism) -> None:
    witness = ConstrainedWitness(mechanism)
    random = np.random.default_rng(5)
    for _ in range(5):
        state = witness.state(random, 0.2)
        tau, carried, _ = witness.solution(state)
        forces = witness.tree_forces(state.q, state.qdot, state.qddot)[: witness.nq]
        speeds = witness.speeds(state.q, state.qdot)
        assert np.abs(speeds.rows.T @ tau + carried - forces).max() < ROUNDING * np.abs(forces).max()
        N = witness.directions(state.q)
        assert np.abs(N.T @ forces - tau).max() < ROUNDING * np.abs(forces).max()
        found = witness.forward_dynamics(state.q, state.v, tau)
        # The condition of the mass matrix and of the equations, at most 2,000 together in these states.
        assert np.abs(found - state.a).max() < 2000 * ROUNDING


@each
def test_power_is_the_rate_of_energy(mechanism: Mechanism) -> None:
    """dE/dt = tau . v + f . (prescribed rates) + what the constraints' drift takes, which is zero here; no damping."""
    witness = ConstrainedWitness(mechanism)
    random = np.random.default_rng(6)
    step = 1e-3
    for _ in range(5):
        state = witness.state(random, 0.2)
        tau, _, prescribed = witness.solution(state)

        def energy(t: float, state=state) -> float:  # type: ignore[no-untyped-def]
            q = state.q + t * state.qdot + t**2 / 2 * state.qddot
            return sum(witness.energies(q, state.qdot + t * state.qddot))

        ahead, behind, far, back = (energy(x * step) for x in (1, -1, 2, -2))
        rate = (8 * (ahead - behind) - (far - back)) / (12 * step)
        power = tau @ state.v + prescribed @ witness.prescribed_rates
        # Truncation h^4 E'''''/30 with E''''' of order 1e3, rounding 1e-15 E / h with E of order 10.
        assert rate == pytest.approx(power, abs=1e-9)


@each
def test_trees_agree_with_pinocchio(mechanism: Mechanism) -> None:
    """The tree's forces, mass matrix, energies and momentum, the constraints left aside."""
    witness = ConstrainedWitness(mechanism)
    if mechanism.prescribed or mechanism.springs:
        pytest.skip("Pinocchio has no springs and moves every joint")
    tree = PinocchioTree(mechanism)
    for q, qdot, qddot in np.random.default_rng(7).uniform(-2, 2, (5, 3, witness.nq)):
        forces = tree.inverse_dynamics(q, qdot, qddot)
        scale = np.abs(forces).max()
        assert witness.tree_forces(q, qdot, qddot) == pytest.approx(forces, abs=ROUNDING * scale)
        mass = tree.mass_matrix(q)
        assert np.abs(witness.tree_mass_matrix(q) - mass).max() < ROUNDING * scale
        assert witness.energies(q, qdot) == pytest.approx(
            (tree.kinetic_energy(q, qdot), tree.potential_energy(q)), abs=ROUNDING * scale
        )
        assert witness.momentum(q, qdot) == pytest.approx(tree.momentum(q, qdot), abs=ROUNDING * scale)


def test_rolling_by_construction_and_by_an_equation_agree() -> None:
    """The same disc, its height once a coordinate with an equation of position and once built into the tree."""
    built, with_height = ConstrainedWitness(wheel("heading")), ConstrainedWitness(wheel(None))
    random = np.random.default_rng(8)
    for _ in range(5):
        state = built.state(random, 0.2)
        lean, r = state.q[1], 0.3
        # In the second tree x, y are below the centre, in the first they are the point of contact.
        yaw = state.q[0]
        offset = -r * math.sin(lean) * np.array([-math.sin(yaw), math.cos(yaw)])
        q = np.array([*state.q[:3], *(state.q[3:] + offset), r * math.cos(lean)])
        assert np.abs(with_height.residual(q)).max() < ROUNDING
        assert with_height.mass_matrix(q) == pytest.approx(built.mass_matrix(state.q), abs=ROUNDING)
        tau = built.inverse_dynamics(state)
        a = with_height.forward_dynamics(q, state.v, tau)
        assert a == pytest.approx(state.a, abs=100 * ROUNDING)
