"""Speeds and a home for a tree whose loops a file closes without saying which joints stay independent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import Loop, LoopKind, PositionConstraint
from kanegen.codegen.mechanism.poses import Array, BodyMotions, body_motions, followers, moving_joints
from kanegen.codegen.mechanism.records import Mechanism

_CLOSED = 1e-13
"""Residual [m, 1] of closed loops, relative to the size of the tree: Newton's method ends there in doubles."""

_MEETING = {LoopKind.SPHERICAL, LoopKind.REVOLUTE, LoopKind.UNIVERSAL, LoopKind.FIXED}
"""The loops whose frames have one origin."""
_PARALLEL = {LoopKind.REVOLUTE, LoopKind.CYLINDRICAL, LoopKind.PLANAR, LoopKind.FIXED}
"""The loops whose z axes are parallel."""
LOOPS = _MEETING | _PARALLEL
"""The loops whose equations are known here."""

_STEPS = 50
_STARTS = 8
"""Configurations tried: zero, and others around it should zero be singular."""

_DEPENDENT = 1e-9
"""Singular values below this share of the largest count as zero."""


def independent_speeds(
    tree: Mechanism,
    loops: Sequence[Loop],
    preferred: Collection[str],
    equations: Sequence[PositionConstraint] = (),
    start_at: Mapping[str, float] | None = None,
) -> tuple[list[str], dict[str, float]]:
    """Joints whose rates are independent once the loops are closed, and angles and displacements that close them.

    The rank of the Jacobian of loops, and of ``equations`` in symbols called like coordinates, decides where they are closed
    near zero, or near ``start_at``.  Joints of free bodies, and those ``preferred``, stay independent where they can; of the
    others the first in the tree.
    """
    numbers = _Loops(tree, loops, equations)
    names = numbers.names
    random = np.random.default_rng(1983)
    best: tuple[int, Array, Array] | None = None
    for start in range(_STARTS):
        near = np.array([(start_at or {}).get(name, 0.0) for name in names])
        q = numbers.closed(near + random.normal(0.0, 0.1 * start, len(names)))
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

    def __init__(
        self, tree: Mechanism, loops: Sequence[Loop], equations: Sequence[PositionConstraint]
    ) -> None:
        self._tree, self._loops, self._equations = tree, loops, equations
        self._moving = moving_joints(tree)
        self.names, self._factors, self._offsets = followers(tree)
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
        values = self.values(q)
        motions = body_motions(self._tree, values)
        parts = [part for loop in self._loops for part in self._open(loop, motions)]
        parts += [self._equation(item, values) for item in self._equations]
        return np.concatenate([gap for gap, _ in parts]), np.concatenate(
            [r @ self._factors for _, r in parts]
        )

    def _open(self, loop: Loop, motions: BodyMotions) -> Iterator[tuple[Array, Array]]:
        ends = self._tree.frame(loop.first), self._tree.frame(loop.second)
        pose1, pose2 = map(motions.frame_pose, ends)
        jacobian1 = motions.jacobian(ends[0].body, pose1[:3, 3])
        jacobian2 = motions.jacobian(ends[1].body, pose2[:3, 3])
        gap, rate = pose2[:3, 3] - pose1[:3, 3], jacobian2[3:] - jacobian1[3:]
        x1, z1, x2, z2 = pose1[:3, 0], pose1[:3, 2], pose2[:3, 0], pose2[:3, 2]
        dx1, dz1 = (np.cross(jacobian1[:3].T, axis).T for axis in (x1, z1))
        dx2, dz2 = (np.cross(jacobian2[:3].T, axis).T for axis in (x2, z2))
        if loop.kind in _MEETING:
            yield gap, rate
        if loop.kind in _PARALLEL:
            yield _across(z1, dz1, z2, dz2)
        if loop.kind is LoopKind.FIXED:
            yield _across(x1, dx1, x2, dx2)
        elif loop.kind is LoopKind.UNIVERSAL:
            yield np.array([z1 @ z2]), (z1 @ dz2 + z2 @ dz1)[None, :]
        elif loop.kind is LoopKind.CYLINDRICAL:
            yield _across(gap, rate, z1, dz1)
        elif loop.kind is LoopKind.PLANAR:
            yield np.array([gap @ z1]), (gap @ dz1 + z1 @ rate)[None, :]

    def _equation(self, item: PositionConstraint, values: Mapping[str, float]) -> tuple[Array, Array]:
        """The residual of an equation by names, and its derivative by the rates of all moving joints."""
        at = {symbol: values[symbol.name] for symbol in item.q if symbol.name in values}
        rates = [
            item.expression.diff(by[0]) if (by := [s for s in at if s.name == name]) else 0
            for name in self._moving
        ]
        gap, *row = (float(sympy.sympify(x).evalf(subs=at)) for x in (item.expression, *rates))
        return np.array([gap]), np.array([row])


def _across(one: Array, rate: Array, other: Array, other_rate: Array) -> tuple[Array, Array]:
    """The vector product of two vectors, and its derivative."""
    return np.cross(one, other), (np.cross(rate.T, other) + np.cross(one, other_rate.T)).T
