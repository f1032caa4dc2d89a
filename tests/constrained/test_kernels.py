"""Every kernel of every constrained mechanism against the witness by multipliers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.witnesses.constrained_witness import ConstrainedWitness, State
from tests.witnesses.jets import Array

from .cases import ROUNDING, case, every_mechanism, force_error, rate_error


def with_acceleration(witness: ConstrainedWitness, state: State, a: Array) -> State:
    """The state with other accelerations."""
    return replace(state, a=a, qddot=witness.accelerations(state.q, state.qdot, a))


def mass_error(witness: ConstrainedWitness, q: Array) -> float:
    """The largest error of N^T M N, by the sizes of its terms; N has the error of the equations of condition kappa."""
    N = np.abs(witness.directions(q))
    terms = N.T @ np.abs(witness.tree_mass_matrix(q)) @ N
    return ROUNDING * witness.condition(q) * (1.0 + float(N.max())) * float(terms.max())


@every_mechanism
def test_coordinate_rates(name: str) -> None:
    loaded = case(name)
    for state in loaded.states:
        found = loaded.robot.coordinate_rates(state.q, state.v)
        assert np.abs(found - state.qdot).max() < rate_error(loaded.witness, state.q, state.qdot)


@every_mechanism
def test_inverse_dynamics(name: str) -> None:
    loaded = case(name)
    for state in loaded.states:
        tau = loaded.robot.inverse_dynamics(state.q, state.v, state.a)
        expected = loaded.witness.inverse_dynamics(state)
        assert np.abs(tau - expected).max() < force_error(loaded.witness, state)


@every_mechanism
def test_forward_dynamics(name: str) -> None:
    """Under forces that have nothing to do with the state's accelerations."""
    loaded = case(name)
    random = np.random.default_rng(5)
    for state in loaded.states:
        tau = random.uniform(-10, 10, loaded.witness.nv)
        expected = loaded.witness.forward_dynamics(state.q, state.v, tau)
        a = loaded.robot.forward_dynamics(state.q, state.v, tau)
        moved = with_acceleration(loaded.witness, state, expected)
        inverse = np.linalg.norm(np.linalg.inv(loaded.witness.mass_matrix(state.q)), np.inf)
        assert np.abs(a - expected).max() < inverse * (
            force_error(loaded.witness, moved) + ROUNDING * np.abs(tau).max()
        )


@every_mechanism
def test_mass_matrix(name: str) -> None:
    loaded = case(name)
    for state in loaded.states:
        M = loaded.robot.mass_matrix(state.q)
        expected = loaded.witness.mass_matrix(state.q)
        assert np.abs(M - expected).max() < mass_error(loaded.witness, state.q)
        assert np.array_equal(M, M.T)
        assert np.linalg.eigvalsh(M).min() > 0


@every_mechanism
def test_bias_and_gravity_forces(name: str) -> None:
    loaded = case(name)
    witness, still = loaded.witness, np.zeros(loaded.witness.nv)
    for state in loaded.states:
        coasting = with_acceleration(witness, state, still)
        h = loaded.robot.bias_forces(state.q, state.v)
        assert np.abs(h - witness.inverse_dynamics(coasting)).max() < force_error(witness, coasting)
        g = loaded.robot.gravity_forces(state.q)
        assert np.abs(g - witness.gravity_forces(state.q)).max() < force_error(witness, coasting)


@every_mechanism
def test_constraint_forces(name: str) -> None:
    """A^T lambda with the kernel's own A and lambda; redundant rows carry nothing; the prescribed joints' forces."""
    loaded = case(name)
    robot, witness = loaded.robot, loaded.witness
    report = robot.constraints
    assert report is not None
    m = len(report.velocity)
    redundant = [report.velocity.index(row) for row in report.redundant]
    for state in loaded.states:
        found = robot.constraint_forces(state.q, state.v, state.a)
        _, carried, prescribed = witness.solution(state)
        assert found.shape == (m + prescribed.size,)
        # Multipliers come from a solve of their own, of the same condition.
        bound = force_error(witness, state) * witness.condition(state.q)
        if m:
            A = robot.constraint_jacobian(state.q)
            assert np.abs(A.T @ found[:m] - carried).max() < bound
            assert not found[redundant].any()
        assert np.abs(found[m:] - prescribed).max(initial=0.0) < bound


@every_mechanism
def test_energies_and_momentum(name: str) -> None:
    loaded = case(name)
    for state in loaded.states:
        kinetic, potential = loaded.witness.energies(state.q, state.qdot)
        rates = np.abs(state.qdot)
        # Twice the largest terms |q'| |M| |q'| / 2, for q' has an error, too.
        terms = float(rates @ np.abs(loaded.witness.tree_mass_matrix(state.q)) @ rates) + abs(kinetic)
        error = ROUNDING * loaded.witness.condition(state.q)
        assert abs(loaded.robot.kinetic_energy(state.q, state.v) - kinetic) < error * terms
        gravity_terms = sum(
            body[1] * 9.81 * (1 + np.abs(state.q).sum()) * 10 for body in loaded.witness.bodies
        )  # no body of the catalogue is farther away than 10 m (1 + |q|)
        assert abs(loaded.robot.potential_energy(state.q) - potential) < ROUNDING * gravity_terms
        momentum = loaded.witness.momentum(state.q, state.qdot)
        found = loaded.robot.momentum(state.q, state.v)
        mass = sum(body[1] for body in loaded.witness.bodies)
        assert np.abs(found - momentum).max() < error * (
            mass * 10 * (1 + rates.sum()) + np.abs(momentum).max()
        )


@every_mechanism
def test_frames(name: str) -> None:
    loaded = case(name)
    for state in loaded.states[:5]:
        for frame in loaded.robot.frame_names:
            pose = loaded.witness.frame_pose(state.q, frame)
            # Poses are chains of at most 12 products of matrices.
            assert np.abs(loaded.robot.frame_pose(state.q, frame) - pose).max() < ROUNDING * (
                1 + np.abs(pose).max()
            )
            jacobian = loaded.witness.frame_jacobian(state.q, frame)
            bound = rate_error(loaded.witness, state.q, jacobian) * (1 + np.abs(pose).max())
            assert np.abs(loaded.robot.frame_jacobian(state.q, frame) - jacobian).max() < bound


@every_mechanism
def test_multiplier_dynamics(name: str) -> None:
    """q'' and A^T lambda under given forces; the speeds of the state's rates."""
    loaded = case(name)
    robot, witness = loaded.robot, loaded.witness
    if "multiplier_dynamics" not in robot.kernels:
        assert not witness.constraints(witness.home, 0 * witness.home).rows.size
        return
    random = np.random.default_rng(6)
    for state in loaded.states:
        tau = random.uniform(-10, 10, witness.nv)
        a = witness.forward_dynamics(state.q, state.v, tau)
        moved = with_acceleration(witness, state, a)
        _, carried, _ = witness.solution(moved)
        qddot, multipliers = robot.call("multiplier_dynamics", state.q, state.qdot, tau)
        inverse = np.linalg.norm(np.linalg.inv(witness.mass_matrix(state.q)), np.inf)
        kappa = witness.condition(state.q)
        bound = kappa * inverse * (force_error(witness, moved) + ROUNDING * np.abs(tau).max())
        assert np.abs(qddot - moved.qddot).max() < bound
        A = robot.constraint_jacobian(state.q)
        size = np.abs(witness.tree_mass_matrix(state.q)).max()
        assert np.abs(A.T @ multipliers - carried).max() < size * bound + kappa * force_error(witness, moved)
        v = robot.call("generalized_speeds", state.q, state.qdot)
        assert np.abs(v - state.v).max() < rate_error(witness, state.q, state.qdot)
