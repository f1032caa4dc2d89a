"""The equations of a constrained mechanism and the forces that they carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy

from kanegen.codegen.derivation.constraints.arguments import described
from kanegen.codegen.derivation.constraints.elastic import Elastic
from kanegen.codegen.derivation.constraints.equations import equations
from kanegen.codegen.derivation.constraints.margins import margins
from kanegen.codegen.derivation.constraints.setting import Setting, Vector
from kanegen.codegen.derivation.constraints.spanning_tree import (
    tree_positions,
    tree_rates,
)
from kanegen.codegen.graph import Argument, Expression, Graph, Program, compose, inputs, total
from kanegen.codegen.mechanism.constraints import Constraint, PositionConstraint, VelocityConstraint
from kanegen.codegen.mechanism.values import Lift


def coordinate_rates(s: Setting) -> Program:
    """dq/dt = N v."""
    qdot = s.arguments.q("qdot", "rates of the coordinates", "/s")
    return s.program(
        "coordinate_rates",
        "rates of the coordinates from the generalized speeds",
        (s.arguments.q(), s.arguments.v()),
        {qdot: s.motion.rates(s.input("v", s.nv))},
        "equations of velocity, eliminated block by block",
    )


def constraint_residual(s: Setting) -> Program:
    """phi(q) of all equations of position."""
    positions = s.motion.system.positions
    names = ", ".join(p.name for p in positions)
    phi = Argument("phi", (len(positions),), "m, 1", f"equations of position, zero where they hold: {names}")
    return s.program(
        "constraint_residual",
        "how far the equations of position are from holding",
        (s.arguments.q(),),
        {phi: [p.value for p in positions]},
        "poses along the chains of joints",
    )


def constraint_jacobian(s: Setting) -> Program:
    """A(q) of all equations of velocity."""
    rows = s.motion.system.rows
    a = Argument(
        "A", (len(rows), s.nq), "m, 1", f"coefficients of dq/dt, one row each: {described(s.motion.system)}"
    )
    return s.program(
        "constraint_jacobian",
        "equations of velocity: derivatives of those of position, then the nonholonomic ones",
        (s.arguments.q(),),
        {a: [c for row in rows for c in row.coefficients]},
        "derivatives of the equations",
    )


def constraint_forces(s: Setting) -> Program:
    """Multipliers of the equations, and forces of the prescribed joints."""
    v, a = s.input("v", s.nv), s.input("a", s.nv)
    qdot = s.motion.rates(v)
    forces = s.forces(qdot, s.motion.accelerations(qdot, a))
    tau = s.motion.on_speeds(forces[: s.nq])
    multipliers = s.motion.multipliers(forces[: s.nq], tau)
    held = [x + y for x, y in zip(forces[s.nq :], across_prescribed(s, qdot, multipliers), strict=True)]
    found = [*multipliers, *held]
    names = described(s.motion.system, [p.joint for p in s.mechanism.prescribed])
    force = Argument(
        "lambda", (len(found),), "N, N m", f"constraint forces, on each equation as it is written: {names}"
    )
    return s.program(
        "constraint_forces",
        "multipliers of the equations (zero for redundant ones) and forces of prescribed joints",
        (s.arguments.q(), s.arguments.v(), s.arguments.a()),
        {force: found},
    )


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
    found = margins(s.motion)
    text = "squares of sines that vanish at dead centres and in singular configurations, for each block of equations"
    if s.motion.system.margins:
        text += ", and for each distance that is a speed"
    margin = Argument("margin", (len(found),), "1", text)
    return s.program(
        "dead_centre_margin",
        "distance from dead centres of the speeds",
        (s.arguments.q(),),
        {margin: found},
        "determinants over the lengths of rows",
    )


def generalized_speeds(s: Setting) -> Program:
    """v from dq/dt."""
    qdot = s.input("qdot", s.nq)
    return s.program(
        "generalized_speeds",
        "generalized speeds of a motion",
        (s.arguments.q(), s.arguments.q("qdot", "rates of the coordinates", "/s")),
        {s.arguments.v(): s.motion.generalized_speeds(qdot)},
        "definition of the speeds",
    )
