"""The space of configurations of robots with spherical and floating joints: integrate, difference, random ones."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.records import JointLimits

EPSILON = np.finfo(float).eps


@functools.cache
def robot() -> kanegen.Robot:
    """A slider, on it a ball joint; beside it a floating body that carries a hinge."""
    b = MechanismBuilder("space")
    for name in ("cart", "bob", "trunk", "flap"):
        b.body(name, mass=1, center=(0, 0, "-0.1"), inertia=("0.1", "0.2", "0.15"))
    b.prismatic("rail", "base", "cart", axis=(1, 0, 0), limits=JointLimits(lower=-2, upper=1, velocity=3))
    b.spherical("ball", "cart", "bob", position=(0, "0.3", 0), rotation=("0.4", "-0.2", "0.9"))
    b.floating("root", "base", "trunk", position=("0.5", 0, 1), rotation=(0, "0.3", "0.1"))
    b.revolute("hinge", "trunk", "flap", axis=(0, 1, 0), limits=JointLimits(upper=5))
    return kanegen.load(b.build(), kernels=["coordinate_rates"], interpreted=True)


def states(*batch: int, seed: int = 1):
    generator = np.random.default_rng(seed)
    q = np.array([robot().random_configuration(generator) for _ in range(int(np.prod(batch)))])
    return q.reshape(*batch, robot().nq), generator.uniform(-1.0, 1.0, (*batch, robot().nv))


def test_description():
    arm = robot()
    assert (arm.nq, arm.nv) == (13, 11)
    assert arm.coordinate_names[:5] == ("rail", "ball_qx", "ball_qy", "ball_qz", "ball_qw")
    assert arm.speed_names[:4] == ("rail", "ball_wx", "ball_wy", "ball_wz")
    assert arm.joint_names == ("rail", "ball", "root", "hinge")
    assert arm.quaternions == (1, 8)
    assert not arm.speeds_are_rates
    expected = [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    assert arm.neutral.tolist() == arm.home.tolist() == expected
    assert arm.joint_limits["rail"] == kanegen.JointLimits(-2.0, 1.0, 3.0, None)
    assert arm.joint_limits["hinge"] == kanegen.JointLimits(None, 5.0, None, None)
    assert arm.joint_limits["ball"] == kanegen.JointLimits()


def test_integrate_is_the_flow_of_constant_speeds():
    """Against a general integrator of dq/dt = N(q) v with the kernel; tolerance 1e-12 in each of some tens of steps."""
    arm, (q, v) = robot(), states()
    flow = solve_ivp(lambda t, y: arm.coordinate_rates(y, v), (0, 1), q, "DOP853", rtol=1e-12, atol=1e-12)
    assert_allclose(arm.integrate(q, v), flow.y[:, -1], rtol=0, atol=1e-10)


def test_integrate_in_parts():
    """Constant speeds for a third of the time and then for the rest; rounding of numbers up to pi."""
    arm, (q, v) = robot(), states(4)
    assert_allclose(arm.integrate(arm.integrate(q, v / 3), 2 * v / 3), arm.integrate(q, v), atol=50 * EPSILON)


def test_difference_is_the_inverse():
    arm, (q, v) = robot(), states(3, 4)
    assert_allclose(arm.difference(q, arm.integrate(q, v)), v, rtol=0, atol=100 * EPSILON)
    other, _ = states(3, 4, seed=2)
    # Random rotations may be nearly half a turn apart, where the velocity is off by the rounding of the way times pi/2.
    assert_allclose(_same_signs(arm.integrate(q, arm.difference(q, other)), other), other, atol=200 * EPSILON)
    assert_array_equal(arm.difference(q, q)[..., 0], np.zeros((3, 4)))
    assert_allclose(arm.difference(q, q), 0, atol=4 * EPSILON)


def _same_signs(q, as_in):
    q = q.copy()
    for start in robot().quaternions:
        part = slice(start, start + 4)
        q[..., part] *= np.sign(np.sum(q[..., part] * as_in[..., part], axis=-1, keepdims=True))
    return q


def test_batches_and_lengths():
    arm, (q, v) = robot(), states(5)
    scaled = q.copy()
    scaled[:, 1:5] *= 2.0
    assert_allclose(arm.integrate(scaled, v), arm.integrate(q, v), rtol=4 * EPSILON)
    assert arm.integrate(q[0], v).shape == (5, 13)
    assert arm.difference(q, q[0].tolist()).shape == (5, 11)
    with pytest.raises(ValueError, match=r"dv: expected \(\.\.\., 11\), got \(13,\)"):
        arm.integrate(q[0], q[0])
    with pytest.raises(ValueError, match=r"leading dimensions must broadcast, got q \(5, 13\), dv \(4, 11\)"):
        arm.integrate(q, v[:4])
    with pytest.raises(TypeError, match="q0: expected real numbers"):
        arm.difference(["a"] * 13, q)


def test_pinocchio_moves_alike():
    """The free flyer and the spherical joint of Pinocchio, with the same order of entries."""
    pin = pytest.importorskip("pinocchio")
    arm, (q, v) = robot(), states(6)
    other, _ = states(6, seed=2)
    placed = pin.SE3.Identity()
    model = pin.Model()
    model.addJoint(0, pin.JointModelPX(), placed, "rail")
    model.addJoint(1, pin.JointModelSpherical(), placed, "ball")
    model.addJoint(0, pin.JointModelFreeFlyer(), placed, "root")
    model.addJoint(3, pin.JointModelRY(), placed, "hinge")
    for i in range(6):
        moved = pin.integrate(model, q[i], v[i])
        assert_allclose(_same_signs(arm.integrate(q[i], v[i]), moved), moved, atol=20 * EPSILON)
        # Pinocchio's logarithm loses digits near half a turn.
        assert_allclose(arm.difference(q[i], other[i]), pin.difference(model, q[i], other[i]), atol=1e-9)


def test_random_configurations():
    arm = robot()
    drawn, _ = states(500)
    assert drawn[:, 0].min() >= -2.0 and drawn[:, 0].max() <= 1.0
    assert np.ptp(drawn[:, 0]) > 2.9  # 500 draws: a gap of 0.1 at the ends has a chance of 1e-7
    assert drawn[:, 12].min() >= 5.0 - 2 * np.pi and drawn[:, 12].max() <= 5.0
    assert np.abs(drawn[:, 5:8]).max() <= 1.0
    for start in arm.quaternions:
        lengths = np.linalg.norm(drawn[:, start : start + 4], axis=1)
        assert_allclose(lengths, 1.0, rtol=4 * EPSILON)
    assert_array_equal(arm.random_configuration(7), arm.random_configuration(np.random.default_rng(7)))


def test_speeds_that_are_no_rates_are_not_integrated():
    arm = kanegen.load("stanford_arm", speeds="kane_levinson", kernels=["coordinate_rates"], interpreted=True)
    assert not arm.speeds_are_rates
    with pytest.raises(kanegen.KanegenError, match="speeds that are not those of its joints"):
        arm.integrate(np.zeros(6), np.zeros(6))
    plain = kanegen.load("stanford_arm")
    assert plain.speeds_are_rates
    assert plain.integrate(np.ones(6), np.full(6, 0.5)).tolist() == [1.5] * 6
    assert plain.difference(np.ones(6), np.zeros(6)).tolist() == [-1.0] * 6
