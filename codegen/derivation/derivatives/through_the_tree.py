"""Derivatives of forces that a mechanism's tree gives, through whatever carries them to the mechanism's own speeds.

The tree's generalized forces enter the graph as inputs that stand for them.  How these depend on the coordinates, rates
and accelerations of the tree's joints is given, by the tree's own kernel of derivatives; everything around them is
differentiated on the graph.  Differentiating the whole program instead would lose what composites save.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kanegen.codegen.derivation.derivatives.differentiate import along_speeds, cheapest, split_columns
from kanegen.codegen.derivation.kernels.catalogue import INVERSE_DYNAMICS_DERIVATIVES, of_speeds
from kanegen.codegen.derivation.kernels.dynamics import inverse_dynamics, mass_matrix
from kanegen.codegen.derivation.motion_maps.motion_map import TreeForces
from kanegen.codegen.derivation.recursive.force_derivatives import SOURCE
from kanegen.codegen.derivation.recursive.tree_dynamics import TreeDynamics, Vector
from kanegen.codegen.derivation.system import System
from kanegen.codegen.graph import Expression, Graph, Program, compose, inputs
from kanegen.codegen.graph.jacobian import Given, Order, jacobian

STAND_IN = "forces of the tree"
"""Name of the inputs that stand for the tree's forces; a finished program has none of them."""


def stand_ins(graph: Graph, count: int) -> tuple[Expression, ...]:
    """Inputs that stand for the forces on that many joints."""
    return inputs(graph, STAND_IN, count)


def inverse_dynamics_through(
    inverse_dynamics: Program,
    mass_matrix: Program,
    steps: Vector,
    coordinates: Given,
    forces: TreeForces,
    source: str,
    changes: Mapping[Expression, Vector] | None = None,
) -> Program:
    """Derivatives of tau by steps along unit speeds, by the speeds v and by a.

    ``inverse_dynamics`` has stand-ins in its results; it and ``mass_matrix`` are in the graph of the forces.
    ``coordinates`` says how coordinates depend on the steps, ``changes`` what a step adds to the forces besides, by step.
    """
    graph = inverse_dynamics.graph
    given = {**coordinates, **_dependence(forces, changes or {})}
    tau = [Expression(graph, ref) for ref in inverse_dynamics.results[0]]
    n = len(tau)

    def derived(order: Order) -> Program:
        speeds = inputs(graph, "v", n)
        rows = jacobian(graph, tau, [*steps, *speeds], order, given)
        matrices = split_columns(rows, [steps, speeds])
        derivatives = tuple(tuple(x.ref for row in matrix for x in row) for matrix in matrices)
        program = replace(
            inverse_dynamics,
            name=INVERSE_DYNAMICS_DERIVATIVES.name,
            title=INVERSE_DYNAMICS_DERIVATIVES.title,
            source=source,
            outputs=tuple(of_speeds(slot, n) for slot in INVERSE_DYNAMICS_DERIVATIVES.gives),
            results=(*derivatives, mass_matrix.results[0]),
        )
        return _without_stand_ins(program, forces.values)

    return cheapest(derived)


def _dependence(
    forces: TreeForces, changes: Mapping[Expression, Vector]
) -> dict[Expression, Mapping[Expression, Expression]]:
    """Derivatives of the stand-ins by what the motion of the tree is made of, and by the steps."""
    given: dict[Expression, Mapping[Expression, Expression]] = {}
    for i, stand_in in enumerate(stand_ins(forces.values[0].graph, len(forces.values))):
        by: dict[Expression, Expression] = {}
        for name, arguments in forces.motion.items():
            for x, weight in zip(arguments, forces.derivatives[name][i], strict=True):
                if not (x.is_number or weight.is_zero):
                    by[x] = by[x] + weight if x in by else weight
        for step, change in changes.items():
            if not change[i].is_zero:
                by[step] = change[i]
        given[stand_in] = by
    return given


def _without_stand_ins(program: Program, values: Vector) -> Program:
    """The program, in a graph of its own, with the forces in place of what stood for them."""
    graph = Graph()
    labels: dict[int, str] = {}
    forces = replace(program, results=(tuple(x.ref for x in values),))
    found = compose(forces, graph, {}, labels)[0]
    results = compose(program, graph, {STAND_IN: found}, labels)
    return replace(
        program, graph=graph, results=tuple(tuple(x.ref for x in values) for values in results), labels=labels
    )


class _StandIns(TreeDynamics):
    """The dynamics of a tree whose forces are inputs that stand for them."""

    def forces(self) -> Vector:
        """The stand-ins."""
        return stand_ins(self.graph, len(self.tree.bodies))


def inverse_dynamics_derivatives(s: System) -> Program:
    """Derivatives of tau along the speeds, by these, and by a."""
    motion = s.map.motion(s.input("v"), s.input("a"))
    assert motion.v is not None and motion.a is not None, "derivatives are by a whole motion"

    def derivatives(tree: TreeDynamics) -> list[Any]:
        found = tree.force_derivatives()
        return [found.dq, found.dv, found.da]

    if not (
        s.map.carried or s.mechanism.resisted
    ):  # the tree moves as its speeds do, and nothing else acts on it
        return s.program(INVERSE_DYNAMICS_DERIVATIVES, s.of_tree(derivatives, motion))
    values, dq, dv, da = s.of_tree(lambda tree: [tree.forces(), *derivatives(tree)], motion)
    forces = TreeForces(values, {"q": motion.q, "v": motion.v, "a": motion.a}, {"q": dq, "v": dv, "a": da})
    s.resistance, undirected = s.resistance.by_direction()
    forces = undirected.with_springs(forces, motion, s.graph, s.map.placements())
    steps, coordinates = along_speeds(s.map.unit_rates(), s.q)
    s.dynamics = _StandIns
    return inverse_dynamics_through(
        inverse_dynamics(s),
        mass_matrix(s),
        steps,
        coordinates,
        forces,
        f"{SOURCE}{s.map.carried}",
        s.map.changes(forces, steps),
    )
