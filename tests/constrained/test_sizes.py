"""Mechanisms of any size are taken alike: a slider-crank of a micrometre and one of a million kilometres."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism import JointRate, LoopKind, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.sizes import size_of, unit_for, unit_of_length
from kanegen.errors import InconsistentStateError, ModelError, ModelWarning

DECIMAL = ("1e-6", "1e-3", "1", "1e3", "1e6", "1e9")
DRIFT = 1e-9
"""What simulations allow."""
BINARY = tuple(2**k for k in (-20, -10, 0, 10, 20, 30))


def slider_crank(scale: str | float, above: str = "0") -> Mechanism:
    """All lengths ``scale`` times those of a machine of a metre, of the same density; home is not quite closed.

    Its pin is ``above`` the line on which the crank turns: not to be reached from 1.1 on.
    """
    one = Fraction(scale)

    def scaled(number: str, power: int = 1) -> Fraction:
        return Fraction(number) * one**power

    b = MechanismBuilder("slider_crank", gravity=(0, -9.81, 0))
    for name, mass, centre, inertia in (("crank", "0.3", "0.15", "0.002"), ("rod", "0.6", "0.4", "0.03")):
        b.body(name, scaled(mass, 3), (scaled(centre), 0, 0), (0, scaled(inertia, 5), scaled(inertia, 5)))
    b.body("piston", scaled("1", 3))
    b.revolute("crank_angle", "base", "crank", (0, 0, 1))
    b.revolute("rod_angle", "crank", "rod", (0, 0, 1), position=(scaled("0.3"), 0, 0))
    b.prismatic("stroke", "base", "piston", (1, 0, 0))
    b.frame("small_end", "rod", (scaled("0.8"), 0, 0))
    b.frame("pin", "piston", (0, scaled(above), 0))
    b.loop("gudgeon", LoopKind.REVOLUTE, "small_end", "pin")
    b.speeds([JointRate("crank_angle")])
    b.home((Fraction("0.4"), Fraction("-0.5"), scaled("1.07")))
    return b.build()


def loaded(scale: str | float) -> kanegen.Robot:
    """With its certificate, of a short search."""
    return kanegen.load(slider_crank(scale), interpreted=True, eager=True, search=1)


def in_units(robot: kanegen.Robot, size: float) -> dict[str, np.ndarray]:
    """A configuration, torques and accelerations there, and where a motion ends: lengths in ``size``, times in its root."""
    q = robot.assemble([0.4, -0.5, size])
    force = size**4  # of the same density, under the same gravity
    tau = robot.inverse_dynamics(q, [1.0 / math.sqrt(size)], [1.0 / size])
    accelerations = robot.forward_dynamics(q, [1.0 / math.sqrt(size)], [0.1 * force])
    motion = kanegen.simulate(
        robot, q, [1.0 / math.sqrt(size)], 0.3 * math.sqrt(size), step=0.01 * math.sqrt(size), method="rk4"
    )
    lengths = np.array([1.0, 1.0, size])
    assert motion.drift is not None and motion.drift <= DRIFT
    return {
        "q": q / lengths,
        "tau": tau / force,
        "a": accelerations * size,
        "end": motion.q[-1] / lengths,
        "open": robot.constraint_residual(q)[:2] / size,
    }


@pytest.fixture(scope="module")
def of_a_metre() -> dict[str, np.ndarray]:
    return in_units(loaded(1.0), 1.0)


@pytest.mark.parametrize("scale", BINARY)
def test_machines_of_all_sizes_are_alike(scale: float, of_a_metre: dict[str, np.ndarray]) -> None:
    """A power of 1024 more or less rounds nothing, so that all is the same to the bit in the machine's own unit.

    But for motions, which are brought back to a thousandth of the drift that is allowed, in each of 30 steps.
    """
    assert unit_of_length(slider_crank(scale)) == scale
    found = in_units(loaded(scale), float(scale))
    for name, expected in of_a_metre.items():
        allowed = 30 * 1e-3 * DRIFT if name == "end" else 0.0
        np.testing.assert_allclose(found[name], expected, rtol=0.0, atol=allowed, err_msg=name)


@pytest.mark.parametrize("scale", DECIMAL)
def test_sizes_in_metres(scale: str) -> None:
    """Closed to ten roundings of the lengths in the loop, and an open one is told of and refused."""
    size = float(scale)
    robot = loaded(scale)
    q = robot.assemble([0.4, -0.5, size])
    assert np.abs(robot.constraint_residual(q)[:2]).max() <= 10 * np.finfo(float).eps * size_of(
        slider_crank(scale)
    )
    with np.errstate(all="raise"):
        robot.inverse_dynamics(q, [0.0], [0.0])
    ajar = q + np.array([0.0, 0.0, 1e-4 * size])
    with pytest.warns(ModelWarning, match="gudgeon x open"):
        robot.inverse_dynamics(ajar, [0.0], [0.0])
    with pytest.raises(InconsistentStateError, match="gudgeon x"):
        kanegen.simulate(robot, q + np.array([0.0, 0.0, 1e-8 * size]), [0.0], 1.0)


@pytest.mark.parametrize("scale", DECIMAL)
def test_what_cannot_be_closed_is_refused_in_every_size(scale: str) -> None:
    with pytest.raises(ModelError, match="cannot be closed near home"):
        kanegen.load(slider_crank(scale, above="2"), interpreted=True)


def test_units_are_powers_of_1024() -> None:
    """And ordinary lengths have the metre."""
    for size in (1 / 31, 0.5, 1.0, 31.0, 0.0):
        assert unit_for(size) == 1.0
    for power in (-3, -1, 2):
        for part in (0.04, 1.0, 30.0):
            assert unit_for(part * 1024.0**power) == 1024.0**power
