"""Freeman & Tesar, Dynamic Modeling of Serial and Parallel Mechanisms/Robotic Systems, Part I, 1988."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

import kanegen
from kanegen.arrays import FloatArray
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.reproduction.records import Claim, Paper, Part, Section, Verdict, bounded, relative

MODEL, FRAME = "stanford_arm", "F"
LOOP = "five_bar"
STATES = 50
_SEED = 1988
_ROUNDING = 1e-12
"""Of a relative difference: some hundred operations of 1.1e-16 each, on entries up to ten times the result."""
_STEP = 1e-5
_DIFFERENCES = 1e-8
"""Of a central difference with that step, relative: the third derivative takes 1e-10, rounding 1e-16 / 1e-5 times ten."""


def paper() -> Paper:
    """The claims of the part of the paper that is available."""
    return Paper(
        "freeman_tesar_1988",
        "R. A. Freeman & D. Tesar, Dynamic Modeling of Serial and Parallel Mechanisms/Robotic Systems: Part I – "
        "Methodology, ASME "
        "20th Biennial Mechanisms Conference, 1988",
        (
            Section("Influence coefficients", tuple(_kinematics())),
            Section("Dynamics of open chains", (*_dynamics(), *_springs())),
            Section("Transfer of system dependence", (*_transfer(),)),
        ),
    )


@cache
def _arm() -> kanegen.Robot:
    wanted = ["effective_inertia", "inertia_power", f"influence_G_{FRAME}", f"influence_H_{FRAME}"]
    return kanegen.load(MODEL, formulation="influence_coefficients", kernels=wanted)


@cache
def _recursive(model: str) -> kanegen.Robot:
    return kanegen.load(model)


def _states(n: int) -> tuple[FloatArray, FloatArray]:
    random = np.random.default_rng(_SEED)
    return random.uniform(-1.5, 1.5, (STATES, n)), random.uniform(-2, 2, (STATES, n))


def _kinematics() -> Iterator[Part]:
    q, v = _states(6)
    arm, other = _arm(), _recursive(MODEL)
    first = arm.call(f"influence_G_{FRAME}", q)
    yield bounded(
        "eqs 1, 2",
        "first-order influence coefficients are the Jacobian",
        "[G]",
        relative(first, other.frame_jacobian(q, FRAME)),
        _ROUNDING,
        note=f"Of the hand of {MODEL}, against the recursion.",
    )
    second = arm.call(f"influence_H_{FRAME}", q)
    rate = np.einsum("kpmn,kn->kpm", np.swapaxes(second, 2, 3), v)
    ahead, behind = (arm.call(f"influence_G_{FRAME}", q + h * v) for h in (_STEP, -_STEP))
    yield bounded(
        "eqs 5 to 7",
        "second-order influence coefficients: dG/dt is [H] times the rates",
        "[H]",
        relative(rate, (ahead - behind) / (2 * _STEP)),
        _DIFFERENCES,
        note="Against central differences of G.",
    )
    shapes = (first.shape[1:], second.shape[1:])
    yield Claim(
        "eqs 3, 8",
        "shapes of the arrays for P outputs and M inputs",
        "P × M, P × M × M",
        f"{' × '.join(map(str, shapes[0]))}, {' × '.join(map(str, shapes[1]))}",
        Verdict.AGREES if shapes == ((6, 6), (6, 6, 6)) else Verdict.FAILED,
    )


def _dynamics() -> Iterator[Part]:
    q, v = _states(6)
    arm, other = _arm(), _recursive(MODEL)
    yield bounded(
        "eq 15",
        "the effective inertia matrix I*",
        "[I*]",
        relative(arm.call("effective_inertia", q), other.mass_matrix(q)),
        _ROUNDING,
        note="Against the mass matrix by composite bodies.",
    )
    power = arm.call("inertia_power", q)
    found = np.einsum("ki,knij,kj->kn", v, power, v)
    yield bounded(
        "eq 16",
        "the inertia power array P*: its quadratic form is what rates alone take",
        "[P*]",
        relative(found, other.bias_forces(q, v) - other.gravity_forces(q)),
        _ROUNDING,
        note="Against the bias forces of the recursion, without gravity.",
    )
    a = np.flip(v, axis=1)
    whole = np.einsum("kij,kj->ki", arm.call("effective_inertia", q), a) + found + other.gravity_forces(q)
    yield bounded(
        "eq 17",
        "torques are I* times accelerations and P* times rates, less what loads do",
        "T",
        relative(whole, other.inverse_dynamics(q, v, a)),
        _ROUNDING,
    )


def _sprung() -> Mechanism:
    """Two links with a spring and a damper between frames, not along joints."""
    arm = MechanismBuilder("sprung_arm")
    arm.body("upper", mass=2, center=("0.25", 0, 0), inertia=(0, "0.05", "0.05"))
    arm.body("lower", mass=1, center=("0.2", 0, 0), inertia=(0, "0.02", "0.02"))
    arm.revolute("q1", "base", "upper", (0, 0, 1))
    arm.revolute("q2", "upper", "lower", (0, 0, 1), position=("0.5", 0, 0))
    arm.frame("post", "base", position=(0, "0.6", 0))
    arm.frame("end", "lower", position=("0.4", 0, 0))
    arm.translational_spring("strut", "post", "end", stiffness=120, damping=6, rest="0.5")
    return arm.build()


def _springs() -> Iterator[Part]:
    wanted = ["effective_damping", "effective_stiffness", "spring_forces"]
    arm = kanegen.load(_sprung(), formulation="influence_coefficients", kernels=wanted)
    q, v = _states(2)
    still = 0 * v
    yield bounded(
        "eqs 18, 19",
        "dissipative loads are C* times rates",
        "[C*]",
        relative(
            np.einsum("kij,kj->ki", arm.call("effective_damping", q), v),
            arm.call("spring_forces", q, v) - arm.call("spring_forces", q, still),
        ),
        _ROUNDING,
        note="Two links with a strut between base and hand.",
    )
    columns = []
    for step in np.eye(2) * _STEP:
        ahead, behind = (arm.call("spring_forces", q + s * step, still) for s in (1, -1))
        columns.append((ahead - behind) / (2 * _STEP))
    yield bounded(
        "eqs 22, 25",
        "the effective stiffness K* is the derivative of the springs' loads",
        "[K*]",
        relative(arm.call("effective_stiffness", q), np.stack(columns, axis=2)),
        _DIFFERENCES,
        note="Against central differences.",
    )


def _transfer() -> Iterator[Part]:
    wanted = ["effective_inertia", "inertia_power"]
    loop, other = kanegen.load(LOOP, formulation="influence_coefficients", kernels=wanted), _recursive(LOOP)
    random = np.random.default_rng(_SEED)
    q = np.array([other.assemble(other.home + random.uniform(-0.2, 0.2, other.nq)) for _ in range(STATES)])
    v = random.uniform(-2, 2, (STATES, other.nv))
    yield bounded(
        "after eq 25",
        "the model keeps its form when generalized coordinates are transferred: loops to their inputs, I*",
        "Gᵀ I* G",
        relative(loop.call("effective_inertia", q), other.mass_matrix(q)),
        _ROUNDING,
        note=f"Of {LOOP}, against the recursion. The formulas of the transfer are not in the part of the paper that "
        "is available; they "
        "follow by differentiating Gᵉ_φ dφ/dt = de/dt once more.",
    )
    found = np.einsum("ki,knij,kj->kn", v, loop.call("inertia_power", q), v)
    yield bounded(
        "after eq 25",
        "the same, P*",
        "(Gᵀ I*) · H + Gᵀ [Gᵀ · P*] G",
        relative(found, other.bias_forces(q, v) - other.gravity_forces(q)),
        _ROUNDING,
        note=f"Of {LOOP}.",
    )
