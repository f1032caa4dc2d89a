"""What kernels ask of a map from the speeds of a mechanism to the joints of its tree (a mobilizer for the whole mechanism).

With x the coordinates of the tree's joints, dx/dt = T v + (what prescribed motions add).  A map may solve for free rates w
first, with v = J w; then w are what forward dynamics finds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from kanegen.codegen.graph import Expression, Graph, Tangents
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Value

Vector = Sequence[Expression]
Rows = Sequence[Vector]


@dataclass(frozen=True, slots=True)
class TreeMotion:
    """Coordinates, rates and accelerations of the tree's joints; no rates at rest, accelerations where they are needed."""

    q: Vector
    v: Vector | None = None
    a: Vector | None = None

    @property
    def steady(self) -> bool:
        """Whether no joint is accelerated."""
        return self.a is None or all(x.is_zero for x in self.a)


@dataclass(frozen=True, slots=True)
class TreeForces:
    """Forces on the joints of a tree, the motion they belong to, and their derivatives by it (rows), in one graph."""

    values: Vector
    motion: Mapping[str, Vector]
    derivatives: Mapping[str, Sequence[Vector]]


class MotionMap(Protocol):
    """The motion of a tree for coordinates q and speeds v of a mechanism, all expressions of one graph."""

    @property
    def one_to_one(self) -> bool:
        """Whether every joint of the tree has a speed of its own, so that the tree's forward dynamics is the mechanism's."""

    @property
    def carried(self) -> str:
        """What to add to a kernel's source."""

    @property
    def rates_from(self) -> str:
        """What rates of the coordinates are derived from."""

    def placements(self) -> Mapping[str, Expression]:
        """What parameters of the tree are that stand for placements of ball joints."""

    def motion(self, v: Vector | None = None, a: Vector | None = None) -> TreeMotion:
        """The motion of the tree for speeds and their derivatives; at rest without speeds, prescribed joints too."""

    def coordinate_rates(self, v: Vector) -> list[Expression]:
        """dq/dt."""

    def columns(self) -> Rows:
        """T: rates of the tree's joints (rows) for each speed = 1."""

    def unit_rates(self) -> Rows:
        """dq/dt for each speed = 1, without what prescribed motions add."""

    def on_speeds(self, forces: Vector) -> list[Expression]:
        """Forces on the speeds for forces on the tree's joints, or a row of a Jacobian by these: T^T f."""

    def on_both_sides(self, matrix: Sequence[Vector]) -> Rows:
        """T^T M T of a symmetric matrix M on the tree's joints: the mass matrix on the speeds."""

    def rate_of_rows(self, rates: Rows, rows: Callable[[], Rows], v: Vector) -> Rows:
        """dA/dt T + A dT/dt for rows A on the tree's joints and their ``rates`` dA/dt."""

    def coriolis(
        self, c: Rows, mass_matrix: Callable[[], Rows], v: Vector, rotors: Mapping[str, Value]
    ) -> Rows:
        """T^T (C T + M dT/dt) for C and M of the tree.

        ``rotors`` are inertias by joint that resist the derivative of the joint's speed alone, whichever way its axis leans.
        """

    def changes(self, forces: TreeForces, steps: Vector) -> Mapping[Expression, Vector]:
        """What steps along the speeds change of the forces on the tree's joints, beside what q, v and a of these tell."""

    # -- free rates --------------------------------------------------------------------------------------------------

    def free_inertia(self, matrix: Sequence[Vector]) -> Rows:
        """The mass matrix on the free rates for that of the tree."""

    def drifting(self, v: Vector) -> tuple[TreeMotion, Vector]:
        """The motion in which free rates do not change, and the derivatives of the speeds that belong to it."""

    def unbalanced(self, tau: Vector, forces: Vector) -> list[Expression]:
        """What accelerates the free rates: forces tau on the speeds less those that the tree's joints need."""

    def accelerations_of(self, free: Vector, drift: Vector) -> list[Expression]:
        """Derivatives of the speeds for those of the free rates."""

    def from_free(self, inverse: Rows) -> Rows:
        """The inverse of the mass matrix on the speeds for that on the free rates."""


class FreeSpeeds(ABC):
    """Part of a map whose speeds are free: they are the free rates themselves."""

    zero: Expression

    @abstractmethod
    def motion(self, v: Vector | None = None, a: Vector | None = None) -> TreeMotion:
        """As in ``MotionMap``."""

    @abstractmethod
    def on_speeds(self, forces: Vector) -> list[Expression]:
        """As in ``MotionMap``."""

    @abstractmethod
    def on_both_sides(self, matrix: Sequence[Vector]) -> Rows:
        """As in ``MotionMap``."""

    def free_inertia(self, matrix: Sequence[Vector]) -> Rows:
        """The mass matrix on the speeds."""
        return self.on_both_sides(matrix)

    def drifting(self, v: Vector) -> tuple[TreeMotion, Vector]:
        """The motion in which the speeds do not change."""
        rest = [self.zero] * len(v)
        return self.motion(v, rest), rest

    def unbalanced(self, tau: Vector, forces: Vector) -> list[Expression]:
        """tau - T^T f."""
        return [t - h for t, h in zip(tau, self.on_speeds(forces), strict=True)]

    def accelerations_of(self, free: Vector, drift: Vector) -> list[Expression]:
        """The derivatives of the speeds themselves."""
        return list(free)

    def from_free(self, inverse: Rows) -> Rows:
        """The inverse itself."""
        return inverse


def rates_through(
    graph: Graph, columns: Rows, qdot: Mapping[Expression, Expression], rates: Rows, rows: Rows
) -> Rows:
    """dA/dt T + A dT/dt for ``rows`` A and their ``rates`` dA/dt, where T (``columns``) changes with the coordinates."""
    tangents = Tangents(graph, qdot)
    both = vec.transpose([*columns, *([tangents.first(x) for x in row] for row in columns)])
    return [
        [vec.dot_total(graph, [*rate, *row], column) for column in both]
        for rate, row in zip(rates, rows, strict=True)
    ]
