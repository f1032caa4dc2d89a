"""Arrays of influence coefficients and the products the paper defines for them.

A matrix is a tuple of rows.  A P x M x M array is a tuple of P planes, each an M x M matrix; it acts "plane by plane",
equation (6).  With A of n x P, the generalized dot product of appendix C is

    (A . H)_i = sum over p of A_ip [H]_p      an n x M x M array,

so that A (x^T H x) = x^T (A . H) x: it brings a matrix inside a quadratic form.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.graph import Expression, Graph, constant, total
from kanegen.codegen.graph import linear as vec

Vector = Sequence[Expression]
Matrix = Sequence[Vector]
Array = Sequence[Matrix]


def add_all(graph: Graph, terms: Sequence[Expression]) -> Expression:
    """The sum of any number of terms, without those that vanish."""
    return total(graph, [term for term in terms if not term.is_zero])


def inner(graph: Graph, u: Vector, v: Vector) -> Expression:
    """u . v, zero for empty vectors."""
    return add_all(graph, [x * y for x, y in zip(u, v, strict=True) if not (x.is_zero or y.is_zero)])


def zero_matrix(graph: Graph, rows: int, columns: int) -> list[list[Expression]]:
    """A matrix of zeros, to be filled in."""
    return [[constant(graph, 0)] * columns for _ in range(rows)]


def zero_array(graph: Graph, planes: int, n: int) -> list[list[list[Expression]]]:
    """A planes x n x n array of zeros, to be filled in."""
    return [zero_matrix(graph, n, n) for _ in range(planes)]


def times(graph: Graph, a: Matrix, b: Matrix) -> Matrix:
    """The matrix product a b."""
    columns = vec.transpose(b)
    return [[inner(graph, row, column) for column in columns] for row in a]


def apply(graph: Graph, a: Matrix, x: Vector) -> Vector:
    """The vector a x."""
    return [inner(graph, row, x) for row in a]


def matrix_sum(graph: Graph, matrices: Sequence[Matrix]) -> Matrix:
    """The sum of matrices of the same shape."""
    return [
        [add_all(graph, entries) for entries in zip(*rows, strict=True)]
        for rows in zip(*matrices, strict=True)
    ]


def array_sum(graph: Graph, arrays: Sequence[Array]) -> Array:
    """The sum of arrays of the same shape."""
    return [matrix_sum(graph, planes) for planes in zip(*arrays, strict=True)]


def minus(array: Array) -> Array:
    """The array with all signs changed."""
    return [[[-x for x in row] for row in plane] for plane in array]


def generalized_dot(graph: Graph, a: Matrix, array: Array) -> Array:
    """a . H of appendix C."""
    n, columns = len(array[0]), len(array[0][0])
    return [
        [[inner(graph, row, [plane[r][c] for plane in array]) for c in range(columns)] for r in range(n)]
        for row in a
    ]


def plane_by_plane(graph: Graph, b: Matrix, array: Array) -> Array:
    """b^T [H] b in every plane: the quadratic form for x = b y, as an array for y.  A symmetric plane stays symmetric."""
    found = []
    for plane in array:
        if all(plane[r][c] == plane[c][r] for r in range(len(plane)) for c in range(r)):
            found.append(_symmetric_congruence(graph, b, plane))
        else:
            found.append(times(graph, vec.transpose(b), times(graph, plane, b)))
    return found


def congruence(graph: Graph, b: Matrix, matrix: Matrix) -> Matrix:
    """b^T M b of a symmetric matrix; only one half is computed."""
    return _symmetric_congruence(graph, b, matrix)


def _symmetric_congruence(graph: Graph, b: Matrix, matrix: Matrix) -> Matrix:
    product = vec.transpose(times(graph, matrix, b))
    columns = vec.transpose(b)
    n = len(columns)
    found = zero_matrix(graph, n, n)
    for r in range(n):
        for c in range(r, n):
            found[r][c] = found[c][r] = inner(graph, columns[r], product[c])
    return found


def quadratic(graph: Graph, array: Array, x: Vector) -> Vector:
    """x^T [H] x, plane by plane, equation (6); the products of two rates are formed once for all planes."""
    n = len(x)
    pairs = [(r, c) for r in range(n) for c in range(r + 1, n)]
    products = {(r, c): x[r] * x[c] for r, c in pairs}
    doubled = {pair: product + product for pair, product in products.items()}

    def term(plane: Matrix, r: int, c: int) -> Expression:
        if plane[r][c] == plane[c][r]:
            return plane[r][c] * doubled[r, c]
        return (plane[r][c] + plane[c][r]) * products[r, c]

    return [
        add_all(
            graph,
            [plane[r][r] * (x[r] * x[r]) for r in range(n)] + [term(plane, r, c) for r, c in pairs],
        )
        for plane in array
    ]


def block_diagonal(graph: Graph, blocks: Sequence[Matrix]) -> Matrix:
    """Square matrices along the diagonal of one."""
    n = sum(len(block) for block in blocks)
    found = zero_matrix(graph, n, n)
    start = 0
    for block in blocks:
        for r, row in enumerate(block):
            found[start + r][start : start + len(block)] = list(row)
        start += len(block)
    return found


def block_array(graph: Graph, blocks: Sequence[Array]) -> Array:
    """n x n x n arrays along the diagonal of one."""
    n = sum(len(block) for block in blocks)
    found = []
    start = 0
    for block in blocks:
        m = len(block)
        for plane in block:
            wide = zero_matrix(graph, n, n)
            for r, row in enumerate(plane):
                wide[start + r][start : start + m] = list(row)
            found.append(wide)
        start += m
    return found
