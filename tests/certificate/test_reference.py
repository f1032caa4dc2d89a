"""The numeric witness itself, against closed forms from textbooks."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from kanegen.codegen.certificate.numeric_tree import numeric_tree
from kanegen.codegen.certificate.reference import Reference
from kanegen.codegen.certificate.speeds import TreeSpeeds
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder

ROUNDING = 1e-14
"""Some tens of roundings of terms that are a hundred times the result at most."""

SLIP = 0.01


def reference(mechanism: Mechanism) -> Reference:
    return Reference(numeric_tree(mechanism), TreeSpeeds(mechanism), mechanism.dof, SLIP)


def test_a_double_pendulum():
    """Point masses m1, m2 at the ends of rods l1, l2 in a vertical plane; angles from the vertical, the second relative."""
    m1, m2, l1, l2, g = 1.5, 0.7, 0.8, 0.6, 9.81
    builder = MechanismBuilder("double_pendulum", gravity=(0, 0, -g))
    builder.body("one", mass=m1, center=(0, 0, -l1))
    builder.body("two", mass=m2, center=(0, 0, -l2))
    builder.revolute("q1", BASE, "one", (0, -1, 0))
    builder.revolute("q2", "one", "two", (0, -1, 0), (0, 0, -l1))
    r = reference(builder.build())
    q, v, a = (np.random.default_rng(k).uniform(-3, 3, (20, 2)) for k in range(3))
    c, s = np.cos(q[:, 1]), np.sin(q[:, 1])
    M11 = m1 * l1**2 + m2 * (l1**2 + l2**2 + 2 * l1 * l2 * c)
    M12 = m2 * (l2**2 + l1 * l2 * c)
    bend = m2 * l1 * l2 * s
    high, low = np.sin(q[:, 0]), np.sin(q.sum(axis=1))
    tau1 = M11 * a[:, 0] + M12 * a[:, 1] - bend * (2 * v[:, 0] * v[:, 1] + v[:, 1] ** 2)
    tau1 += (m1 + m2) * g * l1 * high + m2 * g * l2 * low
    tau2 = M12 * a[:, 0] + m2 * l2**2 * a[:, 1] + bend * v[:, 0] ** 2 + m2 * g * l2 * low
    assert_allclose(r.inverse_dynamics(q, v, a).value, np.stack([tau1, tau2], axis=1), rtol=0, atol=1e-12)
    M = r.mass_matrix(q).value
    assert_allclose(M[:, 0, 0], M11, rtol=ROUNDING)
    assert_allclose(M[:, 1, 0], M12, rtol=0, atol=ROUNDING)
    height = -(m1 + m2) * l1 * np.cos(q[:, 0]) - m2 * l2 * np.cos(q.sum(axis=1))
    assert_allclose(r.potential_energy(q).value, g * height, rtol=0, atol=1e-13)


def test_a_free_top_turns_as_euler_says():
    """Euler's equations along the body's axes: n = I dw/dt + w x I w; without gravity its centre needs m (du/dt + w x u)."""
    principal, mass = np.array([0.2, 0.3, 0.4]), 2.0
    builder = MechanismBuilder("top", gravity=(0, 0, 0))
    builder.body("top", mass=mass, inertia=tuple(principal))
    builder.floating("free", BASE, "top", (1, 2, 3), (0.1, 0.2, 0.3))
    r = reference(builder.build())
    random = np.random.default_rng(4)
    q, v, a = random.uniform(-2, 2, (20, 7)), random.uniform(-2, 2, (20, 6)), random.uniform(-2, 2, (20, 6))
    u, w = v[:, :3], v[:, 3:]
    force = mass * (a[:, :3] + np.cross(w, u))
    moment = principal * a[:, 3:] + np.cross(w, principal * w)
    found = r.inverse_dynamics(q, v, a).value
    assert_allclose(found, np.concatenate([force, moment], axis=1), rtol=0, atol=1e-13)
    # the quaternion keeps its length, and turns at half the angular velocity
    rates = r.speeds.rates(q, v)[:, 3:]
    assert_allclose((rates * q[:, 3:]).sum(axis=1), 0, atol=1e-14)
    lengths = np.linalg.norm(q[:, 3:], axis=1)
    assert_allclose(np.linalg.norm(rates, axis=1), lengths * np.linalg.norm(w, axis=1) / 2, rtol=ROUNDING)


def test_springs_friction_rotors_and_mimics_act_on_their_joints():
    builder = MechanismBuilder("slides", gravity=(0, 0, 0))
    for name, mass in (("one", 2.0), ("two", 3.0)):
        builder.body(name, mass=mass)
    builder.prismatic("s", BASE, "one", (1, 0, 0), damping=0.5, friction=0.2, rotor_inertia=0.1, gear_ratio=3)
    builder.prismatic("t", "one", "two", (1, 0, 0))
    builder.mimic("t", "s", multiplier=2, offset=0.5)
    builder.translational_spring("spring", "base", "two", stiffness=4, damping=0.3, rest=0.1)
    r = reference(builder.build())
    x = np.random.default_rng(0).uniform(0.1, 3, (20, 1))
    v, a = (np.random.default_rng(k).uniform(-3, 3, (20, 1)) for k in (1, 2))
    smooth = 0.2 * v / np.sqrt(v**2 + SLIP**2)
    pull = 4 * (3 * x + 0.5 - 0.1) + 0.3 * 3 * v
    # the second mass is at 3 x + 0.5: it moves three times as fast as the first, and forces on it count three times
    expected = (2 + 3 * 9 + 0.9) * a + 0.5 * v + smooth + 3 * pull
    assert_allclose(r.inverse_dynamics(x, v, a).value, expected, rtol=0, atol=1e-13)
