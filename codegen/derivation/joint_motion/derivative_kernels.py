"""Derivatives of the inverse dynamics of a mechanism with ball joints, mimics, springs or friction.

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
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from kanegen.codegen.derivation.derivatives_through import (
    TreeForces,
    inverse_dynamics_through,
    standing_for_inverse_dynamics,
)
from kanegen.codegen.derivation.differentiate import along_speeds
from kanegen.codegen.derivation.force_derivatives import SOURCE
from kanegen.codegen.derivation.joint_motion.coordinates import level_rotors
from kanegen.codegen.derivation.joint_motion.kernels import inverse_dynamics, mass_matrix
from kanegen.codegen.derivation.joint_motion.setting import Setting, Vector
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.graph import Expression, Graph, Program, Tangents, compose, constant, inputs, total
from kanegen.codegen.graph import linear as vec

Numbers = tuple[tuple[Fraction, ...], ...]


def inverse_dynamics_derivatives(s: Setting, build: Build) -> Program:
    """Derivatives of tau; ``build`` makes the tree's own derivatives by q, v and a."""
    real = s.basis.programs["inverse_dynamics"]
    programs = {**s.basis.programs, "inverse_dynamics": standing_for_inverse_dynamics}
    s = Setting(replace(s.basis, programs=programs), s.tree, s.tree_mechanism, s.choices)
    v, a = s.input("v", s.nv), s.input("a", s.nv)
    motion = {
        "q": s.coordinates.positions(),
        "v": s.coordinates.rates(v),
        "a": s.coordinates.accelerations(v, a),
    }
    forces = TreeForces.of(
        s.of_tree(real, v, a)[0],
        motion,
        build(s.tree, s.tree_mechanism, s.choices),
        s.of_tree(build, v, a),
    )
    one = constant(s.graph, 1)
    units = [[one if i == j else s.zero for i in range(s.nv)] for j in range(s.nv)]
    steps, coordinates = along_speeds([s.coordinates.coordinate_rates(unit) for unit in units], s.q)
    return inverse_dynamics_through(
        inverse_dynamics(s),
        mass_matrix(s),
        steps,
        coordinates,
        forces,
        f"{SOURCE}, carried to the speeds",
        _changes(s, forces, steps),
    )


def _changes(s: Setting, forces: TreeForces, steps: Vector) -> dict[Expression, list[Expression]]:
    """What steps of ball joints add to the forces on the tree's joints.  Level rotors resist a, which a step keeps."""
    level = level_rotors(s.mechanism)
    rotors = [s.lift(level.get(joint.name, Fraction(0))) for joint in s.basis.joints]
    bodies = [f - r * x for f, r, x in zip(forces.values, rotors, forces.motion["a"], strict=True)]
    found: dict[Expression, list[Expression]] = {}
    for ball in s.mechanism.balls:
        first = s.mechanism.rates.index(ball.joints[0])
        chain = slice(first, first + len(ball.joints))
        x1, x2 = forces.motion["v"][chain], forces.motion["a"][chain]
        table = _chain(ball.free)
        for k in range(len(ball.joints)):
            moved = vec.scale(-1, vec.apply_total(s.graph, table.first[k], x1))
            leaning = _weighted(s, table.first, moved), _weighted(s, table.first, x1)
            parts = [
                vec.apply_total(s.graph, table.first[k], x2),
                vec.apply_total(s.graph, _weighted(s, table.second[k], x1), x1),
                vec.apply_total(s.graph, leaning[0], x1),
                vec.apply_total(s.graph, leaning[1], moved),
            ]
            accelerated = vec.scale(-1, vec.add_total(s.graph, *parts))
            turned = vec.apply_total(s.graph, vec.transpose(table.first[k]), bodies[chain])
            change = []
            for i in range(len(forces.values)):
                rows = {name: list(rows[i]) for name, rows in forces.derivatives.items()}
                rows["a"][i] = rows["a"][i] - rotors[i]
                terms = [rows["q"][first + k]]
                terms += vec.products(rows["v"][chain], moved)
                terms += vec.products(rows["a"][chain], accelerated)
                if first <= i < chain.stop:
                    terms.append(-turned[i - first])
                change.append(total(s.graph, terms))
            found[steps[first + k]] = change
    return found


# -- small matrices ------------------------------------------------------------------------------------------------------


def _weighted(s: Setting, matrices: Sequence[Numbers], weights: Vector) -> list[list[Expression]]:
    """sum_l matrices[l] weights[l]."""
    n = len(weights)
    return [
        [vec.dot_total(s.graph, [m[r][c] for m in matrices], weights) for c in range(n)] for r in range(n)
    ]


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
