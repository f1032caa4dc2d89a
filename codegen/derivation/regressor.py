"""Regressors: generalized forces as a matrix times inertial parameters, tau = Y(q, v, a) p.

Rotor inertias, springs and friction are not among the parameters: where a mechanism has them, tau is that of the bodies.
"""

from __future__ import annotations

from kanegen.codegen.derivation.base_parameters import base_parameters, canonical_tree
from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.inertial_parameters import COUNT, PARTS, TENSOR_PLACES
from kanegen.codegen.derivation.kernels.catalogue import FULL_REGRESSOR, REGRESSOR
from kanegen.codegen.derivation.kernels.contract import Arguments
from kanegen.codegen.derivation.motion import Motion
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.regressor_entries import RegressorEntries
from kanegen.codegen.graph import Expression, Graph, Program, inputs
from kanegen.codegen.mechanism.records import IDENTITY3, Matrix3, Mechanism
from kanegen.errors import ModelError

Rows = list[list[Expression]]
_SOURCE = "powers of unit parameters in the partial velocities of the joints (Atkeson, An & Hollerbach 1986)"


def full_regressor(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
    """Y(q, v, a) on all inertial parameters of the moving bodies, ten for each (inertial_parameters.py)."""
    motion = _motion(canonical_tree(mechanism, is_live(tree)), choices)
    rows = full_regressor_entries(motion)
    arguments = Arguments.of(mechanism).more({}, parts=", ".join(PARTS))
    return FULL_REGRESSOR.program(arguments, motion.graph, [rows], _SOURCE, motion.labels)


def regressor(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
    """Y(q, v, a) on the base parameters of the mechanism (base_parameters.py).

    Raises ModelError for a mechanism whose forces depend on no inertial parameter at all.
    """
    live = is_live(tree)
    base = base_parameters(mechanism, live)
    if not base.columns:
        raise ModelError(
            f"mechanism {mechanism.name!r}",
            "has no base parameters",
            "joints that move something",
            "Leave the regressor out.",
        )
    motion = _motion(canonical_tree(mechanism, live), choices)
    rows = RegressorEntries(motion.tree, motion).matrix(base.columns)
    return REGRESSOR.program(Arguments.of(mechanism), motion.graph, [rows], _SOURCE, motion.labels)


def full_regressor_entries(motion: Motion) -> Rows:
    """The rows of the full regressor in coordinate order, for a motion of a canonical tree."""
    tree = motion.tree
    bodies = [b for b, body in enumerate(tree.bodies) if body.inertial or not body.carrier]
    rows = RegressorEntries(tree, motion).matrix([(b, place) for b in bodies for place in range(COUNT)])
    for number, b in enumerate(bodies):
        turn = tree.bodies[b].frame_rotation
        if turn != IDENTITY3:
            for row in rows:
                own = slice(COUNT * number, COUNT * number + COUNT)
                row[own] = _on_described_axes(motion, turn, row[own])
    return rows


def _on_described_axes(motion: Motion, turn: Matrix3, own: list[Expression]) -> list[Expression]:
    """Forces for a body's parameters along the described axes from those along the placed ones, r_described = turn @ r."""
    t = [[motion.number(x) for x in row] for row in turn]
    found = [own[0]]
    for k in range(3):
        found.append(motion.sum([t[k][r] * own[1 + r] for r in range(3)]))
    for k in range(3):
        for l in range(k, 3):
            terms = []
            for r in range(3):
                for c in range(r, 3):
                    # entry (r, c) of turn^T E turn, E the symmetric unit tensor of (k, l)
                    weight = t[k][r] * t[l][c] + (t[l][r] * t[k][c] if k != l else motion.zero)
                    terms.append(weight * own[TENSOR_PLACES[r][c]])
            found.append(motion.sum(terms))
    return found


def is_live(tree: PlacedTree) -> bool:
    """Whether a placed tree has live parameters, or placements of balls that stand for such."""
    values = list(tree.gravity)
    for body in tree.bodies:
        values += [body.mass, *body.first_moment, *body.position, *body.frame_position]
        for matrix in (body.second_moment, body.rotation, body.frame_rotation):
            values += [x for row in matrix for x in row]
    return any(isinstance(x, Expression) for x in values)


def _motion(tree: PlacedTree, choices: Choices) -> Motion:
    graph = Graph()
    n = len(tree.bodies)
    q, v, a = (inputs(graph, name, n) for name in "qva")
    return Motion(tree, graph, choices, q, v, a, tree.gravity)
