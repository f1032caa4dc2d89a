"""The equations of a constrained mechanism, the forces that they carry, and what a simulation in all coordinates needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.derivation.kernels.catalogue import (
    CONSTRAINT_FORCES,
    CONSTRAINT_JACOBIAN,
    CONSTRAINT_PROJECTION,
    CONSTRAINT_RESIDUAL,
    DEAD_CENTRE_MARGIN,
    GENERALIZED_SPEEDS,
    MULTIPLIER_DYNAMICS,
)
from kanegen.codegen.derivation.kernels.contract import Contract
from kanegen.codegen.derivation.motion_maps.constrained import ConstrainedMap
from kanegen.codegen.derivation.motion_maps.elimination import gram, solve_positive
from kanegen.codegen.derivation.motion_maps.equations import equations, row_names
from kanegen.codegen.derivation.motion_maps.margins import can_be_singular, margins
from kanegen.codegen.derivation.motion_maps.motion_map import TreeMotion, Vector
from kanegen.codegen.derivation.recursive.regularity import require_regular
from kanegen.codegen.derivation.system import Make, System
from kanegen.codegen.graph import Argument, Expression, Graph, Program, compose, inputs, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import (
    Constraint,
    PositionConstraint,
    RollingContact,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.sizes import unit_of_length, units_of
from kanegen.codegen.mechanism.speeds import on_equation
from kanegen.codegen.mechanism.values import Lift
from kanegen.errors import ModelError


def _motion(s: System) -> ConstrainedMap:
    assert isinstance(s.map, ConstrainedMap), "kernels of mechanisms with constraints"
    return s.map


def constraint_residual(s: System) -> Program:
    """phi(q) of all equations of position."""
    positions = _motion(s).system.positions
    names = ", ".join(p.name for p in positions)
    return s.program(
        CONSTRAINT_RESIDUAL,
        [[p.value for p in positions]],
        source="poses along the chains of joints",
        rows=names,
    )


def constraint_jacobian(s: System) -> Program:
    """A(q) of all equations of velocity."""
    rows = [row.coefficients for row in _motion(s).system.rows]
    return s.program(
        CONSTRAINT_JACOBIAN, [rows], source="derivatives of the equations", rows=row_names(_motion(s).system)
    )


def constraint_forces(s: System) -> Program:
    """Multipliers of the equations, and forces of the prescribed joints."""
    motion = s.map.motion(s.input("v"), s.input("a"))
    forces = s.forces(motion)
    tau = s.map.on_speeds(forces)
    multipliers = _motion(s).multipliers(forces[: s.nq], tau)
    held = _across_prescribed(s, motion, forces[s.nq :], [*multipliers, *tau])
    names = row_names(_motion(s).system, s.mechanism.prescribed_joints)
    return s.program(CONSTRAINT_FORCES, [[*multipliers, *held]], rows=names)


def _across_prescribed(
    s: System, motion: TreeMotion, forces: Vector, multipliers: Vector
) -> list[Expression]:
    """Forces that prescribed joints must supply, less what constraints and drives that reach across them carry."""
    return [
        total(s.graph, [force, *(-a * x for a, x in zip(column, multipliers, strict=True))])
        for force, column in zip(forces, columns_across(s, motion), strict=True)
    ]


def columns_across(s: System, motion: TreeMotion) -> list[list[Expression]]:
    """For each prescribed joint, what its rate is multiplied by in the equations of velocity, then in the speeds."""
    names = s.mechanism.prescribed_joints
    if not names:
        return []

    def free_equation(item: VelocityConstraint) -> Constraint:
        return _with_more_coordinates(item, names, s.mechanism)

    free = replace(
        s.mechanism,
        coordinates=s.foundation.tree.coordinates,
        constraints=tuple(_with_more_coordinates(c, names, s.mechanism) for c in s.mechanism.constraints),
        prescribed=(),
        speeds=tuple(on_equation(speed, free_equation) for speed in s.mechanism.generalized_speeds),
        actuators=(),
        home=(),
    )
    n, graph = s.joints, Graph()
    lift = Lift(graph, s.mechanism.parameters, live=s.foundation.live)
    system = equations(free, inputs(graph, "q", n), lift)
    rows = [*system.rows, *system.speeds]
    results = [[row.coefficients[j] for row in rows] for j in range(s.nq, n)]
    outputs = {Argument(f"r{k}", (len(r),), "", ""): r for k, r in enumerate(results)}
    given = (Argument("q", (n,), "", ""), *[Argument("t", (), "", "")] * free.depends_on_time)
    program = Program.of(graph, "across", "", given, outputs, "", {})
    return compose(program, s.graph, {"q": motion.q})


def _with_more_coordinates(item: Constraint, names: Sequence[str], mechanism: Mechanism) -> Constraint:
    """The constraint with prescribed joints as further coordinates, which an equation knows by their names."""
    if not isinstance(item, PositionConstraint | VelocityConstraint):
        return item
    parameters = {parameter.name for parameter in mechanism.parameters}
    free = item.expression.free_symbols - set(item.q)
    known = {symbol.name: symbol for symbol in free if symbol.name not in parameters}
    q = (*item.q, *(known.get(name) or sympy.Dummy(name) for name in names))
    if isinstance(item, PositionConstraint):
        return replace(item, q=q)
    rates = (known.get(f"rate({name})") or sympy.Dummy(name) for name in names)
    return replace(item, q=q, qdot=(*item.qdot, *rates))


def dead_centre_margin(s: System) -> Program:
    """How far the speeds are from not determining the motion: 0 at a dead centre, at most 1."""
    sines = "; then squares of the sines of wheels' axles to the normals of the ground"
    return s.program(
        DEAD_CENTRE_MARGIN,
        [margins(_motion(s))],
        source="determinants of blocks of equations, and of the speeds in terms of the free rates",
        sines=sines if _motion(s).system.sines else "",
    )


def generalized_speeds(s: System) -> Program:
    """v from dq/dt."""
    v = _motion(s).generalized_speeds(s.input("qdot", s.nq))
    return s.program(GENERALIZED_SPEEDS, [v], source="definition of the speeds")


# -- simulation in all coordinates ---------------------------------------------------------------------------------------


def multiplier_dynamics(s: System) -> Program:
    """d2q/dt2 and lambda: M q'' + h = Y^T tau + A^T lambda with A q'' = gamma, regular at dead centres of the speeds.

    M + A^T A replaces M on both sides, which changes neither result and stays regular where the tree alone is not.
    Where there are no speeds, A q'' = gamma alone gives q'', and no inertia has a part in it.
    Raises NoInertiaError where no inertia resists a motion.
    """
    motion, qdot, tau = _motion(s), s.input("qdot", s.nq), s.input("tau")
    if not s.nv:
        qddot = motion.accelerations(qdot, [])
        multipliers = motion.multipliers(s.forces(motion.of_coordinates(qdot, qddot))[: s.nq], [])
        names = row_names(_motion(s).system)
        return s.program(
            MULTIPLIER_DYNAMICS, [qddot, multipliers], source="equations differentiated twice", rows=names
        )
    rows = [row.coefficients for row in motion.rows]
    gamma = motion.required(qdot)
    bias = s.forces(motion.of_coordinates(qdot))[: s.nq]
    driven = motion.on_coordinates(tau)
    inertia = [row[: s.nq] for row in s.tree_inertia()[: s.nq]]
    right = [d - b for d, b in zip(driven, bias, strict=True)]
    if not _regular(s.foundation.tree):
        inertia = [
            [total(s.graph, [inertia[i][j], *(r[i] * r[j] for r in rows)]) for j in range(s.nq)]
            for i in range(s.nq)
        ]
        right = [
            total(s.graph, [right[i], *(r[i] * g for r, g in zip(rows, gamma, strict=True))])
            for i in range(s.nq)
        ]
        s.foundation.require_inertia(s, inertia)
    unloaded = solve_positive(inertia, right)
    per_row = [solve_positive(inertia, list(row)) for row in rows]
    effective = [vec.apply_total(s.graph, per_row, row) for row in rows]
    symmetric = [[effective[max(i, j)][min(i, j)] for j in range(len(rows))] for i in range(len(rows))]
    missing = [
        total(s.graph, [g, *(-x * y for x, y in zip(row, unloaded, strict=True))])
        for row, g in zip(rows, gamma, strict=True)
    ]
    force = solve_positive(symmetric, missing)
    qddot = [
        total(s.graph, [unloaded[j], *(f * column[j] for f, column in zip(force, per_row, strict=True))])
        for j in range(s.nq)
    ]
    return s.program(
        MULTIPLIER_DYNAMICS,
        [qddot, motion.spread(force)],
        source="Lagrange multipliers eliminated through A M^-1 A^T",
        rows=row_names(_motion(s).system),
    )


def constraint_projection(s: System) -> Program:
    """One Gauss-Newton step: q <- q - A+ phi with the equations of position, qdot <- qdot - A+ (A qdot + rest).

    Both change by the least in the mechanism's own units.
    """
    motion, qdot = _motion(s), s.input("qdot", s.nq)
    k = len(motion.system.positions)
    holonomic = [
        (motion.system.positions[i].value, row)
        for i, row in zip(motion.plan.independent, motion.rows, strict=True)
        if i < k
    ]
    q = _least_change(s, s.q, [value for value, _ in holonomic], [row.coefficients for _, row in holonomic])
    slip = [
        total(s.graph, [*(c * r for c, r in zip(row.coefficients, qdot, strict=True)), row.rest])
        for row in motion.rows
    ]
    rates = _least_change(s, qdot, slip, [row.coefficients for row in motion.rows])
    return s.program(CONSTRAINT_PROJECTION, [q, rates], source="Gauss-Newton with A^T (A A^T)^-1")


def _least_change(s: System, x: Vector, error: Vector, rows: Sequence[Vector]) -> list[Expression]:
    mechanism = _motion(s).mechanism
    units = [Fraction(unit) for unit in units_of(mechanism, mechanism.coordinates, unit_of_length(mechanism))]
    rows = [[unit * c for unit, c in zip(units, row, strict=True)] for row in rows]
    share = solve_positive(gram(s.graph, rows), error)
    return [
        total(s.graph, [x[j], *(-units[j] * row[j] * y for row, y in zip(rows, share, strict=True))])
        for j in range(s.nq)
    ]


def _regular(tree: Mechanism) -> bool:
    """Whether inertia resists every joint of a tree."""
    try:
        require_regular(tree)
    except ModelError:
        return False
    return True


def constraint_kernels(motion: ConstrainedMap) -> dict[str, Make]:
    """The kernels of a mechanism that moves like this."""
    mechanism, plan = motion.mechanism, motion.plan
    holonomic = bool(mechanism.loops) or any(
        isinstance(c, PositionConstraint) or (isinstance(c, RollingContact) and c.contact is None)
        for c in mechanism.constraints
    )
    tied = bool(plan.independent or plan.redundant)
    offered: list[tuple[Contract, Make, bool]] = [
        (CONSTRAINT_RESIDUAL, constraint_residual, holonomic),
        (CONSTRAINT_JACOBIAN, constraint_jacobian, tied),
        (DEAD_CENTRE_MARGIN, dead_centre_margin, can_be_singular(motion)),
        (CONSTRAINT_FORCES, constraint_forces, tied or bool(mechanism.prescribed_joints)),
        (GENERALIZED_SPEEDS, generalized_speeds, tied and bool(motion.system.speeds)),
        (MULTIPLIER_DYNAMICS, multiplier_dynamics, tied),
        (CONSTRAINT_PROJECTION, constraint_projection, tied),
    ]
    return {contract.name: make for contract, make, has in offered if has}
