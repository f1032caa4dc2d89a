"""What rounding leaves of a model's quantities is measured by what they add up from (case 79, and its whole kind)."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.importers import from_urdf
from kanegen.codegen.mechanism.records import Mechanism

pytestmark = pytest.mark.all_passes


def arm(lengths: tuple[float, ...] = (1, 1, 1), far: float = 0.0) -> MechanismBuilder:
    """Rods of 1 kg; the first turns about the vertical at ``far`` metres from the base, the others about horizontal axes."""
    b = MechanismBuilder("arm")
    parent, place = "base", (far, far, far)
    for k, length in enumerate(lengths):
        inertia = length * length / 12
        b.body(f"b{k}", 1.0, (length / 2, 0, 0), (0.6 * inertia, 0.8 * inertia, inertia))
        b.revolute(f"j{k}", parent, f"b{k}", (0, 0, 1) if k == 0 else (0, 1, 0), place)
        parent, place = f"b{k}", (length, 0, 0)
    return b


def with_law(force: Callable[[sympy.Symbol, sympy.Symbol], sympy.Expr]) -> Mechanism:
    b = arm()
    t, *states = sympy.symbols("t q0 q1 q2 v0 v1 v2")
    b.law("servo", [force(t, states[0]), 0, 0], time=t, q=states[:3], v=states[3:])
    return b.build()


SMALL = Fraction(1, 10**6)
LAWS: dict[str, tuple[Callable[..., sympy.Expr], Callable[[float, float], float], float]] = {
    # what it amounts to, and how large the terms are that cancel in it
    "a short ramp": (
        lambda t, q: (sympy.sqrt((t - 1) ** 2) - sympy.sqrt((t - 1 - SMALL) ** 2)) * 10**6 / 2,
        lambda t, q: -0.5 if t < 1 else 0.5,
        2e6,
    ),
    "a difference of roots": (
        lambda t, q: 10**6 * (sympy.sqrt(t**2 + 100) - sympy.sqrt(t**2 + 100 + SMALL**2)),
        lambda t, q: -0.5e-6 / np.sqrt(t * t + 100),
        1e7,
    ),
    "a difference of sines": (
        lambda t, q: 10**12 * (sympy.sin(q) - sympy.sin(q + SMALL**2)),
        lambda t, q: -np.cos(q),
        2e12,
    ),
}


@pytest.mark.parametrize(("name", "interpreted"), [*((name, True) for name in LAWS), ("a short ramp", False)])
def test_laws_that_are_differences_of_nearly_equal_terms(name: str, interpreted: bool) -> None:
    """Case 79: such a law has the rounding errors of its terms, whoever evaluates it; that is nobody's fault.

    The right value is the limit of the difference, by hand.  Eight roundings of the terms are allowed.
    """
    force, value, terms = LAWS[name]
    robot = kanegen.load(with_law(force), interpreted=interpreted, kernels=["servo", "closed_loop_servo"])
    for t, q in ((0.3, 0.2), (2.5, -1.0)):
        found = robot.call("servo", t, [q, 0.1, 0.2], [0.0, 0.0, 0.0])
        assert abs(found[0] - value(t, q)) <= 8 * 2.0**-53 * terms + 1e-6 * abs(value(t, q))


def test_a_robot_far_from_the_base() -> None:
    """Case 79: where the base is does not change the forces; positions alone lose digits (by hand: a translation).

    The way of the tip's Jacobian is that from the joints, too: an error of the place would be 1e4 m here.
    """
    near, away = (kanegen.load(arm(far=far).build(), interpreted=True) for far in (0.0, 1e20))
    q, v, a = [0.3, -0.4, 1.1], [0.5, 0.7, -0.2], [1.0, -2.0, 0.4]
    np.testing.assert_allclose(away.inverse_dynamics(q, v, a), near.inverse_dynamics(q, v, a), rtol=1e-13)
    np.testing.assert_allclose(away.gravity_forces(q), near.gravity_forces(q), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(away.frame_jacobian(q, "b2"), near.frame_jacobian(q, "b2"), atol=1e-14)


@pytest.mark.parametrize("lengths", [(1, 1e-12, 1), (1, 1e-6, 1), (1, 1, 1e6), (1, 1, 1e12)])
def test_joints_that_turn_against_each_other(lengths: tuple[float, ...]) -> None:
    """Case 79: two axes that nearly coincide turn fast against each other, and the body beyond them hardly.

    The right value: put into the inverse dynamics, accelerations give the forces again, to rounding errors of the terms.
    """
    robot = kanegen.load(arm(lengths).build(), interpreted=True)
    q, v, tau = np.array([0.3, -0.4, 1.1]), np.zeros(3), np.array([1.0, 2.0, -0.5])
    a = robot.forward_dynamics(q, v, tau)
    terms = np.abs(robot.mass_matrix(q)) @ np.abs(a) + np.abs(robot.gravity_forces(q))
    assert np.all(np.abs(robot.inverse_dynamics(q, v, a) - tau) <= 1e-14 * terms.max())


def test_a_nearly_massless_slider() -> None:
    """Case 79: a kernel with all its digits passes, though its textbook derivation has four (by hand: m r omega^2)."""
    b = MechanismBuilder("slider")
    b.body("a", 1, (0, 0, 0), (1, 1, 1))
    b.body("c", 1e-12, (1e-12, 0, 0), (1, 1, 1))
    b.prismatic("x", "base", "a", (1, 0, 0))
    b.revolute("r", "a", "c", (0, 1, 0))
    h = kanegen.load(b.build(), interpreted=True).bias_forces([0.0, 0.7], [0.0, 3.0])
    assert h[0] == pytest.approx(-1e-24 * 9.0 * np.cos(0.7), rel=1e-12)
    assert h[1] == pytest.approx(-1e-24 * 9.81 * np.cos(0.7), rel=1e-12)


def test_digits_that_no_kernel_has_are_the_models() -> None:
    """Case 79: a free body with a light one very far off; the refusal names the numbers that are too far apart."""
    b = MechanismBuilder("far")
    b.body("a", 1e12, (0.1, 0, 0), (1, 1, 1))
    b.floating("x", "base", "a")
    b.body("c", 1, (0.1, 0.2, 0.3), (1, 1, 1))
    b.revolute("r", "a", "c", (0, 1, 0), (1e12, 1, 0))
    with pytest.raises(kanegen.CertificateError, match=r"numbers reach from 0\.1 .* to 1e\+12") as caught:
        kanegen.load(b.build(), interpreted=True, eager=True)
    assert "error of kanegen" not in str(caught.value)


IN_METRES = """<robot name="arm"><link name="root"/>
<link name="l0"><inertial><origin xyz="0.188 0.463 0.106"/><mass value="2.82"/>
  <inertia ixx="0.126" ixy="0.00581" ixz="0.0522" iyy="0.189" iyz="0.0384" izz="0.124"/></inertial></link>
<link name="l1"><inertial><mass value="0.489"/>
  <inertia ixx="0.0525" ixy="-0.0119" ixz="-0.0113" iyy="0.0586" iyz="0.0148" izz="0.0481"/></inertial></link>
<link name="l2"><inertial><origin xyz="-0.387 -0.254 -0.167" rpy="2.21 -0.26 1.29"/><mass value="0.703"/>
  <inertia ixx="0.0534" ixy="-0.00194" ixz="-0.0101" iyy="0.069" iyz="-0.0144" izz="0.0308"/></inertial></link>
<link name="l3"><inertial><mass value="1.58"/>
  <inertia ixx="0.0472" ixy="0.018" ixz="0.0208" iyy="0.103" iyz="-0.00339" izz="0.0966"/></inertial></link>
<joint name="j0" type="continuous"><parent link="root"/><child link="l0"/>
  <origin xyz="-0.156 -0.278 0.103" rpy="-1.24 2.82 2.91"/><axis xyz="1 1 0"/></joint>
<joint name="j1" type="continuous"><parent link="l0"/><child link="l1"/>
  <origin xyz="-0.305 0.027 0.466" rpy="0.2 1.57 1.1"/><axis xyz="0 0 1"/>
  <mimic joint="j0" multiplier="-2.5" offset="0.3"/></joint>
<joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/>
  <origin xyz="0.0123 -0.114 0.0874" rpy="0.2 1.57 1.1"/><axis xyz="0 0 -1"/></joint>
<joint name="j3" type="continuous"><parent link="l2"/><child link="l3"/>
  <origin xyz="-0.173 -0.466 0.0814" rpy="0.4 -1.57 -0.7"/><axis xyz="0 0 1"/></joint></robot>"""


def test_an_arm_in_grams_and_millimetres() -> None:
    """Moments of inertia of 1e8 beside cosines: what passes add to sums may cancel there, and is then left as it was."""

    def times(factor: int, attribute: str, text: str) -> str:
        def changed(found: re.Match[str]) -> str:
            return f'{attribute}="{" ".join(str(Decimal(x) * factor) for x in found.group(1).split())}"'

        return re.sub(rf'\b{attribute}="([^"]*)"', changed, text)

    text = times(1000, "xyz", IN_METRES.replace("<axis xyz=", "<axis at="))
    for attribute, factor in (
        ("value", 10**3),
        *((f"i{pair}", 10**9) for pair in ("xx", "xy", "xz", "yy", "yz", "zz")),
    ):
        text = times(factor, attribute, text)
    small = from_urdf(text.replace("<axis at=", "<axis xyz="))
    large, kernels = from_urdf(IN_METRES), ["forward_dynamics", "inverse_dynamics"]
    in_metres = kanegen.load(large, kernels=kernels, interpreted=True)
    arm_in_mm = kanegen.load(small, kernels=kernels, interpreted=True, gravity=(0, 0, -9810))
    q, v, tau = np.random.default_rng(4).uniform(-1, 1, (3, 20, 3))
    expected = in_metres.forward_dynamics(q, v, tau)
    # Both are held to 1e-11 of the largest acceleration by their certificates.
    largest = np.abs(expected).max(axis=1, keepdims=True)
    assert (np.abs(arm_in_mm.forward_dynamics(q, v, 1e9 * tau) - expected) <= 2e-11 * largest.max()).all()
