"""Loops and rolling contacts (CASES 23 to 25) of mechanisms in TOML files."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import kanegen

from .files import LoadText

Array = NDArray[np.float64]

LENGTHS = (0.1, 0.4, 0.3, 0.4)
"""Of crank, coupler, rocker and ground [m]: the crank goes all the way round, and there is no dead centre."""
MASSES, MOMENTS = (1.0, 2.0, 1.5), (0.01, 0.03, 0.02)
HINGES = ("crank", "coupler", "rocker", "pin")

SIMULATED = (
    "multiplier_dynamics",
    "generalized_speeds",
    "coordinate_rates",
    "constraint_projection",
    "constraint_residual",
    "constraint_jacobian",
    "kinetic_energy",
    "potential_energy",
)

TURN = np.array([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3
"""A turn of everything, so that no axis is along a frame's; the plane of the linkage is x, y of the turned frame."""


def body(name: str, length: float, mass: float, moment: float) -> str:
    return (
        f'[[body]]\nname = "{name}"\nmass = {mass}\ncenter = [{length / 2}, 0, 0]\n'
        f"inertia = [{moment}, {moment}, {moment}]\n"
    )


def hinge(name: str, parent: str, child: str, place: str, more: str = "") -> str:
    return (
        f'[[joint]]\nname = "{name}"\ntype = "revolute"\nparent = "{parent}"\nchild = "{child}"\n'
        f"axis = [0, 0, 1]\nposition = {place}\n{more}"
    )


def four_bar(tilted: bool = False, kind: str = "revolute", gravity: tuple[float, ...] = (0, -9.81, 0)) -> str:
    """A planar four-bar in space, its pin a hinge: three of the pin's five equations follow from the joints."""
    crank, coupler, rocker, ground = LENGTHS
    turn = [[2, -1, 2], [2, 2, -1], [-1, 2, 2]]
    rotation = "rotation = " + str(
        [[f"{x}/3" for x in row] for row in turn] if tilted else np.eye(3, dtype=int).tolist()
    )
    down = (TURN @ gravity if tilted else np.array(gravity)).tolist()
    return "\n".join(
        [
            'name = "linkage"\nspeeds = ["crank"]\nhome = [0.5, 0.5, 1.5]',
            'coordinates = ["crank", "coupler", "rocker"]',
            f"gravity = {down}",
            *(body(n, *x) for n, *x in zip("abc", LENGTHS[:3], MASSES, MOMENTS, strict=True)),
            '[[body]]\nname = "frame"',
            f'[[joint]]\nname = "mount"\ntype = "fixed"\nparent = "base"\nchild = "frame"\n{rotation}',
            hinge("crank", "frame", "a", "[0, 0, 0]"),
            hinge("coupler", "a", "b", f"[{crank}, 0, 0]"),
            hinge("rocker", "frame", "c", f"[{ground}, 0, 0]"),
            f'[[frame]]\nname = "end"\nbody = "b"\nposition = [{coupler}, 0, 0]',
            f'[[frame]]\nname = "top"\nbody = "c"\nposition = [{rocker}, 0, 0]',
            f'[[loop]]\nname = "pin"\ntype = "{kind}"\nfirst = "end"\nsecond = "top"\n',
        ]
    )


def angles(q: Array) -> Array:
    """Of crank, coupler and rocker against the ground."""
    return np.array([q[0], q[0] + q[1], q[2]])


def rates(q: Array) -> Array:
    """Of these angles for one of the crank: the closure in the plane, differentiated."""
    a, b, c = angles(q)
    crank, coupler, rocker, _ = LENGTHS
    matrix = [[-coupler * np.sin(b), rocker * np.sin(c)], [coupler * np.cos(b), -rocker * np.cos(c)]]
    return np.array([1.0, *np.linalg.solve(matrix, [crank * np.sin(a), -crank * np.cos(a)])])


def inertia(q: Array) -> float:
    """Twice the kinetic energy for the unit rate of the crank."""
    turn = rates(q)
    a, b, _ = angles(q)
    crank, coupler, rocker, _ = LENGTHS
    end = crank * np.array([-np.sin(a), np.cos(a)]) * turn[0]
    middle = end + coupler / 2 * np.array([-np.sin(b), np.cos(b)]) * turn[1]
    spin = np.array(MOMENTS) @ turn**2
    hung = MASSES[0] * (crank / 2 * turn[0]) ** 2 + MASSES[2] * (rocker / 2 * turn[2]) ** 2
    return float(spin + hung + MASSES[1] * middle @ middle)


@pytest.fixture(scope="module", params=[False, True], ids=["along the frames", "tilted"])
def linkage(request: pytest.FixtureRequest, load_text: LoadText) -> kanegen.Robot:
    return load_text(four_bar(request.param), suffix=".toml")


def test_a_planar_loop_in_space(linkage: kanegen.Robot) -> None:
    """Case 24: rank and redundancy are reported, by name, and the one mass is that of plane geometry."""
    found = linkage.constraints
    assert found is not None
    assert (linkage.nq, linkage.dof, found.rank, len(found.velocity), len(found.redundant)) == (3, 1, 2, 5, 3)
    assert set(found.indeterminate) == set(HINGES)
    for crank in np.linspace(0.0, 6.0, 7):
        q = linkage.assemble([crank, 1.0 - crank, 1.5])
        assert np.abs(linkage.constraint_residual(q)).max() < 1e-12
        expected = inertia(q)
        # The loop is closed to 1e-12, which the condition of its equations, below ten, carries into the rates.
        assert linkage.mass_matrix(q)[0, 0] == pytest.approx(expected, rel=1e-10)
        turn = rates(q)
        assert_allclose(linkage.coordinate_rates(q, [1.0]), [turn[0], turn[1] - turn[0], turn[2]], atol=1e-10)


def test_a_spherical_pin_moves_alike(load_text: LoadText) -> None:
    """Case 24: of its three equations one is redundant; the motion is the same."""
    one, other = (load_text(four_bar(True, kind), suffix=".toml") for kind in ("revolute", "spherical"))
    assert other.constraints is not None
    assert (other.constraints.rank, len(other.constraints.redundant)) == (2, 1)
    for crank in (0.3, 2.0, 4.0):
        q = one.assemble([crank, 1.0 - crank, 1.5])
        expected = one.forward_dynamics(q, [2.0], [0.7])
        assert_allclose(other.forward_dynamics(q, [2.0], [0.7]), expected, rtol=1e-9)


@pytest.mark.parametrize("rtol", [1e-4, 1e-9])
def test_a_loop_stays_closed_for_a_minute(load_text: LoadText, rtol: float) -> None:
    """Case 25: to the tolerance that was asked for, in every row, over more than a hundred turns; and energy is kept."""
    arm = load_text(four_bar(True), *SIMULATED, suffix=".toml", compiled=True)
    q = arm.assemble([0.3, 0.7, 1.5])
    motion = kanegen.simulate(
        arm, q, [12.0], 60.0, rtol=rtol, atol=1e-3 * rtol, drift=1e-10, times=np.linspace(0.0, 60.0, 601)
    )
    assert motion.drift is not None and motion.energy is not None
    assert motion.drift <= 1e-10
    assert np.abs(arm.constraint_residual(motion.q)).max() <= 1e-10
    assert motion.q[-1, 0] - motion.q[0, 0] > 200 * np.pi
    # Each step has a relative error of rtol at most, and there are 13,000 or fewer; coarse ones are fewer by far.
    assert np.abs(motion.energy / motion.energy[0] - 1.0).max() < 13_000 * rtol


RADIUS, MASS = 0.3, 2.0
DISC_JOINTS = (
    ("x", "prismatic", "[1, 0, 0]", "base", "a"),
    ("y", "prismatic", "[0, 1, 0]", "a", "b"),
    ("yaw", "revolute", "[0, 0, 1]", "b", "c"),
    ("lean", "revolute", "[1, 0, 0]", "c", "d"),
    ("spin", "revolute", "[0, 1, 0]", "d", "disc"),
)


def disc(rolling: bool = True) -> str:
    """A thin disc on the ground; its centre is above the point that x and y follow."""
    across, along = MASS * RADIUS**2 / 2, MASS * RADIUS**2 / 4
    joints = [
        f'[[joint]]\nname = "{name}"\ntype = "{kind}"\nparent = "{parent}"\nchild = "{child}"\naxis = {axis}\n'
        + (f"position = [0, 0, {RADIUS}]\n" if name == "spin" else "")
        for name, kind, axis, parent, child in DISC_JOINTS
    ]
    contact = (
        '[[frame]]\nname = "wheel"\nbody = "disc"\nrotation = ["-pi/2", 0, 0]\n'
        f'[[rolling]]\nname = "rolls"\nwheel = "wheel"\nradius = {RADIUS}\ncontact = "d"\n'
    )
    return "\n".join(
        [
            'coordinates = ["x", "y", "yaw", "lean", "spin"]\nhome = [0, 0, 0, 0.2, 0]',
            *(['speeds = ["yaw", "lean", "spin"]'] if rolling else []),
            *(f'[[body]]\nname = "{name}"' for name, _ in pairwise("abcde")),
            f'[[body]]\nname = "disc"\nmass = {MASS}\ninertia = [{along}, {across}, {along}]',
            *joints,
            contact if rolling else "",
        ]
    )


def known(lean: float, v: Array) -> Array:
    """Accelerations of yaw, lean and spin.

    In the axes of the leaning frame, with omega = (u1, u2, u3), u2 about the axle, the equations of motion of a thin disc
    that rolls without slip are (Kane and Levinson, Dynamics: Theory and Applications, 1985; problem set 9):
    u1' = (4 g sin(lean) / r + 6 u2 u3 - u3^2 tan(lean)) / 5, u2' = -2/3 u1 u3, u3' = u1 (u3 tan(lean) - 2 u2).
    """
    yaw_rate, lean_rate, spin_rate = v
    s, c = np.sin(lean), np.cos(lean)
    u1, u2, u3 = lean_rate, yaw_rate * s + spin_rate, yaw_rate * c
    u1dot = (4 * 9.81 * s / RADIUS + 6 * u2 * u3 - u3**2 * s / c) / 5
    u2dot, u3dot = -2 / 3 * u1 * u3, u1 * (u3 * s / c - 2 * u2)
    yaw = (u3dot + yaw_rate * lean_rate * s) / c
    return np.array([yaw, u1dot, u2dot - yaw * s - yaw_rate * lean_rate * c])


def test_a_rolling_disc(load_text: LoadText) -> None:
    """Case 23: the known equations, and another system without the constraint."""
    rolling, free = (load_text(disc(it), suffix=".toml") for it in (True, False))
    assert (rolling.nq, rolling.dof, free.dof) == (5, 3, 5)
    for q, v in np.random.default_rng(0).uniform(-1, 1, (10, 2, 5)):
        expected = known(q[3], v[2:])
        # Three equations of condition below ten; some hundred roundings of numbers of order ten.
        found = rolling.forward_dynamics(q, v[2:], np.zeros(3))
        assert_allclose(found, expected, atol=1e-11)
        moving = rolling.coordinate_rates(q, v[2:])
        slipping = free.forward_dynamics(q, moving, np.zeros(5))[2:]
        assert np.abs(slipping - expected).max() > 1e-2
        # The wheel's lowest point does not move: the contact's rate is the spin's times the radius along the heading.
        heading = np.array([np.cos(q[2]), np.sin(q[2])])
        assert_allclose(moving[:2], RADIUS * v[4] * heading, atol=1e-12)
