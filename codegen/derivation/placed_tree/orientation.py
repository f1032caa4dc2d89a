"""Orientation: placed frames turned about their own joint axes, so that fixed rotations become sparse.

Descriptions often put a joint's frame at an odd angle about its own axis, and every vector that crosses the joint is then
turned once more by a constant rotation.  With R the fixed rotation of a joint (parent from joint frame), k its axis, and

    joint frame turned by phi:  R -> R Rot(k, phi),   body frame turned by psi:  R_c -> Rot(k, -psi) R_c  for its children,

the angle between the two frames becomes q + psi - phi.  Unequal angles cost one addition, equal ones nothing.  Right
choices bring R to the form of Denavit & Hartenberg (1955), a turn about one coordinate axis, and a mere permutation where
neighbouring axes are parallel or perpendicular.  Which pair pays is a decision point; the estimate of what the constant
rotations cost comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import Matrix3, PlacedBody, PlacedTree, Vector3
from kanegen.codegen.derivation.placed_tree.turn_prices import (
    Around,
    TurnPrices,
    is_numeric,
    price_of,
    weight_of,
)
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.exact import DIGITS, exact_square_root
from kanegen.codegen.mechanism.values import plain

POINT = "turn of"
"""How the names of this module's decision points begin."""

WAY = f"{POINT} all frames"
"""The decision point between the ways through the tree, and no turn at all."""

_ROUNDING = Fraction(1, 2**54)
"""Half a rounding of one: what a turn leaves in a rotation below this, where angles were written with rounded decimals, is
dropped."""


_ALIKE = 55
"""Decimals of a rotation's entries after turns: sine and cosine of 45 degrees are one number, not two of 60 digits."""

_SAME = Fraction(1, 10**20)
"""Cosines and sines of one angle, found from vectors of 60 digits that may have lost half of them, differ by less."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """An angle by its cosine and sine."""

    c: Fraction = Fraction(1)
    s: Fraction = Fraction(0)

    @property
    def rough(self) -> tuple[float, float]:
        """Cosine and sine in floating point."""
        return float(self.c), float(self.s)

    def matrix(self, k: int) -> vec.Matrix:
        """Rot(e_k, angle)."""
        a, b = (k + 1) % 3, (k + 2) % 3
        rows = [[Fraction(int(i == j)) for j in range(3)] for i in range(3)]
        rows[a][a] = rows[b][b] = self.c
        rows[a][b], rows[b][a] = -self.s, self.s
        return tuple(tuple(row) for row in rows)

    def is_close(self, other: _Turn) -> bool:
        """Whether the angles are equal but for rounding."""
        return abs(self.c - other.c) < _SAME and abs(self.s - other.s) < _SAME

    def back(self) -> _Turn:
        """The opposite angle."""
        return _Turn(self.c, -self.s)

    def beyond(self, other: _Turn) -> Fraction:
        """This angle less another one, in (-pi, pi]; exactly zero for equal angles, else to 60 digits [rad]."""
        c, s = self.c * other.c + self.s * other.s, self.s * other.c - self.c * other.s
        if s == 0 and c > 0:
            return Fraction(0)
        with mpmath.workdps(DIGITS + 5):
            x, y = (mpmath.mpf(v.numerator) / v.denominator for v in (c, s))
            return Fraction(mpmath.nstr(mpmath.atan2(y, x), DIGITS, strip_zeros=True))


_NONE = _Turn()


def turn_frames(tree: PlacedTree, choices: Choices) -> PlacedTree:
    """Turn body and joint frames about their axes by what the decision points choose.

    One of them is whether to go from the base outwards, or from the tips inwards (what pays where joints slide along the
    axes of others), or to turn none: kernels of frames that a user has placed may be better off with these.
    """
    ways = _ways(tree)
    if not ways:
        return tree
    at = choices.pick(WAY, len(ways) + 1, whole=True)
    return tree if at == len(ways) else _swept(tree, ways[at], choices)


def turn_last_bodies(tree: PlacedTree) -> PlacedTree:
    """Turn the frames of bodies without children alone, as is guessed to be best; joints and numbers stay as they are."""
    bodies = list(tree.bodies)
    for i, body in enumerate(bodies):
        if not tree.children(i):
            own = next(own for joint, own in _pairs(tree, bodies, i, inwards=False) if joint == _NONE)
            bodies[i] = replace(_turned(body, _NONE, own), rotation=body.rotation)
    return replace(tree, bodies=tuple(bodies))


@lru_cache(maxsize=8)
def _ways(tree: PlacedTree) -> list[bool]:
    """Whether to go inwards: the ways that turn anything, cheapest first by the estimate, without repetition."""
    trees = {inwards: _swept(tree, inwards, Choices()) for inwards in (False, True)}
    ways = [inwards for inwards, turned in trees.items() if turned.bodies != tree.bodies]
    if len(ways) == 2 and trees[False].bodies == trees[True].bodies:
        ways = [False]
    return sorted(ways, key=lambda inwards: price_of(trees[inwards]))


def _swept(tree: PlacedTree, inwards: bool, choices: Choices) -> PlacedTree:
    """The tree with the frames of one body after the other turned, each as its decision point chooses."""
    bodies = list(tree.bodies)
    for i in reversed(range(len(bodies))) if inwards else range(len(bodies)):
        body = bodies[i]
        pairs = _pairs(tree, bodies, i, inwards)
        if len(pairs) > 1:
            around = {bodies[j].name for j in (i, body.parent, *tree.children(i)) if j >= 0}
            at = choices.pick(f"{POINT} {body.name}", len(pairs), *sorted(around), coarse=True)
            joint, own = pairs[at]
            bodies[i] = _turned(body, joint, own)
            for j in tree.children(i):
                bodies[j] = _on_turned(bodies[j], body.axis, own)
    return replace(tree, bodies=tuple(bodies))


def _turned(body: PlacedBody, joint: _Turn, own: _Turn) -> PlacedBody:
    """The body with its joint frame and its own frame turned about the joint axis."""
    k = body.axis
    back = own.back().matrix(k)
    return replace(
        body,
        rotation=_rotation(vec.multiply(body.rotation, joint.matrix(k))),
        offset=body.offset + own.beyond(joint),
        first_moment=_vector(vec.apply(back, body.first_moment)),
        second_moment=_matrix(vec.congruence(back, body.second_moment)),
        frame_rotation=_matrix(vec.multiply(body.frame_rotation, own.matrix(k))),
    )


def _on_turned(body: PlacedBody, k: int, turn: _Turn) -> PlacedBody:
    """The body with its joint seen from a parent frame that was turned about axis k."""
    back = turn.back().matrix(k)
    return replace(
        body,
        rotation=_rotation(vec.multiply(back, body.rotation)),
        position=_vector(vec.apply(back, body.position)),
    )


def _pairs(
    tree: PlacedTree, bodies: Sequence[PlacedBody], i: int, inwards: bool
) -> list[tuple[_Turn, _Turn]]:
    """Pairs (joint frame, body frame) of turns worth trying, best guess first; one pair where there is nothing to gain."""
    body = bodies[i]
    children = tuple(child for child in bodies if child.parent == i)
    if any(b.still or not is_numeric(b) for b in (body, *children)):
        return [(_NONE, _NONE)]
    before = bodies[body.parent].axis if inwards and body.parent >= 0 else None
    around = Around(weight_of(tree), tree.tied, tree.shared, inwards, before)
    return _pairs_of_numeric(body, children, around)


@lru_cache(maxsize=4096)
def _pairs_of_numeric(
    body: PlacedBody, children: tuple[PlacedBody, ...], around: Around
) -> list[tuple[_Turn, _Turn]]:
    """The pairs for a body among its children; a search asks for the same ones again and again."""
    none = (_NONE, _NONE)
    k = body.axis
    joints = [_NONE, *_sparse_turns([(row[(k + 1) % 3], row[(k + 2) % 3]) for row in body.rotation])]
    columns = [vec.transpose(child.rotation)[child.axis] for child in children]
    columns += [column for child in children for column in vec.transpose(child.rotation)]
    columns += [child.position for child in children]
    columns += _of_moments(body) if body.revolute and not children else []
    owns = [_NONE, *_sparse_turns([(v[(k + 1) % 3], v[(k + 2) % 3]) for v in columns])]
    pairs = [(turn, turn) for turn in (*joints, *owns)]
    if body.revolute and body.joint not in around.shared:
        pairs += [(joint, own) for own in owns for joint in joints]
    prices = TurnPrices(body, children, around)
    priced = {
        pair: (prices.of(pair[0].rough, pair[1].rough), number)
        for number, pair in enumerate(dict.fromkeys(pairs))
    }
    before = priced[none][0]
    worth = [pair for pair, (price, _) in priced.items() if price < before]
    return [*sorted(worth, key=priced.__getitem__), none]


def _of_moments(body: PlacedBody) -> list[vec.Vector]:
    """Vectors along which first moment, products with the axis and a principal axis of a body are, if these are numbers."""
    k, first, second = body.axis, body.first_moment, body.second_moment
    if not all(isinstance(x, Fraction) for row in (first, *second) for x in row):
        return []
    a, b = (k + 1) % 3, (k + 2) % 3
    difference, twice = plain_fraction(second[a][a] - second[b][b]), plain_fraction(2 * second[a][b])
    principal = [Fraction(0)] * 3
    principal[a] = difference + exact_square_root(difference * difference + twice * twice)
    principal[b] = twice
    return [first, second[k], tuple(principal)]


def _sparse_turns(pairs: Sequence[tuple[Any, Any]]) -> list[_Turn]:
    """Turns that make the second component of a pair (x, y), a row vector, vanish: y c - x s = 0, by a quarter at most.

    Of pairs that ask for one turn, but for what 60 digits leave, the longest has it.
    """
    found: list[tuple[Fraction, _Turn]] = []
    for x, y in pairs:
        if x == 0 or y == 0:
            continue
        length = exact_square_root(x * x + y * y)
        turn = _Turn(plain_fraction(abs(x) / length), plain_fraction(y / length if x > 0 else -y / length))
        at = next((i for i, (_, other) in enumerate(found) if other.is_close(turn)), None)
        if at is None:
            found.append((length, turn))
        elif length > found[at][0]:
            found[at] = length, turn
    return [turn for _, turn in found]


def plain_fraction(value: Any) -> Fraction:
    """The value, settled."""
    settled = plain(value)
    assert isinstance(settled, Fraction)
    return settled


def _vector(v: vec.Vector) -> Vector3:
    x, y, z = (plain(component) for component in v)
    return x, y, z


def _matrix(m: vec.Matrix) -> Matrix3:
    x, y, z = (_vector(row) for row in m)
    return x, y, z


def _rotation(m: vec.Matrix) -> Matrix3:
    """A rotation without entries that no double next to one would show, and with alike ones equal."""
    x, y, z = (
        _vector(tuple(Fraction(0) if abs(e) < _ROUNDING else round(e, _ALIKE) for e in row)) for row in m
    )
    return x, y, z
