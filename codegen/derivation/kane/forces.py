"""Generalized inertia forces and generalized active forces, summed over the bodies (Kane & Levinson 1983, eqs 76 - 117).

    K*_r = sum over bodies of  w_r . T* + v_r . R*                             (eqs 78, 87)
           T* = -alpha . I - w x I . w,   R* = -m a                            (eq 79)
    K_r  = sum over bodies of  v_r . m g  +  tau_r                             (eqs 89 - 116)
    K*_r + K_r = 0                                                             (eq 117)

with the partial angular velocities w_r and the partial velocities v_r of the mass centres, which a ``KaneMotion``
gives.  Forces and torques in the joints that do no work drop out by themselves.  Terms with the same partial velocity
component are collected before they are multiplied by it, as in the paper's Z6 (Z146 + Z155).

Loops, rolling and other constraints leave fewer independent speeds u than the tree has coordinates,

    q' = N(q) u + what does not depend on u.

Velocities are then linear in u, and what they are multiplied by are the nonholonomic partial velocities, w~_r = sum_s w_s
N_sr and v~_r = sum_s v_s N_sr of the tree's holonomic ones.  Kane's equations hold for them as they stand (the remark on
closed loops in the paper's conclusion).  Forces of constraint do no work in motions that the constraints allow, so that
they never appear, neither as multipliers nor as forces between bodies to be eliminated.  One of them is brought into
evidence by an auxiliary speed: a joint of the tree that the mechanism does not have, with rate and acceleration zero, and
a column of N that moves it.

The sum is formed with partial velocities, body by body, and not from finished generalized forces of the tree, N^T Q.
Both are equal; which is cheaper depends on the mechanism (long trees with few speeds favour N^T Q).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kanegen.codegen.derivation.kane.motion import KaneMotion, turns_of
from kanegen.codegen.derivation.kane.partial_velocities import collected_products
from kanegen.codegen.derivation.kane.rates import GivenRates
from kanegen.codegen.derivation.motion_maps.motion_map import Rows, Vector
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints

Component = Callable[[int, int], Expression]
"""Component k of a vector of body i."""


def inertia_torque(motion: KaneMotion, i: int, k: int) -> Expression:
    """T* of body i, component k in its basis (eq 79)."""
    tensor = motion.inertias[i].tensor
    a, b = (k + 1) % 3, (k + 2) % 3
    w, number = motion.angular_velocity, motion.turns.number
    terms = [number(tensor[k][c]) * motion.angular_acceleration(i, c) for c in range(3) if tensor[k][c] != 0]
    if tensor[b][b] != tensor[a][a]:
        terms.append(number(tensor[b][b] - tensor[a][a]) * (w(i, a) * w(i, b)))
    if tensor[b][k] != 0:
        terms.append(number(tensor[b][k]) * (w(i, a) * w(i, k)))
    if tensor[a][k] != 0:
        terms.append(-number(tensor[a][k]) * (w(i, b) * w(i, k)))
    if tensor[a][b] != 0:
        terms.append(number(tensor[a][b]) * (w(i, a) * w(i, a) - w(i, b) * w(i, b)))
    value = -motion.turns.sum(terms)
    return motion.mean(value, "T*", i, (k,))


def inertia_force(motion: KaneMotion, i: int, k: int) -> Expression:
    """R* of body i and its weight, m (g - a), component k in the basis of the carrier (eqs 79, 91)."""
    value = -motion.turns.number(motion.inertias[i].mass) * motion.acceleration(i, k)
    return motion.mean(value, "R*", i, (k,))


def generalized_force(motion: KaneMotion, r: int) -> Expression:
    """K*_r and the part of K_r that gravity makes (eqs 78, 90, 93 - 95)."""
    velocity = partial(_partial_velocity, motion, r)
    value = _dotted(motion, r, velocity, partial(inertia_torque, motion), partial(inertia_force, motion))
    return motion.mean(value, "K*", 0, (), r)


def inertia_coefficient(motion: KaneMotion, r: int, s: int) -> Expression:
    """X_rs = -sum over bodies of (w_r . I . w_s + m v_r . v_s) (eqs 78, 79, 88)."""
    torque, force = partial(torque_coefficient, motion, s), partial(_force_coefficient, motion, r, s)
    return _dotted(motion, r, partial(_paired_velocity, motion, r, s), torque, force)


def _partial_velocity(motion: KaneMotion, r: int, i: int, k: int) -> Expression:
    return motion.partial_velocity(i, r, k)


def _paired_velocity(motion: KaneMotion, r: int, s: int, i: int, k: int) -> Expression:
    return motion.paired_partial_velocity(i, r, s, k)


def torque_coefficient(motion: KaneMotion, s: int, i: int, k: int) -> Expression:
    """What u'_s is multiplied by in T* of body i, component k."""
    row = motion.inertias[i].tensor[k]
    number, w_s = motion.turns.number, partial(motion.partial_angular_velocity, i, s)
    value = -motion.turns.sum([number(row[c]) * w_s(c) for c in range(3) if row[c] != 0])
    return motion.mean(value, "T*s", i, (k,), s)


def _force_coefficient(motion: KaneMotion, r: int, s: int, i: int, k: int) -> Expression:
    """What u'_s is multiplied by in R* of body i, component k, in the basis that suits v_r."""
    value = -motion.turns.number(motion.inertias[i].mass) * motion.paired_partial_velocity(i, s, r, k)
    return motion.mean(value, "R*s", i, (k,), s)


def _dotted(
    motion: KaneMotion, r: int, velocity: Component, torque: Component, force: Component
) -> Expression:
    """Sum over bodies of w_r . torque + velocity . force; factors of the same partial are added up first."""
    products: list[tuple[Expression, Callable[[], Expression]]] = []
    for i in range(len(motion.tree.bodies)):
        for k in range(3):
            products.append((motion.partial_angular_velocity(i, r, k), partial(torque, i, k)))
            if motion.inertias[i].mass != 0:
                products.append((velocity(i, k), partial(force, i, k)))
    return collected_products(motion.turns, products)


# -- of a tree whose motion is given ------------------------------------------------------------------------------------


def forces(tree: Mechanism, graph: Graph, q: Vector, v: Vector, a: Vector) -> list[Expression]:
    """Generalized forces [N m, N] that move a plain tree so, in the order of its coordinates, gravity included.

    ``q``, ``v`` and ``a`` are expressions of ``graph``, one for each coordinate.  Values of the tree that are expressions
    stay live.  The partial velocities are those of the joint rates.
    """
    n = len(tree.coordinates)
    unit = [[constant(graph, int(r == s)) for r in range(n)] for s in range(n)]
    return nonholonomic_forces(tree, graph, q, v, a, unit)


def nonholonomic_forces(
    tree: Mechanism, graph: Graph, q: Vector, v: Vector, a: Vector, rates_from_speeds: Rows
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
