"""The equations of a constrained mechanism and the forces that they carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy

from kanegen.codegen.derivation.constraints.elastic import Elastic
from kanegen.codegen.derivation.constraints.equations import described, equations
from kanegen.codegen.derivation.constraints.margins import margins
from kanegen.codegen.derivation.constraints.setting import Setting, Vector
from kanegen.codegen.derivation.constraints.spanning_tree import (
    tree_positions,
    tree_rates,
)
from kanegen.codegen.derivation.kernels.catalogue import (
    CONSTRAINT_FORCES,
    CONSTRAINT_JACOBIAN,
    CONSTRAINT_RESIDUAL,
    COORDINATE_RATES,
    DEAD_CENTRE_MARGIN,
    GENERALIZED_SPEEDS,
)
from kanegen.codegen.graph import Argument, Expression, Graph, Program, compose, inputs, total
from kanegen.codegen.mechanism.constraints import Constraint, PositionConstraint, VelocityConstraint
from kanegen.codegen.mechanism.values import Lift


def coordinate_rates(s: Setting) -> Program:
    """dq/dt = N v."""
    qdot = s.motion.rates(s.input("v", s.nv))
    return s.program(COORDINATE_RATES, qdot, source="equations of velocity, eliminated block by block")


def constraint_residual(s: Setting) -> Program:
    """phi(q) of all equations of position."""
    positions = s.motion.system.positions
    names = ", ".join(p.name for p in positions)
    phi = [p.value for p in positions]
    return s.program(CONSTRAINT_RESIDUAL, phi, source="poses along the chains of joints", rows=names)


def constraint_jacobian(s: Setting) -> Program:
    """A(q) of all equations of velocity."""
    rows = [row.coefficients for row in s.motion.system.rows]
    names = described(s.motion.system)
    return s.program(CONSTRAINT_JACOBIAN, rows, source="derivatives of the equations", rows=names)


def constraint_forces(s: Setting) -> Program:
    """Multipliers of the equations, and forces of the prescribed joints."""
    v, a = s.input("v", s.nv), s.input("a", s.nv)
    qdot = s.motion.rates(v)
    forces = s.forces(qdot, s.motion.accelerations(qdot, a))
    tau = s.motion.on_speeds(forces[: s.nq])
    multipliers = s.motion.multipliers(forces[: s.nq], tau)
    held = [x + y for x, y in zip(forces[s.nq :], across_prescribed(s, qdot, multipliers), strict=True)]
    names = described(s.motion.system, [p.joint for p in s.mechanism.prescribed])
    return s.program(CONSTRAINT_FORCES, [*multipliers, *held], rows=names)


def across_prescribed(s: Setting, qdot: Vector, multipliers: Vector) -> list[Expression]:
    """What springs and constraints that reach across prescribed joints add to the forces that these must supply."""
    if not s.mechanism.prescribed:
        return []
    names = tuple(p.joint for p in s.mechanism.prescribed)
    free = replace(
        s.mechanism,
        coordinates=s.tree_mechanism.coordinates,
        constraints=tuple(_with_more_coordinates(c, names) for c in s.mechanism.constraints),
        prescribed=(),
        speeds=(),
        actuators=(),
        home=(),
    )
    n = len(free.coordinates)
    graph = Graph()
    q, v = inputs(graph, "q", n), inputs(graph, "v", n)
    lift = Lift(graph, s.mechanism.parameters, live=s.basis.live)
    rows = equations(free, q, lift).rows
    springs = Elastic(free, q, lift).forces(v)
    results = [springs[s.nq :], *([row.coefficients[j] for row in rows] for j in range(s.nq, n))]
    outputs = tuple(Argument(f"r{k}", (len(r),), "", "") for k, r in enumerate(results))
    program = Program(
        name="across",
        title="",
        source="",
        inputs=(Argument("q", (n,), "", ""), Argument("v", (n,), "", "")),
        outputs=outputs,
        graph=graph,
        results=tuple(tuple(x.ref for x in r) for r in results),
    )
    arguments = {
        "q": tree_positions(s.mechanism, s.graph, s.q),
        "v": tree_rates(s.mechanism, s.lift, qdot),
    }
    pulls, *columns = compose(program, s.graph, arguments)
    return [
        total(s.graph, [pull, *(-a * x for a, x in zip(column, multipliers, strict=True))])
        for pull, column in zip(pulls, columns, strict=True)
    ]


def _with_more_coordinates(item: Constraint, names: Sequence[str]) -> Constraint:
    """The constraint in a mechanism that has further coordinates, of which an equation knows nothing."""
    if isinstance(item, PositionConstraint):
        return replace(item, q=(*item.q, *map(sympy.Dummy, names)))
    if isinstance(item, VelocityConstraint):
        more = [tuple(map(sympy.Dummy, names)) for _ in range(2)]
        return replace(item, q=(*item.q, *more[0]), qdot=(*item.qdot, *more[1]))
    return item


def dead_centre_margin(s: Setting) -> Program:
    """How far the speeds are from not determining the motion: 0 at a dead centre, at most 1."""
    distances = ", and for each distance that is a speed" if s.motion.system.margins else ""
    return s.program(
        DEAD_CENTRE_MARGIN,
        margins(s.motion),
        source="determinants over the lengths of rows",
        distances=distances,
    )


def generalized_speeds(s: Setting) -> Program:
    """v from dq/dt."""
    v = s.motion.generalized_speeds(s.input("qdot", s.nq))
    return s.program(GENERALIZED_SPEEDS, v, source="definition of the speeds")
