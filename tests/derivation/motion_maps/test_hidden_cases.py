"""Cases that look right near home or at default numbers, and must be right elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.codegen.mechanism import LoopKind, MechanismBuilder, ModelError
from kanegen.codegen.mechanism.speeds import JointRate


def test_another_way_to_assemble_a_guided_rod() -> None:
    """A determinant that is +1 near home and -1 where the guided axis points the other way."""
    b = MechanismBuilder("guided", gravity=(0, -9.81, 0))
    for body in ("l0", "l1", "s"):
        b.body(body, 1, (0.1, 0.05, 0), (0.02, 0.03, 0.04))
    b.revolute("q0", "base", "l0", (0, 0, 1))
    b.revolute("q1", "l0", "l1", (0, 0, 1), position=(0.5, 0, 0))
    b.prismatic("s0", "base", "s", (0, 1, 0))
    turned = ((0, 0, 1), (0, 1, 0), (-1, 0, 0))
    b.frame("e", "l1", (0.5, 0, 0), turned)
    b.frame("rail", "s", (0, 0, 0), turned)
    b.loop("guide", LoopKind.CYLINDRICAL, "rail", "e")
    b.speeds([JointRate("q0")])
    b.home((0.4, -0.4, 0.2))
    robot = kanegen.load(b.build(), interpreted=True)
    flipped = robot.assemble([0.4, -0.4 + np.pi, 0.3])
    assert abs(np.cos(flipped[0] + flipped[1]) + 1) < 1e-9
    for q in (robot.assemble(), flipped):
        rates = robot.coordinate_rates(q, [1.0])
        np.testing.assert_allclose(robot.constraint_jacobian(q) @ rates, 0.0, atol=1e-14)
        assert rates[1] == pytest.approx(-1.0, abs=1e-13)  # the sum of both angles stays


def test_a_ratio_that_is_one_by_default() -> None:
    q1, q2, d1, d2, ratio = sympy.symbols("q1 q2 d1 d2 k")
    b = MechanismBuilder("geared", gravity=(0, 0, 0))
    b.parameter("k", 1, "1")
    for body in ("a", "b"):
        b.body(body, 1, inertia=(1, 1, 1))
    b.revolute("x", "base", "a", (0, 0, 1))
    b.revolute("y", "base", "b", (0, 0, 1), position=(1, 0, 0))
    b.velocity_constraint("gear", ratio * d2 - d1, (q1, q2), (d1, d2))
    b.speeds([JointRate("x")])
    robot = kanegen.load(b.build(), live_parameters=True, interpreted=True).with_parameters({"k": 2.0})
    np.testing.assert_allclose(robot.coordinate_rates([0.4, 0.2], [1.0]), [1.0, 0.5], rtol=1e-15)


def test_redundancy_that_depends_on_a_live_parameter_is_refused() -> None:
    q = sympy.symbols("q1 q2 q3")
    e = sympy.Symbol("e")
    b = MechanismBuilder("twice", gravity=(0, 0, 0))
    b.parameter("e", 0, "1")
    for body in "abc":
        b.body(body, 1, inertia=(1, 1, 1))
        b.prismatic(f"{body}x", "base", body, (1, 0, 0))
    b.position_constraint("one", q[0] - 2 * q[1], q)
    b.position_constraint("two", q[0] - 2 * q[1] + e * q[2], q)
    b.speeds([JointRate("ax"), JointRate("cx")])
    mechanism = b.build()
    assert kanegen.load(mechanism, interpreted=True).constraints.redundant == ("two",)
    with pytest.raises(ModelError, match="repeat others only at the default numbers"):
        kanegen.load(mechanism, live_parameters=True, interpreted=True)


def test_a_spring_across_a_held_joint_pulls_on_it() -> None:
    b = MechanismBuilder("held", gravity=(0, 0, 0))
    b.body("cart", 1)
    b.body("mast", 1)
    b.prismatic("x", "base", "cart", (1, 0, 0))
    b.prismatic("z", "cart", "mast", (0, 0, 1))
    b.prescribe("z", 0)
    b.frame("anchor", "base", (0, 0, 3))
    b.translational_spring("line", "anchor", "mast", stiffness=10, rest=1)
    robot = kanegen.load(b.build(), interpreted=True)
    # stretched by 2 m, the spring pulls the mast up; the joint holds it down
    np.testing.assert_allclose(robot.constraint_forces([0.0], [0.0], [0.0]), [-20.0], rtol=1e-15)


def test_a_loop_across_a_held_joint_loads_it() -> None:
    """A slider on a held lift, pinned to a crank: the lift carries the slider's inertia less what the pin carries."""
    b = MechanismBuilder("lift", gravity=(0, 0, -9.81))
    b.body("lift", 2)
    b.body("slider", 3)
    b.body("crank", 1, (0.25, 0, 0), (0, 0.02, 0.02))
    b.prismatic("h", "base", "lift", (0, 0, 1))
    b.prescribe("h", 0)
    b.prismatic("y", "lift", "slider", (1, 0, 0))
    b.revolute("c", "base", "crank", (0, 1, 0))
    b.prismatic("t", "crank", "block", (1, 0, 0))
    b.body("block", 0.5)
    b.frame("pin", "slider", (0, 0, -0.3))
    b.loop("pin joint", LoopKind.SPHERICAL, "pin", "block")
    b.speeds([JointRate("y")])
    b.home((0.4, 0.6435, 0.5))
    robot = kanegen.load(b.build(), interpreted=True)
    q = robot.assemble()
    forces = dict(zip(robot.constraints.forces, robot.constraint_forces(q, [0.3], [0.7]), strict=True))
    # the lift and the slider do not move upwards: their weight, less the vertical force of the pin on the slider
    jacobian = robot.constraint_jacobian(q)
    rows = list(robot.constraints.velocity)
    on_slider = -forces["pin joint z"]  # d(z of block - z of pin)/d(lift) = -1
    assert jacobian[rows.index("pin joint x")][0] == -1.0
    assert forces["h"] == pytest.approx(5 * 9.81 - on_slider, rel=1e-12)
