"""Small motions of mechanisms with friction (CASES2 72): only what is in proportion to the rates damps them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder, force_laws
from kanegen.codegen.mechanism.force_elements import ForceLaw

from .files import LoadText

KERNELS = ["inverse_dynamics", "inverse_dynamics_derivatives"]


def rod(**friction: Any) -> kanegen.Robot:
    """A rod of 1 kg hanging on a hinge: inertia 0.35 kg m^2 about it, weight 9.81 N at 0.5 m."""
    builder = MechanismBuilder("rod")
    builder.body("rod", mass=1, center=(0, 0, "-0.5"), inertia=("0.1", "0.1", "0.01"))
    builder.revolute("phi", "base", "rod", axis=(0, 1, 0), **friction)
    return kanegen.load(builder.build(), kernels=KERNELS, friction=True, interpreted=True)


@pytest.mark.parametrize("friction", [0, "0.2", 50])
def test_coulomb_friction_is_no_damping(friction: Any) -> None:
    """Case 72: by hand, the damping ratio is d / (2 sqrt(J m g c)) whatever the Coulomb friction."""
    arm = rod(damping="0.5", friction=friction)
    modes = arm.natural_modes([0.0])
    assert modes.frequencies[0] == pytest.approx(np.sqrt(9.81 * 0.5 / 0.35), rel=1e-12)
    assert modes.damping[0] == pytest.approx(0.5 / (2 * np.sqrt(0.35 * 9.81 * 0.5)), rel=1e-10)
    assert arm.linearise([0.3], [0.002]).C[0, 0] == pytest.approx(0.5, rel=1e-10)
    # The derivatives themselves are those of the forces as they are: f / s at rest, s = 0.01 rad/s.
    found = arm.inverse_dynamics_derivatives([0.0], [0.0], [0.0]).dv[0, 0]
    assert found == pytest.approx(0.5 + float(Fraction(friction)) / 0.01, rel=1e-12)


def test_in_motion_and_for_a_batch() -> None:
    """Case 72: C of an arm in motion is that of the same arm without Coulomb friction, whose damping is the same."""
    arms = []
    for friction in (0, 3):
        builder = MechanismBuilder("arm")
        for name in ("upper", "lower"):
            builder.body(name, mass=2, center=("0.3", "0.1", 0), inertia=("0.02", "0.05", "0.06"))
        builder.revolute("q1", "base", "upper", axis=(0, 0, 1), damping="0.1", friction=friction)
        builder.revolute(
            "q2", "upper", "lower", axis=(0, 1, 0), position=(1, 0, 0), damping="0.3", friction=friction
        )
        arms.append(kanegen.load(builder.build(), kernels=KERNELS, friction=True, interpreted=True))
    rng = np.random.default_rng(72)
    q, v, a = rng.uniform(-1, 1, (3, 5, 2))
    v[0] = 0.0
    smooth, rubbing = (arm.linearise(q, v, a) for arm in arms)
    # C has entries of about one; at 1000 rad/s their parts in the rates are a thousand times that, rounded at 1e-16.
    np.testing.assert_allclose(rubbing.C, smooth.C, atol=1e-11)
    np.testing.assert_allclose(rubbing.M, smooth.M, atol=1e-14)
    np.testing.assert_allclose(rubbing.K, smooth.K, atol=1e-12)


def damped(law: ForceLaw, friction: Any = 0) -> kanegen.Robot:
    """The rod with a force element on its hinge."""
    builder = MechanismBuilder("rod")
    builder.body("rod", mass=1, center=(0, 0, "-0.5"), inertia=("0.1", "0.1", "0.01"))
    builder.revolute("phi", "base", "rod", axis=(0, 1, 0), friction=friction)
    builder.force_element("oil", "phi", law)
    return kanegen.load(builder.build(), kernels=KERNELS, friction=True, interpreted=True)


def test_resistance_that_is_not_linear_is_not_taken_for_coulomb_friction() -> None:
    """Its slope at the state counts; beside Coulomb friction, from which it cannot be told, it is refused by name."""
    law = force_laws.damper("0.5", quadratic="0.7", cubic="0.9")
    slope = 0.5 + 2 * 0.7 * 0.3 + 3 * 0.9 * 0.3**2
    assert damped(law).linearise([0.1], [-0.3]).C[0, 0] == pytest.approx(slope, rel=1e-12)
    for nonlinear in (
        law,
        force_laws.damper(cubic=1),
        force_laws.friction(1),
        force_laws.stops(-1, 1, 10, 2),
    ):
        arm = damped(nonlinear, friction="0.2")
        with pytest.raises(kanegen.KanegenError, match="resistance of 'oil', which is not linear in rates"):
            arm.natural_modes([0.0])
    linear = force_laws.damper("0.5") + force_laws.dead_band(3, upper=1)
    assert damped(linear, friction="0.2").linearise([0.1], [0.3]).C[0, 0] == pytest.approx(0.5, rel=1e-10)


LINK = """<link name="{}"><inertial><mass value="1"/><origin xyz="0 0 -0.5"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""

PAIR = f"""<robot name="pair"><link name="base"/>{LINK.format("a")}{LINK.format("b")}
<joint name="one" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
  <dynamics damping="0.25" friction="2"/></joint>
<joint name="two" type="continuous"><parent link="base"/><child link="b"/><axis xyz="0 1 0"/>
  <dynamics damping="0.5" friction="4"/><mimic joint="one" multiplier="-2"/></joint></robot>"""


def test_a_joint_that_follows_another(load_text: LoadText) -> None:
    """Case 72: a follower at -2 times the rate has its friction left out, too; by hand C = d1 + 4 d2."""
    arm = load_text(PAIR, *KERNELS, friction=True)
    assert arm.linearise([0.1]).C[0, 0] == pytest.approx(0.25 + 4 * 0.5, rel=1e-10)
