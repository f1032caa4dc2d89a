"""Long motions: what is conserved stays, loops stay closed, published ends are reached."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.mechanism import JointRate
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.simulation.arm import SIMULATION_KERNELS

DISK = json.loads(
    (Path(__file__).resolve().parents[1] / "oracles" / "agrawal_1988.json").read_text(encoding="utf-8")
)["disk"]


def test_rolling_disc_keeps_its_energy_and_comes_where_it_should() -> None:
    disc = kanegen.load("rolling_disc")
    assert disc.coordinate_names == ("yaw", "lean", "spin", "x", "y")
    motion = kanegen.simulate(
        disc,
        [0, 0.3, 0, 0, 0],
        [0.5, 0, 6],
        60.0,
        rtol=1e-13,
        atol=1e-13,
        times=np.arange(0.0, 60.5, 0.5),
    )
    energy = disc.kinetic_energy(motion.q, motion.v) + disc.potential_energy(motion.q)
    assert np.abs(energy - energy[0]).max() < 1e-10
    # The reference gives six decimals.
    expected = [-16.527099, 0.597305, 71.066007, -1.013711, -2.059864]
    assert np.abs(motion.q[20] - expected).max() < 1e-6


def jacobi_integral(q: Array, u: Array) -> Array:
    """H of Agrawal's disk [J]: energy of the motion relative to the plates, less that of their turning."""
    m1, m2, length, w, g = (DISK["params"][name] for name in ("m1", "m2", "l", "w", "g"))
    q1, q2, q3 = q.T
    u1, u2 = u.T
    moving = m1 * (u1**2 + u2**2) / 2 + m2 * u1**2 / 2
    turning = w**2 * (m1 * q1**2 + m2 * (q1 + length * np.cos(q3)) ** 2) / 2
    potential = g * (m1 * q2 + m2 * (q2 + length * np.sin(q3)))
    total: Array = np.add(moving - turning, potential)
    return total


def test_disk_between_plates_keeps_its_integral_and_follows_the_oracle() -> None:
    disk = kanegen.load("plate_disk")
    start = np.array(DISK["sim"]["y0"])
    times = np.array(DISK["sim"]["t"])
    motion = kanegen.simulate(
        disk, start[:3], start[3:], float(times[-1]), rtol=1e-13, atol=1e-13, times=times
    )
    H = jacobi_integral(motion.q, motion.v)
    assert np.abs(H - H[0]).max() < 1e-10
    expected = np.array(DISK["sim"]["y"])
    found = np.hstack([motion.q, motion.v])
    # Both integrators' errors of 1e-12 grow as the disk leaves, by exp(1.7 t) at most: 30 times in 2 s.
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


DRIVEN = [
    "coordinate_rates",
    "gravity_forces",
    "constraint_residual",
    "constraint_jacobian",
    *SIMULATION_KERNELS,
]


def linkage_controller(
    robot: kanegen.Robot, reach: Array, stiffness: float, damping: float
) -> Callable[[float, Array, Array], Array]:
    """Drives the independent coordinates around those of home: gravity compensation, a spring and a damper."""
    rates = [speed for speed in mechanism(robot.name).speeds if isinstance(speed, JointRate)]
    driven = [robot.coordinate_names.index(rate.joint) for rate in rates]
    home = robot.home[driven]

    def tau(t: float, q: Array, v: Array) -> Array:
        goal = home + reach * np.sin(2 * np.pi * t / 5 + np.arange(len(driven)))
        force: Array = robot.gravity_forces(q) + stiffness * (goal - q[driven]) - damping * v
        return force

    return tau


@pytest.mark.parametrize(
    ("name", "reach", "stiffness", "damping"),
    [("five_bar", 0.3, 20.0, 2.0), ("stewart_platform", 0.05, 2000.0, 200.0)],
)
def test_driven_linkages_stay_closed(name: str, reach: float, stiffness: float, damping: float) -> None:
    robot = kanegen.load(name, kernels=DRIVEN)
    control = linkage_controller(robot, np.full(robot.nv, reach), stiffness, damping)
    q0 = robot.assemble()
    motion = kanegen.simulate(
        robot, q0, np.zeros(robot.nv), 20.0, control, times=np.linspace(0, 20, 101), sample_period=0.01
    )
    assert np.abs(robot.constraint_residual(motion.q)).max() < 1e-9
