"""What the kernels of a constrained mechanism must be: rates satisfy the equations, forces of constraints do no work."""

from __future__ import annotations

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.identities import applied
from kanegen.codegen.certificate.measure import Checks, Measured, largest, residual
from kanegen.codegen.certificate.reference import Reference, Scaled
from kanegen.codegen.certificate.sample import Sample
from kanegen.codegen.certificate.speeds import ProjectedSpeeds


def constrained(sample: Sample) -> Checks:
    """Identities of constraints.  The equations themselves are those of the kernels, not of the records."""
    yield from of_speeds(sample)
    yield from of_positions(sample)
    yield from in_time(sample)
    yield from _forces(sample)


def of_speeds(sample: Sample) -> Checks:
    """What the speeds determine fulfils the equations."""
    rows, speeds = "constraint_jacobian", "generalized_speeds"
    if sample.nv and sample.has(rows) and sample.kernel_set.independent:
        A = sample.at(rows)[:, sample.kernel_set.independent]
        N = np.moveaxis(sample.columns, 0, -1)[:, : sample.nq]
        found = residual(A @ N, np.zeros((*A.shape[:-1], sample.nv)), largest(A) * largest(N))
        yield Measured("A N = 0", (rows, "coordinate_rates"), found)
    if sample.has(speeds):
        found = residual(sample.at(speeds, qdot=sample.rates), sample.v, largest(sample.rates))
        yield Measured("v of dq/dt = N v is v", (speeds, "coordinate_rates"), found)


def of_positions(sample: Sample) -> Checks:
    """The equations of position and their derivatives; at dead centres, too."""
    q, rows = sample.q, "constraint_jacobian"
    if sample.has(rows, "constraint_residual"):
        steps = np.eye(q.shape[-1])[:, None, :]
        expected = np.moveaxis(sample.along("constraint_residual", q=steps), 0, -1)
        A = sample.at(rows)
        found = residual(A[:, : expected.shape[1]], expected[..., : sample.nq], largest(A))
        yield Measured(
            "A is the derivative of the equations of position", (rows, "constraint_residual"), found
        )


def in_time(sample: Sample) -> Checks:
    """The equations of position along the motion; those that follow from others do so in closed loops alone."""
    rows = "constraint_jacobian"
    if sample.timed and sample.has("constraint_residual"):
        change, size = sample.along("constraint_residual", q=sample.rates), largest(sample.rates)
        change = change[:, [i for i in sample.kernel_set.independent if i < change.shape[1]]]
        if sample.has(rows):
            size = (1 + size) * largest(sample.at(rows))
        found = residual(change, np.zeros_like(change), 1 + size)
        yield Measured(
            "equations stay as they are in time", ("constraint_residual", "coordinate_rates"), found
        )


def _drives(sample: Sample, qdot: Array, qddot: Array) -> Scaled:
    """Forces (states, nq) of drives on the coordinates of the tree, by the records."""
    speeds = sample.reference.speeds
    assert isinstance(speeds, ProjectedSpeeds), "mechanisms whose coordinates are tied together"
    motion = speeds.of_coordinates(sample.q, qdot, qddot)
    assert isinstance(sample.reference, Reference), "links of constrained mechanisms are rigid"
    return sample.reference.on_coordinates(sample.q, motion)


def _forces(sample: Sample) -> Checks:
    """Q = Y^T tau + A^T lambda, with Y and A the coefficients of speeds and equations."""
    rows, speeds, kernel = "constraint_jacobian", "generalized_speeds", "constraint_forces"
    driving = ("inverse_dynamics",) * bool(sample.nv)
    if not sample.has(rows) or (sample.nv and not sample.has(speeds)):
        return
    A = sample.at(rows)
    Y, units = np.zeros((len(A), 0, sample.nq)), np.eye(sample.nq)[:, None, :]
    if sample.nv:
        Y = np.moveaxis(sample.along(speeds, qdot=units), 0, -1)
    if sample.has(kernel, *driving):
        assert isinstance(sample.reference, Reference), "links of constrained mechanisms are rigid"
        motion = sample.reference.speeds.motion(sample.q, sample.v, sample.a)
        Q = sample.reference.on_coordinates(sample.q, motion)
        tau = sample.at(*driving) if driving else sample.tau
        found = _balance(Q, Y, tau, A, sample.at(kernel)[:, : A.shape[1]])
        yield Measured("forces are those of drives and constraints", (kernel, *driving), found)
    kernel = "multiplier_dynamics"
    if sample.has(kernel):
        given = sample.outputs(kernel, qdot=sample.rates)
        still = np.zeros((len(sample.q), sample.q.shape[-1] - sample.nq))  # how time goes does not change
        Q = _drives(sample, sample.rates, np.hstack([given["qddot"], still]))
        found = _balance(Q, Y, sample.tau, A, given["lambda"])
        yield Measured("multipliers balance the forces", (kernel,), found)


def _balance(Q: Scaled, Y: Array, tau: Array, A: Array, multipliers: Array) -> float:
    driven, held = applied(np.swapaxes(Y, -1, -2), tau), applied(np.swapaxes(A, -1, -2), multipliers)
    scale = Q.scale + largest(Y) * abs(tau).sum(axis=-1) + largest(A) * abs(multipliers).sum(axis=-1)
    return residual(driven + held, Q.value, scale)
