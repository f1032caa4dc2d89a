"""What a simulation in all coordinates needs: accelerations with multipliers, and projection onto the equations."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.constraints.elimination import gram, solve_positive
from kanegen.codegen.derivation.constraints.equations import described
from kanegen.codegen.derivation.constraints.regularity import require_resisted
from kanegen.codegen.derivation.constraints.setting import Setting, Vector
from kanegen.codegen.derivation.kernels.catalogue import CONSTRAINT_PROJECTION, MULTIPLIER_DYNAMICS
from kanegen.codegen.graph import Expression, Program, total
from kanegen.codegen.graph import linear as vec


def multiplier_dynamics(s: Setting) -> Program:
    """d2q/dt2 and lambda: M q'' + h = Y^T tau + A^T lambda with A q'' = gamma, regular at dead centres of the speeds.

    M + A^T A replaces M on both sides, which changes neither result and stays regular where the tree alone is not.
    Raises NoInertiaError where no inertia resists a motion.
    """
    qdot, tau = s.input("qdot", s.nq), s.input("tau", s.nv)
    rows = [row.coefficients for row in s.motion.rows]
    gamma = s.motion.required(qdot)
    bias = s.forces(qdot)[: s.nq]
    driven = s.motion.on_coordinates(tau)
    inertia = s.tree_inertia()
    right = [d - b for d, b in zip(driven, bias, strict=True)]
    if s.basis.augmented:
        inertia = [
            [total(s.graph, [inertia[i][j], *(r[i] * r[j] for r in rows)]) for j in range(s.nq)]
            for i in range(s.nq)
        ]
        right = [
            total(s.graph, [right[i], *(r[i] * g for r, g in zip(rows, gamma, strict=True))])
            for i in range(s.nq)
        ]
        require_resisted(s.mechanism, s.graph, inertia, s.basis.plan)
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
    multipliers = s.motion.spread(force)
    return s.program(
        MULTIPLIER_DYNAMICS,
        qddot,
        multipliers,
        source="Lagrange multipliers eliminated through A M^-1 A^T",
        rows=described(s.motion.system),
    )


def constraint_projection(s: Setting) -> Program:
    """One Gauss-Newton step: q <- q - A+ phi with the equations of position, qdot <- qdot - A+ (A qdot + rest)."""
    qdot = s.input("qdot", s.nq)
    k = len(s.motion.system.positions)
    rows = s.motion.rows
    holonomic = [
        (s.motion.system.positions[i].value, row)
        for i, row in zip(s.motion.plan.independent, rows, strict=True)
        if i < k
    ]
    q = _least_change(s, s.q, [value for value, _ in holonomic], [row.coefficients for _, row in holonomic])
    slip = [
        total(s.graph, [*(c * r for c, r in zip(row.coefficients, qdot, strict=True)), row.rest])
        for row in rows
    ]
    rates = _least_change(s, qdot, slip, [row.coefficients for row in rows])
    return s.program(CONSTRAINT_PROJECTION, q, rates, source="Gauss-Newton with A^T (A A^T)^-1")


def _least_change(s: Setting, x: Vector, error: Vector, rows: Sequence[Vector]) -> list[Expression]:
    share = solve_positive(gram(s.graph, rows), error)
    return [
        total(s.graph, [x[j], *(-row[j] * y for row, y in zip(rows, share, strict=True))])
        for j in range(s.nq)
    ]
