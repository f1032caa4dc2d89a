"""Inverses of influence matrices, regular wherever the matrix is."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.influence_coefficients.arrays import Matrix, Vector
from kanegen.codegen.derivation.linear.solve import one_by_one, solve
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.graph import linear as vec

_ADJUGATE = 3
"""Up to this size an inverse is written with cofactors and one division."""


def inverse(graph: Graph, matrix: Matrix) -> Matrix:
    """The inverse of a square matrix, which need not be symmetric.

    Up to 3 x 3 it is the adjugate over the determinant.  Larger ones are A^T (A A^T)^-1: no pivot of the positive definite
    A A^T vanishes unless A is singular, whatever the order, at the price of its squared condition number.

    Raises ZeroDivisionError where the zeros of the matrix alone make it singular.
    """
    if len(matrix) <= _ADJUGATE:
        return _cofactors(graph, matrix)
    return generalized_inverse(graph, matrix, vec.transpose(matrix))


def generalized_inverse(graph: Graph, matrix: Matrix, carried: Matrix) -> Matrix:
    """N = B (A B)^-1 for A of k x n and B = W^-1 A^T of n x k, W positive definite: A N = 1.

    Of all x with A x = y, x = N y has the least x^T W x.  B = A^T is the case W = 1.
    """
    return vec.multiply_total(
        graph, carried, symmetric_inverse(graph, vec.multiply_total(graph, matrix, carried))
    )


def symmetric_inverse(graph: Graph, matrix: Matrix) -> Matrix:
    """The inverse of a symmetric positive definite matrix."""
    n = len(matrix)
    unit = [[constant(graph, int(r == c)) for c in range(n)] for r in range(n)]
    return solved(matrix, unit)


def solved(matrix: Matrix, right: Matrix) -> Matrix:
    """A^-1 B for a symmetric positive definite A; the elimination of A is shared by all columns of B."""
    blocks = one_by_one(matrix)
    return vec.transpose([solve(matrix, column, blocks) for column in vec.transpose(right)])


def _cofactors(graph: Graph, matrix: Matrix) -> Matrix:
    n = len(matrix)
    cofactors = [[_cofactor(graph, matrix, r, c) for c in range(n)] for r in range(n)]
    reciprocal = 1 / vec.dot_total(graph, matrix[0], cofactors[0])
    return [[cofactors[c][r] * reciprocal for c in range(n)] for r in range(n)]


def _cofactor(graph: Graph, matrix: Matrix, r: int, c: int) -> Expression:
    """The determinant of what is left without row r and column c, with its sign: cyclic neighbours take care of it."""
    n = len(matrix)
    if n == 1:
        return constant(graph, 1)
    if n == 2:
        return matrix[1 - r][1 - c] * (1 if r == c else -1)
    rows: Sequence[Vector] = [matrix[(r + 1) % 3], matrix[(r + 2) % 3]]
    a, b = (c + 1) % 3, (c + 2) % 3
    return vec.dot_total(graph, [rows[0][a], -rows[0][b]], [rows[1][b], rows[1][a]])
