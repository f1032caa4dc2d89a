"""Every kernel against Newton's and Euler's equations, evaluated from the mechanism's records."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.case import Case
from kanegen.codegen.certificate.evaluation import slope, stepped
from kanegen.codegen.certificate.flexible_reference import FlexibleReference
from kanegen.codegen.certificate.identities import applied
from kanegen.codegen.certificate.measure import Checks, Measured, largest, residual
from kanegen.codegen.certificate.newton_euler import BODIES, INERTIA
from kanegen.codegen.certificate.reference import Scaled
from kanegen.codegen.certificate.speeds import TreeSpeeds

RIGID = "Newton and Euler's equations on the records as described"
FLEXIBLE = "Newton's second law for point masses with the integrals of the records"


def against_records(case: Case) -> Checks:
    """A check for each kernel of a quantity that the records determine."""
    yield from values_against_records(case)
    yield from frames_against_records(case)
    yield from solutions_against_records(case)
    yield from _equations_and_rates(case)
    yield from _linear(case)
    yield from _forward_derivatives(case)


def values_against_records(case: Case) -> Checks:
    """A check for each kernel of a force, an energy or a momentum."""
    for kernel, expected in _values(case).items():
        if case.has(kernel):
            yield _compared(case, kernel, expected())


def frames_against_records(case: Case) -> Checks:
    """A check for each kernel of a frame."""
    for identifier, frame in case.subject.frames.items():
        yield from _frame(case, identifier, frame)


def places_against_records(case: Case) -> Checks:
    """Checks of what follows from the configuration alone, whether or not the speeds determine the motion there."""
    r, q = case.reference, case.q
    found: dict[str, Callable[[], Scaled]] = {
        "potential_energy": lambda: r.potential_energy(q),
        "center_of_mass": lambda: r.center_of_mass(q),
    }
    for identifier, frame in case.subject.frames.items():
        found[f"frame_pose_{identifier}"] = partial(r.pose, q, frame)
    for kernel, expected in found.items():
        if case.has(kernel):
            yield _compared(case, kernel, expected())


def _compared(case: Case, kernel: str, expected: Scaled) -> Measured:
    return Measured(_name(case), (kernel,), residual(case.at(kernel), expected.value, expected.scale))


def _values(case: Case) -> dict[str, Callable[[], Scaled]]:
    r, q, v, a = case.reference, case.q, case.v, case.a
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
        names = case.subject.mechanism.coordinates
        modes = [names.index(mode) for mode in case.subject.mechanism.modes]
        found["elastic_energy"] = lambda: r.elastic_energy(q, modes)
        found["gravity_energy"] = lambda: r.gravity_energy(q)
    if not case.subject.projected:
        found["coordinate_rates"] = lambda: Scaled(case.rates, largest(case.rates))
    return found


def _frame(case: Case, identifier: str, frame: str) -> Checks:
    r, q = case.reference, case.q
    expected: dict[str, Callable[[], Scaled]] = {
        f"frame_pose_{identifier}": lambda: r.pose(q, frame),
        f"frame_jacobian_{identifier}": lambda: r.jacobian(q, frame),
    }
    if not case.prescribed:  # how far prescribed joints have moved, q does not tell
        expected[f"frame_jacobian_rate_{identifier}"] = lambda: r.jacobian_rate(q, case.v, frame)
    for kernel, value in expected.items():
        if case.has(kernel):
            yield _compared(case, kernel, value())
    kernel = f"frame_forces_{identifier}"
    if case.has(kernel):
        wrench, J = case.input("wrench", (6,)), r.jacobian(q, frame)
        tau = applied(np.swapaxes(J.value, -1, -2), wrench)
        yield _compared(case, kernel, Scaled(tau, J.scale * abs(wrench).sum(axis=-1)))


def solutions_against_records(case: Case) -> Checks:
    """What gives accelerations is put back: rounding errors of the forces that belong to them do not grow."""
    r, q, v = case.reference, case.q, case.v
    if case.has("forward_dynamics"):
        a = case.at("forward_dynamics")
        back = r.inverse_dynamics(q, v, a)
        # M a may cancel the force of motion: the rounding of a is one of the size of M a
        found = residual(back.value, case.tau, back.scale + r.mass_matrix(q).scale * abs(a).sum(axis=-1))
        yield Measured(_name(case), ("forward_dynamics",), found)
    if case.has("inverse_mass_matrix"):
        M = r.mass_matrix(q)
        inverse = case.at("inverse_mass_matrix")
        product = M.value @ inverse
        found = residual(product, np.broadcast_to(np.eye(case.nv), product.shape), M.scale * largest(inverse))
        yield Measured(_name(case), ("inverse_mass_matrix",), found)


def _equations_and_rates(case: Case) -> Checks:
    r, q, v = case.reference, case.q, case.v
    if case.has("equations_of_motion"):
        yield from _equations(case)
    kernel = "coriolis_matrix"
    if case.has(kernel):
        C, rate = case.at(kernel), r.mass_matrix_rate(q, v)
        found = residual(C + np.swapaxes(C, -1, -2), rate.value, rate.scale)
        if not case.prescribed:
            h = r.inverse_dynamics(q, v, np.zeros_like(v), INERTIA)
            found = max(found, residual(applied(C, v), h.value, h.scale), key=_order)
        yield Measured(_name(case), (kernel,), found)


def _equations(case: Case) -> Checks:
    """M a = R, and joints that move as prescribed while modes bear no load."""
    r, q, v = case.reference, case.q, case.v
    found, M = case.outputs("equations_of_motion"), r.mass_matrix(q)
    h = r.inverse_dynamics(q, v, np.zeros_like(v))
    worst = [residual(found["M"], M.value, M.scale), residual(found["R"], case.tau - h.value, h.scale)]
    yield Measured(_name(case), ("equations_of_motion",), max(worst, key=_order))
    kernel = "prescribed_motion_forces"
    if case.has(kernel):
        names, modes = case.subject.mechanism.coordinates, case.subject.mechanism.modes
        at = [k for k, name in enumerate(names) if name in modes]
        joints = [k for k in range(len(names)) if k not in at]
        given = case.outputs(kernel)
        a, tau = np.zeros_like(v), np.zeros_like(v)
        a[:, joints], a[:, at] = case.input("a_joints", (len(joints),)), given["a_modes"]
        tau[:, joints] = given["tau_joints"]
        back = r.inverse_dynamics(q, v, a)
        yield Measured(_name(case), (kernel,), residual(back.value, tau, back.scale))


def _linear(case: Case) -> Checks:
    """Quantities that are linear in speeds or in parameters."""
    r, q, v, a = case.reference, case.q, case.v, case.a
    kernel = "centroidal_momentum_matrix"
    if case.has(kernel):
        p, drift = r.momentum(q, v, about_center=True), r.momentum(q, np.zeros_like(v), about_center=True)
        found = residual(applied(case.at(kernel), v), p.value - drift.value, p.scale + drift.scale)
        yield Measured(_name(case), (kernel,), found)
    for kernel, coefficients in case.subject.coefficients.items():
        if case.has(kernel):
            numbers = np.array(coefficients)
            Y = case.at(kernel)
            expected = r.inverse_dynamics(q, v, a, BODIES)
            found = residual(Y @ numbers, expected.value, expected.scale + largest(Y * numbers))
            yield Measured(_name(case), (kernel,), found)


def inverse_slopes(case: Case, a: Array) -> dict[str, Array] | None:
    """Derivatives (states, nv, nv) of inverse dynamics by q and v; None where nothing is there to take them of."""
    steps = {"q": case.columns, "v": case.units}
    if isinstance(case.reference.speeds, TreeSpeeds):
        own = {"q": case.q, "v": case.v}
        found = {}
        for name, step in steps.items():
            at = {**own, name: stepped(own[name], step)}
            found[name] = slope(case.reference.inverse_dynamics(at["q"], at["v"], a).value)
    elif case.program("inverse_dynamics") is not None:
        found = {
            name: case.along("inverse_dynamics", {"a": a}, **{name: step}) for name, step in steps.items()
        }
    else:
        return None
    return {name: np.moveaxis(x, 0, -1) for name, x in found.items()}


def _forward_derivatives(case: Case) -> Checks:
    """Along every change tau = ID(q, v, a) holds: M da + (change of ID) = change of tau."""
    r, q, v = case.reference, case.q, case.v
    kernel = "inverse_dynamics_derivatives"
    if case.has(kernel) and (slopes := inverse_slopes(case, case.a)) is not None:
        given, scale = case.outputs(kernel), r.inverse_dynamics(q, v, case.a).scale
        pairs = {"dq": slopes["q"], "dv": slopes["v"], "da": r.mass_matrix(q).value}
        worst = [residual(given[name], expected, scale) for name, expected in pairs.items()]
        yield Measured(_name(case), (kernel,), max(worst, key=_order))
    kernel = "forward_dynamics_derivatives"
    if not (case.has(kernel) and case.invertible):
        return
    M, a = r.mass_matrix(q), r.forward_dynamics(q, v, case.tau)
    slopes = inverse_slopes(case, a)
    given = case.outputs(kernel)
    pairs = {"dtau": np.broadcast_to(np.eye(case.nv), M.value.shape)}
    if slopes is not None:
        pairs |= {"dq": -slopes["q"], "dv": -slopes["v"]}
    force = r.inverse_dynamics(q, v, a).scale * (1 + case.inverse_norm * M.scale)  # a has an error of its own
    worst = [
        residual(M.value @ given[name], expected, force + M.scale * largest(given[name]))
        for name, expected in pairs.items()
    ]
    yield Measured(_name(case), (kernel,), max(worst, key=_order))


def _name(case: Case) -> str:
    return FLEXIBLE if isinstance(case.reference, FlexibleReference) else RIGID


def _order(x: float) -> float:
    """NaN is the worst."""
    return float("inf") if np.isnan(x) else x
