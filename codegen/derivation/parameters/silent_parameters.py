"""Which combinations of a body's inertial parameters cause no force of its own joint, whatever the motion.

They are the null space of ten columns, the joint's force for the unit parameters, at random states.  Numbers of a derivation
are exact to some 58 digits; in 90-digit arithmetic the columns that depend on others are told from those that hardly do, and
the coefficients of the combinations come out exactly.

The joints of a ball act as one; their chain begins anew wherever the ball is, so its placement is random, too.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath

from kanegen.codegen.derivation.parameters.inertial_parameters import COUNT, TENSOR_PLACES
from kanegen.codegen.derivation.parameters.regressor_entries import RegressorEntries
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression, Graph, Program, evaluate_entries, inputs, multiprecision
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import settle

_DIGITS = 90
"""Numbers of a derivation have 60 digits, so that identities hold to about 58; the arithmetic must not add to that."""

_ZERO_BELOW = mpmath.mpf(10) ** -30
"""Of the largest entry of its column: what is left of a dependent column has some 50 digits less than an independent one."""

_SIMPLE_DENOMINATOR = 10**6
_SAME_BELOW = Fraction(1, 10**40)
_STATES = 14
"""Ten columns need ten states; a few more make up for states that happen to say little."""


Group = tuple[int, ...]
"""Joints that act as one, by their bodies: one joint, or those of a ball, the innermost first."""

Combination = Mapping[int, Fraction]
"""Coefficients of a body's unit parameters by their place among the ten."""


def silent_parameters(tree: PlacedTree, mechanism: Mechanism) -> dict[Group, dict[int, Combination]]:
    """For the joints, tips first: independent combinations of the last body's parameters that cause none of their forces.

    Each combination belongs to a parameter: it has 1 there and otherwise only parameters to which none belongs.
    """
    with mpmath.workdps(_DIGITS):
        return {
            group: _null_space(rows, _preference(tree, group[-1]))
            for group, rows in _own_forces(tree, mechanism).items()
        }


def _own_forces(tree: PlacedTree, mechanism: Mechanism) -> dict[Group, list[list[Any]]]:
    """For each joint (or the joints of a ball, as one), tips first: its force for the ten unit parameters, by state."""
    groups = _groups(tree)
    balls = [group for group in groups if tree.bodies[group[0]].still]
    tree = _turning(tree, balls)
    graph = Graph()
    q, v, a = (inputs(graph, name, len(tree.bodies)) for name in "qva")
    entry = RegressorEntries(tree, Motion(tree, graph, Choices(), q, v, a, tree.gravity)).entry
    results = tuple(tuple(entry(i, g[-1], k).ref for i in g for k in range(COUNT)) for g in groups)
    program = Program("", "", "", (), (), graph, results)
    fixed = {p.name: mpmath.mpf(p.value.numerator) / p.value.denominator for p in mechanism.parameters}
    at_states = [evaluate_entries(program, state, multiprecision(), fixed) for state in _states(tree, balls)]
    return {
        group: [at[g][COUNT * r : COUNT * r + COUNT] for at in at_states for r in range(len(group))]
        for g, group in enumerate(groups)
    }


def _groups(tree: PlacedTree) -> list[Group]:
    """The joints, tips first; the joints of a ball together, the innermost first."""
    groups: list[list[int]] = []
    by_last: dict[int, list[int]] = {}
    for i, body in enumerate(tree.bodies):
        before = by_last.get(body.parent)
        if body.still and before is not None and tree.bodies[body.parent].carrier:
            before.append(i)
            by_last[i] = by_last.pop(body.parent)
        else:
            group = [i]
            groups.append(group)
            if body.still:
                by_last[i] = group
    return sorted((tuple(group) for group in groups), key=lambda group: -group[-1])


def _turning(tree: PlacedTree, balls: Sequence[Group]) -> PlacedTree:
    """The tree with balls that have any orientation, and any place where they are free: parameters of their own names."""
    graph = Graph()

    def parameters(i: int, what: str, count: int) -> list[Expression]:
        return [Expression(graph, graph.parameter(name)) for name in _names(i, what, count)]

    bodies = list(tree.bodies)
    for group in balls:
        i = group[0]
        entries = parameters(i, "turn", 9)
        first, second, third = ((entries[r], entries[r + 1], entries[r + 2]) for r in (0, 3, 6))
        bodies[i] = replace(bodies[i], rotation=(first, second, third))
        if not bodies[i].revolute:
            x, y, z = parameters(i, "place", 3)
            bodies[i] = replace(bodies[i], position=(x, y, z))
    return replace(tree, bodies=tuple(bodies))


def _names(i: int, what: str, count: int) -> list[str]:
    """Names that no parameter of a model has."""
    return [f" {what} {i} {k}" for k in range(count)]


def _states(tree: PlacedTree, balls: Sequence[Group]) -> list[dict[tuple[str, int], Any]]:
    """Numbers for every input, and for the placements of balls, the same at every call."""
    chance = random.Random(0)  # any states will do, but always the same ones

    def numbers(count: int) -> list[Any]:
        return [mpmath.mpf(chance.randrange(-(2**32), 2**32)) / 2**31 for _ in range(count)]

    states = []
    for _ in range(_STATES):
        state: dict[tuple[str, int], Any] = {}
        for name in "qva":
            state |= {(name, i): x for i, x in enumerate(numbers(len(tree.bodies)))}
        for group in balls:
            turn = [x for row in _rotation(numbers(4)) for x in row]
            for what, values in (("turn", turn), ("place", numbers(3))):
                named = zip(_names(group[0], what, len(values)), values, strict=True)
                state |= {(name, 0): x for name, x in named}
        states.append(state)
    return states


def _rotation(quaternion: Sequence[Any]) -> list[list[Any]]:
    """The rotation matrix of a quaternion of any length."""
    w, *vector = quaternion
    square = sum(x * x for x in quaternion)
    x, y, z = vector
    skew = ((0, -z, y), (z, 0, -x), (-y, x, 0))
    twice = [[2 * (vector[r] * vector[c] + w * skew[r][c]) for c in range(3)] for r in range(3)]
    # R = (w^2 - v.v) 1 + 2 v v^T + 2 w skew(v), over the square of the length
    own = 2 * w * w - square
    return [[(twice[r][c] + (own if r == c else 0)) / square for c in range(3)] for r in range(3)]


def _preference(tree: PlacedTree, i: int) -> list[int]:
    """Places of the ten parameters, those to keep first.

    For a revolute joint the order of the literature's minimal parameters: of what may go, mass, first moment along the axis
    and the inertia about the second axis across it go.
    """
    body = tree.bodies[i]
    k = body.axis
    a, b = (k + 1) % 3, (k + 2) % 3
    at = TENSOR_PLACES
    tensor = [at[k][k], at[a][a], at[a][b], at[a][k], at[b][k]]
    first = [1 + a, 1 + b]
    if body.revolute:
        return [*tensor, *first, at[b][b], 1 + k, 0]
    return [0, *first, 1 + k, *tensor, at[b][b]]


def _null_space(rows: list[list[Any]], order: Sequence[int]) -> dict[int, Combination]:
    """For each column that depends on those before it in ``order``: the combination of columns that vanishes.

    The combination has 1 at the column itself and otherwise only entries at independent columns.
    """
    scale = {c: max(abs(row[c]) for row in rows) for c in order}
    m = [list(row) for row in rows]
    pivots: list[int] = []
    dependent: dict[int, Combination] = {}
    vanishing = {c for c in order if scale[c] <= _ZERO_BELOW * max(scale.values())}
    for c in order:
        rest = [abs(row[c]) for row in m[len(pivots) :]]
        if c in vanishing or max(rest, default=0) <= _ZERO_BELOW * scale[c]:
            dependent[c] = {}
            continue
        at = len(pivots)
        best = at + rest.index(max(rest))
        m[at], m[best] = m[best], m[at]
        pivot = m[at][c]
        m[at] = [x / pivot for x in m[at]]
        for r, row in enumerate(m):
            if r != at and row[c] != 0:
                factor = row[c]
                m[r] = [x - factor * y for x, y in zip(row, m[at], strict=True)]
        pivots.append(c)
    for c in dependent:
        weights = {} if c in vanishing else {p: -_fraction(m[at][c]) for at, p in enumerate(pivots)}
        dependent[c] = {c: Fraction(1)} | {p: w for p, w in weights.items() if w}
    return dependent


def _fraction(x: Any) -> Fraction:
    digits = int(mpmath.nint(x * mpmath.mpf(10) ** 55))
    return simplest(Fraction(digits, 10**55))


def simplest(x: Fraction) -> Fraction:
    """The simple fraction that a number stands for which rounding errors in its last digits have touched."""
    if x.denominator < _SIMPLE_DENOMINATOR:
        return x
    simple = x.limit_denominator(_SIMPLE_DENOMINATOR)
    return simple if abs(simple - x) < _SAME_BELOW else settle(x)
