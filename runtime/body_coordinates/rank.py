"""How many of the constraints are independent, and what of the reactions is unique when they are not all.

Rows of Phi_x that depend on each other leave multipliers undetermined: to one solution of Phi_x^T lambda = f may be added
any vector of the null space of Phi_x^T.  The reactions of exactly those joints are not unique whose rows it touches.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.errors import counted

EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Singular values of a Jacobian (k, n), its rank, and how far rounding may have moved the values (``noise``)."""

    left: FloatArray
    values: FloatArray
    right: FloatArray
    noise: float
    rank: int

    def solve(self, right_side: FloatArray) -> FloatArray:
        """The shortest y (n,) for which the Jacobian times y comes nearest to ``right_side`` (k,)."""
        r = self.rank
        y: FloatArray = self.right[:r].T @ ((self.left[:, :r].T @ right_side) / self.values[:r])
        return y

    def solve_transposed(self, right_side: FloatArray) -> FloatArray:
        """The shortest y (k,) for which the transposed Jacobian times y comes nearest to ``right_side`` (n,)."""
        r = self.rank
        y: FloatArray = self.left[:, :r] @ ((self.right[:r] @ right_side) / self.values[:r])
        return y

    @property
    def left_null_space(self) -> FloatArray:
        """Orthonormal combinations of rows that vanish, (k, k - rank)."""
        return self.left[:, self.rank :]

    @property
    def touched(self) -> FloatArray:
        """For each row (k,), whether it is part of a combination that vanishes.

        Null vectors are off by the noise over the least singular value that is none; ten times that is no zero.
        """
        if self.rank == 0:
            return np.ones(len(self.left), dtype=np.bool_)
        accuracy = 10.0 * self.noise / float(self.values[self.rank - 1])
        found: FloatArray = np.linalg.norm(self.left_null_space, axis=1) > accuracy
        return found


def decompose(jacobian: FloatArray, offset: float = 0.0) -> Decomposition:
    """Singular values of a Jacobian at a point whose coordinates are off by ``offset``.

    Roundings of the entries move singular values by up to max(k, n) epsilon times the largest.  Entries are at most
    quadratic in the coordinates, with Euler parameters up to one: moving the point moves the Jacobian by no more than about
    twice its norm times the distance.
    """
    left, values, right = np.linalg.svd(jacobian, full_matrices=True)
    largest = float(values[0]) if values.size else 0.0
    noise = largest * (EPSILON * max(jacobian.shape) + 2.0 * offset)
    return Decomposition(left, values, right, noise, int(np.sum(values > noise)))


@dataclass(frozen=True, eq=False)
class RankReport:
    """Rank of the joint constraints of a mechanism in one position.

    ``rows`` equations, one normalisation a body included, of which ``rank`` are independent at singular values above
    ``threshold``; ``degrees_of_freedom`` are left to the bodies.  Equations of the joints ``dependent`` (in the order of
    the mechanism) follow from others: their reactions are not unique.
    """

    name: str
    rows: int
    rank: int
    degrees_of_freedom: int
    dependent: tuple[str, ...]
    threshold: float
    singular_values: FloatArray = field(repr=False)

    @property
    def redundancy(self) -> int:
        """How many equations follow from others."""
        return self.rows - self.rank

    def __str__(self) -> str:
        """A sentence or two."""
        text = (
            f"{self.name}: {counted(self.rows, 'constraint')}, {self.rank} of them independent, "
            + counted(self.degrees_of_freedom, "degree of freedom", "degrees of freedom")
        )
        if not self.redundancy:
            return f"{text}; all reactions are unique"
        return f"{text}; {self.redundancy} redundant. Not unique are the reactions of {', '.join(self.dependent)}"
