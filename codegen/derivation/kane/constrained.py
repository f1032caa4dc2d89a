"""Kane's equations of a tree whose motion is given, and of constrained mechanisms by nonholonomic partial velocities.

Loops, rolling and other constraints leave fewer independent speeds u than the tree has coordinates,

    q' = N(q) u + what does not depend on u.

Velocities are then linear in u, and what they are multiplied by are the nonholonomic partial angular velocities and
partial velocities w~_r = sum_s w_s N_sr, v~_r = sum_s v_s N_sr of the tree's holonomic ones.  Kane's equations hold for
them as they stand (eq 117 of Kane & Levinson 1983, and their remark on closed loops in the conclusion):

    tau_r = -sum over bodies of (w~_r . T* + v~_r . (R* + m g)).

Forces of constraint do no work in motions that the constraints allow, so that they never appear, neither as
multipliers nor as forces between bodies to be eliminated.  One of them is brought into evidence by an auxiliary speed: a
joint of the tree that the mechanism does not have, with rate and acceleration zero, and a column of N that moves it.

The sum is formed with partial velocities, body by body, and not from finished generalized forces of the tree, N^T Q.
Both are equal; which is cheaper depends on the mechanism (long trees with few speeds favour N^T Q).
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.kane.generalized_forces import generalized_force
from kanegen.codegen.derivation.kane.motion import KaneMotion
from kanegen.codegen.derivation.kane.rotation import turns_of
from kanegen.codegen.derivation.kane.speeds import GivenRates
from kanegen.codegen.derivation.placement import place
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints


def forces(
    tree: Mechanism,
    graph: Graph,
    q: Sequence[Expression],
    v: Sequence[Expression],
    a: Sequence[Expression],
) -> list[Expression]:
    """Generalized forces [N m, N] that move a plain tree so, in the order of its coordinates, gravity included.

    ``q``, ``v`` and ``a`` are expressions of ``graph``, one for each coordinate.  Values of the tree that are expressions
    stay live.  The partial velocities are those of the joint rates.
    """
    n = len(tree.coordinates)
    unit = [[constant(graph, int(r == s)) for r in range(n)] for s in range(n)]
    return nonholonomic_forces(tree, graph, q, v, a, unit)


def nonholonomic_forces(
    tree: Mechanism,
    graph: Graph,
    q: Sequence[Expression],
    v: Sequence[Expression],
    a: Sequence[Expression],
    rates_from_speeds: Sequence[Sequence[Expression]],
) -> list[Expression]:
    """Generalized forces [N m, N] on independent speeds u, gravity included: tau_r with power = tau . u.

    ``tree`` is the plain tree of a constrained mechanism, all joints movable or fixed; ``q``, ``v`` = dq/dt and
    ``a`` = d2q/dt2 are expressions of ``graph``, one for each of its coordinates and such as the constraints allow.
    ``rates_from_speeds`` is N, a row for each coordinate and a column for each speed.  Values of the tree that are
    expressions stay live.

    Raises ValueError for sizes that do not fit.
    """
    n = len(tree.coordinates)
    if any(len(given) != n for given in (q, v, a, rates_from_speeds)):
        raise ValueError(f"q, v, a and the rows of N are not {n}, as many as the tree has coordinates")
    columns = {len(row) for row in rates_from_speeds}
    if len(columns) > 1:
        raise ValueError(f"the rows of N differ in length: {sorted(columns)}")
    reduced = without_fixed_joints(tree)
    turns = turns_of(place(reduced, Choices(), live_parameters=True), graph, q)
    motion = KaneMotion(reduced, turns, GivenRates(v, a, rates_from_speeds))
    return [-generalized_force(motion, r) for r in range(max(columns, default=0))]
