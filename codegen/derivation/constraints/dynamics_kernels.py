"""Dynamics of a constrained mechanism on its generalized speeds."""

from __future__ import annotations

from kanegen.codegen.derivation.constraints.elimination import solve_positive
from kanegen.codegen.derivation.constraints.regularity import require_resisted
from kanegen.codegen.derivation.constraints.setting import Setting
from kanegen.codegen.derivation.kernels.catalogue import (
    BIAS_FORCES,
    FORWARD_DYNAMICS,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
    KINETIC_ENERGY,
    MASS_MATRIX,
    MOMENTUM,
    POTENTIAL_ENERGY,
)
from kanegen.codegen.derivation.standard import DYNAMICS
from kanegen.codegen.graph import Program, total


def inverse_dynamics(s: Setting) -> Program:
    """tau for derivatives a of the speeds."""
    v, a = s.input("v", s.nv), s.input("a", s.nv)
    qdot = s.motion.rates(v)
    tau = s.on_speeds(qdot, s.motion.accelerations(qdot, a))
    return s.program(INVERSE_DYNAMICS, tau)


def bias_forces(s: Setting) -> Program:
    """h with tau = M a + h."""
    qdot = s.motion.rates(s.input("v", s.nv))
    return s.program(BIAS_FORCES, s.on_speeds(qdot, s.motion.accelerations(qdot, [s.zero] * s.nv)))


def gravity_forces(s: Setting) -> Program:
    """g that holds the mechanism at rest."""
    forces = s.forces(moving=False)
    return s.program(GRAVITY_FORCES, s.motion.on_speeds(forces[: s.nq]))


def mass_matrix(s: Setting) -> Program:
    """M on the speeds: J^-T (P^T M_tree P) J^-1."""
    inertia = s.free_inertia()
    half = [s.motion.speeds.solve_transposed(row) for row in inertia]
    columns = [s.motion.speeds.solve_transposed([row[r] for row in half]) for r in range(s.nv)]
    entries = [columns[max(r, c)][min(r, c)] for r in range(s.nv) for c in range(s.nv)]
    return s.program(MASS_MATRIX, entries)


def forward_dynamics(s: Setting) -> Program:
    """a from tau: the free accelerations from P^T M P, then the derivatives of the speeds."""
    v, tau = s.input("v", s.nv), s.input("tau", s.nv)
    qdot = s.motion.rates(v)
    still, bias = s.motion.bias_acceleration(qdot)
    reduced = s.motion.elimination.reduce(s.forces(qdot, still)[: s.nq])
    J = s.motion.J
    right = [total(s.graph, [*(J[r][c] * tau[r] for r in range(s.nv)), -reduced[c]]) for c in range(s.nv)]
    inertia = s.free_inertia()
    require_resisted(s.mechanism, s.graph, inertia, s.basis.plan)
    w = solve_positive(inertia, right)
    a = [total(s.graph, [*(J[r][c] * w[c] for c in range(s.nv)), bias[r]]) for r in range(s.nv)]
    return s.program(FORWARD_DYNAMICS, a)


def kinetic_energy(s: Setting) -> Program:
    """T."""
    energy = s.of_tree(DYNAMICS["kinetic_energy"], s.motion.rates(s.input("v", s.nv)))[0]
    return s.program(KINETIC_ENERGY, energy)


def potential_energy(s: Setting) -> Program:
    """U of gravity and springs."""
    return s.program(POTENTIAL_ENERGY, s.of_tree(DYNAMICS["potential_energy"])[0][0] + s.elastic.energy())


def momentum(s: Setting) -> Program:
    """Linear momentum, then angular momentum about the base origin."""
    momenta = s.of_tree(DYNAMICS["momentum"], s.motion.rates(s.input("v", s.nv)))[0]
    return s.program(MOMENTUM, momenta)
