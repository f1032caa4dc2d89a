"""Regressors: generalized forces as a matrix times inertial parameters, tau = Y(q, v, a) p.

Rotor inertias, springs and friction are not among the parameters: where a mechanism has them, tau is that of the bodies.
"""

from __future__ import annotations

from kanegen.codegen.derivation.parameters.base_parameters import base_parameters
from kanegen.codegen.derivation.parameters.inertial_parameters import COUNT, TENSOR_PLACES
from kanegen.codegen.derivation.parameters.regressor_entries import RegressorEntries
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.records import IDENTITY3, Matrix3, Mechanism
from kanegen.errors import ModelError

Rows = list[list[Expression]]


def regressor(motion: Motion, mechanism: Mechanism, live: bool) -> Rows:
    """Y on the base parameters of the mechanism (base_parameters.py), for a motion of its canonical tree.

    Raises ModelError for a mechanism whose forces depend on no inertial parameter at all.
    """
    base = base_parameters(mechanism, live)
    if not base.columns:
        raise ModelError(
            f"mechanism {mechanism.name!r}",
            "has no base parameters",
            "joints that move something",
            "Leave the regressor out.",
        )
    return RegressorEntries(motion.tree, motion).matrix(base.columns)


def full_regressor(motion: Motion) -> Rows:
    """Y on all inertial parameters of the moving bodies, ten for each (inertial_parameters.py).

    For a motion of the canonical tree, rows in coordinate order.
    """
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
