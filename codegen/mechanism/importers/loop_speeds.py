"""Speeds and a home for a tree whose loops a file closes without saying which joints stay independent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import numpy as np

from kanegen.codegen.mechanism.constraints import Loop, LoopKind
from kanegen.codegen.mechanism.poses import Array, BodyMotions, body_motions, followers, moving_joints
from kanegen.codegen.mechanism.records import Mechanism

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
    numbers = _Loops(tree, loops)
    names = numbers.names
    random = np.random.default_rng(1983)
    best: tuple[int, Array, Array] | None = None
    for start in range(_STARTS):
        q = numbers.closed(random.normal(0.0, 0.1 * start, len(names)))
        rows = numbers.residual(q)[1]
        found = rank(rows)
        if best is None or found > best[0]:
            best = found, q, rows
    assert best is not None
    _, q, rows = best
    free = tree.ball_parts
    order = sorted(range(len(names)), key=lambda k: (names[k] in free, names[k] in preferred, -k))
    dependent = dependent_columns(order, lambda columns: rank(rows[:, columns]))
    return [name for k, name in enumerate(names) if k not in dependent], numbers.values(q)


def dependent_columns(order: Iterable[int], rank_of: Callable[[list[int]], int]) -> list[int]:
    """The columns, tried in this order, each of which adds to the rank of those before."""
    found: list[int] = []
    for column in order:
        if rank_of([*found, column]) > len(found):
            found.append(column)
    return found


def rank(rows: Array) -> int:
    """The rank of a matrix, by the size of its largest entry."""
    largest = np.abs(rows).max(initial=0.0)
    return 0 if largest == 0 else int(np.linalg.matrix_rank(rows, tol=_DEPENDENT * largest))


class _Loops:
    """Residuals of loops in a tree, and their Jacobian on the rates of the joints that follow no other."""

    def __init__(self, tree: Mechanism, loops: Sequence[Loop]) -> None:
        self._tree, self._loops = tree, loops
        self._moving = moving_joints(tree)
        self.names, self._factors, self._offsets = followers(tree)
        self._frames = {frame.name: frame for frame in tree.frames}
        self._still = {joint.name for joint in tree.joints if joint.still}

    def values(self, q: Array) -> dict[str, float]:
        """Angles and displacements of all joints, those that follow others included; zero for free bodies."""
        values = zip(self._moving, self._factors @ q + self._offsets, strict=True)
        return {name: 0.0 if name in self._still else float(x) for name, x in values}

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
        motions = body_motions(self._tree, self.values(q))
        parts = [part for loop in self._loops for part in self._open(loop, motions)]
        return np.concatenate([gap for gap, _ in parts]), np.concatenate(
            [r @ self._factors for _, r in parts]
        )

    def _open(self, loop: Loop, motions: BodyMotions) -> Iterator[tuple[Array, Array]]:
        ends = self._frames[loop.first], self._frames[loop.second]
        pose1, pose2 = map(motions.frame_pose, ends)
        jacobian1 = motions.jacobian(ends[0].body, pose1[:3, 3])
        jacobian2 = motions.jacobian(ends[1].body, pose2[:3, 3])
        yield pose2[:3, 3] - pose1[:3, 3], jacobian2[3:] - jacobian1[3:]
        if loop.kind is LoopKind.REVOLUTE:
            z1, z2 = pose1[:3, 2], pose2[:3, 2]
            moved1 = np.cross(jacobian1[:3].T, z1)
            moved2 = np.cross(jacobian2[:3].T, z2)
            yield np.cross(z1, z2), (np.cross(moved1, z2) + np.cross(z1, moved2)).T
