"""Dynamics of a constrained mechanism on its generalized speeds."""

from __future__ import annotations

from kanegen.codegen.derivation.constraints.elimination import solve_positive
from kanegen.codegen.derivation.constraints.regularity import require_resisted
from kanegen.codegen.derivation.constraints.setting import Setting
from kanegen.codegen.derivation.standard import DYNAMICS
from kanegen.codegen.graph import Argument, Program, total


def inverse_dynamics(s: Setting) -> Program:
    """tau for derivatives a of the speeds."""
    v, a = s.input("v", s.nv), s.input("a", s.nv)
    qdot = s.motion.rates(v)
    tau = s.on_speeds(qdot, s.motion.accelerations(qdot, a))
    return s.program(
        "inverse_dynamics",
        "generalized forces that produce given derivatives of the speeds",
        (s.arguments.q(), s.arguments.v(), s.arguments.a()),
        {s.arguments.tau(): tau},
    )


def bias_forces(s: Setting) -> Program:
    """h with tau = M a + h."""
    qdot = s.motion.rates(s.input("v", s.nv))
    found = s.on_speeds(qdot, s.motion.accelerations(qdot, [s.zero] * s.nv))
    h = s.arguments.tau("h", "generalized forces where the speeds do not change, tau = M a + h; on v =")
    return s.program(
        "bias_forces",
        "Coriolis, centrifugal and gravity forces",
        (s.arguments.q(), s.arguments.v()),
        {h: found},
    )


def gravity_forces(s: Setting) -> Program:
    """g that holds the mechanism at rest."""
    forces = s.forces(moving=False)
    g = s.arguments.tau("g", "generalized forces at rest, on v =")
    return s.program(
        "gravity_forces",
        "generalized forces that hold the mechanism at rest",
        (s.arguments.q(),),
        {g: s.motion.on_speeds(forces[: s.nq])},
    )


def mass_matrix(s: Setting) -> Program:
    """M on the speeds: J^-T (P^T M_tree P) J^-1."""
    inertia = s.free_inertia()
    half = [s.motion.speeds.solve_transposed(row) for row in inertia]
    columns = [s.motion.speeds.solve_transposed([row[r] for row in half]) for r in range(s.nv)]
    entries = [columns[max(r, c)][min(r, c)] for r in range(s.nv) for c in range(s.nv)]
    m = Argument(
        "M", (s.nv, s.nv), "kg m^2, kg m, kg", "mass matrix, rows and columns in the order of the speeds"
    )
    return s.program("mass_matrix", "mass matrix on the generalized speeds", (s.arguments.q(),), {m: entries})


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
    return s.program(
        "forward_dynamics",
        "derivatives of the speeds that generalized forces produce",
        (s.arguments.q(), s.arguments.v(), s.arguments.tau()),
        {s.arguments.a(): a},
    )


def kinetic_energy(s: Setting) -> Program:
    """T."""
    found = s.of_tree(DYNAMICS["kinetic_energy"], s.motion.rates(s.input("v", s.nv)))
    return s.program(
        "kinetic_energy",
        "kinetic energy",
        (s.arguments.q(), s.arguments.v()),
        {Argument("T", (), "J", "kinetic energy"): found[0]},
    )


def potential_energy(s: Setting) -> Program:
    """U of gravity and springs."""
    found = s.of_tree(DYNAMICS["potential_energy"])[0][0] + s.elastic.energy()
    u = Argument(
        "U", (), "J", "potential energy of gravity, zero for mass at the base origin, and of springs"
    )
    return s.program("potential_energy", "potential energy", (s.arguments.q(),), {u: [found]})


def momentum(s: Setting) -> Program:
    """Linear momentum, then angular momentum about the base origin."""
    found = s.of_tree(DYNAMICS["momentum"], s.motion.rates(s.input("v", s.nv)))
    p = Argument(
        "momentum",
        (6,),
        "kg m/s, kg m^2/s",
        "linear momentum, then angular momentum about the base origin, in the base frame",
    )
    return s.program(
        "momentum", "linear and angular momentum", (s.arguments.q(), s.arguments.v()), {p: found[0]}
    )
