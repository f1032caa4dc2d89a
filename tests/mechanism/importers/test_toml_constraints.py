"""Loops, constraints, springs and generalized speeds in TOML."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import sympy

from kanegen.codegen.mechanism import (
    AngularVelocityComponent,
    JointRate,
    LoopKind,
    PointVelocityComponent,
    numeric,
)
from kanegen.codegen.mechanism.importers.toml import from_toml
from kanegen.codegen.mechanism.speeds import DistanceRate

from .toml_models import DISC, DISC_SPEEDS, LINKAGE, PENDULUM, ROTOR


def test_loops_springs_and_speeds() -> None:
    mechanism = from_toml(LINKAGE)
    assert mechanism.speeds == (JointRate("crank"),)
    assert [(loop.name, loop.kind, loop.first, loop.second) for loop in mechanism.loops] == [
        ("pin", LoopKind.SPHERICAL, "tip", "top")
    ]
    back, rubber = mechanism.springs
    assert [numeric(x, mechanism) for x in (back.stiffness, back.damping, back.rest)] == [
        10,
        Fraction(1, 10),
        Fraction(1, 5),
    ]
    assert numeric(rubber.stiffness, mechanism) == 5


def test_rolling_and_other_speeds() -> None:
    mechanism = from_toml(DISC + DISC_SPEEDS)
    assert mechanism.dof == 3
    assert mechanism.speeds == (
        AngularVelocityComponent("disc", (0, 1, 0)),
        JointRate("yaw"),
        JointRate("lean"),
    )
    assert numeric(mechanism.constraints[0].radius, mechanism) == Fraction(3, 10)  # type: ignore[union-attr]


def test_equations_knives_prescribed_joints_and_points() -> None:
    text = DISC.replace('[[rolling]]\nname = "rolls"\nwheel = "wheel"\nradius = 0.3\ncontact = "d"\n', "")
    mechanism = from_toml(
        text
        + """\
[[equation]]
name = "position"
position = "lean - 0.2 - sin(x - y)/10"
[[equation]]
name = "velocity"
velocity = "rate(x)*cos(yaw) + rate(y)*sin(yaw) - 0.3*rate(spin)"
[[knife_edge]]
name = "knife"
edge = "c"
[[speed]]
frame = "d"
direction = [1, 0, 0]
relative_to = "base"
[[speed]]
joint = "yaw"
"""
    )
    position, velocity, knife = sorted(mechanism.constraints, key=lambda c: "pvk".index(c.name[0]))
    x, y, yaw, lean, _ = position.q  # type: ignore[union-attr]
    expected = lean - sympy.Rational(1, 5) - sympy.sin(x - y) / 10
    assert sympy.expand(position.expression - expected) == 0  # type: ignore[union-attr]
    xdot, ydot, _, _, spindot = velocity.qdot  # type: ignore[union-attr]
    expected = xdot * sympy.cos(yaw) + ydot * sympy.sin(yaw) - sympy.Rational(3, 10) * spindot
    assert sympy.expand(velocity.expression - expected) == 0  # type: ignore[union-attr]
    assert knife.edge == "c"  # type: ignore[union-attr]
    assert mechanism.speeds[0] == PointVelocityComponent("d", (1, 0, 0), "base")

    spun = from_toml(PENDULUM + ROTOR + '[[prescribed]]\njoint = "spin"\nrate = "2*pi"\n')
    assert float(spun.prescribed[0].rate) == pytest.approx(2 * math.pi)  # type: ignore[arg-type]
    assert spun.coordinates == ("q",)


def test_struts() -> None:
    mechanism = from_toml(
        PENDULUM
        + '[[frame]]\nname = "wall"\nbody = "base"\nposition = [1, 0, 0]\n'
        + '[[frame]]\nname = "end"\nbody = "rod"\nposition = [0, 0, -1]\n'
        + '[[speed]]\nfirst = "wall"\nsecond = "end"\n'
    )
    assert mechanism.speeds == (DistanceRate("wall", "end"),)
