"""Laws that bind the kernels of a constrained mechanism to one another, without a witness."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.witnesses.constrained_witness import State
from tests.witnesses.jets import Array

from .cases import ROUNDING, case, every_mechanism, force_error, rate_error

STEP = 0.01
STENCIL = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
"""Sixth-order central differences: truncation h^6/140 of the seventh derivative."""


def slope(function: Callable[[Array], Array], at: Array, direction: Array) -> Array:
    """The derivative at a point along a direction."""
    terms = [
        w * (function(at + k * STEP * direction) - function(at - k * STEP * direction)) / STEP
        for k, w in STENCIL.items()
    ]
    return np.array(sum(terms))


@every_mechanism
def test_jacobian_is_the_derivative_of_the_residual(name: str) -> None:
    loaded = case(name)
    report = loaded.robot.constraints
    assert report is not None
    k = len(report.position)
    if not k:
        assert "constraint_residual" not in loaded.robot.kernels
        return
    n = loaded.witness.nq
    for state in loaded.states[:5]:
        A = loaded.robot.constraint_jacobian(state.q)
        assert A.shape == (len(report.velocity), n)
        columns = [slope(loaded.robot.constraint_residual, state.q, direction) for direction in np.eye(n)]
        # A seventh derivative of at most 10 (a product of sines over at most 1 m, of up to twice an angle), and
        # the residual's rounding of 1e-15 over the step.
        assert np.abs(np.array(columns).T - A[:k]).max() < 10 * STEP**6 / 140 + 1e-15 / STEP


@every_mechanism
def test_states_are_closed_and_their_rates_satisfy_the_equations(name: str) -> None:
    """The witness assembled them by its own equations; rates of zero speeds are the drift, N the rest."""
    loaded = case(name)
    robot, witness = loaded.robot, loaded.witness
    report = robot.constraints
    assert report is not None
    for state in loaded.states:
        if report.position:
            phi = robot.constraint_residual(state.q)
            assert np.abs(phi).max() < ROUNDING * (1 + np.abs(state.q).max())
        if report.velocity:
            A = robot.constraint_jacobian(state.q)
            drift = robot.coordinate_rates(state.q, np.zeros(witness.nv))
            N = np.array([robot.coordinate_rates(state.q, e) - drift for e in np.eye(witness.nv)]).T
            bound = rate_error(witness, state.q, N) * (1 + np.abs(A).max()) * len(drift)
            assert np.abs(A @ N).max() < bound
            assert np.linalg.matrix_rank(A, rtol=1e-9) == report.rank == witness.nq - witness.nv


@every_mechanism
def test_forward_dynamics_inverts_inverse_dynamics(name: str) -> None:
    loaded = case(name)
    for state in loaded.states:
        tau = loaded.robot.inverse_dynamics(state.q, state.v, state.a)
        a = loaded.robot.forward_dynamics(state.q, state.v, tau)
        inverse = np.linalg.norm(np.linalg.inv(loaded.witness.mass_matrix(state.q)), np.inf)
        assert np.abs(a - state.a).max() < inverse * force_error(loaded.witness, state)


@every_mechanism
def test_forces_are_inertia_and_bias(name: str) -> None:
    loaded = case(name)
    for state in loaded.states:
        tau = loaded.robot.inverse_dynamics(state.q, state.v, state.a)
        M, h = loaded.robot.mass_matrix(state.q), loaded.robot.bias_forces(state.q, state.v)
        assert np.abs(M @ state.a + h - tau).max() < force_error(loaded.witness, state)


@every_mechanism
def test_power_is_the_rate_of_energy(name: str) -> None:
    """dE/dt = tau . v + (forces on prescribed joints) . (their rates).

    The energy of the tree along q + q' t + q'' t^2 / 2: not a motion beyond the second order, but E needs no more.
    """
    loaded = case(name)
    witness, p = loaded.witness, loaded.witness.prescribed_rates.size
    for state in loaded.states:
        tau = loaded.robot.inverse_dynamics(state.q, state.v, state.a)
        forces = loaded.robot.constraint_forces(state.q, state.v, state.a)
        power = tau @ state.v + forces[forces.size - p :] @ witness.prescribed_rates

        def energy(time: Array, state: State = state) -> Array:
            t = float(time[0])
            q = state.q + t * state.qdot + t**2 / 2 * state.qddot
            return np.array(sum(witness.energies(q, state.qdot + t * state.qddot)))

        scale = float(np.abs(tau) @ np.abs(state.v)) + sum(map(abs, witness.energies(state.q, state.qdot)))
        curved = (1 + np.abs(state.qdot).max() + np.abs(state.qddot).max()) ** 7
        error = force_error(witness, state) * np.abs(state.v).sum()
        # Seven derivatives of the energy each bring a factor of at most the rates' size.
        truncation = STEP**6 / 140 * scale * curved
        assert (
            abs(float(slope(energy, np.zeros(1), np.ones(1))) - power)
            < error + truncation + 1e-14 * scale / STEP
        )
