"""Mechanisms whose motion is driven in time: joints that move as functions of it, and equations that contain it."""

from __future__ import annotations

import sympy

from kanegen.codegen.mechanism import (
    BASE,
    AngularVelocityComponent,
    DistanceRate,
    JointRate,
    LoopKind,
    Mechanism,
    MechanismBuilder,
    PointVelocityComponent,
)
from kanegen.codegen.mechanism.speeds import combined_speed
from kanegen.codegen.mechanism.values import degrees

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
TENSOR = (("0.02", "0.001", 0), ("0.001", "0.03", "0.002"), (0, "0.002", "0.04"))
t = sympy.Symbol("t")


def driven_pivot(live: bool = False) -> Mechanism:
    """A pendulum whose pivot is shaken along x: x = A sin(w t); A and w are parameters."""
    b = MechanismBuilder("driven_pivot")
    b.parameter("A", "0.2", "m")
    b.parameter("w", 3, "1/s")
    b.body("cart", 1, inertia=("0.01",) * 3)
    b.body("bob", b.parameter("m", 2, "kg") if live else 2, (0, 0, "-0.5"), ("0.03", "0.04", "0.01"))
    b.prismatic("x", BASE, "cart", X)
    b.revolute("th", "cart", "bob", Y, damping="0.1")
    b.prescribe("x", motion=sympy.Symbol("A") * sympy.sin(sympy.Symbol("w") * t))
    return b.build()


def rotating_wire() -> Mechanism:
    """A bead on a straight wire in a horizontal plane that turns at a rate of its own: q'' = wire'^2 q."""
    b = MechanismBuilder("rotating_wire")
    b.body("wire", 1, inertia=("0.1",) * 3)
    b.body("bead", "0.3")
    b.revolute("turn", BASE, "wire", Z)
    b.prismatic("s", "wire", "bead", X)
    b.prescribe("turn", motion=2 * t + sympy.sin(3 * t) / 5)
    return b.build()


def five_bar(how: str) -> Mechanism:
    """A five-bar in a vertical plane whose first link is driven as a joint, by an equation, or by one of its rate."""
    angle = sympy.Rational(21, 10) + sympy.sin(2 * t) / 4
    b = MechanismBuilder(f"five_bar_{how}", gravity=(0, "-9.81", 0))
    for name in ("a", "b", "c", "d"):
        b.body(name, "0.5", ("0.25", 0, 0), (0, "0.01", "0.01"))
        b.frame(f"{name}_tip", name, ("0.5", 0, 0))
    b.revolute("q1", BASE, "a", Z)
    b.revolute("q2", "a", "b", Z, ("0.5", 0, 0))
    b.revolute("q3", BASE, "c", Z, ("0.6", 0, 0))
    b.revolute("q4", "c", "d", Z, ("0.5", 0, 0))
    b.loop("close", LoopKind.REVOLUTE, "b_tip", "d_tip")
    b.torsional_spring("return", "q4", 2, rest="0.1")
    b.speeds([JointRate("q3")])
    home = {"q1": "2.1", "q2": "-1.3", "q3": "1.04", "q4": "1.3"}
    if how == "joint":
        b.prescribe("q1", motion=angle)
        del home["q1"]
    elif how == "equation":
        b.position_constraint("drive", sympy.Symbol("q1") - angle)
    else:
        b.velocity_constraint("drive", sympy.Symbol("dq1") - angle.diff(t))
    b.home(home)
    return b.build()


def ball_linkage() -> Mechanism:
    """R S S R whose crank is carried on a base that slides by a table, with a spring to the ground."""
    b = MechanismBuilder("driven_ball_linkage")
    b.body("slide", 2, inertia=TENSOR)
    b.body("crank", "1.2", ("0.1", "0.02", 0), TENSOR)
    b.body("coupler", "0.9", ("0.2", "0.01", "0.03"), TENSOR)
    b.body("rocker", "1.5", ("0.12", 0, "0.02"), TENSOR)
    b.prismatic("x", BASE, "slide", (0, "0.6", "0.8"))
    b.revolute("a", "slide", "crank", Z, damping="0.1", rotor_inertia="0.01")
    b.spherical("s", "crank", "coupler", ("0.2", 0, 0), rotation=("0.1", 0, "0.2"))
    b.revolute("c", BASE, "rocker", X, ("0.6", "0.1", 0))
    b.frame("tip", "coupler", ("0.5", 0, 0))
    b.frame("top", "rocker", (0, 0, "0.3"))
    b.loop("close", LoopKind.SPHERICAL, "tip", "top")
    b.translational_spring("pull", "tip", "slide", 5, "0.3", "0.4")
    b.prescribe("x", table=[(0, 0), ("0.3", "0.02"), (1, "-0.03"), (2, "0.01"), ("2.5", "0.05")])
    b.speeds([JointRate("a"), JointRate("s_wx")])
    return b.build()


def floating_arm() -> Mechanism:
    """A free body with a flywheel that turns as given, and an arm that an equation ties to it and to time."""
    b = MechanismBuilder("floating_arm", gravity=(0, 0, 0))
    b.body("hull", 5, ("0.1", 0, "0.02"), TENSOR)
    b.body("wheel", 1, ("0.01", 0, 0), TENSOR)
    b.body("upper", "0.8", ("0.2", 0, 0), TENSOR)
    b.body("lower", "0.5", ("0.2", "0.01", 0), TENSOR)
    b.floating("root", BASE, "hull")
    b.revolute("spin", "hull", "wheel", ("0.6", 0, "0.8"))
    b.revolute("s", "hull", "upper", Y, ("0.1", 0, "0.2"))
    b.revolute("e", "upper", "lower", Z, ("0.4", 0, 0))
    b.prescribe("spin", motion=sympy.exp(-t) + t**2 / 3)
    s, e, spin = sympy.symbols("s e spin")
    b.position_constraint("gear", e - s / 2 - sympy.sin(spin) / 4 - t / 10)
    b.speeds([JointRate(f"root_{kind}{axis}") for kind in "vw" for axis in "xyz"] + [JointRate("s")])
    return b.build()


def shaken_disc() -> Mechanism:
    """A disc that rolls on a plate which is shaken along x, and turned about its normal."""
    b = MechanismBuilder("shaken_disc")
    for carrier in ("along", "sideways", "heading", "leaning"):
        b.body(carrier)
    b.body("shuttle", 3)
    b.body("plate", 3, inertia=TENSOR)
    b.body("disc", 1, inertia=("0.0225", "0.045", "0.0225"))
    b.prismatic("shake", BASE, "shuttle", X)
    b.revolute("turn", "shuttle", "plate", Z)
    b.prismatic("x", "plate", "along", X)
    b.prismatic("y", "along", "sideways", Y)
    b.revolute("yaw", "sideways", "heading", Z)
    b.revolute("lean", "heading", "leaning", X)
    b.revolute("spin", "leaning", "disc", Y, (0, 0, "0.3"))
    b.frame("contact", "heading")
    b.frame("axle", "disc", rotation=(degrees(-90), 0, 0))
    b.rolling("rolling", "axle", "0.3", ground="base", contact="contact")
    b.prescribe("shake", motion=sympy.sin(2 * t) / 10)
    b.prescribe("turn", motion=t / 2 + sympy.cos(t) / 3)
    b.coordinates(("yaw", "lean", "spin", "x", "y"))
    b.speeds([JointRate("yaw"), AngularVelocityComponent("leaning", X), JointRate("spin")])
    return b.build()


def strut() -> Mechanism:
    """Two links on a carriage driven in time, a strut from the ground to the second, whose length's rate is a speed."""
    b = MechanismBuilder("driven_strut")
    b.body("carriage", 1)
    b.body("upper", "0.8", ("0.2", 0, 0), TENSOR)
    b.body("lower", "0.5", ("0.2", "0.01", 0), TENSOR)
    b.prismatic("x", BASE, "carriage", X)
    b.revolute("s", "carriage", "upper", Y)
    b.revolute("e", "upper", "lower", Y, ("0.4", 0, 0))
    b.frame("foot", BASE, ("0.2", 0, "-0.5"))
    b.frame("hand", "lower", ("0.3", 0, 0))
    b.prescribe("x", motion=sympy.sin(t) / 4)
    b.speeds([DistanceRate("foot", "upper_mid"), PointVelocityComponent("hand", (0, 0, 1), "base")])
    b.frame("upper_mid", "upper", ("0.3", 0, 0))
    b.home({"s": "0.3", "e": "0.8"})
    return b.build()


def combined() -> Mechanism:
    """A cart on a slide driven in time, its speed that over the ground less that of a belt: a speed that contains time."""
    b = MechanismBuilder("driven_belt")
    b.body("bed", 3)
    b.body("cart", 1)
    b.body("bob", "0.5", (0, 0, "-0.4"), ("0.01", "0.01", "0.001"))
    b.prismatic("bed", BASE, "bed", X)
    b.prismatic("x", "bed", "cart", X)
    b.revolute("th", "cart", "bob", Y)
    b.prescribe("bed", motion=sympy.sin(3 * t) / 5)
    dx, dbed, th = sympy.symbols("dx rate(bed) th")
    b.speeds([combined_speed("u", dx + dbed - sympy.cos(t) * (2 + sympy.sin(th))), JointRate("th")])
    return b.build()


def shaken_parallelogram() -> Mechanism:
    """Three parallel cranks on a shaken cart carry a beam: one crank follows from the others, in closed loops alone."""
    b = MechanismBuilder("shaken_parallelogram", gravity=(0, "-9.81", 0))
    b.body("cart", 1)
    b.prismatic("rail", BASE, "cart", X)
    b.prescribe("rail", motion=sympy.sin(3 * t) / 5)
    for k in range(3):
        b.body(f"crank{k}", "0.5", (0, "0.2", 0), ("0.01",) * 3)
        b.revolute(f"q{k}", "cart", f"crank{k}", Z, (k, 0, 0))
        b.frame(f"top{k}", f"crank{k}", (0, "0.5", 0))
    b.body("beam", 1, (1, 0, 0), ("0.1",) * 3)
    b.revolute("tilt", "crank0", "beam", Z, (0, "0.5", 0))
    for k in (1, 2):
        b.frame(f"eye{k}", "beam", (k, 0, 0))
        b.loop(f"loop{k}", LoopKind.SPHERICAL, f"top{k}", f"eye{k}")
    b.speeds([JointRate("q0")])
    b.home({"q0": "0.3", "q1": "0.3", "q2": "0.3", "tilt": "-0.3"})
    return b.build()


ALL = {
    "driven_pivot": driven_pivot,
    "rotating_wire": rotating_wire,
    **{f"five_bar_{how}": lambda how=how: five_bar(how) for how in ("joint", "equation", "rate")},
    "ball_linkage": ball_linkage,
    "floating_arm": floating_arm,
    "shaken_disc": shaken_disc,
    "strut": strut,
    "combined": combined,
    "shaken_parallelogram": shaken_parallelogram,
}
