"""Unrolled, structurally sparse inverse of a symmetric positive definite matrix.

With A = L D L^T in the order of elimination, the inverse Z is L^-T D^-1 L^-1, hence Z = D^-1 L^-1 + (1 - L^T) Z.  Row by row
from the last unknown to the first, and beyond the diagonal, where D^-1 L^-1 has no entries,

    Z_ij = - sum_k L_ki Z_kj  (j after i),      Z_ii = 1 / D_i - sum_k L_ki Z_ki,      k over the unknowns coupled with i

(Takahashi, Fagan & Chin 1973), so that neither L^-1 nor its product with its transpose is formed, and only one triangle is
computed.  Pivots may be blocks of two unknowns, which share one division.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.linear.solve import Blocks
from kanegen.codegen.graph import Expression, constant, total
from kanegen.codegen.graph import linear as vec

Matrix = list[list[Expression]]


def inverse(matrix: Sequence[Sequence[Expression]], blocks: Blocks) -> Matrix:
    """The full symmetric inverse, eliminating blocks of one or two unknowns in the given order."""
    graph = matrix[0][0].graph
    n = len(matrix)
    m = [list(row) for row in matrix]
    remaining = [i for block in blocks for i in block]
    eliminated: list[tuple[Sequence[int], Matrix, dict[int, list[Expression]]]] = []
    for block in blocks:
        remaining = [i for i in remaining if i not in block]
        pivot = _small_inverse([[m[i][j] for j in block] for i in block])
        coupled = [i for i in remaining if any(not m[i][k].is_zero for k in block)]
        factors = {
            i: list(vec.apply_total(graph, vec.transpose(pivot), [m[i][k] for k in block])) for i in coupled
        }
        for position, i in enumerate(coupled):
            for j in coupled[position:]:
                reduction = vec.dot_total(graph, factors[i], [m[j][k] for k in block])
                m[i][j] = m[j][i] = m[i][j] - reduction
        eliminated.append((block, pivot, factors))
    zero = constant(graph, 0)
    z = [[zero] * n for _ in range(n)]
    done: list[int] = []
    for block, pivot, factors in reversed(eliminated):
        for place, i in enumerate(block):
            for j in done:
                terms = [-factor[place] * z[k][j] for k, factor in factors.items()]
                z[i][j] = z[j][i] = total(graph, terms)
        for place, i in enumerate(block):
            for other in range(place, len(block)):
                j = block[other]
                terms = [-factor[place] * z[k][j] for k, factor in factors.items()]
                z[i][j] = z[j][i] = total(graph, [pivot[place][other], *terms])
        done = [*block, *done]
    return z


def _small_inverse(block: Matrix) -> Matrix:
    """The inverse of a symmetric block of one or two unknowns, with one division."""
    if len(block) == 1:
        return [[1 / block[0][0]]]
    (a, b), (_, c) = block
    reciprocal = 1 / (a * c - b * b)
    across = -b * reciprocal
    return [[c * reciprocal, across], [across, a * reciprocal]]
