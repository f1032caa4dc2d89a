"""Springs of rest length zero (case 63): regular where their ends meet, in every quantity."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import JointRate

from .files import LoadText

STIFFNESS, DAMPING, MASS = 50.0, 3.0, 2.0

ARM = """<mujoco><worldbody><site name="w" pos=".3 0 0"/><body name="a"><joint name="j" axis="0 1 0"/>
<geom type="box" size=".1 .2 .05" pos=".1 0 0"/><site name="p" pos=".3 0 0"/></body></worldbody>
<tendon><spatial name="t" stiffness="30" springlength="0"><site site="w"/><site site="p"/></spatial></tendon></mujoco>"""


def slide(damping: float = 0.0, axis: tuple[float, float, float] = (0.6, 0.8, 0)) -> Mechanism:
    """A mass on a slide, a spring to the base's origin."""
    b = MechanismBuilder("slide", gravity=(0, 0, 0))
    b.body("mass", MASS)
    b.prismatic("x", "base", "mass", axis)
    b.translational_spring("spring", "base", "mass", STIFFNESS, damping)
    return b.build()


def point(rest_speeds: bool = False) -> Mechanism:
    """A mass that moves in a plane on two slides, held by a spring to the base's origin."""
    b = MechanismBuilder("point", gravity=(0, 0, 0))
    b.body("carrier", 0.5)
    b.body("mass", MASS)
    b.prismatic("x", "base", "carrier", (1, 0, 0))
    b.prismatic("y", "carrier", "mass", (0, 1, 0))
    b.translational_spring("spring", "base", "mass", STIFFNESS)
    if rest_speeds:
        b.speeds([JointRate("x"), JointRate("y")])
    return b.build()


def test_inverse_dynamics_of_an_imported_arm(load_text: LoadText) -> None:
    """Case 63: MuJoCo's value, and by hand m g x = 8 kg x 9.81 m/s^2 x 0.1 m, downwards along -z about y."""
    arm = load_text(ARM, suffix=".xml")
    assert_allclose(arm.inverse_dynamics([0.0], [0.0], [0.0]), [-7.848], rtol=1e-15)
    for q in (1e-12, 1e-8, -1e-8, 1e-3):
        # the spring's energy k/2 (0.6 sin(q/2))^2 has the slope 0.09 k sin q
        expected = 0.09 * 30 * np.sin(q) - 7.848 * np.cos(q)
        assert_allclose(arm.inverse_dynamics([q], [0.0], [0.0]), [expected], rtol=1e-14)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_mass_on_a_slide(compiled: bool) -> None:
    """Case 63: a = -k x / m, in every direction of the slide, with and without a damper in line."""
    for damping in (0.0, DAMPING):
        arm = kanegen.load(slide(damping), interpreted=not compiled)
        for x in (0.0, 1e-12, -1e-8, 0.3):
            expected = -(STIFFNESS * x + damping * 0.7) / MASS
            assert_allclose(arm.forward_dynamics([x], [0.7], [0.0]), [expected], rtol=1e-14)
        counts = arm.operation_counts["inverse_dynamics"]
        assert (counts.divisions, counts.square_roots) == (0, 0)


def test_every_quantity_where_the_ends_meet() -> None:
    """Case 63: energy, derivatives, bias, natural modes and a simulation of a mass between springs, by hand."""
    for mechanism in (point(), point(rest_speeds=True)):
        arm = kanegen.load(mechanism, interpreted=True)
        zero, tiny = np.zeros(2), np.array([1e-9, -2e-9])
        for q in (zero, tiny):
            assert_allclose(arm.gravity_forces(q), STIFFNESS * q, rtol=1e-15)
            assert_allclose(arm.bias_forces(q, [1.0, 2.0]), STIFFNESS * q, rtol=1e-15)
            assert_allclose(arm.potential_energy(q), STIFFNESS / 2 * (q @ q), rtol=1e-15)
            found = arm.inverse_dynamics_derivatives(q, [1.0, 2.0], zero)
            assert_allclose(found.dq, STIFFNESS * np.eye(2), rtol=1e-15)
    arm = kanegen.load(point(), interpreted=True)
    frequencies = arm.natural_modes(np.zeros(2)).frequencies
    assert_allclose(np.sort(frequencies), np.sqrt(STIFFNESS / np.array([MASS + 0.5, MASS])), rtol=1e-12)
    motion = kanegen.simulate(kanegen.load(slide(), interpreted=True), [0.0], [1.0], 2.0)
    omega = np.sqrt(STIFFNESS / MASS)
    # rtol = 1e-9 for each of some hundred steps
    assert_allclose(motion.q[:, 0], np.sin(omega * motion.t) / omega, atol=1e-7)


def test_derivatives_of_an_arm_whose_spring_has_no_length() -> None:
    """Case 63: the second derivative of k/2 (0.6 sin(q/2))^2 is 0.09 k cos q."""
    b = MechanismBuilder("arm", gravity=(0, 0, 0))
    b.body("link", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.revolute("j", "base", "link", (0, 1, 0))
    b.frame("tip", "link", (0.3, 0, 0))
    b.frame("wall", "base", (0.3, 0, 0))
    b.translational_spring("spring", "wall", "tip", 30)
    arm = kanegen.load(b.build(), interpreted=True)
    for q in (0.0, 1e-8, 0.5):
        found = arm.inverse_dynamics_derivatives([q], [0.3], [0.0])
        assert_allclose(found.dq, [[2.7 * np.cos(q)]], rtol=1e-14)
        assert_allclose(arm.potential_energy([q]), 1.35 * 4 * np.sin(q / 2) ** 2, rtol=1e-12, atol=1e-15)


def test_a_ball_joint_does_without_as_well() -> None:
    """Case 63: a spring of no length between a floating body and the base, at and near the place where both meet."""
    b = MechanismBuilder("float", gravity=(0, 0, 0))
    b.body("body", MASS, inertia=(0.1, 0.2, 0.3))
    b.floating("f", "base", "body")
    b.translational_spring("spring", "base", "body", STIFFNESS)
    arm = kanegen.load(b.build(), interpreted=True)
    for shift in ([0.0, 0, 0], [1e-9, -2e-9, 0]):
        q = np.array([*shift, 0, 0, 0, 1.0])
        assert_allclose(
            arm.forward_dynamics(q, np.zeros(6), np.zeros(6))[:3], -25 * np.array(shift), rtol=1e-14
        )
