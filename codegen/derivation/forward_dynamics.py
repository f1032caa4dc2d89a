"""Forward dynamics: joint accelerations from generalized forces, by whichever of two methods counts fewer operations.

Mass matrix, bias forces and an unrolled sparse L D L^T share sines, cosines and turned vectors; the articulated-body
recursion avoids the matrix.  Short arms prefer the first, long ones the second: it is a decision point, but where the mass
matrix is too badly conditioned to be formed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kanegen.codegen.derivation import articulated_body
from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.conditioning import is_well_conditioned
from kanegen.codegen.derivation.kernels.catalogue import FORWARD_DYNAMICS
from kanegen.codegen.derivation.kernels.contract import Arguments
from kanegen.codegen.derivation.linear_solve import blockings, elimination_orders, solve
from kanegen.codegen.derivation.motion import Motion
from kanegen.codegen.derivation.newton_euler import JointForces
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.regularity import require_regular
from kanegen.codegen.derivation.tip_elimination import articulated_tips, axis_inertia, free_tips
from kanegen.codegen.derivation.unit_gauge import with_unit_of_length
from kanegen.codegen.graph import Expression, Graph, Program, inputs
from kanegen.codegen.mechanism.records import Mechanism

METHOD = "method of forward dynamics"


def forward_dynamics(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
    """a = M(q)^-1 (tau - h(q, v)).  Raises ModelError where a joint has no inertia to move."""
    graph = Graph()
    found = accelerations(tree, mechanism, choices, inputs(graph, "tau", mechanism.dof))
    return FORWARD_DYNAMICS.program(Arguments.of(mechanism), graph, [found.a], found.source, found.labels)


@dataclass(frozen=True)
class Accelerations:
    """Joint accelerations in coordinate order, how they were found, and the names of quantities on the way."""

    a: tuple[Expression, ...]
    source: str
    labels: Mapping[int, str]


def accelerations(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, tau: Sequence[Expression]
) -> Accelerations:
    """Joint accelerations for generalized forces that are any expressions of a graph with inputs q and v.

    Raises ModelError where a joint has no inertia to move.
    """
    require_regular(mechanism)
    formed = is_well_conditioned(mechanism)
    if not formed and tree.as_described is not None:
        # regrouping leaves inertias that are differences: small ones keep their digits only as those of bodies
        tree = tree.as_described
    tree = with_unit_of_length(tree, choices)
    graph = tau[0].graph
    n = len(tree.bodies)
    rest = [Expression(graph, graph.zero)] * n
    motion = Motion(tree, graph, choices, inputs(graph, "q", n), inputs(graph, "v", n), rest, tree.gravity)
    if formed and choices.pick(METHOD, 2, whole=True) == 0:
        source = "composite inertias, Newton-Euler bias and an unrolled sparse L D L^T"
        a = _by_elimination(tree, motion, tau, choices)
    else:
        source = "articulated-body recursion (Featherstone 1983)"
        a = articulated_body.forward_dynamics(tree, motion, tau)
    return Accelerations(tuple(a), source, motion.labels)


def _by_elimination(
    tree: PlacedTree, motion: Motion, tau: Sequence[Expression], choices: Choices
) -> list[Expression]:
    """Accelerations by mass matrix and bias forces; tips without mass may be eliminated before the matrix is formed."""
    bodies = tree.bodies
    driving = [tau[body.coordinate] * (1 / motion.to_unit(i)) for i, body in enumerate(bodies)]
    tips = [i for i in free_tips(tree) if choices.pick(f"tip {bodies[i].name}", 2, bodies[i].name) == 0]
    forces = JointForces(tree, motion, {i: driving[i] for i in tips})
    composite = CompositeInertia(articulated_tips(tree, tips), motion)
    kept = [i for i in range(len(bodies)) if i not in tips]
    matrix = [[motion.zero] * len(kept) for _ in kept]
    for column, j in enumerate(kept):
        for i, value in composite.column(j).items():
            row = kept.index(i)
            matrix[row][column] = matrix[column][row] = value
    right = [driving[i] - forces.along_axis(i) for i in kept]
    orders = elimination_orders(
        [[not x.is_zero for x in row] for row in matrix], [[x.is_number for x in row] for row in matrix]
    )
    order = orders[choices.pick("elimination order", len(orders))]
    ways = blockings(order, matrix)
    solution = solve(matrix, right, ways[choices.pick("pivots of elimination", len(ways))])
    along = dict(zip(kept, solution, strict=True))
    whole = CompositeInertia(tree, motion)
    for tip in tips:
        own = axis_inertia(bodies[tip])
        surplus = (driving[tip] - forces.required_moment(tip, bodies[tip].axis)) * motion.number(1 / own)
        coupled = [-value * along[i] for i, value in whole.column(tip, own).items() if i != tip]
        along[tip] = motion.sum([surplus, *coupled])
    a = [motion.zero] * len(tau)
    for i, body in enumerate(bodies):
        a[body.coordinate] = along[i] * (1 / motion.to_unit(i))
    return a
