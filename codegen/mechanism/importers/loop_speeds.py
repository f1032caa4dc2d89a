"""Speeds and a home for a tree whose loops a file closes without saying which joints stay independent."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.constraints import Loop, LoopKind
from kanegen.codegen.mechanism.records import BASE, Frame, Joint, JointKind, Matrix3, Mechanism, Vector3
from kanegen.codegen.mechanism.values import numeric

Array = NDArray[np.float64]

_CLOSED = 1e-13
"""Residual [m, 1] of closed loops, relative to the size of the tree: Newton's method ends there in doubles."""

_STEPS = 50
_STARTS = 8
"""Configurations tried: zero, and others around it should zero be singular."""

_DEPENDENT = 1e-9
"""Singular values below this share of the largest count as zero."""


def independent_speeds(
    tree: Mechanism, loops: Sequence[Loop], preferred: Collection[str]
) -> tuple[list[str], dict[str, float]]:
    """Joints whose rates are independent once the loops are closed, and angles and displacements that close them.

    The rank of the loops' Jacobian decides where they are closed near zero.  Joints of free bodies, and those ``preferred``,
    stay independent where they can; of the others the first in the tree.
    """
    numbers = _Numbers(tree, loops)
    random = np.random.default_rng(1983)
    best: tuple[int, Array, Array] | None = None
    for start in range(_STARTS):
        q = numbers.closed(random.normal(0.0, 0.1 * start, numbers.size))
        rows = numbers.residual(q)[1]
        rank = _rank(rows)
        if best is None or rank > best[0]:
            best = rank, q, rows
    assert best is not None
    _, q, rows = best
    free = {name for ball in tree.balls for name in ball.joints}
    order = sorted(
        range(numbers.size),
        key=lambda k: (numbers.names[k] in free, numbers.names[k] in preferred, -k),
    )
    dependent: list[int] = []
    for k in order:
        if _rank(rows[:, [*dependent, k]]) > len(dependent):
            dependent.append(k)
    speeds = [name for k, name in enumerate(numbers.names) if k not in dependent]
    return speeds, numbers.angles(q)


def _rank(rows: Array) -> int:
    largest = np.abs(rows).max(initial=0.0)
    return 0 if largest == 0 else int(np.linalg.matrix_rank(rows, tol=_DEPENDENT * largest))


class _Numbers:
    """A tree in doubles: residuals of loops and their Jacobian on the rates of the joints that follow no other."""

    def __init__(self, tree: Mechanism, loops: Sequence[Loop]) -> None:
        self._tree, self._loops = tree, loops
        self._moving = [joint.name for joint in tree.joints if joint.kind is not JointKind.FIXED]
        leaders = {mimic.joint: mimic for mimic in tree.mimics}
        self.names = [name for name in self._moving if name not in leaders]
        self.size = len(self.names)
        self._spread = np.zeros((len(self._moving), self.size))  # angles = spread @ q + offsets
        self._offsets = np.zeros(len(self._moving))
        for row, name in enumerate(self._moving):
            factor = 1.0
            while name in leaders:
                mimic = leaders[name]
                self._offsets[row] += factor * float(numeric(mimic.offset, tree))
                factor *= float(numeric(mimic.multiplier, tree))
                name = mimic.leader
            self._spread[row, self.names.index(name)] = factor
        self._frames = {frame.name: frame for frame in tree.frames}
        self._still = np.array([joint.still for joint in tree.joints if joint.kind is not JointKind.FIXED])

    def angles(self, q: Array) -> dict[str, float]:
        """Angles and displacements of all joints, those that follow others included; zero for free bodies."""
        values = np.where(self._still, 0.0, self._spread @ q + self._offsets)
        return {name: float(x) for name, x in zip(self._moving, values, strict=True)}

    def closed(self, q: Array) -> Array:
        """The nearest closed configuration by Newton's method; the last one tried where there is none."""
        for _ in range(_STEPS):
            gap, rows = self.residual(q)
            if np.abs(gap).max(initial=0.0) < _CLOSED:
                break
            q = q - np.linalg.pinv(rows, rcond=1e-8) @ gap
        return q

    def residual(self, q: Array) -> tuple[Array, Array]:
        """What each loop leaves open, and its derivative by the rates."""
        frames, columns = self._placed(self._spread @ q + self._offsets)
        gaps, rows = [], []
        for loop in self._loops:
            for gap, row in self._open(loop, frames, columns):
                gaps.append(gap)
                rows.append(row @ self._spread)
        return np.concatenate(gaps), np.concatenate(rows)

    def _open(
        self, loop: Loop, frames: Mapping[str, tuple[Array, Array]], columns: Mapping[str, Array]
    ) -> Iterator[tuple[Array, Array]]:
        (turn1, at1), jacobian1 = self._end(self._frames[loop.first], frames, columns)
        (turn2, at2), jacobian2 = self._end(self._frames[loop.second], frames, columns)
        yield at2 - at1, jacobian2[3:] - jacobian1[3:]
        if loop.kind is LoopKind.REVOLUTE:
            z1, z2 = turn1[:, 2], turn2[:, 2]
            moved1 = np.cross(jacobian1[:3].T, z1)
            moved2 = np.cross(jacobian2[:3].T, z2)
            yield np.cross(z1, z2), (np.cross(moved1, z2) + np.cross(z1, moved2)).T

    def _end(
        self, frame: Frame, frames: Mapping[str, tuple[Array, Array]], columns: Mapping[str, Array]
    ) -> tuple[tuple[Array, Array], Array]:
        """Pose of a frame, and the angular velocity and velocity of its origin for each rate."""
        turn, origin = frames[frame.body]
        at = origin + turn @ self._vector(frame.position)
        jacobian = columns[frame.body].copy()
        jacobian[3:] += np.cross(jacobian[:3].T, at).T
        return (turn @ self._matrix(frame.rotation), at), jacobian

    def _placed(self, angles: Array) -> tuple[dict[str, tuple[Array, Array]], dict[str, Array]]:
        """Poses of bodies, and for each rate the angular velocity and the velocity of the point at the base's origin."""
        frames = {BASE: (np.eye(3), np.zeros(3))}
        columns = {BASE: np.zeros((6, len(self._moving)))}
        for joint in self._tree.joints:  # every parent precedes its children
            turn, origin = frames[joint.parent]
            jacobian = columns[joint.parent]
            origin = origin + turn @ self._vector(joint.position)
            turn = turn @ self._matrix(joint.rotation)
            if joint.kind is not JointKind.FIXED:
                turn, origin, jacobian = self._moved(joint, turn, origin, jacobian, angles)
            frames[joint.child], columns[joint.child] = (turn, origin), jacobian
        return frames, columns

    def _moved(
        self, joint: Joint, turn: Array, origin: Array, jacobian: Array, angles: Array
    ) -> tuple[Array, Array, Array]:
        k = self._moving.index(joint.name)
        axis = turn @ self._vector(joint.axis)
        angle = 0.0 if joint.still else float(angles[k])
        jacobian = jacobian.copy()
        if joint.kind is JointKind.REVOLUTE:
            jacobian[:3, k], jacobian[3:, k] = axis, np.cross(origin, axis)
            return _turned(axis, angle) @ turn, origin, jacobian
        jacobian[3:, k] = axis
        return turn, origin + angle * axis, jacobian

    def _vector(self, vector: Vector3) -> Array:
        return np.array([float(numeric(x, self._tree)) for x in vector])

    def _matrix(self, matrix: Matrix3) -> Array:
        return np.array([self._vector(row) for row in matrix])


def _turned(axis: Array, angle: float) -> Array:
    """Rodrigues' formula."""
    x, y, z = axis
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: Array = np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew
    return turned
