"""Descriptions with one of everything, for the tests of constrained mechanisms' records."""

from __future__ import annotations

import math

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

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
Q = sympy.symbols("a b c d e")
RATES = sympy.symbols("ra rb rc rd re")


def chain() -> MechanismBuilder:
    """A turning table on the base, and on it five bodies: slides a and b, turns c, d and e, with frames at two ends.

    Nothing restricts it yet but that the table turns at the parameter w about the vertical; the speeds are all rates.
    """
    builder = MechanismBuilder("chain")
    builder.parameter("r", "0.3", "m")
    w = builder.parameter("w", "1.5", "rad/s")
    builder.body("table", mass=2, inertia=(1, 1, 1))
    builder.revolute("turn", BASE, "table", Z)
    builder.prescribe("turn", w)
    parent = "table"
    joints = ((builder.prismatic, X), (builder.prismatic, Y), (builder.revolute, Z), (builder.revolute, X))
    for name, (add, axis) in zip("abcd", joints, strict=True):
        builder.body(f"body_{name}", mass=1, inertia=(1, 1, 1))
        add(name, parent, f"body_{name}", axis)
        parent = f"body_{name}"
    builder.body("body_e", mass=1, inertia=(1, 1, 1))
    builder.revolute("e", parent, "body_e", Y, position=(0, 0, "0.3"))
    builder.body("plate")
    builder.fixed("weld", "body_c", "plate", position=(0, 0, 1), rotation=(0, 0, "0.5"))
    builder.frame("tip", "body_e", position=(0, 0, "0.1"))
    builder.frame("post", "table", position=(1, 0, 0))
    builder.speeds(JointRate(name) for name in "abcde")
    return builder


def everything() -> Mechanism:
    """Every kind of record at once; whether all of it can hold together does not matter here."""
    builder = chain()
    r = sympy.Symbol("r")
    builder.loop("hook", LoopKind.PLANAR, "tip", "post")
    builder.frame("axle", "body_e", rotation=(math.pi / 2, 0, 0))
    builder.rolling("wheel", "axle", builder.parameter("R", "0.3", "m"), ground="table", contact="body_c")
    builder.knife_edge("edge", "plate", ground="table")
    builder.position_constraint("height", Q[0] - r * sympy.sin(Q[2]), Q)
    builder.velocity_constraint("gear", RATES[2] - r * sympy.cos(Q[0]) * RATES[3], Q, RATES)
    builder.torsional_spring("wound", "c", stiffness=3, damping="0.1", rest="0.2")
    builder.translational_spring("stretched", "tip", "post", stiffness=20, rest="0.5")
    builder.speeds(
        (
            JointRate("e"),
            AngularVelocityComponent("plate", X),
            PointVelocityComponent("tip", ("0.6", "0.8", 0), "table"),
        )
    )
    builder.home((0, "0.1", 0, "0.3", 0))
    return builder.build()
