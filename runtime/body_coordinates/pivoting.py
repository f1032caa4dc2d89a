"""Which columns of a matrix are independent: orthogonalisation with pivots."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanegen.arrays import FloatArray


def pivoted_columns(matrix: FloatArray, count: int) -> NDArray[np.intp]:
    """Indices of ``count`` columns of a matrix (m, n), each the one farthest from the span of those before it.

    The order of the pivots in a QR decomposition with column pivoting (P. Businger & G. H. Golub, 1965), by Gram and
    Schmidt's method; lengths are computed anew at each step, so that none is lost to cancellation.
    """
    left = matrix.copy()
    chosen: list[int] = []
    for _ in range(count):
        lengths = np.einsum("ij,ij->j", left, left)
        lengths[chosen] = -1.0
        best = int(np.argmax(lengths))
        chosen.append(best)
        length = float(np.sqrt(max(lengths[best], 0.0)))
        if length > 0.0:
            direction = left[:, best] / length
            left -= np.outer(direction, direction @ left)
    return np.array(chosen, dtype=np.intp)
