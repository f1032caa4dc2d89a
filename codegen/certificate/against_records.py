"""Every kernel against Newton's and Euler's equations, evaluated from the mechanism's records."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.evaluation import slope, stepped
from kanegen.codegen.certificate.flexible_reference import FlexibleReference
from kanegen.codegen.certificate.identities import applied
from kanegen.codegen.certificate.measure import Checks, Measured, largest, residual
from kanegen.codegen.certificate.newton_euler import BODIES, INERTIA
from kanegen.codegen.certificate.reference import Scaled
from kanegen.codegen.certificate.sample import Sample
from kanegen.codegen.certificate.speeds import TreeSpeeds

RIGID = "Newton and Euler's equations on the records as described"
FLEXIBLE = "Newton's second law for point masses with the integrals of the records"


def against_records(sample: Sample) -> Checks:
    """A check for each kernel of a quantity that the records determine."""
    yield from values_against_records(sample)
    yield from frames_against_records(sample)
    yield from solutions_against_records(sample)
    yield from _equations_and_rates(sample)
    yield from _linear(sample)
    yield from _forward_derivatives(sample)


def values_against_records(sample: Sample) -> Checks:
    """A check for each kernel of a force, an energy or a momentum."""
    for kernel, expected in _values(sample).items():
        if sample.has(kernel):
            yield _compared(sample, kernel, expected())


def frames_against_records(sample: Sample) -> Checks:
    """A check for each kernel of a frame."""
    for identifier, frame in sample.kernel_set.frames.items():
        yield from _frame(sample, identifier, frame)


def places_against_records(sample: Sample) -> Checks:
    """Checks of what follows from the configuration alone, whether or not the speeds determine the motion there."""
    r, q = sample.reference, sample.q
    found: dict[str, Callable[[], Scaled]] = {
        "potential_energy": lambda: r.potential_energy(q),
        "center_of_mass": lambda: r.center_of_mass(q),
    }
    for identifier, frame in sample.kernel_set.frames.items():
        found[f"frame_pose_{identifier}"] = partial(r.pose, q, frame)
    for kernel, expected in found.items():
        if sample.has(kernel):
            yield _compared(sample, kernel, expected())


def _compared(sample: Sample, kernel: str, expected: Scaled) -> Measured:
    return Measured(_name(sample), (kernel,), residual(sample.at(kernel), expected.value, expected.scale))


def _values(sample: Sample) -> dict[str, Callable[[], Scaled]]:
    r, q, v, a = sample.reference, sample.q, sample.v, sample.a
    rest = np.zeros_like(v)
    found: dict[str, Callable[[], Scaled]] = {
        "inverse_dynamics": lambda: r.inverse_dynamics(q, v, a),
        "bias_forces": lambda: r.inverse_dynamics(q, v, rest),
        "gravity_forces": lambda: r.gravity_forces(q),
        "mass_matrix": lambda: r.mass_matrix(q),
        "kinetic_energy": lambda: r.kinetic_energy(q, v),
        "potential_energy": lambda: r.potential_energy(q),
        "momentum": lambda: r.momentum(q, v),
        "center_of_mass": lambda: r.center_of_mass(q),
    }
    if isinstance(r, FlexibleReference):
        names = sample.kernel_set.mechanism.coordinates
        modes = [names.index(mode) for mode in sample.kernel_set.mechanism.modes]
        found["elastic_energy"] = lambda: r.elastic_energy(q, modes)
        found["gravity_energy"] = lambda: r.gravity_energy(q)
    if not sample.kernel_set.projected:
        found["coordinate_rates"] = lambda: Scaled(sample.rates, largest(sample.rates))
    return found


def _frame(sample: Sample, identifier: str, frame: str) -> Checks:
    r, q = sample.reference, sample.q
    expected: dict[str, Callable[[], Scaled]] = {
        f"frame_pose_{identifier}": lambda: r.pose(q, frame),
        f"frame_jacobian_{identifier}": lambda: r.jacobian(q, frame),
    }
    if not sample.untold:  # how far joints of constant rates have moved, q does not tell
        expected[f"frame_jacobian_rate_{identifier}"] = lambda: r.jacobian_rate(q, sample.v, frame)
    for kernel, value in expected.items():
        if sample.has(kernel):
            yield _compared(sample, kernel, value())
    kernel = f"frame_forces_{identifier}"
    if sample.has(kernel):
        wrench, J = sample.input("wrench", (6,)), r.jacobian(q, frame)
        tau = applied(np.swapaxes(J.value, -1, -2), wrench)
        yield _compared(sample, kernel, Scaled(tau, J.scale * abs(wrench).sum(axis=-1)))


def solutions_against_records(sample: Sample) -> Checks:
    """What gives accelerations is put back: rounding errors of the forces that belong to them do not grow."""
    r, q, v = sample.reference, sample.q, sample.v
    if sample.has("forward_dynamics"):
        a = sample.at("forward_dynamics")
        back = r.inverse_dynamics(q, v, a)
        # M a may cancel the force of motion: the rounding of a is one of the size of M a
        found = residual(back.value, sample.tau, back.scale + r.mass_matrix(q).scale * abs(a).sum(axis=-1))
        yield Measured(_name(sample), ("forward_dynamics",), found)
    if sample.has("inverse_mass_matrix"):
        M = r.mass_matrix(q)
        inverse = sample.at("inverse_mass_matrix")
        product = M.value @ inverse
        found = residual(
            product, np.broadcast_to(np.eye(sample.nv), product.shape), M.scale * largest(inverse)
        )
        yield Measured(_name(sample), ("inverse_mass_matrix",), found)


def _equations_and_rates(sample: Sample) -> Checks:
    r, q, v = sample.reference, sample.q, sample.v
    if sample.has("equations_of_motion"):
        yield from _equations(sample)
    kernel = "coriolis_matrix"
    if sample.has(kernel):
        C, rate = sample.at(kernel), r.mass_matrix_rate(q, v)
        found = residual(C + np.swapaxes(C, -1, -2), rate.value, rate.scale)
        if not sample.drifts:
            h = r.inverse_dynamics(q, v, np.zeros_like(v), INERTIA)
            found = max(found, residual(applied(C, v), h.value, h.scale), key=_order)
        yield Measured(_name(sample), (kernel,), found)


def _equations(sample: Sample) -> Checks:
    """M a = R, and joints that move as prescribed while modes bear no load."""
    r, q, v = sample.reference, sample.q, sample.v
    found, M = sample.outputs("equations_of_motion"), r.mass_matrix(q)
    h = r.inverse_dynamics(q, v, np.zeros_like(v))
    worst = [residual(found["M"], M.value, M.scale), residual(found["R"], sample.tau - h.value, h.scale)]
    yield Measured(_name(sample), ("equations_of_motion",), max(worst, key=_order))
    kernel = "prescribed_motion_forces"
    if sample.has(kernel):
        names, modes = sample.kernel_set.mechanism.coordinates, sample.kernel_set.mechanism.modes
        at = [k for k, name in enumerate(names) if name in modes]
        joints = [k for k in range(len(names)) if k not in at]
        given = sample.outputs(kernel)
        a, tau = np.zeros_like(v), np.zeros_like(v)
        a[:, joints], a[:, at] = sample.input("a_joints", (len(joints),)), given["a_modes"]
        tau[:, joints] = given["tau_joints"]
        back = r.inverse_dynamics(q, v, a)
        yield Measured(_name(sample), (kernel,), residual(back.value, tau, back.scale))


def _linear(sample: Sample) -> Checks:
    """Quantities that are linear in speeds or in parameters."""
    r, q, v, a = sample.reference, sample.q, sample.v, sample.a
    kernel = "centroidal_momentum_matrix"
    if sample.has(kernel):
        p, drift = r.momentum(q, v, about_center=True), r.momentum(q, np.zeros_like(v), about_center=True)
        found = residual(applied(sample.at(kernel), v), p.value - drift.value, p.scale + drift.scale)
        yield Measured(_name(sample), (kernel,), found)
    for kernel, coefficients in sample.kernel_set.coefficients.items():
        if sample.has(kernel):
            numbers = np.array(coefficients)
            Y = sample.at(kernel)
            expected = r.inverse_dynamics(q, v, a, BODIES)
            found = residual(Y @ numbers, expected.value, expected.scale + largest(Y * numbers))
            yield Measured(_name(sample), (kernel,), found)


def inverse_slopes(sample: Sample, a: Array) -> dict[str, Array] | None:
    """Derivatives (states, nv, nv) of inverse dynamics by q and v; None where nothing is there to take them of."""
    steps = {"q": sample.columns, "v": sample.units}
    if isinstance(sample.reference.speeds, TreeSpeeds):
        own = {"q": sample.q, "v": sample.v}
        found = {}
        for name, step in steps.items():
            at = {**own, name: stepped(own[name], step)}
            found[name] = slope(sample.reference.inverse_dynamics(at["q"], at["v"], a).value)
    elif sample.program("inverse_dynamics") is not None:
        found = {
            name: sample.along("inverse_dynamics", {"a": a}, **{name: step}) for name, step in steps.items()
        }
    else:
        return None
    return {name: np.moveaxis(x, 0, -1) for name, x in found.items()}


def _forward_derivatives(sample: Sample) -> Checks:
    """Along every change tau = ID(q, v, a) holds: M da + (change of ID) = change of tau."""
    r, q, v = sample.reference, sample.q, sample.v
    kernel = "inverse_dynamics_derivatives"
    if sample.has(kernel) and (slopes := inverse_slopes(sample, sample.a)) is not None:
        given, scale = sample.outputs(kernel), r.inverse_dynamics(q, v, sample.a).scale
        pairs = {"dq": slopes["q"], "dv": slopes["v"], "da": r.mass_matrix(q).value}
        worst = [residual(given[name], expected, scale) for name, expected in pairs.items()]
        yield Measured(_name(sample), (kernel,), max(worst, key=_order))
    kernel = "forward_dynamics_derivatives"
    if not (sample.has(kernel) and sample.invertible):
        return
    M, a = r.mass_matrix(q), r.forward_dynamics(q, v, sample.tau)
    slopes = inverse_slopes(sample, a)
    given = sample.outputs(kernel)
    pairs = {"dtau": np.broadcast_to(np.eye(sample.nv), M.value.shape)}
    if slopes is not None:
        pairs |= {"dq": -slopes["q"], "dv": -slopes["v"]}
    force = r.inverse_dynamics(q, v, a).scale * (
        1 + sample.inverse_norm * M.scale
    )  # a has an error of its own
    worst = [
        residual(M.value @ given[name], expected, force + M.scale * largest(given[name]))
        for name, expected in pairs.items()
    ]
    yield Measured(_name(sample), (kernel,), max(worst, key=_order))


def _name(sample: Sample) -> str:
    return FLEXIBLE if isinstance(sample.reference, FlexibleReference) else RIGID


def _order(x: float) -> float:
    """NaN is the worst."""
    return float("inf") if np.isnan(x) else x
