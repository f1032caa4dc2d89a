"""Mechanisms driven by struts in body coordinates: positions, inverse dynamics, and the motion under these forces."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import kanegen
from kanegen.body_coordinates import KERNELS, STRUT_KERNELS, BodySystem, simulate_bodies
from kanegen.errors import DeadCentreError, MissingKernelError, PositionError
from kanegen.simulation.motion import Status
from tests.constrained.strut_models import EYE, FOOT, MODELS, SPREADS, boom
from tests.matrix.definitions import Definitions
from tests.runtime_body_coordinates.robots import compiled, stub

every_model = pytest.mark.parametrize("name", MODELS)
STRUT = "rate of the distance from foot to eye"


@cache
def system(name: str) -> BodySystem:
    return BodySystem(compiled(MODELS[name]()))


@cache
def speeds_robot(name: str) -> kanegen.Robot:
    """The same mechanism on its generalized speeds."""
    model = MODELS[name]()
    closing = ["constraint_residual", "constraint_jacobian"] if model.loops else []
    return kanegen.load(model, kernels=["inverse_dynamics", "coordinate_rates", *closing], interpreted=True)


def configurations(name: str) -> np.ndarray:
    """Near home, closed."""
    robot, random = speeds_robot(name), np.random.default_rng(8)
    found = robot.home + random.uniform(-SPREADS[name], SPREADS[name], (4, robot.nq))
    return np.array([robot.assemble(q) for q in found]) if MODELS[name]().loops else found


@every_model
def test_positions_are_found_from_home(name: str) -> None:
    """By lengths of struts and coordinates of joints, with nothing known but home."""
    bodies = system(name)
    for q in configurations(name):
        x = bodies.kernels.coordinates(q)
        found = bodies.position(bodies.drives.values(x))
        # conditions of a hundred at most, from equations closed to some 1e-15
        np.testing.assert_allclose(found, x, rtol=0, atol=1e-12)


@every_model
def test_motions_and_forces_are_those_on_the_generalized_speeds(name: str) -> None:
    """Multipliers of (35) give by (36) the forces that belong to the rates of the distances."""
    bodies = system(name)
    robot, random = speeds_robot(name), np.random.default_rng(9)
    for q in configurations(name):
        v, a = random.uniform(-1, 1, (2, robot.nv))
        start = bodies.kernels.coordinates(q)
        found = bodies.inverse_dynamics(bodies.drives.values(start), v, a, start)
        rates, expected = bodies.joint_rates(found.x, found.xdot), robot.coordinate_rates(q, v)
        np.testing.assert_allclose(rates, expected, rtol=0, atol=1e-12 * (1 + np.abs(expected).max()))
        tau = robot.inverse_dynamics(q, v, a)
        # the two agree to 1e-10 of the largest force; conditions below a hundred leave some 1e-13
        np.testing.assert_allclose(found.tau, tau, rtol=0, atol=1e-10 * np.abs(tau).max())


@pytest.mark.parametrize("method", ["partitioning", "stabilised"])
@pytest.mark.parametrize("name", ["excavator", "jacked_four_bar"])
def test_released_under_these_forces_it_moves_as_it_was_driven(name: str, method: str) -> None:
    """Lengths and angles follow polynomials in time; the forces found for them lead the free bodies along."""
    bodies = system(name)
    home = bodies.robot.home
    x0 = bodies.closed(bodies.kernels.coordinates(home))
    start = bodies.drives.values(x0)
    reach = np.array([0.3, 0.15, -0.1] if name == "excavator" else [0.05])
    duration = 0.6

    def wanted(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        s = t / duration
        shape = s**3 * (10 - 15 * s + 6 * s * s)
        rate = 30 * s * s * (1 - s) ** 2 / duration
        bend = 60 * s * (1 - s) * (1 - 2 * s) / duration**2
        return start + shape * reach, rate * reach, bend * reach

    near = x0

    def force(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        nonlocal near
        found = bodies.inverse_dynamics(*wanted(t), start=near)
        near = found.x
        return found.tau

    motion = simulate_bodies(
        bodies.robot,
        None,
        np.zeros(len(reach)),
        duration,
        force,
        method,
        rtol=1e-9,
        atol=1e-11,
        times=[0.0, duration],
        x0=x0,
    )
    assert motion.statistics.status is Status.DONE
    end = bodies.drives.values(motion.x[-1])
    # some fifty steps of 1e-9, grown by a motion that the forces do not stabilise
    np.testing.assert_allclose(end, start + reach, rtol=0, atol=1e-6)
    assert motion.drift <= 1e-9


def test_a_strut_does_the_work_that_the_energy_shows() -> None:
    """Also past the dead centre over which it throws the boom: there the strut is longest."""
    bodies = system("boom")
    force = 900.0
    times = np.linspace(0.0, 1.0, 21)
    motion = simulate_bodies(
        bodies.robot, [0.1], [0.0], 1.0, lambda t, q, v: [force], rtol=1e-10, times=times
    )

    def energy(x: np.ndarray, xdot: np.ndarray) -> float:
        return float(0.5 * xdot @ bodies.kernels.mass_matrix(x) @ xdot + 30.0 * 9.81 * x[2])

    energies = [energy(x, xdot) for x, xdot in zip(motion.x, motion.xdot, strict=True)]
    lengths = [float(bodies.drives.values(x)[0]) for x in motion.x]
    assert max(lengths) > lengths[-1] + 0.1
    # some hundred steps of 1e-10 of energies of up to a thousand joules
    np.testing.assert_allclose(np.diff(energies), force * np.diff(lengths), rtol=0, atol=1e-6)


def test_a_strut_may_be_left_undriven() -> None:
    """The boom by its hinge instead: names of coordinates and of struts are alike."""
    bodies = BodySystem(system("boom").robot, ["lift"])
    turned = bodies.inverse_dynamics([0.3], [0.5], [0.1])
    strut = system("boom")
    length = strut.drives.values(turned.x)
    jacobian = strut.drives.jacobian(turned.x, length)
    rate = float((jacobian @ turned.xdot)[0] / strut.drives.slopes(turned.x)[0])
    # the rate along the motion, a complex step ahead
    there = Definitions(MODELS["boom"](), np.array([[0.3 + 0.5e-30j]]))
    bend = float((there.speeds(there.mechanism.generalized_speeds)[0, 0, 0] * (0.5 + 0.1e-30j)).imag / 1e-30)
    pushed = strut.inverse_dynamics(length, [rate], [bend], start=turned.x)
    # the same power, from forces of hundreds of newtons
    assert pushed.tau[0] * rate == pytest.approx(turned.tau[0] * 0.5, rel=1e-12)


def test_a_strut_in_line_with_the_hinge() -> None:
    """The boom at the length at which foot, hinge and eye are in line: a dead centre, and no position beyond it."""
    bodies = system("boom")
    behind = math.atan2(FOOT[2], FOOT[0]) - math.atan2(EYE[2], EYE[0])
    x = bodies.kernels.coordinates(np.array([behind]))
    with pytest.raises(DeadCentreError, match=f"driving {STRUT} does not determine .*: lift can move"):
        bodies.velocity(x, [1.0])
    longest = math.hypot(FOOT[0], FOOT[2]) + math.hypot(EYE[0], EYE[2])
    with pytest.raises(PositionError, match=f"no position of boom was found with {STRUT} ="):
        bodies.position([1.1 * longest])


def test_points_that_coincide() -> None:
    """No direction, no motion determined: said in words, and a motion that begins there with a force ends at once."""
    place = (0.9, 0.0, 0.0)
    bodies = BodySystem(compiled(boom(foot=place, eye=place)))
    x = bodies.kernels.coordinates(np.zeros(1))
    with pytest.raises(DeadCentreError, match=f"driving {STRUT} does not determine the motion here"):
        bodies.velocity(x, [1.0])
    with pytest.raises(DeadCentreError, match="does not determine the motion here"):
        simulate_bodies(bodies.robot, [0.0], [1.0], 0.1)
    with pytest.raises(ValueError, match=r"stands for a length, and 0\.0 is not above zero"):
        bodies.position([0.0])
    forces = bodies.drives.on_bodies(x, np.zeros(1), np.ones(1))
    assert np.isnan(forces).any()  # which ends a motion with words


def test_what_is_said_of_wrong_names_and_missing_kernels() -> None:
    robot = system("boom").robot
    with pytest.raises(
        ValueError, match=f"'lever' is no coordinate and no strut of boom, which are lift, {STRUT}"
    ):
        BodySystem(robot, ["lever"])
    poor = stub(robot, kernels=KERNELS)
    with pytest.raises(MissingKernelError, match=f"boom has no {STRUT_KERNELS[0]}"):
        BodySystem(poor)
