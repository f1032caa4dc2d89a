"""Springs and dampers beside an engine that has none, from their definitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.constraints import SpringDamper
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.force_elements import Bushing, ForceElement, coordinates_of, lines_of
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
            if not isinstance(spring, ForceElement | Bushing)
        ]
        self._bushings = [s for s in with_numbers(mechanism).springs if isinstance(s, Bushing)]
        self._elements = [s for s in with_numbers(mechanism).springs if isinstance(s, ForceElement)]

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return bool(self._springs or self._elements or self._bushings)

    def forces(self, q: Array, v: Array) -> Array:
        """What drives must supply on the engine's speeds to hold against them."""
        total = np.zeros(len(v))
        for spring, has in self._springs:
            length, slope = self._stretch(spring, q, len(v))
            total += slope * (has.stiffness * (length - has.rest) + has.damping * (slope @ v))
        for element in self._elements:
            length, slope = self._stretch(element, q, len(v))
            at = element.law.numbers(length, slope @ v, {})
            total += slope * (at["force"] + at["resistance"])
        for bushing in self._bushings:
            u, slope = self._deformation(bushing, q, len(v))
            k, c = (np.array(matrix, dtype=np.float64) for matrix in (bushing.stiffness, bushing.damping))
            total += slope.T @ (k @ u + c @ (slope @ v))
        return total

    def _deformation(self, bushing: Bushing, q: Array, nv: int) -> tuple[Array, Array]:
        """u (6,) and its derivatives (6, nv), with those of a = sin(phi) n and c = cos(phi)."""
        (one, slope_one), (two, slope_two) = (
            self._frame(name, q, nv) for name in (bushing.first, bushing.second)
        )
        axes = one[:3, :3]
        rotation, way = axes.T @ two[:3, :3], two[:3, 3] - one[:3, 3]
        trace = np.trace(rotation)
        a = np.array([rotation[k - 1, k - 2] - rotation[k - 2, k - 1] for k in range(3)]) / 2
        spin = axes.T @ (slope_two[3:] - slope_one[3:])
        shift = axes.T @ (slope_two[:3] - slope_one[:3] - np.cross(slope_one[3:].T, way).T)
        turning = (9 - trace) / 12 * (trace * np.eye(3) - rotation) + np.outer(a, a) / 3
        return np.concatenate([axes.T @ way, (9 - trace) / 6 * a]), np.vstack([shift, turning @ spin])

    def _frame(self, frame: str, q: Array, nv: int) -> tuple[Array, Array]:
        """Pose (4, 4) and Jacobian (6, nv), linear first."""
        if frame not in self._engine.frames:  # the base
            return np.eye(4), np.zeros((6, nv))
        return self._engine.frame_pose(q, frame), self._engine.frame_jacobian(q, frame)

    def _stretch(self, spring: SpringDamper, q: Array, nv: int) -> tuple[float, Array]:
        """The stretched length or angle and its derivatives with respect to the engine's speeds."""
        value, slope = 0.0, np.zeros(nv)
        for joint, share in coordinates_of(spring):
            q_slot, v_slot = self._slots(joint)
            assert isinstance(share, Fraction), "parameters have been replaced by their numbers"
            value += float(share) * float(q[q_slot])
            slope[v_slot] += float(share)
        for ends in lines_of(spring):
            length, along = self._length(ends, q, nv)
            value, slope = value + length, slope + along
        return value, slope

    def _length(self, ends: tuple[str, str], q: Array, nv: int) -> tuple[float, Array]:
        first, second = (self._point(frame, q, nv) for frame in ends)
        apart = second[0] - first[0]
        length = float(np.linalg.norm(apart))
        return length, (second[1] - first[1]).T @ apart / length

    def _point(self, frame: str, q: Array, nv: int) -> tuple[Array, Array]:
        pose, jacobian = self._frame(frame, q, nv)
        return pose[:3, 3], jacobian[:3]
