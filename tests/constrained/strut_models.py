"""Mechanisms that are driven by struts between two points: a boom, an excavator, a serial arm, a linkage, a platform."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.mechanism import (
    BASE,
    DistanceRate,
    Frame,
    JointRate,
    Mechanism,
    MechanismBuilder,
    catalogue,
    validated,
)

INERTIA = (0.3, 0.4, 0.5, 0.02, -0.01, 0.03)
MASS, CENTER = 30.0, (0.8, 0.0, 0.1)
FOOT, EYE = (0.4, 0.0, -0.3), (0.9, 0.0, -0.1)
"""The ends of the strut of ``boom``: on the base, and on the boom."""


def boom(foot: tuple[float, float, float] = FOOT, eye: tuple[float, float, float] = EYE) -> Mechanism:
    """A boom that a strut lifts: it lies along x at q = 0 and along z, upwards, at q = pi / 2."""
    b = MechanismBuilder("boom")
    b.body("boom", mass=MASS, center=CENTER, inertia=(1, 2, 3))
    b.revolute("lift", BASE, "boom", (0, -1, 0))
    b.frame("foot", BASE, foot)
    b.frame("eye", "boom", eye)
    b.speeds([DistanceRate("foot", "eye")])
    b.home((0.3,))
    return b.build()


def excavator() -> Mechanism:
    """A turret that swings, a boom lifted by a strut, and a stick moved by a strut that stands on the turret."""
    b = MechanismBuilder("excavator")
    b.body("turret", mass=50, center=(0.1, 0, 0.2), inertia=INERTIA)
    b.body("boom", mass=MASS, center=CENTER, inertia=INERTIA)
    b.body("stick", mass=12, center=(0.5, 0.1, 0), inertia=INERTIA)
    b.revolute("swing", BASE, "turret", (0, 0, 1))
    b.revolute("lift", "turret", "boom", (0, -1, 0), position=(0.2, 0, 0.5))
    b.revolute("crowd", "boom", "stick", (0, -1, 0), position=(1.8, 0, 0.1))
    b.frame("foot", "turret", (0.6, 0.05, 0.2))
    b.frame("eye", "boom", EYE)
    b.frame("mast", "turret", (0, -0.1, 1.4))
    b.frame("horn", "stick", (-0.3, 0, 0.2))
    b.speeds([JointRate("swing"), DistanceRate("foot", "eye"), DistanceRate("horn", "mast")])
    b.home((0.0, 0.5, -0.9))
    return b.build()


def serial_arm() -> Mechanism:
    """A slide and three hinges along skew axes; the last is driven by a strut between it and the first hinge's body."""
    b = MechanismBuilder("serial_arm", gravity=(1, -2, -9))
    parent = BASE
    third = Fraction(1, 3)
    axes = ((1, 0, 0), (0, 0, 1), (0, 1, 0), (third, 2 * third, 2 * third))
    for k, axis in enumerate(axes):
        b.body(f"link{k}", mass=5 - k, center=(0.2, 0.1 * k, -0.1), inertia=INERTIA)
        add = b.revolute if k else b.prismatic
        add(f"j{k}", parent, f"link{k}", axis, position=(0.4, 0.1, 0.3), rotation=(0.1 * k, -0.2, 0.3))
        parent = f"link{k}"
    b.frame("root", "link1", (0.1, 0.5, 0.2))
    b.frame("end", "link3", (0.3, -0.4, 0.1))
    b.speeds([*(JointRate(f"j{k}") for k in range(3)), DistanceRate("root", "end")])
    b.home((0.1, 0.2, 0.3, 0.4))
    return b.build()


def jacked_four_bar() -> Mechanism:
    """The catalogue's four-bar, moved by a strut between the ground and its coupler."""
    linkage = catalogue.mechanism("four_bar")
    coupler = linkage.joint("q2").child
    ends = (
        Frame("ground_end", BASE, position=(Fraction(6, 5), Fraction(-1, 2), Fraction(0))),
        Frame("coupler_end", coupler, position=(Fraction(3, 10), Fraction(1, 5), Fraction(0))),
    )
    return validated(
        replace(
            linkage,
            name="jacked_four_bar",
            frames=linkage.frames + ends,
            speeds=(DistanceRate("ground_end", "coupler_end"),),
        )
    )


def platform() -> Mechanism:
    """A platform on six struts without mass: three slides and three hinges carry it, and do nothing else."""
    b = MechanismBuilder("platform")
    parent, axes = BASE, ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    for name, axis in zip(("x", "y", "z"), axes, strict=True):
        b.body(name)
        b.prismatic(f"along_{name}", parent, name, axis)
        parent = name
    for name, axis in zip(("yaw", "pitch", "roll"), axes[::-1], strict=True):
        inertial = {"mass": 20, "center": (0, 0, 0.1), "inertia": (0.6, 0.7, 1.1)} if name == "roll" else {}
        b.body(name, **inertial)  # type: ignore[arg-type]
        b.revolute(f"{name}_angle", parent, name, axis)
        parent = name
    b.frame("hand", "roll", (0, 0, 0.2))
    pairs = ((20, 40), (100, 80), (140, 160), (220, 200), (260, 280), (340, 320))
    for k, (below, above) in enumerate(pairs):
        b.frame(f"base{k}", BASE, _on_circle(0.6, below))
        b.frame(f"top{k}", "roll", _on_circle(0.35, above))
    b.speeds([DistanceRate(f"base{k}", f"top{k}") for k in range(6)])
    b.home((0, 0, 0.8, 0, 0, 0))
    return b.build()


def _on_circle(radius: float, degrees: float) -> tuple[float, float, float]:
    return radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees)), 0.0


MODELS = {model.__name__: model for model in (boom, excavator, serial_arm, jacked_four_bar, platform)}
SPREADS = {"boom": 0.4, "excavator": 0.3, "serial_arm": 0.3, "jacked_four_bar": 0.2, "platform": 0.1}
"""How far the coordinates are disturbed from home [rad, m] before the loops are closed."""
