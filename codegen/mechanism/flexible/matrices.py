"""Matrices of modes: square, and symmetric but for rounding, of which a finite-element program of a thousand elements leaves
seven digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kanegen.codegen.mechanism.records import Matrix3, Value

ROUNDED = Fraction(1, 10**6)
"""Relative size of what such programs, or six printed digits, leave of symmetry; what is larger is no rounding."""

Rows = tuple[tuple[Value, ...], ...]


def symmetrised(rows: Rows) -> Rows:
    """The matrix with mirrored numbers replaced by their mean, where they differ by no more than rounding."""
    largest = _largest([x for row in rows for x in row])
    return tuple(
        tuple(_mean(x, rows[j][i], largest) if i != j else x for j, x in enumerate(row))
        for i, row in enumerate(rows)
    )


def symmetrised_products(products: Sequence[Sequence[Matrix3]]) -> tuple[tuple[Matrix3, ...], ...]:
    """Integrals of phi_k phi_l^T dm, of which those of l and k are the transpose, likewise."""
    count = len(products)
    flat = tuple(
        tuple(products[k][n][i][j] for n in range(count) for j in range(3))
        for k in range(count)
        for i in range(3)
    )
    mean = symmetrised(flat)

    def block(k: int, n: int) -> Matrix3:
        x, y, z = (mean[3 * k + i][3 * n : 3 * n + 3] for i in range(3))
        return (x[0], x[1], x[2]), (y[0], y[1], y[2]), (z[0], z[1], z[2])

    return tuple(tuple(block(k, n) for n in range(count)) for k in range(count))


def _largest(values: Sequence[Value]) -> Fraction:
    return max((abs(x) for x in values if isinstance(x, Fraction)), default=Fraction(0))


def _mean(one: Value, other: Value, largest: Fraction) -> Value:
    if not (isinstance(one, Fraction) and isinstance(other, Fraction)):
        return one
    return (one + other) / 2 if 0 < abs(one - other) <= ROUNDED * largest else one
