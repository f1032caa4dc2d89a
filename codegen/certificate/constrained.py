"""What the kernels of a constrained mechanism must be: rates satisfy the equations, forces of constraints do no work."""

from __future__ import annotations

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.case import Case
from kanegen.codegen.certificate.identities import applied
from kanegen.codegen.certificate.measure import Checks, Measured, largest, residual
from kanegen.codegen.certificate.reference import Reference, Scaled
from kanegen.codegen.certificate.speeds import ProjectedSpeeds


def constrained(case: Case) -> Checks:
    """Identities of constraints.  The equations themselves are those of the kernels, not of the records."""
    yield from of_speeds(case)
    yield from of_positions(case)
    yield from _forces(case)


def of_speeds(case: Case) -> Checks:
    """What the speeds determine fulfils the equations."""
    rows, speeds = "constraint_jacobian", "generalized_speeds"
    if case.has(rows) and case.subject.independent:
        A = case.at(rows)[:, case.subject.independent]
        N = np.moveaxis(case.columns, 0, -1)
        found = residual(A @ N, np.zeros((*A.shape[:-1], case.nv)), largest(A) * largest(N))
        yield Measured("A N = 0", (rows, "coordinate_rates"), found)
    if case.has(speeds):
        found = residual(case.at(speeds, qdot=case.rates), case.v, largest(case.rates))
        yield Measured("v of dq/dt = N v is v", (speeds, "coordinate_rates"), found)


def of_positions(case: Case) -> Checks:
    """The equations of position and their derivatives; everywhere."""
    q, rows = case.q, "constraint_jacobian"
    if case.has(rows, "constraint_residual"):
        steps = np.eye(q.shape[-1])[:, None, :]
        expected = np.moveaxis(case.along("constraint_residual", q=steps), 0, -1)
        A = case.at(rows)
        found = residual(A[:, : expected.shape[1]], expected, largest(A))
        yield Measured(
            "A is the derivative of the equations of position", (rows, "constraint_residual"), found
        )


def _drives(case: Case, qdot: Array, qddot: Array) -> Scaled:
    """Forces (states, nq) of drives on the coordinates of the tree, by the records."""
    speeds = case.reference.speeds
    assert isinstance(speeds, ProjectedSpeeds), "mechanisms whose coordinates are tied together"
    motion = speeds.of_coordinates(case.q, qdot, qddot)
    assert isinstance(case.reference, Reference), "links of constrained mechanisms are rigid"
    return case.reference.on_coordinates(case.q, motion)


def _forces(case: Case) -> Checks:
    """Q = Y^T tau + A^T lambda, with Y and A the coefficients of speeds and equations."""
    rows, speeds = "constraint_jacobian", "generalized_speeds"
    if not case.has(rows, speeds):
        return
    A = case.at(rows)
    units = np.eye(case.q.shape[-1])[:, None, :]
    Y = np.moveaxis(case.along(speeds, qdot=units), 0, -1)
    kernel = "constraint_forces"
    if case.has(kernel) and case.has("inverse_dynamics"):
        assert isinstance(case.reference, Reference), "links of constrained mechanisms are rigid"
        motion = case.reference.speeds.motion(case.q, case.v, case.a)
        Q = case.reference.on_coordinates(case.q, motion)
        found = _balance(Q, Y, case.at("inverse_dynamics"), A, case.at(kernel)[:, : A.shape[1]])
        yield Measured("forces are those of drives and constraints", (kernel, "inverse_dynamics"), found)
    kernel = "multiplier_dynamics"
    if case.has(kernel):
        given = case.outputs(kernel, qdot=case.rates)
        Q = _drives(case, case.rates, given["qddot"])
        found = _balance(Q, Y, case.tau, A, given["lambda"])
        yield Measured("multipliers balance the forces", (kernel,), found)


def _balance(Q: Scaled, Y: Array, tau: Array, A: Array, multipliers: Array) -> float:
    driven, held = applied(np.swapaxes(Y, -1, -2), tau), applied(np.swapaxes(A, -1, -2), multipliers)
    scale = Q.scale + largest(Y) * abs(tau).sum(axis=-1) + largest(A) * abs(multipliers).sum(axis=-1)
    return residual(driven + held, Q.value, scale)
