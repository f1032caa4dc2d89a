"""Ball and floating joints in loops and contacts: against the same mechanisms on other joints, laws, and wrong input.

That every kernel is what Newton, Euler and its identities say is checked as the kernels are generated (certificate).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.derivation.motion_maps.chart import configurations
from kanegen.codegen.derivation.motion_maps.plan import make_plan
from kanegen.codegen.mechanism import JointRate, Mechanism, MechanismBuilder, ModelError
from kanegen.simulation.arm import SIMULATION_KERNELS

from .ball_models import floating_disc, floating_four_bar, walker

ROUNDING = 1e-12
"""Of some thousand operations of numbers about one, and of a condition of about ten."""


MOVING = ("coordinate_rates", "forward_dynamics", "kinetic_energy", "momentum", *SIMULATION_KERNELS)
CLOSED = ("constraint_residual", "constraint_jacobian")


def load(mechanism: Mechanism, *kernels: str, interpreted: bool = True, live: bool = False) -> kanegen.Robot:
    kernels = (*CLOSED, *kernels)
    return kanegen.load(mechanism, kernels=kernels, interpreted=interpreted, live_parameters=live)


@cache
def disc() -> tuple[kanegen.Robot, kanegen.Robot]:
    return load(floating_disc(), *MOVING, interpreted=False), kanegen.load(
        "rolling_disc", kernels=(*MOVING, CLOSED[1])
    )


def on_angles(yaw: float, lean: float, spin: float) -> Array:
    """The quaternion (x, y, z, w) of turns about z, x and y, one after the other."""

    def turn(axis: int, angle: float) -> Array:
        found = np.zeros(4)
        found[axis], found[3] = np.sin(angle / 2), np.cos(angle / 2)
        return found

    def after(p: Array, q: Array) -> Array:
        return np.append(p[3] * q[:3] + q[3] * p[:3] + np.cross(p[:3], q[:3]), p[3] * q[3] - p[:3] @ q[:3])

    return after(after(turn(2, yaw), turn(0, lean)), turn(1, spin))


def body_rates(lean: float, spin: float, rates: Array) -> Array:
    """Angular velocity along the disc's axes for the rates of yaw, lean and spin."""
    yaw, tilt, turn = rates
    across = np.array([tilt, yaw * np.sin(lean), yaw * np.cos(lean)])
    c, s = np.cos(spin), np.sin(spin)
    return np.array([c * across[0] - s * across[2], across[1] + turn, s * across[0] + c * across[2]])


def test_a_rolling_disc_comes_where_it_should() -> None:
    """Over ten seconds, in which it turns dozens of times, it stays with the one on angles."""
    floating, angles = disc()
    q, v = np.array([0, 0.3, 0, 0, 0]), np.array([0.5, 0, 6])
    start = np.array([0, -0.3 * np.sin(0.3), 0.3 * np.cos(0.3), *on_angles(0, 0.3, 0)])
    times = np.linspace(0, 10, 21)
    options = {"rtol": 1e-13, "atol": 1e-13, "times": times}
    found = kanegen.simulate(floating, start, body_rates(0.3, 0, v), 10.0, **options)
    expected = kanegen.simulate(angles, q, v, 10.0, **options)
    height = 0.3 * np.cos(expected.q[:, 1])
    # the errors of steps, 1e-13 each for some thousand of them, grow no faster than linearly here
    assert np.abs(found.q[:, 2] - height).max() < 1e-9
    assert np.abs(np.linalg.norm(found.q[:, 3:], axis=1) - 1).max() < 1e-15
    assert found.drift < 1e-9


def test_a_walker_in_free_fall_keeps_what_is_conserved() -> None:
    """Without gravity: energy, and all six components of momentum; the loop stays closed."""
    robot = load(walker(gravity=(0, 0, 0), turned=True), *MOVING, interpreted=False)
    assert (robot.nq, robot.nv) == (14, 9)
    start = robot.assemble()
    assert np.abs(np.linalg.norm(start[[3, 4, 5, 6]]) - 1) < 1e-15
    v = np.random.default_rng(3).normal(size=9)
    motion = kanegen.simulate(robot, start, v, 5.0, rtol=1e-12, atol=1e-12)
    energy = robot.kinetic_energy(motion.q, motion.v)
    assert np.abs(energy - energy[0]).max() < 1e-9 * energy[0]
    momentum = robot.momentum(motion.q, motion.v)
    assert np.abs(momentum - momentum[0]).max() < 1e-9 * np.abs(momentum).max()
    assert motion.drift < 1e-9
    assert np.abs(robot.constraint_residual(motion.q)).max() < 1e-9


def test_a_linkage_that_repeats_equations_on_a_floating_base() -> None:
    """As many rows as coordinates, and more: a quaternion's length is no motion that they leave free."""
    robot = load(floating_four_bar(), *MOVING, interpreted=False)
    assert robot.constraints is not None
    assert (robot.nq, robot.nv, robot.constraints.rank) == (10, 7, 2)
    assert len(robot.constraints.redundant) == 3
    start, v = robot.assemble(), np.array([0.1, -0.2, 0.3, 1, 2, -1, 3.0])
    motion = kanegen.simulate(robot, start, v, 3.0, rtol=1e-12, atol=1e-12)
    energy, momentum = robot.kinetic_energy(motion.q, motion.v), robot.momentum(motion.q, motion.v)
    assert np.abs(energy - energy[0]).max() < 1e-9 * energy[0]
    assert np.abs(momentum - momentum[0]).max() < 1e-9 * np.abs(momentum).max()
    assert np.abs(robot.constraint_residual(motion.q)).max() < 1e-9


def test_compiled_and_interpreted_alike() -> None:
    mechanism = walker(turned=True)
    compiled, interpreted = (load(mechanism, "forward_dynamics", interpreted=how) for how in (False, True))
    q = configurations(mechanism, make_plan(mechanism).states[:8])
    q = np.array([compiled.assemble(x) for x in q])
    v, tau = np.random.default_rng(5).normal(size=(2, 8, 9))
    a = compiled.forward_dynamics(q, v, tau)
    assert np.abs(a - interpreted.forward_dynamics(q, v, tau)).max() < ROUNDING * np.abs(a).max()
    # quaternions count by their direction
    longer = q.copy()
    longer[:, 3:7] *= 3
    longer[:, 10:] *= -0.2
    assert np.abs(a - compiled.forward_dynamics(longer, v, tau)).max() < ROUNDING * np.abs(a).max()


def test_a_held_ball_needs_no_loop() -> None:
    """A prescribed table below a pendulum on a ball: its speeds are those of the ball where none were chosen."""
    b = MechanismBuilder("whirled")
    b.body("table", 2, inertia=(1, 1, 1))
    b.body("bob", 1, (0, 0, "-0.5"), ("0.01", "0.01", "0.01"))
    b.revolute("turn", "base", "table", (0, 0, 1))
    b.prescribe("turn", 2)
    b.spherical("hook", "table", "bob", (1, 0, 0))
    robot = kanegen.load(b.build(), kernels=["forward_dynamics"], interpreted=True)
    assert robot.speed_names == ("hook_wx", "hook_wy", "hook_wz")
    # The bob rests relative to the table where gravity and centrifugal force have no moment about the hook.
    angle = 0.0
    for _ in range(
        100
    ):  # tan = w^2 (1 + l sin) / g up to the bob's own moments, which are alike about all axes
        angle = np.arctan(4 * (1 + 0.5 * np.sin(angle)) / 9.81)
    q = np.array([0, -np.sin(angle / 2), 0, np.cos(angle / 2)])
    assert np.abs(robot.forward_dynamics(q, np.zeros(3), np.zeros(3))).max() < 1e-12


def test_an_equation_of_quaternion_entries_is_refused() -> None:
    b = MechanismBuilder("tied")
    b.body("bob", 1, (0, 0, "-0.5"), ("0.01", "0.01", "0.01"))
    b.spherical("hook", "base", "bob")
    q = sympy.symbols("q0:4")
    b.position_constraint("no turn", q[2] - q[0], q)
    b.speeds([JointRate(f"hook_w{k}") for k in "xy"])
    with pytest.raises(ModelError, match=r"'no turn'.*depends on q0, q2.*frames"):
        kanegen.load(b.build())
