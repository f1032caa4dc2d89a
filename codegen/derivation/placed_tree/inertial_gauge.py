"""Inertial gauge: move inertial parameters across joints without changing any generalized force.

At a revolute joint with axis e, mass, first moment along e and second moment along e, all taken at a point of the axis,
belong to points that both bodies carry along alike: any amounts (mu, nu, sigma) may move from the child to the parent.
At a prismatic joint both bodies turn alike, so the whole second-moment tensor about the child's origin may move.  (The
classical minimal parameters of Gautier & Khalil 1990 are one such choice: everything that can move, moves.)  Reactions at
the crossed joints do change; kernels for them use the original parameters.

Which numbers vanish is free, and the best choice depends on the formula that uses them; the choices are decision points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedBody, PlacedTree, with_inertia
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.values import plain

POINT, KEPT = "second moment of", "mass of"
"""How the names of this module's decision points begin."""

EMPTIED = f"{KEPT} all bodies"
"""The decision point whether masses that empty something of a parent are looked for at all."""

_LARGEST_MASS = 10
"""Times the masses of both bodies: of a larger mass that moves as much stays, and cancels what it does in doubles."""

_REMEMBERED = 256
"""Steps of regroupings remembered: for most answers of a search, only bodies nearer to the base have others than before."""


def regroup(tree: PlacedTree, choices: Choices) -> PlacedTree:
    """Move parameters towards the base, tips first, by amounts that the decision points choose."""
    described = tree
    emptied = any(_empties(tree, i) for i in range(len(tree.bodies))) and choices.pick(EMPTIED, 2, late=True)
    for i in reversed(range(len(tree.bodies))):
        body = tree.bodies[i]
        if body.still:
            continue  # what would cross changes its orientation with coordinates that the tree does not know
        kept = answer = 0
        if body.revolute:
            scope = _scope(tree.bodies, i)
            count = len(_masses(tree, i)) if emptied else 1
            if count > 1:
                kept = choices.pick(f"{KEPT} {body.name}", count, *scope, coarse=True)
                kept = (kept + _empties(tree, i)) % count
            count = len(_second_moments(tree, i, kept))
            answer = choices.pick(f"{POINT} {body.name} along its axis", count, *scope, coarse=True)
        tree = _moved(tree, i, kept, answer)
    return replace(tree, as_described=described)


@lru_cache(maxsize=_REMEMBERED)
def _moved(tree: PlacedTree, i: int, kept: int, answer: int) -> PlacedTree:
    """The tree with what may cross the joint of body i on its parent.

    First moment along the axis of a revolute joint goes entirely, of mass and second moments what the answers say.
    """
    body = tree.bodies[i]
    if not body.revolute:
        return sent_inward(tree, i, *split(body, Fraction(0), Fraction(0), None))
    mass, second = _masses(tree, i)[kept], _second_moments(tree, i, kept)[answer]
    return sent_inward(tree, i, *split(body, mass, body.first_moment[body.axis], second))


Amounts = tuple[Any, vec.Vector, vec.Matrix]
"""Mass, first and second moments at a body's origin, in its frame."""


def sent_inward(tree: PlacedTree, i: int, stays: PlacedBody, leaving: Amounts) -> PlacedTree:
    """The tree with what leaves body i on its parent, or on the base, and what stays in its place."""
    bodies, body = list(tree.bodies), tree.bodies[i]
    bodies[i] = stays
    if body.parent >= 0:
        bodies[body.parent] = receive(bodies[body.parent], body, *leaving)
        return replace(tree, bodies=tuple(bodies))
    arrived = vec.add(vec.scale(leaving[0], body.position), vec.apply(body.rotation, leaving[1]))
    first = vec.add(tree.base_first_moment, arrived)
    return replace(tree, bodies=tuple(bodies), base_first_moment=first, base_mass=tree.base_mass + leaving[0])


def _scope(bodies: Sequence[PlacedBody], i: int) -> list[str]:
    """Bodies that feel what crosses the joint of body i: itself and its ancestors up to the first revolute joint."""
    scope = [bodies[i].name]
    i = bodies[i].parent
    while i >= 0:
        scope.append(bodies[i].name)
        if bodies[i].revolute:
            break
        i = bodies[i].parent
    return scope


@lru_cache(maxsize=_REMEMBERED)
def _masses(tree: PlacedTree, i: int) -> tuple[Any, ...]:
    """Masses that may well move across the revolute joint of body i: all of its mass, or what empties its parent.

    A component of a first moment takes part in a force and in two moments, a mass in a force alone: so a mass that stays
    costs less than the component that it makes vanish on the parent.
    """
    body = tree.bodies[i]
    if body.parent < 0:
        return (body.mass,)
    parent, first = tree.bodies[body.parent], body.first_moment[body.axis]
    along = vec.scale(first, vec.transpose(body.rotation)[body.axis])
    numbers = (body.mass, parent.mass, *body.position, *along, *parent.first_moment)
    if not all(isinstance(x, Fraction) for x in numbers):
        return (body.mass,)
    masses: list[Any] = [body.mass]
    for r, place in enumerate(body.position):
        if place != 0 and not (parent.revolute and r == parent.axis):
            mass: Any = plain(-(parent.first_moment[r] + along[r]) / place)
            if abs(mass) <= _LARGEST_MASS * sum(map(abs, numbers[:2])):
                masses.append(mass)
    return tuple(dict.fromkeys(masses))


def _empties(tree: PlacedTree, i: int) -> bool:
    """Whether a mass that empties the parent of body i is likely to pay: all of it moves, and nothing else arrives."""
    body = tree.bodies[i]
    if not body.revolute or body.still or body.parent < 0 or tree.bodies[body.parent].parent < 0:
        return False
    return i == min(tree.children(body.parent))


@lru_cache(maxsize=_REMEMBERED)
def _second_moments(tree: PlacedTree, i: int, kept: int) -> tuple[Any, ...]:
    """Amounts sigma that may well move across the revolute joint of body i, none of them twice.

    The second moment along the axis may be spent on the body itself (empty one of its coefficients, or make two alike) or
    on the one that receives it.
    """
    body = tree.bodies[i]
    k = body.axis
    a, b = (k + 1) % 3, (k + 2) % 3
    own = body.second_moment
    amounts = [
        vec.minus(own[k][k], target) for target in (Fraction(0), own[a][a], own[b][b], -own[a][a], -own[b][b])
    ]
    receiver = _receiver(tree.bodies, i, _masses(tree, i)[kept])
    if receiver is not None:
        theirs, e = receiver
        others = [f for f in range(3) if f != e]
        amounts += [
            vec.minus(target, theirs[e][e])
            for target in (Fraction(0), *(s * theirs[f][f] for f in others for s in (1, -1)))
        ]
    unique: list[Any] = []
    for amount in amounts:
        if amount not in unique:
            unique.append(amount)
    return tuple(unique)


def _receiver(bodies: Sequence[PlacedBody], i: int, mass: Any) -> tuple[vec.Matrix, int] | None:
    """Second moments of the body that keeps what body i sends, before any second moment along the axis has been sent.

    Prismatic joints pass second moments on.  With the coordinate axis of that body to which the joint axis is parallel;
    None where it is parallel to none, or to that body's own joint axis (such an amount would move on).
    """
    body = bodies[i]
    if body.parent < 0:
        return None
    _, (_, first, second) = split(body, mass, body.first_moment[body.axis], Fraction(0))
    direction: vec.Vector = vec.transpose(body.rotation)[body.axis]
    receiving = receive(bodies[body.parent], body, mass, first, second)
    while not receiving.revolute and not receiving.still and receiving.parent >= 0:
        direction = vec.apply(receiving.rotation, direction)
        _, sent = split(receiving, Fraction(0), Fraction(0), None)
        receiving = receive(bodies[receiving.parent], receiving, *sent)
    nonzero = [e for e in range(3) if direction[e] != 0]
    if len(nonzero) != 1 or nonzero[0] == receiving.axis:
        return None
    return receiving.second_moment, nonzero[0]


def split(body: PlacedBody, mass: Any, first: Any, second: Any) -> tuple[PlacedBody, Amounts]:
    """What stays on the body, and what leaves."""
    zero = Fraction(0)
    if second is None:
        none = tuple((zero,) * 3 for _ in range(3))
        return (
            with_inertia(body, body.mass, body.first_moment, none),
            (zero, (zero,) * 3, body.second_moment),
        )
    e = tuple(Fraction(int(i == body.axis)) for i in range(3))
    leaving = (mass, vec.scale(first, e), vec.matrix_scale(second, vec.outer(e, e)))
    stays = with_inertia(
        body,
        vec.minus(body.mass, mass),
        vec.subtract(body.first_moment, leaving[1]),
        vec.matrix_add(body.second_moment, vec.matrix_scale(Fraction(-1), leaving[2])),
    )
    return stays, leaving


def receive(
    parent: PlacedBody, child: PlacedBody, mass: Any, first: vec.Vector, second: vec.Matrix
) -> PlacedBody:
    """The parent with the child's parameters added at the joint's origin."""
    r, p = child.rotation, child.position
    if not child.revolute:
        p = (Fraction(0),) * 3  # only second moments cross, and they do not feel the shift
    turned_first = vec.apply(r, first)
    added = vec.matrix_add(vec.outer(p, turned_first), vec.outer(turned_first, p))
    added = vec.matrix_add(
        added, vec.matrix_add(vec.congruence(r, second), vec.matrix_scale(mass, vec.outer(p, p)))
    )
    # settled, since exact products of sixty-digit numbers would grow by their digits at every joint
    return with_inertia(
        parent,
        plain(parent.mass + mass),
        tuple(map(plain, vec.add(parent.first_moment, vec.add(vec.scale(mass, p), turned_first)))),
        tuple(tuple(map(plain, row)) for row in vec.matrix_add(parent.second_moment, added)),
    )
