"""Checks of what the certificate of a kernel set leaves to others, each against records or derivatives in complex steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import sympy

from kanegen.codegen.certificate.arrays import Array, dot
from kanegen.codegen.certificate.at_frames import damping, without_friction
from kanegen.codegen.certificate.at_frames import loads as at_rest
from kanegen.codegen.certificate.body_motion import bodies
from kanegen.codegen.certificate.evaluation import STEP, slope, stepped
from kanegen.codegen.certificate.identities import applied
from kanegen.codegen.certificate.measure import Checks, Measured, largest, residual
from kanegen.codegen.certificate.newton_euler import INERTIA, Acting, forces
from kanegen.codegen.certificate.reference import Reference
from kanegen.codegen.certificate.sample import Sample
from kanegen.codegen.mechanism import DistanceRate, GeneralizedSpeed

from .body_coordinates import BodyCoordinates
from .definitions import RANK, Definitions, condition, transposed

RESISTANCE = Acting(gravity=False, rotors=False)


def further(sample: Sample, speeds: Sequence[GeneralizedSpeed] | None) -> Checks:
    """All of them; ``speeds`` are the chosen ones of a tree."""
    yield from _laws(sample)
    if not isinstance(sample.reference, Reference):
        return
    if sample.kernel_set.projected:
        yield from _by_definition(sample, speeds)
        yield from _projection(sample)
    yield from _actuators(sample)
    yield from _influence(sample)
    yield from _springs(sample)
    if sample.has("body_coordinates"):
        yield from BodyCoordinates(sample).checks()


def _laws(sample: Sample) -> Checks:
    """Control laws as SymPy evaluates them, and what they accelerate."""
    for law in sample.kernel_set.mechanism.laws:
        if sample.has(law.name):
            numbers = {x: sample.parameters[x.name] for x in law.parameter_symbols()}
            f = sympy.lambdify([law.time, law.q, law.v], [x.subs(numbers) for x in law.forces], "numpy")
            found = f(sample.input("t", ()), sample.q.T, sample.v.T)
            expected = np.stack([np.broadcast_to(x, sample.states) for x in found], axis=-1)
            yield Measured(
                "the law itself",
                (law.name,),
                residual(sample.at(law.name), expected, largest(sample.terms(law.name))),
            )
            kernel = f"closed_loop_{law.name}"
            if sample.has(kernel, "forward_dynamics"):
                a = sample.at("forward_dynamics", tau=sample.at(law.name))
                scale = sample.inverse_norm * sample.reference.inverse_dynamics(sample.q, sample.v, a).scale
                yield Measured("forward dynamics of a law", (kernel,), residual(sample.at(kernel), a, scale))


# -- constraints and speeds --------------------------------------------------------------------------------------------


def _by_definition(sample: Sample, speeds: Sequence[GeneralizedSpeed] | None) -> Checks:
    q, m = sample.q, sample.kernel_set.mechanism
    d = Definitions(m, q)
    B = d.equations
    S = d.speeds(speeds or d.mechanism.generalized_speeds)
    rates = d.rates(sample.rates)
    both = np.concatenate([B, S], axis=1)
    wanted = np.concatenate([np.zeros(B.shape[:2]), sample.v], axis=1)
    found = residual(applied(both, rates), wanted, largest(both) * largest(rates))
    full = np.linalg.matrix_rank(both[..., : d.free], rtol=RANK) == d.free
    yield Measured(
        "equations and speeds by definition, which determine the rates",
        ("coordinate_rates",),
        found if full.all() else np.inf,
    )
    kernel = "generalized_speeds"
    if sample.has(kernel):
        qdot = sample.input("qdot", q.shape[1:])
        given = d.rates(qdot)
        expected = applied(S, given)
        yield Measured(
            "speeds by definition",
            (kernel,),
            residual(sample.at(kernel), expected, largest(S) * largest(given)),
        )
    if sample.has("constraint_residual"):
        closure = d.closure()
        reach = sample.reference._reach(bodies(d.records, d.tree.at_rest(q)))
        size = residual(closure, np.zeros_like(closure), 1 + reach)
        yield Measured("what is closed by the equations is closed", ("constraint_residual",), size)
    if sample.has("constraint_jacobian"):
        yield from _same_rows(sample, d, B)
    yield from _rate_of_jacobian(sample, d)
    if len(d.given) and sample.has("constraint_forces"):
        motion = sample.reference.speeds.motion(q, sample.v, sample.a)
        on_joints = forces(
            d.records, motion, bodies(d.records, motion), Acting(), sample.kernel_set.slip_speed
        )
        F, size = (
            np.stack([x[name] for name in d.joints], axis=-1) for x in (on_joints.value, on_joints.scale)
        )
        # a virtual motion in which neither drives nor constraints do work
        following = -np.linalg.pinv(both[..., : d.free], rcond=RANK) @ both[..., d.free :]
        held = F[:, d.free :] + applied(transposed(following), F[:, : d.free])
        found = sample.at("constraint_forces")[:, -len(d.given) :]
        yield Measured(
            "prescribed joints by virtual work",
            ("constraint_forces",),
            residual(found, held, (1 + largest(following)) * largest(size) * condition(both[..., : d.free])),
        )
    yield from _margins(sample, d, S)


def _same_rows(sample: Sample, d: Definitions, B: Array) -> Checks:
    """The kernel's rows and those by definition vanish in the same motions."""
    A = sample.at("constraint_jacobian") @ d.tree.columns(sample.q)
    worst = 0.0
    for a, b in zip(A, B[..., : d.free], strict=True):
        _, sizes, right = np.linalg.svd(b)
        rank = int((sizes > RANK * sizes[0]).sum())
        free = right[rank:].T
        same = np.linalg.matrix_rank(a, rtol=RANK) == rank
        worst = max(worst, float(abs(a @ free).max(initial=0.0) / abs(a).max()) if same else np.inf)
    yield Measured("equations of the definitions, no more and no fewer", ("constraint_jacobian",), worst)


def _rate_of_jacobian(sample: Sample, d: Definitions) -> Checks:
    """Along the motion of all joints, of the prescribed ones too, which coordinates do not tell."""
    if not sample.drifts:
        return
    along = Definitions(sample.kernel_set.mechanism, stepped(sample.q, sample.rates), 1j * STEP)
    columns = along.tree.of_rates(along.q) @ sample.reference.speeds.columns(along.q)
    for identifier, frame in sample.kernel_set.frames.items():
        kernel = f"frame_jacobian_rate_{identifier}"
        if sample.has(kernel):
            J = along.twist(frame)[..., : d.free] @ columns
            scale = sample.reference.jacobian(sample.q, frame).scale * (
                1 + abs(sample.rates).sum(axis=-1) + abs(d.given).sum()
            )
            yield Measured(
                "dJ/dt, with prescribed joints", (kernel,), residual(sample.at(kernel), slope(J), scale)
            )


def _margins(sample: Sample, d: Definitions, S: Array) -> Checks:
    """Odds x / x0 of the margins multiply to the square of det [A; Y], but for a constant; sines are those of axles."""
    kernel = "dead_centre_margin"
    if not sample.has(kernel):
        return
    margins = sample.at(kernel)
    wheels = [c for c in d.mechanism.constraints if hasattr(c, "wheel") and c.contact is None]
    sines = np.array([1 - dot(d.frame(c.ground).axis(2), d.frame(c.wheel).axis(2))[0] ** 2 for c in wheels]).T
    blocks = margins
    if (
        len(wheels)
        and margins.shape[1] >= len(wheels)
        and np.allclose(margins[:, -len(wheels) :], sines, rtol=1e-12)
    ):
        blocks = margins[:, : -len(wheels)]
    A = np.zeros((sample.states, 0, d.free))
    if sample.has("constraint_jacobian"):
        A = (sample.at("constraint_jacobian") @ d.tree.columns(sample.q))[:, sample.kernel_set.independent]
    for k, speed in enumerate(d.mechanism.generalized_speeds):
        if isinstance(speed, DistanceRate):
            apart = d.frame(speed.second).p[0] - d.frame(speed.first).p[0]
            S = S.copy()
            S[:, k] *= np.sqrt(dot(apart, apart))[:, None]
    square = np.linalg.det(np.concatenate([A, S[..., : d.free]], axis=1)) ** 2
    ratio = np.prod(blocks / (1 - blocks), axis=1) / square
    spread = float(abs(ratio / ratio[0] - 1).max()) if blocks.shape[1] else 0.0
    yield Measured("odds of the margins are the square of the determinant", (kernel,), spread)


def _projection(sample: Sample) -> Checks:
    """One step of Gauss and Newton by pseudo-inverses: off the equations; where balls turn, its derivative on them."""
    kernel = "constraint_projection"
    if not sample.has(kernel):
        return
    balls = bool(sample.kernel_set.mechanism.balls)
    independent = list(sample.kernel_set.independent)
    count = sample.at("constraint_residual").shape[1] if sample.has("constraint_residual") else 0
    of_position = [k for k, row in enumerate(independent) if row < count]
    beside = np.cos(np.arange(sample.q.size)).reshape(sample.q.shape) / 100
    q = sample.q if balls else sample.q + beside
    tree = Definitions(sample.kernel_set.mechanism, q).tree
    A, T = sample.at("constraint_jacobian", q=q)[:, independent], tree.columns(q)
    way = applied(T, applied(tree.of_rates(q), beside))  # one that keeps the lengths of quaternions
    qdot = sample.input("qdot", q.shape[1:])
    qdot = applied(T, applied(tree.of_rates(q), qdot))
    back = [
        applied(T @ np.linalg.pinv(A[:, rows] @ T), x)
        for rows, x in (
            (of_position, applied(A[:, of_position], way)),
            (slice(None), applied(A, qdot) + _rest(sample, q)),
        )
    ]
    found = sample.outputs(kernel, q=q, qdot=qdot)
    pairs = [(found["qdot_next"], qdot - back[1], largest(qdot))]
    if balls:
        pairs.append((sample.along(kernel, {"qdot": qdot}, q=way), way - back[0], largest(way)))
    elif of_position:
        phi = sample.at("constraint_residual", q=q)[:, [independent[k] for k in of_position]]
        pairs.append((found["q_next"], q - applied(np.linalg.pinv(A[:, of_position]), phi), largest(q)))
    worst = max(residual(x, expected, condition(A @ T) ** 2 * size) for x, expected, size in pairs)
    yield Measured("the step of least change", (kernel,), worst)


def _rest(sample: Sample, q: Array) -> Array:
    """What the independent equations of velocity have beside A dq/dt (states, rows): -A of a drift that fulfils them."""
    A = sample.at("constraint_jacobian", q=q)[:, sample.kernel_set.independent]
    drift = sample.at("coordinate_rates", q=q, v=np.zeros_like(sample.v))
    return -applied(A, drift)


# -- forces in other words ---------------------------------------------------------------------------------------------


def _actuators(sample: Sample) -> Checks:
    """Forces on the joints of a tree, with the signs of its actuators."""
    kernel = "actuator_forces"
    if not sample.has(kernel) or "lambda" in {x.name for x in sample.programs[kernel].inputs}:
        return
    m = sample.kernel_set.mechanism
    signs = {actuator.joint: actuator.sign for actuator in m.actuators}
    on_tree = sample.reference.drives(sample.q, sample.reference.speeds.motion(sample.q, sample.v, sample.a))
    if sample.kernel_set.projected:
        on_tree = sample.reference.on_coordinates(
            sample.q, sample.reference.speeds.motion(sample.q, sample.v, sample.a)
        )
    expected = on_tree.value * np.array([signs.get(joint, 1) for joint in m.coordinates])
    yield Measured("forces on the joints", (kernel,), residual(sample.at(kernel), expected, on_tree.scale))


def _even(f: Callable[[Array], Array], v: Array) -> Array:
    """What is of second degree in v."""
    return np.asarray((f(v) + f(-v)) / 2 - f(np.zeros_like(v)))


def _quadratic(sample: Sample, array: Array) -> Array:
    """v^T P v of planes (states, k, nv, nv)."""
    return np.einsum("si,skij,sj->sk", sample.v, array, sample.v)


def _influence(sample: Sample) -> Checks:
    r, q, v = sample.reference, sample.q, sample.v
    if sample.has("effective_inertia"):
        M = r.mass_matrix(q)
        yield Measured(
            "effective inertia",
            ("effective_inertia",),
            residual(sample.at("effective_inertia"), M.value, M.scale),
        )
    if sample.has("inertia_power"):
        P = sample.at("inertia_power")
        scale = r.inverse_dynamics(q, v, np.zeros_like(v), INERTIA).scale + largest(P)
        expected = _even(lambda v: r.inverse_dynamics(q, v, np.zeros_like(v), INERTIA).value, v)
        worst = max(residual(_quadratic(sample, P), expected, scale), residual(P, transposed(P), 0.0))
        yield Measured("inertia power", ("inertia_power",), worst)
    for identifier, frame in sample.kernel_set.frames.items():
        first, second = f"influence_G_{identifier}", f"influence_H_{identifier}"
        if sample.has(first):
            J = r.jacobian(q, frame)
            yield Measured("G of a frame", (first,), residual(sample.at(first), J.value, J.scale))
        if sample.has(second):
            yield _second_order(sample, second, frame)


def _second_order(sample: Sample, kernel: str, frame: str) -> Measured:
    r, q, v, H = sample.reference, sample.q, sample.v, sample.at(kernel)
    scale = r.jacobian(q, frame).scale * (1 + abs(v).sum(axis=-1)) ** 2 + largest(H)

    def accelerations(v: Array) -> Array:
        moving = bodies(r.records, r.speeds.motion(q, v, np.zeros_like(v)))
        _, _, a = r.point(moving, frame)
        return np.concatenate([a, moving[r.records.frames[frame][0]].alpha], axis=-1)

    worst = residual(_quadratic(sample, H), _even(accelerations, v), scale)
    if "all planes" in sample.programs[kernel].outputs[0].description:
        worst = max(worst, residual(H, transposed(H), 0.0))
    else:
        slopes = slope(r.jacobian(stepped(q, sample.columns), frame).value)
        worst = max(worst, residual(H, np.moveaxis(slopes, 0, 2), scale))
    return Measured("H of a frame", (kernel,), worst)


def _springs(sample: Sample) -> Checks:
    """Springs and dampers alone, and their slopes."""
    r, q, v = without_friction(sample, resting=False), sample.q, sample.v
    if not sample.has("spring_forces"):
        return
    still = np.zeros_like(v)
    loads = r.inverse_dynamics(q, v, still, RESISTANCE)
    bare = r.inverse_dynamics(q, v, still, Acting(gravity=False, resistance=False, rotors=False))
    scale = loads.scale + largest(bare.value)
    yield Measured(
        "springs", ("spring_forces",), residual(sample.at("spring_forces"), loads.value - bare.value, scale)
    )
    K = np.moveaxis(slope(at_rest(without_friction(sample), stepped(q, sample.columns)).value), 0, -1)
    for kernel, expected in (("effective_stiffness", K), ("effective_damping", damping(sample))):
        yield Measured(
            "slopes of springs",
            (kernel,),
            residual(sample.at(kernel), expected, scale * (1 + largest(expected))),
        )
