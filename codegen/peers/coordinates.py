"""From kanegen's coordinates to those of another engine: q' = f(q), v' = B(q) v, a' = B a + dB/dt v."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.peers.links import number

Array = NDArray[np.float64]


class Block(Protocol):
    """One joint of the engine."""

    @property
    def slots(self) -> tuple[int, int]:
        """Where its entries of q' and of v' begin."""

    @property
    def constant(self) -> bool:
        """Whether its part of B does not depend on q."""

    def place(self, q: Array, target: Array) -> None:
        """Write its entries of q' from q."""

    def rates(self, q: Array, target: Array) -> None:
        """Write its rows of B."""

    def drift(self, q: Array, v: Array, target: Array) -> None:
        """Write its entries of dB/dt v, which are zero so far."""


@dataclass(frozen=True)
class Scalar:
    """A hinge or a slide: x = factor q[q_index] + offset; without an index it stands still at the offset.

    ``circle``: the engine has cosine and sine of the angle in place of the angle.
    """

    q_slot: int
    v_slot: int
    q_index: int | None
    v_index: int | None
    factor: float = 1.0
    offset: float = 0.0
    circle: bool = False

    @property
    def slots(self) -> tuple[int, int]:
        """As in ``Block``."""
        return self.q_slot, self.v_slot

    @property
    def constant(self) -> bool:
        """As in ``Block``."""
        return True

    def place(self, q: Array, target: Array) -> None:
        """As in ``Block``."""
        value = self.offset + (0.0 if self.q_index is None else self.factor * q[self.q_index])
        if self.circle:
            target[self.q_slot : self.q_slot + 2] = np.cos(value), np.sin(value)
        else:
            target[self.q_slot] = value

    def rates(self, q: Array, target: Array) -> None:
        """As in ``Block``."""
        if self.v_index is not None:
            target[self.v_slot, self.v_index] = self.factor

    def drift(self, q: Array, v: Array, target: Array) -> None:
        """As in ``Block``: nothing."""


@dataclass(frozen=True)
class Ball:
    """A ball or floating joint: position first, then the quaternion in the engine's order.

    ``outer``: the engine has the linear velocity along the axes of the joint frame, kanegen along those of the child.
    """

    q_slot: int
    v_slot: int
    q_index: int
    v_index: int
    free: bool
    scalar_first: bool = False
    outer: bool = False

    @property
    def slots(self) -> tuple[int, int]:
        """As in ``Block``."""
        return self.q_slot, self.v_slot

    @property
    def constant(self) -> bool:
        """As in ``Block``."""
        return not (self.free and self.outer)

    def place(self, q: Array, target: Array) -> None:
        """As in ``Block``."""
        shift = 3 if self.free else 0
        target[self.q_slot : self.q_slot + shift] = q[self.q_index : self.q_index + shift]
        x, y, z, w = q[self.q_index + shift : self.q_index + shift + 4]
        order = (w, x, y, z) if self.scalar_first else (x, y, z, w)
        target[self.q_slot + shift : self.q_slot + shift + 4] = order

    def rates(self, q: Array, target: Array) -> None:
        """As in ``Block``."""
        n = 6 if self.free else 3
        target[self.v_slot : self.v_slot + n, self.v_index : self.v_index + n] = np.eye(n)
        if not self.constant:
            target[self.v_slot : self.v_slot + 3, self.v_index : self.v_index + 3] = self._turn(q)

    def drift(self, q: Array, v: Array, target: Array) -> None:
        """As in ``Block``."""
        if not self.constant:
            linear, angular = v[self.v_index : self.v_index + 3], v[self.v_index + 3 : self.v_index + 6]
            target[self.v_slot : self.v_slot + 3] = self._turn(q) @ np.cross(angular, linear)

    def _turn(self, q: Array) -> Array:
        return rotation(q[self.q_index + 3 : self.q_index + 7])


class CoordinateMap:
    """The map, block by block and by the names of joints; ``nq`` and ``nv`` are the engine's.

    ``constant``: B does not depend on q.  ``square``: B has an inverse.
    """

    def __init__(self, mechanism: Mechanism, blocks: Mapping[str, Block], nq: int, nv: int) -> None:
        self._blocks = dict(blocks)
        self._nq, self._nv, self.own_nv = nq, nv, mechanism.dof
        self.constant = all(block.constant for block in blocks.values())
        self.square = nv == self.own_nv

    def slots(self, joint: str) -> tuple[int, int]:
        """Where a joint's entries of q' and of v' begin."""
        return self._blocks[joint].slots

    def position(self, q: Array) -> Array:
        """q', from q (nq,)."""
        target = np.zeros(self._nq)
        for block in self._blocks.values():
            block.place(q, target)
        return target

    def rates(self, q: Array) -> Array:
        """B."""
        target = np.zeros((self._nv, self.own_nv))
        for block in self._blocks.values():
            block.rates(q, target)
        return target

    def drift(self, q: Array, v: Array) -> Array:
        """dB/dt v."""
        target = np.zeros(self._nv)
        for block in self._blocks.values():
            block.drift(q, v, target)
        return target


def scalar(mechanism: Mechanism, joint: str, q_slot: int, v_slot: int, circle: bool = False) -> Scalar:
    """The block of a hinge or slide: a coordinate, a follower of one, or neither (then it stands still).

    Followers of followers count on the first leader.
    """
    end = mechanism.followed(joint)
    name = end.leader
    if name not in mechanism.coordinates:
        return Scalar(q_slot, v_slot, None, None, circle=circle)
    q_index, v_index = mechanism.coordinates.index(name), mechanism.rates.index(name)
    factor, offset = number(end.multiplier, mechanism), number(end.offset, mechanism)
    return Scalar(q_slot, v_slot, q_index, v_index, factor, offset, circle)


def ball(
    mechanism: Mechanism, name: str, q_slot: int, v_slot: int, *, scalar_first: bool, outer: bool
) -> Ball:
    """The block of a ball or floating joint."""
    record = mechanism.ball(name)
    assert record is not None, "asked for a ball joint's block"
    q_index = mechanism.coordinates.index(record.coordinates[0])
    v_index = mechanism.rates.index(record.joints[0])
    return Ball(q_slot, v_slot, q_index, v_index, record.free, scalar_first, outer)


def rotation(quaternion: Array) -> Array:
    """The matrix of a unit quaternion (x, y, z, w), from the turned axes to the outer ones."""
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
