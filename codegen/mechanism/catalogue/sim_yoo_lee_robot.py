"""The six-axis robot of Sim, Yoo & Lee 1985, driven along a straight line.

Frames and chain
    z of the base points up, the foot is at z = 0.  Link 1 is a column along z that turns about it; links 2 ... 6 lie
    along the x axes of their frames, and their joints, at the end of the link before, turn about y, y, y, z and x of
    their frames (a pitch, yaw and roll wrist).  At q = 0 all frames are parallel to the base, the arm stretched out
    along x at the column's height.  The frame "hand" stands at the distal tip of link 6; its axes xi, eta, zeta are y,
    z, x of link 6.

Inertia
    Masses, lengths and principal moments are those of table 1, along the axes of the link's frame with x along the link;
    mass centres are in mid-length.  Of link 1 the table gives Izz alone, and nothing else counts; its other moments are
    those of a cylindrical column, Izz / 2 + m l^2 / 12.

Source
    J. S. Sim, Y. M. Yoo & C. W. Lee, "Inverse Dynamic Analysis of Spatial Mechanical Systems with Euler Parameters", 1985.
    Figure 5 of the paper, which shows the geometry, is not available: axes, the order of the wrist and the places of the
    mass centres are assumed.
"""

from __future__ import annotations

from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.records import BASE, Mechanism

_X, _Y, _Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)

_AXES = (_Z, _Y, _Y, _Y, _Z, _X)

_LINKS = (
    ("680", "1.5"),
    ("360", "1.02"),
    ("180", "1.02"),
    ("55", "0.2"),
    ("36", "0.15"),
    ("68", "0.18"),
)
"""Mass [kg] and length [m] of links 1 ... 6: table 1."""

_MOMENTS = (
    ("11", "53", "44"),
    ("1.1", "44", "44"),
    ("0.44", "0.82", "0.91"),
    ("0.47", "0.18", "0.38"),
    ("0.64", "0.44", "0.73"),
)
"""Ixx, Iyy, Izz [kg m^2] of links 2 ... 6: table 1."""

_COLUMN_MOMENT = "62"
"""Izz [kg m^2] of link 1: table 1."""

_HAND = ((0, 0, 1), (1, 0, 0), (0, 1, 0))
"""Columns: xi = y, eta = z, zeta = x of link 6."""


def sim_yoo_lee_robot() -> Mechanism:
    """The robot with the lengths l1 ... l6, masses and moments of table 1 and g as parameters; q = q1 ... q6."""
    robot = MechanismBuilder("sim_yoo_lee_robot")
    numbers = range(1, len(_LINKS) + 1)
    masses = [
        robot.parameter(f"m{k}", mass, "kg", f"mass of link {k}")
        for k, (mass, _) in zip(numbers, _LINKS, strict=True)
    ]
    lengths = [
        robot.parameter(f"l{k}", length, "m", f"length of link {k}")
        for k, (_, length) in zip(numbers, _LINKS, strict=True)
    ]
    column = robot.parameter("I1zz", _COLUMN_MOMENT, "kg m^2", "moment of inertia of link 1 about z")
    g = robot.parameter("g", "9.81", "m/s^2", "acceleration of free fall, along -z")
    robot.gravity((0, 0, -g))

    across = column / 2 + masses[0] * lengths[0] * lengths[0] / 12
    robot.body("link1", mass=masses[0], center=(0, 0, lengths[0] / 2), inertia=(across, across, column))
    for k, values in enumerate(_MOMENTS, start=2):
        moments = [
            robot.parameter(
                f"I{k}{axis}{axis}", value, "kg m^2", f"moment of inertia of link {k} about {axis}"
            )
            for axis, value in zip("xyz", values, strict=True)
        ]
        robot.body(f"link{k}", mass=masses[k - 1], center=(lengths[k - 1] / 2, 0, 0), inertia=moments)

    robot.revolute("q1", BASE, "link1", _AXES[0])
    robot.revolute("q2", "link1", "link2", _AXES[1], position=(0, 0, lengths[0]))
    for k in numbers[2:]:
        robot.revolute(f"q{k}", f"link{k - 1}", f"link{k}", _AXES[k - 1], position=(lengths[k - 2], 0, 0))
    robot.frame("hand", "link6", position=(lengths[5], 0, 0), rotation=_HAND)
    return robot.build()
