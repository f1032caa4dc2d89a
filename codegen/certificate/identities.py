"""What the kernels of a set must be to one another, whatever the mechanism is."""

from __future__ import annotations

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.case import Case
from kanegen.codegen.certificate.measure import Checks, Measured, largest, residual


def identities(case: Case) -> Checks:
    """Identities between the kernels that are there, on the final programs."""
    yield from _dynamics(case)
    yield from _energies(case)
    yield from _matrices(case)
    yield from _frames(case)
    yield from _derivatives(case)
    yield from _laws(case)


def applied(matrix: Array, x: Array) -> Array:
    """Matrices (..., m, n) times vectors (..., n)."""
    return np.asarray((matrix @ x[..., None])[..., 0])


def _dynamics(case: Case) -> Checks:
    r, q, v, a = case.reference, case.q, case.v, case.a
    if case.has("inverse_dynamics", "forward_dynamics") and case.invertible:
        tau = case.at("inverse_dynamics")
        scale = case.inverse_norm * r.inverse_dynamics(q, v, a).scale
        there = residual(case.at("forward_dynamics", tau=tau), a, scale)
        yield Measured("FD(q, v, ID(q, v, a)) = a", ("forward_dynamics", "inverse_dynamics"), there)
    if case.has("inverse_dynamics", "mass_matrix", "bias_forces"):
        expected = applied(case.at("mass_matrix"), a) + case.at("bias_forces")
        scale = r.inverse_dynamics(q, v, a).scale + r.mass_matrix(q).scale * abs(a).sum(axis=-1)
        kernels = ("inverse_dynamics", "mass_matrix", "bias_forces")
        yield Measured("ID = M a + h", kernels, residual(case.at("inverse_dynamics"), expected, scale))
    if case.has("bias_forces", "gravity_forces") and not case.prescribed:
        found = case.at("bias_forces", v=np.zeros_like(v))
        difference = residual(found, case.at("gravity_forces"), r.gravity_forces(q).scale)
        yield Measured("h = g where v = 0", ("bias_forces", "gravity_forces"), difference)


def _energies(case: Case) -> Checks:
    r, q, v, a = case.reference, case.q, case.v, case.a
    if case.prescribed:
        return
    if case.has("kinetic_energy", "mass_matrix"):
        expected = (v * applied(case.at("mass_matrix"), v)).sum(axis=-1) / 2
        scale = r.kinetic_energy(q, v).scale + r.mass_matrix(q).scale * abs(v).sum(axis=-1) ** 2
        found = residual(case.at("kinetic_energy"), expected, scale)
        yield Measured("T = v . M v / 2", ("kinetic_energy", "mass_matrix"), found)
    kernels = ("inverse_dynamics", "kinetic_energy", "potential_energy")
    if case.has(*kernels) and not r.described.resisted:
        power = (v * case.at("inverse_dynamics")).sum(axis=-1)
        rate = case.along("kinetic_energy", q=case.rates, v=a) + case.along("potential_energy", q=case.rates)
        speed = 1 + abs(v).sum(axis=-1)
        scale = speed * (r.inverse_dynamics(q, v, a).scale + r.kinetic_energy(q, v).scale)
        yield Measured("d(T + U)/dt = tau . v", kernels, residual(rate, power, scale))


def _matrices(case: Case) -> Checks:
    r, q, v = case.reference, case.q, case.v
    if case.has("mass_matrix"):
        M, scale = case.at("mass_matrix"), r.mass_matrix(q).scale
        yield Measured("M = M^T", ("mass_matrix",), residual(M, np.swapaxes(M, -1, -2), scale))
        if r.described.physical:
            lowest = np.minimum(np.linalg.eigvalsh((M + np.swapaxes(M, -1, -2)) / 2)[..., 0], 0.0)
            found = residual(lowest, np.zeros(len(M)), scale)
            yield Measured("M is positive definite", ("mass_matrix",), found)
    if case.has("mass_matrix", "inverse_mass_matrix") and case.invertible:
        product = case.at("inverse_mass_matrix") @ case.at("mass_matrix")
        scale = case.inverse_norm * r.mass_matrix(q).scale
        found = residual(product, np.broadcast_to(np.eye(case.nv), product.shape), scale)
        yield Measured("M^-1 M = 1", ("inverse_mass_matrix", "mass_matrix"), found)
    if case.has("coriolis_matrix", "mass_matrix"):
        C = case.at("coriolis_matrix")
        rate = case.along("mass_matrix", q=case.rates)
        scale = r.mass_matrix_rate(q, v).scale
        found = residual(C + np.swapaxes(C, -1, -2), rate, scale)
        yield Measured("dM/dt - 2 C is skew", ("coriolis_matrix", "mass_matrix"), found)
    kernels = ("coriolis_matrix", "bias_forces", "gravity_forces")
    if case.has(*kernels) and not case.prescribed and not r.described.resisted:
        expected = case.at("bias_forces") - case.at("gravity_forces")
        scale = r.inverse_dynamics(q, v, np.zeros_like(v)).scale
        found = residual(applied(case.at("coriolis_matrix"), v), expected, scale)
        yield Measured("C v = h - g", kernels, found)


def _frames(case: Case) -> Checks:
    r, q, v = case.reference, case.q, case.v
    for identifier, frame in case.subject.frames.items():
        pose, jacobian, rate = (
            f"{what}_{identifier}" for what in ("frame_pose", "frame_jacobian", "frame_jacobian_rate")
        )
        if case.has(pose, jacobian):
            turning = case.along(pose, q=case.columns)
            X, step = case.at(pose), np.moveaxis(turning, 0, -1)
            spin = np.einsum("sijn,skj->sikn", step[:, :3, :3], X[:, :3, :3])
            angular = [spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]]
            expected = np.concatenate([step[:, :3, 3], np.stack(angular, axis=1)], axis=1)
            given = case.at(jacobian)
            if case.subject.mechanism.flexible:  # axes behind bent links are not orthogonal
                given, expected = given[:, :3], expected[:, :3]
            found = residual(given, expected, r.jacobian(q, frame).scale)
            yield Measured("J is the derivative of the pose", (pose, jacobian), found)
        if case.has(jacobian, rate) and not case.prescribed:  # which q does not tell
            expected = case.along(jacobian, q=case.rates)
            found = residual(case.at(rate), expected, r.jacobian_rate(q, v, frame).scale)
            yield Measured("dJ/dt is the rate of J", (rate, jacobian), found)


def _derivatives(case: Case) -> Checks:
    r, q, v, a = case.reference, case.q, case.v, case.a
    scale = r.inverse_dynamics(q, v, a).scale
    kernel = "inverse_dynamics_derivatives"
    if case.has(kernel) and case.program("inverse_dynamics") is not None:
        given = case.outputs(kernel)
        for name, steps in (("q", case.columns), ("v", case.units), ("a", case.units)):
            expected = np.moveaxis(case.along("inverse_dynamics", None, **{name: steps}), 0, -1)
            found = residual(given[f"d{name}"], expected, scale)
            yield Measured("derivatives of tau are those of ID", (kernel, "inverse_dynamics"), found)
    yield from _by_parameters(case)


def _by_parameters(case: Case) -> Checks:
    """Columns are weighted with the parameters, so that they have the units of forces."""
    if case.program("inverse_dynamics") is None:
        return
    r, q, v, a = case.reference, case.q, case.v, case.a
    inverse, forward = (f"{what}_dynamics_parameter_derivatives" for what in ("inverse", "forward"))
    weights = np.array([abs(x) or 1.0 for x in case.parameters.values()])
    if case.has(inverse):
        expected = case.by_parameters("inverse_dynamics", a) * weights
        found = residual(case.at(inverse) * weights, expected, r.inverse_dynamics(q, v, a).scale)
        yield Measured(
            "derivatives of tau by parameters are those of ID", (inverse, "inverse_dynamics"), found
        )
    if case.has(forward) and case.invertible:
        M, there = r.mass_matrix(q), r.forward_dynamics(q, v, case.tau)
        step = case.at(forward) * weights
        expected = -case.by_parameters("inverse_dynamics", there) * weights
        size = M.scale * largest(step)
        size = size + r.inverse_dynamics(q, v, there).scale * (1 + case.inverse_norm * M.scale)
        found = residual(M.value @ step, expected, size)
        yield Measured("M da/dp = - dtau/dp", (forward, "inverse_dynamics"), found)


def _laws(case: Case) -> Checks:
    """Accelerations under a law, by inverse dynamics, are the law."""
    prefix = "closed_loop_"
    for kernel in case.programs:
        law = kernel.removeprefix(prefix)
        if kernel.startswith(prefix) and law in case.programs:
            back = case.reference.inverse_dynamics(case.q, case.v, case.at(kernel))
            found = residual(back.value, case.at(law), back.scale + largest(case.terms(law)))
            yield Measured("ID of the accelerations under a law is the law", (kernel, law), found)
