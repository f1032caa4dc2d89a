"""What a turn of frames costs, roughly: an estimate that ranks the turns a search tries.

Only zeros and ones in constant rotations count, so the estimate is made in floating point: what is exactly zero or one in
the exact numbers comes out within a few rounding errors of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from kanegen.codegen.derivation.placed_tree.placement import PlacedBody, Vector3
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


class TurnPrices:
    """Prices of turning the joint frame and the own frame of a body about its joint axis."""

    def __init__(
        self, body: PlacedBody, children: Sequence[PlacedBody], gravity: Vector3, tied: bool
    ) -> None:
        self._offset = TIED if tied else 1
        self._axis, self._parent = body.axis, body.parent
        self._gravity = tuple(map(_float, gravity)) if body.revolute and body.parent < 0 else (0.0,) * 3
        self._rotation = _rough(body.rotation)
        self._first, self._second = _inertia(body)
        self._children = [(c.axis, _rough(c.rotation), tuple(map(_float, c.position))) for c in children]

    def of(self, joint: tuple[float, float], own: tuple[float, float]) -> int:
        """Operations of the constant rotations at the joint and at those of the children, and of the body's own moments.

        For turns of the joint frame and of the body's own frame, (cosine, sine) each.
        """
        price = self._offset * (joint != own)
        turned = vec.multiply(self._rotation, _turn(self._axis, joint))
        if self._parent >= 0:
            price += VECTORS * _operations(turned)
        else:
            price += WEIGHT[self._across(vec.apply(vec.transpose(turned), self._gravity), self._gravity)]
        back = _turn(self._axis, (own[0], -own[1]))
        first, second = vec.apply(back, self._first), vec.congruence(back, self._second)
        products = [second[r][(r + 1) % 3] for r in range(3)]
        moments = self._across(first, self._first)  # what lies along the axis moves on
        price += COMPONENT * (moments + _nonzero(products, sum(self._second, ())))
        for k, rotation, position in self._children:
            seen = vec.multiply(back, rotation)
            turns = [(1.0, 0.0), *_sparse_turns(seen, k)]
            price += VECTORS * min(
                _operations(vec.multiply(seen, _turn(k, turn))) + (i > 0) for i, turn in enumerate(turns)
            )
            price += VECTORS * sum(abs(x) > _SAME for x in vec.apply(back, position))
        return price

    def _across(self, vector: Sequence[float], among: Sequence[float]) -> int:
        """How many components across the axis a vector has."""
        return _nonzero([vector[(self._axis + 1) % 3], vector[(self._axis + 2) % 3]], among)


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


def _rough(rotation: vec.Matrix) -> vec.Matrix:
    return tuple(tuple(map(_float, row)) for row in rotation)


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
