"""Constraint kernels by what they mean: a Jacobian is a derivative, and rates satisfy the equations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.witnesses.jets import Array

from .cases import ROUNDING, case, every_mechanism, rate_error

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
