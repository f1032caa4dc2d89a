"""Springs whose ends meet (cases 63, 64, 79): regular where they have no length, as many digits near there as anywhere."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen.mechanism import JointRate, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.speeds import DistanceRate
from tests.refusals import refused

pytestmark = pytest.mark.all_passes

STIFFNESS, REST, RADIUS = 30.0, 0.05, 0.3
NEAR = (1e-7, 1e-8, 1e-12, -1e-8, 0.01, 2.0)


def hinge(end=(RADIUS, 0, 0), at=0.0, axis=(0, 1, 0), wall=None) -> MechanismBuilder:
    """An arm on a hinge at ``at`` on the axis x; a point ``p`` of it and one of the base, ``w``, which meet at q = 0."""
    b = MechanismBuilder("hinge", gravity=(0, 0, 0))
    b.body("arm", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.revolute("j", "base", "arm", axis, position=(at, 0, 0))
    b.frame("p", "arm", end)
    b.frame("w", "base", wall or (end[0] + at, *end[1:]))
    return b


def sprung(rest=REST, damping=0.0, **where) -> Mechanism:
    b = hinge(**where)
    b.translational_spring("s", "w", "p", STIFFNESS, damping, rest)
    return b.build()


def sliding(*axes, damping=0.0, rates=False) -> Mechanism:
    """A mass of 2 kg on slides, with carriages of 0.5 kg, and a spring of no length to the base's origin."""
    b = MechanismBuilder("slides", gravity=(0, 0, 0))
    parent = "base"
    for name, axis in zip("xy", axes, strict=False):
        b.body(name, 2.0 if axis == axes[-1] else 0.5)
        b.prismatic(f"along_{name}", parent, name, axis)
        parent = name
    b.translational_spring("s", "base", parent, 50, damping)
    if rates:
        b.speeds([JointRate("along_x"), JointRate("along_y")])
    return b.build()


MJCF = """<mujoco><worldbody><site name="w" pos=".3 0 0"/><body name="a"><joint name="j" axis="0 1 0"/>
<geom type="box" size=".1 .2 .05" pos=".1 0 0"/><site name="p" pos=".3 0 0"/></body></worldbody>
<tendon><spatial name="t" stiffness="30" springlength="0"><site site="w"/><site site="p"/></spatial></tendon></mujoco>"""


@pytest.mark.needs("mujoco")
def test_inverse_dynamics_of_an_imported_arm(load_text):
    """Case 63: MuJoCo's value, and by hand m g x = 8 kg x 9.81 m/s^2 x 0.1 m, downwards along -z about y."""
    arm = load_text(MJCF, "inverse_dynamics", suffix=".xml")
    for q in (0.0, 1e-12, 1e-8, -1e-8, 1e-3):
        # the spring's energy k/2 (0.6 sin(q/2))^2 has the slope 0.09 k sin q
        expected = 0.09 * 30 * np.sin(q) - 7.848 * np.cos(q)
        assert_allclose(arm.inverse_dynamics([q], [0.0], [0.0]), [expected], rtol=1e-14)


@pytest.mark.parametrize("interpreted", [True, False])
@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_a_mass_on_a_slide(interpreted, damping):
    """Case 63: a = -k x / m, in every direction of the slide, with and without a damper in line."""
    model = sliding((0.6, 0.8, 0), damping=damping)
    arm = kanegen.load(model, kernels=["forward_dynamics"], interpreted=interpreted)
    for x in (0.0, 1e-12, -1e-8, 0.3):
        assert_allclose(arm.forward_dynamics([x], [0.7], [0.0]), [-(50 * x + damping * 0.7) / 2], rtol=1e-14)
    counts = arm.operation_counts["forward_dynamics"]
    assert (counts.divisions, counts.square_roots) == (0, 0)


@pytest.mark.parametrize("rates", [False, True])
def test_every_quantity_where_the_ends_meet(rates):
    """Case 63: energy, derivatives, bias, natural modes and a simulation of a mass between springs, by hand."""
    arm = kanegen.load(sliding((1, 0, 0), (0, 1, 0), rates=rates), interpreted=True)
    for q in (np.zeros(2), np.array([1e-9, -2e-9])):
        assert_allclose(arm.gravity_forces(q), 50 * q, rtol=1e-15)
        assert_allclose(arm.bias_forces(q, [1.0, 2.0]), 50 * q, rtol=1e-15)
        assert_allclose(arm.potential_energy(q), 25 * (q @ q), rtol=1e-15)
        assert_allclose(
            arm.inverse_dynamics_derivatives(q, [1.0, 2.0], [0, 0]).dq, 50 * np.eye(2), rtol=1e-15
        )
    if not rates:
        frequencies = arm.natural_modes(np.zeros(2)).frequencies
        assert_allclose(np.sort(frequencies), np.sqrt(50 / np.array([2.5, 2.0])), rtol=1e-12)
        motion = kanegen.simulate(arm, [0.0, 0.0], [0.0, 1.0], 2.0)
        # omega = sqrt(50 / 2); rtol = 1e-9 for each of some hundred steps
        assert_allclose(motion.q[:, 1], np.sin(5 * motion.t) / 5, atol=1e-7)


def test_derivatives_of_an_arm_whose_spring_has_no_length():
    """Case 63: the second derivative of k/2 (0.6 sin(q/2))^2 is 0.09 k cos q."""
    arm = kanegen.load(sprung(rest=0), interpreted=True)
    for q in (0.0, 1e-8, 0.5):
        found = arm.inverse_dynamics_derivatives([q], [0.3], [0.0])
        assert_allclose(found.dq, [[2.7 * np.cos(q)]], rtol=1e-14)
        assert_allclose(arm.potential_energy([q]), 1.35 * 4 * np.sin(q / 2) ** 2, rtol=1e-12, atol=1e-15)


def test_a_floating_body_does_without_as_well():
    """Case 63: a spring of no length between a floating body and the base, at and near the place where both meet."""
    b = MechanismBuilder("float", gravity=(0, 0, 0))
    b.body("body", 2, inertia=(0.1, 0.2, 0.3))
    b.floating("f", "base", "body")
    b.translational_spring("spring", "base", "body", 50)
    arm = kanegen.load(b.build(), interpreted=True)
    for shift in ([0.0, 0, 0], [1e-9, -2e-9, 0]):
        found = arm.forward_dynamics([*shift, 0, 0, 0, 1.0], np.zeros(6), np.zeros(6))
        assert_allclose(found[:3], -25 * np.array(shift), rtol=1e-14)


def moment(q: float, rate: float = 0.0, damping: float = 0.0, radius: float = RADIUS) -> float:
    """By hand: the distance is 2 r |sin(q/2)|, its slope r cos(q/2) with the sign of q."""
    slope = radius * math.cos(q / 2) * math.copysign(1, q)
    return slope * (STIFFNESS * (2 * radius * abs(math.sin(q / 2)) - REST) + damping * slope * rate)


@pytest.mark.parametrize("interpreted", [True, False])
@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_a_spring_whose_ends_meet(interpreted, damping):
    """Cases 63 and 64: the moment by hand, to some roundings, however near the ends are; -0.45 N m at the smallest angles.

    Where they meet there is no direction: calls and simulations say so, and bind returns NaN.
    """
    kernels = ["inverse_dynamics", "forward_dynamics"]
    arm = kanegen.load(sprung(damping=damping), kernels=kernels, interpreted=interpreted)
    for q in NEAR:
        # some ten roundings of the two parts of the moment, of which the spring's is the larger
        expected = [moment(q, 0.5, damping)]
        assert_allclose(arm.inverse_dynamics([q], [0.5], [0.0]), expected, rtol=2e-15, atol=1e-15)
    assert arm.inverse_dynamics([1e-8], [0.0], [0.0])[0] == pytest.approx(-0.45, rel=1e-7)
    still = [[0.0], [0.0]]
    for call, words in (
        (lambda: arm.inverse_dynamics([0.0], [0.0], [0.0]), ("'s' between 'w' and 'p'", "rest length 0")),
        (lambda: arm.inverse_dynamics([[0.1], [0.0]], still, still), ("row 1",)),
        (lambda: kanegen.simulate(arm, [0.0], [0.0], 1.0), ("no direction",)),
    ):
        refused(call, *words, kind=kanegen.DeadCentreError)
    step = arm.bind("inverse_dynamics")
    step.q[:] = 0.0
    step()
    assert np.isnan(step.tau).all()


@pytest.mark.parametrize(("axis", "end"), [((0, 1, 0), (0.3, 0, 0)), ((0.6, 0, 0.8), (0.4, 0, -0.3))])
def test_hinges_elsewhere_and_with_oblique_axes(axis, end):
    """Case 64: numbers in a difference are added up exactly, before anything is rounded."""
    arm = kanegen.load(sprung(at=0.7, axis=axis, end=end), kernels=["inverse_dynamics"], interpreted=True)
    for q in NEAR:
        expected = [moment(q, radius=math.hypot(*end))]
        assert_allclose(arm.inverse_dynamics([q], [0.0], [0.0]), expected, rtol=1e-14)


def test_a_strut_whose_ends_come_close():
    """Case 64: the speed of a strut between two points 0.3 m from a hinge is 0.3 cos(q/2) dq/dt."""
    b = hinge()
    b.speeds([DistanceRate("w", "p")])
    b.home([0.5])
    arm = kanegen.load(b.build(), kernels=["coordinate_rates", "mass_matrix"], interpreted=True)
    for q in (1e-3, 1e-6):
        # tau drives the length; the moment of inertia about the hinge is 0.01 + 0.01
        slope = RADIUS * math.cos(q / 2)
        assert_allclose(arm.coordinate_rates([q], [1.0]), [1 / slope], rtol=1e-14)
        assert_allclose(arm.mass_matrix([q]), [[0.02 / slope**2]], rtol=1e-14)


def test_an_equation_of_ones_own_keeps_its_differences():
    """Case 64: a root that a user writes over squares of differences keeps these; the residual is 0.6 sin(q/2)."""
    b = hinge()
    b.body("mass", 1.0)
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


def test_springs_whose_ends_stay_apart_cost_no_more():
    """Case 64: their distance may be had from the law of cosines: sums of squares are kept where digits need them."""
    arm = kanegen.load(sprung(damping=1.0, wall=(0.8, 0, 0.1)), kernels=["gravity_forces"], interpreted=True)
    counts = arm.operation_counts["gravity_forces"]
    # before springs were written without their slopes it was 10 / 5, a division and a root
    assert (counts.multiplications, counts.additions) <= (8, 5)
    assert (counts.divisions, counts.square_roots) == (1, 1)


def test_a_spring_on_the_axis_of_its_hinge():
    """Case 79: no joint moves its ends apart, so that it never has a direction; with rest length zero it needs none.

    What the certificate would refuse because of the model is refused as the model's, with the reason.
    """
    on_axis = {"end": (0, 0.1, 0)}
    for rest, damping in ((0.05, 0.0), (0.0, 2.0), (0.05, 2.0)):
        refused(lambda r=rest, d=damping: sprung(r, d, **on_axis), "meet", where="spring 's'")
    arm = kanegen.load(sprung(0.0, **on_axis), interpreted=True, kernels=["inverse_dynamics"])
    assert arm.inverse_dynamics([0.3], [1.0], [2.0]).tolist() == [2.0 * (0.01 + 0.01)]
