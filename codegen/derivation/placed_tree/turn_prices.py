"""What a turn of frames costs, roughly: an estimate that ranks the turns a search tries.

Only zeros and ones in constant rotations count, so the estimate is made in floating point: what is exactly zero or one in
the exact numbers comes out within a few rounding errors of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanegen.codegen.derivation.placed_tree.placement import PlacedBody, PlacedTree
from kanegen.codegen.graph import linear as vec

VECTORS = 5
"""Vectors that cross a joint in most kernels: velocity, acceleration, force, moment and a column of U."""

COMPONENT = 6
"""Operations that a first moment or a product of inertia takes in most kernels: it enters three forces or moments."""

WEIGHT = (0, 2, 6)
"""Operations that turn the gravity of the base by a joint's angle, by how many components it has across the axis."""

TIED = 6
"""Operations that an offset takes where equations need sine and cosine of the angle without it."""

_SAME = 1e-12
"""Entries of rotations that differ by no more than rounding errors are alike; other numbers, relative to the largest."""


@dataclass(frozen=True, slots=True)
class Around:
    """What prices of turns depend on beside the body and its children.

    The gravity of the base; whether coordinates stand in equations too; the joints that no offset may be added to; and what
    is still to be turned: the frames of the children, or those of the parent, about its axis ``before``.
    """

    gravity: tuple[float, ...]
    tied: bool
    shared: frozenset[str]
    inwards: bool
    before: int | None


class TurnPrices:
    """Prices of turning the joint frame and the own frame of a body about its joint axis."""

    def __init__(self, body: PlacedBody, children: Sequence[PlacedBody], around: Around) -> None:
        self._body, self._around, self._axis = body, around, body.axis
        self._rotation = _rough(body.rotation)
        self._first, self._second = _inertia(body)
        self._children = [
            (
                c.axis if c.revolute and not around.inwards and c.joint not in around.shared else None,
                _rough(c.rotation),
                _rough_vector(c.position),
            )
            for c in children
        ]

    def of(self, joint: tuple[float, float], own: tuple[float, float]) -> int:
        """Operations of the constant rotations at the joint and at those of the children, and of the body's own moments.

        For turns of the joint frame and of the body's own frame, (cosine, sine) each.
        """
        around = self._around
        turned = vec.multiply(self._rotation, _turn(self._axis, joint))
        price = _own_price(self._body, turned, joint != own, around.gravity, around.tied, around.before)
        back = _turn(self._axis, (own[0], -own[1]))
        price += _price_of_moments(
            self._axis,
            (self._first, self._second),
            vec.apply(back, self._first),
            vec.congruence(back, self._second),
        )
        for k, rotation, position in self._children:
            seen = vec.multiply(back, rotation)
            price += _least(seen, k, around.tied)
            price += VECTORS * sum(abs(x) > _SAME for x in vec.apply(back, position))
        return price


def price_of(tree: PlacedTree) -> int:
    """The price of all frames as they are."""
    price, weight = 0, weight_of(tree)
    for body in tree.bodies:
        moments = _inertia(body)
        price += _price_of_moments(body.axis, moments, *moments)
        if not is_numeric(body):
            continue
        price += _own_price(body, _rough(body.rotation), bool(body.offset), weight, tree.tied, None)
        if body.parent >= 0:
            price += VECTORS * sum(abs(x) > _SAME for x in map(_float, body.position))
    return price


def is_numeric(body: PlacedBody) -> bool:
    """Whether a body's place is all numbers."""
    return all(isinstance(x, Fraction) for row in (*body.rotation, body.position) for x in row)


def weight_of(tree: PlacedTree) -> tuple[float, ...]:
    """Gravity in doubles; none where it is not all numbers."""
    numbers = all(isinstance(x, Fraction) for x in tree.gravity)
    return tuple(map(_float, tree.gravity)) if numbers else (0.0,) * 3


def _own_price(
    body: PlacedBody,
    rotation: vec.Matrix,
    offset: bool,
    gravity: Sequence[float],
    tied: bool,
    before: int | None,
) -> int:
    """Operations of the constant rotation of a body's joint, and of an offset of its angle."""
    price = (TIED if tied else 1) * offset
    if body.parent >= 0:
        return price + _least(vec.transpose(rotation), before, tied)
    if body.revolute:
        price += WEIGHT[_across(body.axis, vec.apply(vec.transpose(rotation), gravity), gravity)]
    return price


def _price_of_moments(
    axis: int, before: tuple[vec.Vector, vec.Matrix], first: vec.Vector, second: vec.Matrix
) -> int:
    """Operations of first and second moments; what lies along the axis moves on to the parent."""
    products = [second[r][(r + 1) % 3] for r in range(3)]
    return COMPONENT * (_across(axis, first, before[0]) + _nonzero(products, sum(before[1], ())))


def _across(axis: int, vector: Sequence[float], among: Sequence[float]) -> int:
    """How many components across the axis a vector has."""
    return _nonzero([vector[(axis + 1) % 3], vector[(axis + 2) % 3]], among)


def _least(rotation: vec.Matrix, k: int | None, tied: bool) -> int:
    """Operations of a constant rotation of all vectors, after the best turn about axis k if there is one to come."""
    turns = [] if k is None else list(_sparse_turns(rotation, k))
    offset = TIED if tied else 1
    least = [
        VECTORS * _operations(rotation),
        *(VECTORS * _operations(vec.multiply(rotation, _turn(k or 0, t))) + offset for t in turns),
    ]
    return min(least)


def _inertia(body: PlacedBody) -> tuple[vec.Vector, vec.Matrix]:
    """First and second moments; nothing where they are not all numbers."""
    first, second = body.first_moment, body.second_moment
    if all(isinstance(x, Fraction) for row in (first, *second) for x in row):
        return tuple(map(_float, first)), _rough(second)
    return (0.0,) * 3, ((0.0,) * 3,) * 3


def _nonzero(values: Sequence[float], among: Sequence[float]) -> int:
    """How many of the values are not zero beside the largest of others."""
    least = _SAME * max(map(abs, among))
    return sum(abs(x) > least for x in values)


def _float(number: Any) -> float:
    return float(number)


def _rough_vector(v: vec.Vector) -> vec.Vector:
    return tuple(map(_float, v))


def _rough(rotation: vec.Matrix) -> vec.Matrix:
    return tuple(map(_rough_vector, rotation))


def _turn(k: int, turn: tuple[float, float]) -> vec.Matrix:
    """Rot(e_k, angle) of an angle by its cosine and sine."""
    a, b = (k + 1) % 3, (k + 2) % 3
    rows = [[float(i == j) for j in range(3)] for i in range(3)]
    rows[a][a] = rows[b][b] = turn[0]
    rows[a][b], rows[b][a] = -turn[1], turn[1]
    return tuple(map(tuple, rows))


def _sparse_turns(rotation: vec.Matrix, k: int) -> Iterator[tuple[float, float]]:
    """Turns about axis k after which an entry of the rotation vanishes."""
    for row in rotation:
        x, y = row[(k + 1) % 3], row[(k + 2) % 3]
        if abs(x) > _SAME and abs(y) > _SAME:
            length = math.copysign(math.sqrt(x * x + y * y), y)
            yield y / length, -x / length


def _operations(rotation: vec.Matrix) -> int:
    """Multiplications and additions of a constant rotation applied to a vector."""
    entries = [abs(x) for row in rotation for x in row if abs(x) > _SAME]
    operations: int = len(entries) + sum(abs(x - 1) > _SAME for x in entries) - 3
    return operations
