"""A four-bar and a five-bar linkage of thin uniform rods in a vertical plane; the four-bar also with a tilted axis.

Frames and chain
    The linkages move in the plane xy; y points up, and all axes are along z.  Each link's frame stands at the joint that
    carries it, x along the link; its tip is a further frame.  Angles of links that hang on another link are relative to
    it.

    Four-bar: the crank turns by q1 at (0, 0), the coupler by q2 at the crank's tip, the rocker by q3 at (ground, 0); a
    revolute joint between the tips of coupler and rocker closes the loop.  Three of its five equations are redundant.

    Four-bar with a tilted axis: the rocker's axis is turned by ``tilt`` about x.  Crank and coupler are then joined by a
    universal joint, rotation q2 about z and q2y about y of the coupler with the body "cross" without inertia in between,
    and the loop is closed by a spherical joint: no equation is redundant.  With tilt 0 it moves as the plane linkage.

    Five-bar: links turn by q1 at (0, 0) and q3 at (ground, 0), further links by q2 and q4 at their tips; a revolute
    joint of the tips closes the loop.

Inertia
    Rods of 1 kg/m; central moments m l^2 / 12 across the rod, none about it.

Home
    Four-bar: the crank at 60 degrees, the coupler's tip on the upper side.  Five-bar: symmetric, elbows outwards, tips
    at the height 0.7.  Angles follow from the parameters' own values by the cosine law.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.constraints import LoopKind
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.speeds import JointRate

_Y, _Z = (0, 1, 0), (0, 0, 1)

_GROUND, _CRANK, _COUPLER, _ROCKER = "1", "0.3", "0.9", "0.7"
_TILT = "0.2"
_CRANK_AT_HOME = math.pi / 3

_FIVE_BAR_GROUND, _FIVE_BAR_LINK = "0.6", "0.5"
_FIVE_BAR_HEIGHT = 0.7


def four_bar() -> Mechanism:
    """The plane four-bar with its lengths, the rods' density and g as parameters; q = (q1, q2, q3), v = rate of q1."""
    bar = MechanismBuilder("four_bar")
    density = _vertical_plane(bar)
    ground, crank, coupler, rocker = _four_bar_lengths(bar)
    for name, length in (("crank", crank), ("coupler", coupler), ("rocker", rocker)):
        _rod(bar, name, length, density)
    bar.revolute("q1", BASE, "crank", _Z)
    bar.revolute("q2", "crank", "coupler", _Z, position=(crank, 0, 0))
    bar.revolute("q3", BASE, "rocker", _Z, position=(ground, 0, 0))
    bar.loop("closure", LoopKind.REVOLUTE, "coupler_tip", "rocker_tip")
    bar.speeds([JointRate("q1")])
    q1, q2, _, q3 = _four_bar_home(0.0)
    bar.home((q1, q2, q3))
    return bar.build()


def four_bar_tilted(tilt: str | float = _TILT) -> Mechanism:
    """The four-bar whose rocker's axis is turned by ``tilt`` [rad] about x; q = (q1, q2, q2y, q3), v = rate of q1."""
    bar = MechanismBuilder("four_bar_tilted")
    density = _vertical_plane(bar)
    ground, crank, coupler, rocker = _four_bar_lengths(bar)
    angle = bar.parameter("tilt", tilt, "rad", "turn of the rocker's axis about x")
    bar.body("cross")
    for name, length in (("crank", crank), ("coupler", coupler), ("rocker", rocker)):
        _rod(bar, name, length, density)
    bar.revolute("q1", BASE, "crank", _Z)
    bar.revolute("q2", "crank", "cross", _Z, position=(crank, 0, 0))
    bar.revolute("q2y", "cross", "coupler", _Y)
    bar.revolute("q3", BASE, "rocker", _Z, position=(ground, 0, 0), rotation=(angle, 0, 0))
    bar.loop("closure", LoopKind.SPHERICAL, "coupler_tip", "rocker_tip")
    bar.speeds([JointRate("q1")])
    bar.home(_four_bar_home(float(tilt)))
    return bar.build()


def five_bar() -> Mechanism:
    """The five-bar with its lengths, the rods' density and g as parameters; q = (q1, ..., q4), v = rates of q1 and q3."""
    bar = MechanismBuilder("five_bar")
    density = _vertical_plane(bar)
    ground = bar.parameter("ground", _FIVE_BAR_GROUND, "m", "distance of the fixed joints")
    length = bar.parameter("link", _FIVE_BAR_LINK, "m", "length of each link")
    for k, joint in ((1, (0, 0, 0)), (2, (ground, 0, 0))):
        inner, outer = f"inner{k}", f"outer{k}"
        _rod(bar, inner, length, density)
        _rod(bar, outer, length, density)
        bar.revolute(f"q{2 * k - 1}", BASE, inner, _Z, position=joint)
        bar.revolute(f"q{2 * k}", inner, outer, _Z, position=(length, 0, 0))
    bar.loop("closure", LoopKind.REVOLUTE, "outer1_tip", "outer2_tip")
    bar.speeds([JointRate("q1"), JointRate("q3")])
    bar.home(_five_bar_home())
    return bar.build()


def _vertical_plane(bar: MechanismBuilder) -> Expression:
    """Gravity along -y; the rods' mass per length [kg/m]."""
    g = bar.parameter("g", "9.81", "m/s^2", "acceleration of free fall, along -y")
    bar.gravity((0, -g, 0))
    return bar.parameter("rho", "1", "kg/m", "mass of the rods per length")


def _rod(bar: MechanismBuilder, name: str, length: Expression, density: Expression) -> None:
    """A thin uniform rod along x from the origin of its frame, with a frame at its tip."""
    mass = density * length
    moment = mass * length * length / 12
    bar.body(name, mass=mass, center=(length / 2, 0, 0), inertia=(0, moment, moment))
    bar.frame(f"{name}_tip", name, position=(length, 0, 0))


def _four_bar_lengths(bar: MechanismBuilder) -> tuple[Expression, Expression, Expression, Expression]:
    return (
        bar.parameter("ground", _GROUND, "m", "distance of the fixed joints"),
        bar.parameter("crank", _CRANK, "m", "length of the crank"),
        bar.parameter("coupler", _COUPLER, "m", "length of the coupler"),
        bar.parameter("rocker", _ROCKER, "m", "length of the rocker"),
    )


def _four_bar_home(tilt: float) -> tuple[float, float, float, float]:
    """q1, q2, q2y and q3 [rad]; in the plane q2y is zero.

    That the coupler is as long as the distance from the crank's tip to the rocker's, is a cos(q3) + b sin(q3) = d.
    """
    ground, crank, coupler, rocker = (float(length) for length in (_GROUND, _CRANK, _COUPLER, _ROCKER))
    q1 = _CRANK_AT_HOME
    x, y = ground - crank * math.cos(q1), -crank * math.sin(q1)  # from the crank's tip to the rocker's joint
    a, b = 2 * rocker * x, 2 * rocker * y * math.cos(tilt)
    d = coupler**2 - rocker**2 - x**2 - y**2
    q3 = math.atan2(b, a) + math.acos(d / math.hypot(a, b))
    along = (
        x + rocker * math.cos(q3),
        y + rocker * math.sin(q3) * math.cos(tilt),
        rocker * math.sin(q3) * math.sin(tilt),
    )
    q2 = math.atan2(along[1], along[0]) - q1
    q2y = -math.asin(along[2] / coupler) if tilt else 0.0
    return q1, q2, q2y, q3


def _five_bar_home() -> Sequence[float]:
    """q1, ..., q4 [rad]: each chain is an isosceles triangle over the line from its joint to the common tip."""
    half, height, link = float(_FIVE_BAR_GROUND) / 2, _FIVE_BAR_HEIGHT, float(_FIVE_BAR_LINK)
    base_angle = math.acos(math.hypot(half, height) / 2 / link)
    q1 = math.atan2(height, half) + base_angle
    q2 = -2 * base_angle
    return q1, q2, math.pi - q1, -q2
