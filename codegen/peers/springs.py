"""Springs and dampers beside an engine that has none, from their definitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.constraints import SpringDamper, TorsionalSpringDamper
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.peers.engine import Engine
from kanegen.codegen.peers.links import number

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Numbers:
    stiffness: float
    damping: float
    rest: float


class Springs:
    """The springs of a mechanism in the coordinates of an engine.

    ``slots`` says where the engine has the coordinate and the rate of a joint.
    """

    def __init__(self, mechanism: Mechanism, engine: Engine, slots: Callable[[str], tuple[int, int]]) -> None:
        self._engine, self._slots = engine, slots
        self._springs = [
            (
                spring,
                _Numbers(*(number(x, mechanism) for x in (spring.stiffness, spring.damping, spring.rest))),
            )
            for spring in mechanism.springs
        ]

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return bool(self._springs)

    def forces(self, q: Array, v: Array) -> Array:
        """What drives must supply on the engine's speeds to hold against them."""
        total = np.zeros(len(v))
        for spring, has in self._springs:
            length, slope = self._length(spring, q, len(v))
            total += slope * (has.stiffness * (length - has.rest) + has.damping * (slope @ v))
        return total

    def _length(self, spring: SpringDamper, q: Array, nv: int) -> tuple[float, Array]:
        """The stretched length or angle and its derivatives with respect to the engine's speeds."""
        if isinstance(spring, TorsionalSpringDamper):
            q_slot, v_slot = self._slots(spring.joint)
            slope = np.zeros(nv)
            slope[v_slot] = 1.0
            return float(q[q_slot]), slope
        ends = (spring.first, spring.second)
        first, second = (self._point(frame, q, nv) for frame in ends)
        apart = second[0] - first[0]
        length = float(np.linalg.norm(apart))
        return length, (second[1] - first[1]).T @ apart / length

    def _point(self, frame: str, q: Array, nv: int) -> tuple[Array, Array]:
        if frame not in self._engine.frames:  # the base
            return np.zeros(3), np.zeros((3, nv))
        return self._engine.frame_pose(q, frame)[:3, 3], self._engine.frame_jacobian(q, frame)[:3]
