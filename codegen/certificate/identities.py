"""What the kernels of a set must be to one another, whatever the mechanism is."""

from __future__ import annotations

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.measure import Checks, Measured, largest, residual
from kanegen.codegen.certificate.sample import Sample


def identities(sample: Sample) -> Checks:
    """Identities between the kernels that are there, on the final programs."""
    yield from _dynamics(sample)
    yield from _energies(sample)
    yield from _matrices(sample)
    yield from _frames(sample)
    yield from _derivatives(sample)
    yield from _laws(sample)


def applied(matrix: Array, x: Array) -> Array:
    """Matrices (..., m, n) times vectors (..., n)."""
    return np.asarray((matrix @ x[..., None])[..., 0])


def _dynamics(sample: Sample) -> Checks:
    r, q, v, a = sample.reference, sample.q, sample.v, sample.a
    if sample.has("inverse_dynamics", "forward_dynamics") and sample.invertible:
        tau = sample.at("inverse_dynamics")
        scale = sample.inverse_norm * r.inverse_dynamics(q, v, a).scale
        there = residual(sample.at("forward_dynamics", tau=tau), a, scale)
        yield Measured("FD(q, v, ID(q, v, a)) = a", ("forward_dynamics", "inverse_dynamics"), there)
    if sample.has("inverse_dynamics", "mass_matrix", "bias_forces"):
        expected = applied(sample.at("mass_matrix"), a) + sample.at("bias_forces")
        scale = r.inverse_dynamics(q, v, a).scale + r.mass_matrix(q).scale * abs(a).sum(axis=-1)
        kernels = ("inverse_dynamics", "mass_matrix", "bias_forces")
        yield Measured("ID = M a + h", kernels, residual(sample.at("inverse_dynamics"), expected, scale))
    if sample.has("bias_forces", "gravity_forces") and not sample.drifts:
        found = sample.at("bias_forces", v=np.zeros_like(v))
        difference = residual(found, sample.at("gravity_forces"), r.gravity_forces(q).scale)
        yield Measured("h = g where v = 0", ("bias_forces", "gravity_forces"), difference)


def _energies(sample: Sample) -> Checks:
    r, q, v, a = sample.reference, sample.q, sample.v, sample.a
    if sample.drifts:
        return
    if sample.has("kinetic_energy", "mass_matrix"):
        expected = (v * applied(sample.at("mass_matrix"), v)).sum(axis=-1) / 2
        scale = r.kinetic_energy(q, v).scale + r.mass_matrix(q).scale * abs(v).sum(axis=-1) ** 2
        found = residual(sample.at("kinetic_energy"), expected, scale)
        yield Measured("T = v . M v / 2", ("kinetic_energy", "mass_matrix"), found)
    kernels = ("inverse_dynamics", "kinetic_energy", "potential_energy")
    if sample.has(*kernels) and not r.records.resisted:
        power = (v * sample.at("inverse_dynamics")).sum(axis=-1)
        rate = sample.along("kinetic_energy", q=sample.rates, v=a) + sample.along(
            "potential_energy", q=sample.rates
        )
        speed = 1 + abs(v).sum(axis=-1)
        scale = speed * (r.inverse_dynamics(q, v, a).scale + r.kinetic_energy(q, v).scale)
        yield Measured("d(T + U)/dt = tau . v", kernels, residual(rate, power, scale))


def _matrices(sample: Sample) -> Checks:
    r, q, v = sample.reference, sample.q, sample.v
    if sample.has("mass_matrix"):
        M, scale = sample.at("mass_matrix"), r.mass_matrix(q).scale
        yield Measured("M = M^T", ("mass_matrix",), residual(M, np.swapaxes(M, -1, -2), scale))
        if r.records.physical:
            lowest = np.minimum(np.linalg.eigvalsh((M + np.swapaxes(M, -1, -2)) / 2)[..., 0], 0.0)
            found = residual(lowest, np.zeros(len(M)), scale)
            yield Measured("M is positive definite", ("mass_matrix",), found)
    if sample.has("mass_matrix", "inverse_mass_matrix") and sample.invertible:
        product = sample.at("inverse_mass_matrix") @ sample.at("mass_matrix")
        scale = sample.inverse_norm * r.mass_matrix(q).scale
        found = residual(product, np.broadcast_to(np.eye(sample.nv), product.shape), scale)
        yield Measured("M^-1 M = 1", ("inverse_mass_matrix", "mass_matrix"), found)
    if sample.has("coriolis_matrix", "mass_matrix"):
        C = sample.at("coriolis_matrix")
        rate = sample.along("mass_matrix", q=sample.rates)
        scale = r.mass_matrix_rate(q, v).scale
        found = residual(C + np.swapaxes(C, -1, -2), rate, scale)
        yield Measured("dM/dt - 2 C is skew", ("coriolis_matrix", "mass_matrix"), found)
    kernels = ("coriolis_matrix", "bias_forces", "gravity_forces")
    if sample.has(*kernels) and not sample.drifts and not r.records.resisted:
        expected = sample.at("bias_forces") - sample.at("gravity_forces")
        scale = r.inverse_dynamics(q, v, np.zeros_like(v)).scale
        found = residual(applied(sample.at("coriolis_matrix"), v), expected, scale)
        yield Measured("C v = h - g", kernels, found)


def _frames(sample: Sample) -> Checks:
    r, q, v = sample.reference, sample.q, sample.v
    for identifier, frame in sample.kernel_set.frames.items():
        pose, jacobian, rate = (
            f"{what}_{identifier}" for what in ("frame_pose", "frame_jacobian", "frame_jacobian_rate")
        )
        if sample.has(pose, jacobian):
            turning = sample.along(pose, q=sample.columns)
            X, step = sample.at(pose), np.moveaxis(turning, 0, -1)
            spin = np.einsum("sijn,skj->sikn", step[:, :3, :3], X[:, :3, :3])
            angular = [spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]]
            expected = np.concatenate([step[:, :3, 3], np.stack(angular, axis=1)], axis=1)
            given = sample.at(jacobian)
            if not r.orthogonal:
                given, expected = given[:, :3], expected[:, :3]
            found = residual(given, expected, r.jacobian(q, frame).scale)
            yield Measured("J is the derivative of the pose", (pose, jacobian), found)
        if sample.has(jacobian, rate) and not sample.untold:
            expected = sample.along(jacobian, q=sample.rates)
            found = residual(sample.at(rate), expected, r.jacobian_rate(q, v, frame).scale)
            yield Measured("dJ/dt is the rate of J", (rate, jacobian), found)


def _derivatives(sample: Sample) -> Checks:
    r, q, v, a = sample.reference, sample.q, sample.v, sample.a
    scale = r.inverse_dynamics(q, v, a).scale
    kernel = "inverse_dynamics_derivatives"
    if sample.has(kernel) and sample.program("inverse_dynamics") is not None:
        given = sample.outputs(kernel)
        for name, steps in (("q", sample.columns), ("v", sample.units), ("a", sample.units)):
            expected = np.moveaxis(sample.along("inverse_dynamics", None, **{name: steps}), 0, -1)
            found = residual(given[f"d{name}"], expected, scale)
            yield Measured("derivatives of tau are those of ID", (kernel, "inverse_dynamics"), found)
    yield from _by_parameters(sample)


def _by_parameters(sample: Sample) -> Checks:
    """Columns are weighted with the parameters, so that they have the units of forces."""
    if sample.program("inverse_dynamics") is None:
        return
    r, q, v, a = sample.reference, sample.q, sample.v, sample.a
    inverse, forward = (f"{what}_dynamics_parameter_derivatives" for what in ("inverse", "forward"))
    weights = np.array([abs(x) or 1.0 for x in sample.parameters.values()])
    if sample.has(inverse):
        expected = sample.by_parameters("inverse_dynamics", a) * weights
        found = residual(sample.at(inverse) * weights, expected, r.inverse_dynamics(q, v, a).scale)
        yield Measured(
            "derivatives of tau by parameters are those of ID", (inverse, "inverse_dynamics"), found
        )
    if sample.has(forward) and sample.invertible:
        M, there = r.mass_matrix(q), r.forward_dynamics(q, v, sample.tau)
        step = sample.at(forward) * weights
        expected = -sample.by_parameters("inverse_dynamics", there) * weights
        size = M.scale * largest(step)
        size = size + r.inverse_dynamics(q, v, there).scale * (1 + sample.inverse_norm * M.scale)
        found = residual(M.value @ step, expected, size)
        yield Measured("M da/dp = - dtau/dp", (forward, "inverse_dynamics"), found)


def _laws(sample: Sample) -> Checks:
    """Accelerations under a law, by inverse dynamics, are the law."""
    prefix = "closed_loop_"
    for kernel in sample.programs:
        law = kernel.removeprefix(prefix)
        if kernel.startswith(prefix) and law in sample.programs:
            back = sample.reference.inverse_dynamics(sample.q, sample.v, sample.at(kernel))
            found = residual(back.value, sample.at(law), back.scale + largest(sample.terms(law)))
            yield Measured("ID of the accelerations under a law is the law", (kernel, law), found)
