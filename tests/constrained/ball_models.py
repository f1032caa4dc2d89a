"""Mechanisms with ball joints in loops and contacts, and the same ones on joints of one coordinate."""

from __future__ import annotations

from kanegen.codegen.mechanism import BASE, JointRate, LoopKind, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.values import degrees

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
TENSOR = (("0.02", "0.001", 0), ("0.001", "0.03", "0.002"), (0, "0.002", "0.04"))


def spatial_linkage(ball: bool, live: bool = False) -> Mechanism:
    """A crank and a rocker whose axes are skew, and a coupler between them on two balls: R S S R.

    One ball closes the loop; the other is a ball joint, or three hinges about x, y and z, one on another.
    """
    b = MechanismBuilder("ball_linkage" if ball else "hinge_linkage")
    reach = b.parameter("reach", "0.2", "m") if live else "0.2"
    b.body("crank", "1.2", ("0.1", "0.02", 0), TENSOR)
    b.body("coupler", b.parameter("m", "0.9", "kg") if live else "0.9", ("0.2", "0.01", "0.03"), TENSOR)
    b.body("rocker", "1.5", ("0.12", 0, "0.02"), TENSOR)
    b.revolute("a", BASE, "crank", Z, damping="0.1", rotor_inertia="0.01")
    if ball:
        b.spherical("s", "crank", "coupler", (reach, 0, 0), rotation=("0.1", 0, "0.2"))
    else:
        b.body("first")
        b.body("second")
        b.revolute("s1", "crank", "first", X, (reach, 0, 0), rotation=("0.1", 0, "0.2"))
        b.revolute("s2", "first", "second", Y)
        b.revolute("s3", "second", "coupler", Z)
    b.revolute("c", BASE, "rocker", X, ("0.6", "0.1", 0))
    b.frame("tip", "coupler", ("0.5", 0, 0))
    b.frame("top", "rocker", (0, 0, "0.3"))
    b.loop("close", LoopKind.SPHERICAL, "tip", "top")
    b.torsional_spring("return", "c", 3, "0.2", "0.1")
    b.translational_spring("pull", "tip", "crank", 5, "0.3", "0.4")
    b.speeds([JointRate("a"), JointRate("s_wx" if ball else "s1")])
    return b.build()


def floating_disc() -> Mechanism:
    """The catalogue's rolling disc with a floating joint in place of five others: touching is an equation here."""
    b = MechanismBuilder("floating_disc")
    b.body("disc", 1, inertia=("0.0225", "0.045", "0.0225"))
    b.floating("free", BASE, "disc")
    b.frame("axle", "disc", rotation=(degrees(-90), 0, 0))
    b.rolling("rolling", "axle", "0.3")
    b.speeds([JointRate(f"free_w{axis}") for axis in "xyz"])
    b.home((0, 0, "0.3", 0, 0, 0, 1))
    return b.build()


def walker(gravity: tuple[float, float, float] = (0, 0, -9.81), turned: bool = False) -> Mechanism:
    """A floating trunk on a leg of five bars, which a ball closes: 6 + 2 degrees of freedom, and the coupler's own turn.

    ``turned``: home lies on the side, so that the charts of its joints are not about the identity.
    """
    b = MechanismBuilder("walker", gravity=gravity)
    b.body("trunk", 5, ("0.01", 0, "0.02"), ("0.1", "0.12", "0.08"))
    b.floating("root", BASE, "trunk")
    for side, x, mass in (("front", "0.1", 1), ("rear", "-0.1", "0.8")):
        b.body(f"{side}_thigh", mass, (0, 0, "-0.15"), ("0.01", "0.011", "0.002"))
        b.revolute(f"{side}_hip", "trunk", f"{side}_thigh", Y, (x, 0, 0))
    b.body("front_shin", "0.6", ("-0.05", 0, "-0.15"), ("0.006", "0.0061", "0.001"))
    b.body("rear_shin", "0.4", ("0.05", 0, "-0.15"), ("0.006", "0.0061", "0.001"))
    b.revolute("front_knee", "front_thigh", "front_shin", Y, ("0.1", 0, "-0.28"))
    b.spherical("rear_knee", "rear_thigh", "rear_shin", ("-0.1", 0, "-0.28"))
    b.frame("front_ankle", "front_shin", ("-0.2", 0, "-0.3"))
    b.frame("rear_ankle", "rear_shin", ("0.2", 0, "-0.3"))
    b.loop("ankle", LoopKind.SPHERICAL, "front_ankle", "rear_ankle")
    floating = [f"root_{kind}{axis}" for kind in "vw" for axis in "xyz"]
    b.speeds([JointRate(name) for name in (*floating, "front_hip", "rear_hip", "rear_knee_wx")])
    if turned:
        b.home((1, 2, 3, "0.5", "-0.5", "0.5", "0.5", 0, 0, 0, 0, 0, 0, 2))
    return b.build()


def floating_four_bar() -> Mechanism:
    """A planar four-bar on a floating base, closed by a hinge that repeats three of its five equations."""
    b = MechanismBuilder("floating_four_bar", gravity=(0, 0, 0))
    b.body("hull", 4, ("0.1", "0.05", 0), ("0.1", "0.12", "0.15"))
    b.floating("root", BASE, "hull", rotation=("0.3", "0.2", "0.1"))
    b.body("crank", 1, ("0.1", 0, 0), ("0.001", "0.01", "0.01"))
    b.body("rod", 1, ("0.25", 0, 0), ("0.001", "0.02", "0.02"))
    b.body("rocker", 1, ("0.15", 0, 0), ("0.001", "0.01", "0.01"))
    b.revolute("a", "hull", "crank", Z)
    b.revolute("b", "crank", "rod", Z, ("0.2", 0, 0))
    b.revolute("c", "hull", "rocker", Z, ("0.5", 0, 0))
    b.frame("pin", "rod", ("0.5", 0, 0))
    b.frame("eye", "rocker", ("0.3", 0, 0))
    b.loop("close", LoopKind.REVOLUTE, "pin", "eye")
    b.speeds([JointRate(name) for name in (*(f"root_{k}{x}" for k in "vw" for x in "xyz"), "a")])
    b.home((0, 0, 0, 0, 0, 0, 1, "1.2", "-0.9", "1.6"))
    return b.build()
