"""What steps along the speeds of ball joints change of the forces on the joints of their chains.

The tree's own derivatives are taken by the coordinates of its joints.  For the chain x of a ball joint these are not the
steps that are wanted: a step turns the child and keeps the components v and a of its motion along its own axes, while in
the chain v = E(x) x' with E(0) = 1.  With E_k = dE/dx_k and E_kl the second derivatives, all at zero, a step along x_k
changes

    x'   by  d' = - E_k v
    x''  by  - E_k x'' - (sum_l E_kl v_l) v - (sum_l E_l d'_l) v - (sum_l E_l v_l) d'
    the forces on the speeds, E^-T times those on the chain, by - E_k^T (forces on the chain).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from kanegen.codegen.derivation.motion_maps.leaning import level_rotors
from kanegen.codegen.derivation.motion_maps.motion_map import TreeForces, Vector
from kanegen.codegen.graph import Expression, Graph, Program, Tangents, compose, constant, inputs, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import Lift

Numbers = tuple[tuple[Fraction, ...], ...]


def changes_of_balls(
    mechanism: Mechanism, lift: Lift, forces: TreeForces, steps: Vector
) -> dict[Expression, list[Expression]]:
    """What steps of ball joints add to the forces on the tree's joints.  Level rotors resist a, which a step keeps."""
    graph, level = lift.graph, level_rotors(mechanism)
    rotors = [lift(level.get(name, Fraction(0))) for name in mechanism.rates]
    found: dict[Expression, list[Expression]] = {}
    for ball in mechanism.balls:
        first = mechanism.rates.index(ball.joints[0])
        chain = slice(first, first + len(ball.joints))
        x1, x2 = forces.motion["v"][chain], forces.motion["a"][chain]
        held = [f - r * x for f, r, x in zip(forces.values[chain], rotors[chain], x2, strict=True)]
        table = _chain(ball.free)
        for k in range(len(ball.joints)):
            moved = vec.scale(-1, vec.apply_total(graph, table.first[k], x1))
            leaning = _weighted(graph, table.first, moved), _weighted(graph, table.first, x1)
            parts = [
                vec.apply_total(graph, table.first[k], x2),
                vec.apply_total(graph, _weighted(graph, table.second[k], x1), x1),
                vec.apply_total(graph, leaning[0], x1),
                vec.apply_total(graph, leaning[1], moved),
            ]
            accelerated = vec.scale(-1, vec.add_total(graph, *parts))
            turned = vec.apply_total(graph, vec.transpose(table.first[k]), held)
            change = []
            for i in range(len(forces.values)):
                rows = {name: list(rows[i]) for name, rows in forces.derivatives.items()}
                if i < len(rotors):
                    rows["a"][i] = rows["a"][i] - rotors[i]
                terms = [rows["q"][first + k]]
                terms += vec.products(rows["v"][chain], moved)
                terms += vec.products(rows["a"][chain], accelerated)
                if first <= i < chain.stop:
                    terms.append(-turned[i - first])
                change.append(total(graph, terms))
            found[steps[first + k]] = change
    return found


# -- small matrices ------------------------------------------------------------------------------------------------------


def _weighted(graph: Graph, matrices: Sequence[Numbers], weights: Vector) -> list[list[Expression]]:
    """sum_l matrices[l] weights[l]."""
    n = len(weights)
    return [[vec.dot_total(graph, [m[r][c] for m in matrices], weights) for c in range(n)] for r in range(n)]


@dataclass(frozen=True)
class _Table:
    """``first[k]`` is E_k and ``second[k][l]`` is E_kl."""

    first: tuple[Numbers, ...]
    second: tuple[tuple[Numbers, ...], ...]


@cache
def _chain(free: bool) -> _Table:
    """Derivatives of E of a ball joint's chain, by differentiating its kinematics."""
    graph = Graph()
    size = 6 if free else 3
    x = inputs(graph, "x", size)
    matrix = _velocity_matrix(x)
    slopes = [Tangents(graph, {x_k: constant(graph, 1)}) for x_k in x]
    first = [[[slope.first(e) for e in row] for row in matrix] for slope in slopes]
    second = [[[[slope.first(e) for e in row] for row in m] for slope in slopes] for m in first]
    return _Table(
        tuple(_at_zero(graph, m, size) for m in first),
        tuple(tuple(_at_zero(graph, m, size) for m in row) for row in second),
    )


def _velocity_matrix(x: Vector) -> list[list[Expression]]:
    """E: velocity of the child's origin (where it is free) and angular velocity, along its axes, for unit rates."""
    graph = x[0].graph
    one, zero = constant(graph, 1), constant(graph, 0)
    turns = []
    for axis, angle in enumerate(x[-3:]):
        c, sine = angle.cosine(), angle.sine()
        a, b = (axis + 1) % 3, (axis + 2) % 3
        turn = [[one if r == k == axis else zero for k in range(3)] for r in range(3)]
        turn[a][a] = turn[b][b] = c
        turn[a][b], turn[b][a] = -sine, sine
        turns.append(vec.transpose(turn))  # from the axes before the joint to those after it
    angular = [
        vec.apply(turns[2], vec.apply(turns[1], (one, zero, zero))),
        vec.apply(turns[2], (zero, one, zero)),
        (zero, zero, one),
    ]
    linear = vec.multiply(turns[2], vec.multiply(turns[1], turns[0]))
    moving = len(x) - 3
    rows = [[*linear[r], zero, zero, zero] for r in range(moving)]
    return rows + [[*[zero] * moving, *(column[r] for column in angular)] for r in range(3)]


def _at_zero(graph: Graph, matrix: Sequence[Vector], size: int) -> Numbers:
    """The numbers that the entries are where all of x is zero."""
    refs = tuple(e.ref for row in matrix for e in row)
    program = Program("", "", "", (), (), graph, (refs,))
    target = Graph()
    flat = compose(program, target, {"x": [constant(target, 0)] * size})[0]
    return tuple(tuple(e.value for e in flat[size * r : size * r + size]) for r in range(size))
