"""Forward dynamics in body coordinates: partitioning and stabilised multipliers."""

from __future__ import annotations

import numpy as np
import pytest

import kanegen
from kanegen.body_coordinates import BodySystem, simulate_bodies
from kanegen.errors import DeadCentreError, InconsistentStateError, IntegrationError
from kanegen.simulation.motion import Status
from tests.runtime_body_coordinates.machines import TORSION, energy, swing
from tests.runtime_body_coordinates.robots import compiled, robot, stub

DRIFT = 1e-9
both_methods = pytest.mark.parametrize("method", ["partitioning", "stabilised"])


@pytest.fixture(scope="module")
def machine() -> BodySystem:
    return BodySystem(compiled(swing()))


@pytest.fixture(scope="module")
def bar() -> BodySystem:
    return BodySystem(robot("four_bar"))


@both_methods
def test_energy_and_joints_are_kept(machine: BodySystem, method: str) -> None:
    """Over many turns of the propeller, which a spring on its hinge counts."""
    q0, v0 = [0.1, 0.5, -0.3], [0.2, -1.0, 30.0]
    motion = simulate_bodies(machine.robot, q0, v0, 1.5, None, method, rtol=1e-10, atol=1e-12)
    assert motion.statistics.status is Status.DONE
    assert np.abs(motion.q[:, 2]).max() > 4 * np.pi
    assert np.abs(np.diff(motion.q, axis=0)).max() < 0.1  # no angle jumps
    energies = [energy(machine, *row) for row in zip(motion.x, motion.xdot, motion.q, strict=True)]
    # Some 1000 steps of 1e-10 relative to terms of a few joules, most of which do not add up.
    np.testing.assert_allclose(energies, energies[0], rtol=0, atol=1e-7)
    for x, xdot in zip(motion.x, motion.xdot, strict=True):
        assert np.abs(machine.kernels.phi(x)).max() <= DRIFT
        assert np.abs(machine.kernels.jacobian(x) @ xdot).max() <= 30 * DRIFT * np.abs(xdot).max()
    assert 0.0 < motion.drift <= DRIFT


@both_methods
def test_a_closed_loop_moves_as_on_its_generalized_speed(
    bar: BodySystem, method: str, end_on_speeds: np.ndarray
) -> None:
    motion = simulate_bodies(
        bar.robot, bar.robot.home, [1.0], 1.0, push, method, rtol=1e-11, atol=1e-13, times=[0.0, 1.0]
    )
    # Steps of 1e-11 of states up to 10, on either side, grow with the motion's sensitivity of some 10.
    np.testing.assert_allclose(np.append(motion.q[-1], motion.v[-1]), end_on_speeds, rtol=0, atol=1e-8)
    assert motion.drift <= DRIFT
    assert motion.tau[0] == pytest.approx([1.5])


def push(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
    return [2.0 * np.cos(t) - 0.5 * v[0]]


@pytest.fixture(scope="module")
def end_on_speeds(bar: BodySystem) -> np.ndarray:
    """q and dq/dt of the four-bar after 1 s, by its equations on the generalized speed."""
    crank = kanegen.load("four_bar")
    motion = kanegen.simulate(
        crank, bar.robot.home, [1.0], 1.0, push, rtol=1e-11, atol=1e-13, times=[0.0, 1.0]
    )
    return np.append(motion.q[-1], crank.coordinate_rates(motion.q[-1], motion.v[-1]))


def test_the_methods_agree(bar: BodySystem) -> None:
    ends = [
        simulate_bodies(
            bar.robot, bar.robot.home, [0.5], 1.0, None, method, rtol=1e-11, atol=1e-13, times=[1.0]
        )
        for method in ("partitioning", "stabilised")
    ]
    np.testing.assert_allclose(ends[0].x, ends[1].x, rtol=0, atol=1e-9)
    assert ends[1].choices == 0


def test_independent_coordinates_are_chosen_anew(bar: BodySystem) -> None:
    """A crank that is driven round and round: no coordinate stays a good one for a whole turn."""
    motion = simulate_bodies(bar.robot, bar.robot.home, [9.0], 2.0, times=np.linspace(0, 2, 41))
    assert motion.choices > 1
    assert motion.q[-1, 0] - motion.q[0, 0] > 2 * np.pi
    assert motion.drift <= DRIFT


@both_methods
def test_drift_is_bounded_as_asked(bar: BodySystem, method: str) -> None:
    loose = simulate_bodies(bar.robot, bar.robot.home, [1.0], 0.5, None, method, rtol=1e-5, drift=1e-5)
    assert loose.drift <= 1e-5
    residuals = [np.abs(bar.kernels.phi(x)).max() for x in loose.x]
    assert max(residuals) <= loose.drift


def test_it_begins_at_body_coordinates_of_any_norm(machine: BodySystem) -> None:
    q0, v0 = [0.1, 0.5, -0.3], [0.2, -1.0, 3.0]
    x0 = machine.kernels.coordinates(q0).reshape(-1, 7)
    x0[:, 3:] *= 2.0
    times = [0.0, 0.1]
    given = simulate_bodies(machine.robot, None, v0, 0.1, x0=x0.reshape(-1), times=times)
    expected = simulate_bodies(machine.robot, q0, v0, 0.1, times=times)
    np.testing.assert_allclose(given.x, expected.x, rtol=0, atol=1e-12)
    np.testing.assert_allclose(given.v[0], v0, rtol=0, atol=1e-12)


def test_turns_of_the_beginning_are_kept(machine: BodySystem) -> None:
    """The torsion spring is wound by three turns, and pushes accordingly."""
    wound = simulate_bodies(machine.robot, [0.0, 0.0, 6 * np.pi], [0.0] * 3, 0.01, times=[0.0, 0.01])
    assert wound.q[0, 2] == pytest.approx(6 * np.pi)
    assert wound.v[-1, 2] < -0.1
    held = machine.inverse_dynamics([0.0, 0.0, 6 * np.pi], [0.0] * 3, [0.0] * 3)
    assert held.tau[2] == pytest.approx(TORSION * 6 * np.pi, abs=1e-12)


def test_a_controller_holds_the_machine(machine: BodySystem) -> None:
    """Torques of inverse dynamics at rest keep it at rest."""
    q0 = [0.3, 0.4, 0.0]
    tau = machine.inverse_dynamics(q0, [0.0] * 3, [0.0] * 3).tau
    motion = simulate_bodies(machine.robot, q0, [0.0] * 3, 0.2, lambda t, q, v: tau, times=[0.2])
    np.testing.assert_allclose(motion.q[-1], q0, rtol=0, atol=1e-12)


def test_wrong_arguments(machine: BodySystem, bar: BodySystem) -> None:
    still = [0.0] * 3
    with pytest.raises(ValueError, match="'partitioning' or 'stabilised', got 'rk4'"):
        simulate_bodies(machine.robot, still, still, 1.0, method="rk4")
    with pytest.raises(ValueError, match="either q0"):
        simulate_bodies(machine.robot, still, still, 1.0, x0=np.zeros(21))
    with pytest.raises(ValueError, match="duration must not be negative"):
        simulate_bodies(machine.robot, still, still, -1.0)
    with pytest.raises(ValueError, match=r"v: expected \(3,\), got \(2,\)"):
        simulate_bodies(machine.robot, still, [0.0] * 2, 1.0)
    with pytest.raises(ValueError, match=r"controller must return \(3,\).*got \(2,\)"):
        simulate_bodies(machine.robot, still, still, 1.0, lambda t, q, v: [0.0, 0.0])
    with pytest.raises(InconsistentStateError, match=r"q0 leaves closure .* robot.assemble\(q0\)"):
        simulate_bodies(bar.robot, bar.robot.home + 0.01, [0.0], 1.0)
    with pytest.raises(InconsistentStateError, match=r"x0 leaves .*BodySystem\(robot\).closed\(x0\)"):
        simulate_bodies(bar.robot, None, [0.0], 1.0, x0=np.tile([0.0, 0, 0, 1, 0, 0, 0], 3))


def test_dead_centres_cannot_be_the_beginning(bar: BodySystem) -> None:
    """Rates of the rocker do not determine those of the crank where crank and coupler are in line."""
    angle = np.arccos((1.0 + 1.2**2 - 0.7**2) / 2.4)
    x = bar.position([angle])
    with pytest.raises(DeadCentreError, match="driving q3"):
        simulate_bodies(bar.robot, None, [1.0], 1.0, x0=x, driven=["q3"])


def test_passing_dead_centres_of_the_driven_coordinate(bar: BodySystem) -> None:
    """The crank goes round while forces are counted on the rocker, which turns back twice a turn."""
    q0 = bar.robot.home
    x = bar.kernels.coordinates(q0)
    v0 = bar.joint_rates(x, bar.velocity(x, [9.0]))[2:]
    motion = simulate_bodies(bar.robot, q0, v0, 1.5, driven=["q3"], times=[0.0, 1.5])
    expected = simulate_bodies(bar.robot, q0, [9.0], 1.5, times=[0.0, 1.5])
    np.testing.assert_allclose(motion.x, expected.x, rtol=0, atol=1e-6)


@both_methods
def test_early_ends(machine: BodySystem, method: str) -> None:
    """Steps that run out give what there is; forces that are no numbers, too."""
    still = [0.0] * 3
    with pytest.warns(RuntimeWarning, match="max_steps were not enough"):
        motion = simulate_bodies(machine.robot, still, still, 1.0, None, method, max_steps=3)
    assert motion.statistics.status is Status.TOO_MANY_STEPS
    assert np.isnan(motion.x[-1]).all()
    assert np.isfinite(motion.x[0]).all()
    with pytest.warns(RuntimeWarning, match="not a number"):
        simulate_bodies(machine.robot, still, still, 1.0, lambda t, q, v: [np.nan] * 3, method)


@both_methods
def test_constraints_that_cannot_be_kept(machine: BodySystem, method: str) -> None:
    """A bound below rounding is refused in words."""
    with pytest.raises(IntegrationError, match=r"swing left the joints after t = .*drift=1e-20"):
        simulate_bodies(machine.robot, [0.0] * 3, [1.0] * 3, 1.0, None, method, drift=1e-20)


def test_a_singular_mass_is_no_number(machine: BodySystem) -> None:
    """Bodies without any mass: accelerations do not follow, and the motion ends with words instead of NaN."""

    def bind(name: str) -> object:
        bound = machine.robot.bind(name)
        return bound if name != "body_mass_matrix" else _Massless(bound)

    weightless = stub(machine.robot, bind=bind)
    with pytest.warns(RuntimeWarning, match="not a number"):
        motion = simulate_bodies(weightless, [0.0] * 3, [0.0] * 3, 1.0)
    assert motion.statistics.accepted == 0


class _Massless:
    def __init__(self, bound: kanegen.BoundKernel) -> None:
        self.__dict__.update(vars(bound))

    def __call__(self) -> None:
        self.__dict__["M"][...] = 0.0
