"""Arrays of influence coefficients and the products the paper defines for them.

A matrix is a tuple of rows.  A P x M x M array is a tuple of P planes, each an M x M matrix; it acts "plane by plane",
equation (6).  With A of n x P, the generalized dot product of appendix C is

    (A . H)_i = sum over p of A_ip [H]_p      an n x M x M array,

so that A (x^T H x) = x^T (A . H) x: it brings a matrix inside a quadratic form.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.graph import Expression, Graph, total
from kanegen.codegen.graph import linear as vec

Vector = Sequence[Expression]
Matrix = Sequence[Vector]
Array = Sequence[Matrix]


def zero_array(graph: Graph, planes: int, n: int) -> list[list[list[Expression]]]:
    """A planes x n x n array of zeros, to be filled in."""
    return [vec.zero_matrix(graph, n, n) for _ in range(planes)]


def array_sum(graph: Graph, arrays: Sequence[Array]) -> Array:
    """The sum of arrays of the same shape."""
    return [vec.matrix_add_total(graph, *planes) for planes in zip(*arrays, strict=True)]


def generalized_dot(graph: Graph, a: Matrix, array: Array) -> Array:
    """a . H of appendix C."""
    n, columns = len(array[0]), len(array[0][0])
    return [
        [
            [vec.dot_total(graph, row, [plane[r][c] for plane in array]) for c in range(columns)]
            for r in range(n)
        ]
        for row in a
    ]


def plane_by_plane(graph: Graph, b: Matrix, array: Array) -> Array:
    """b^T [H] b in every plane: the quadratic form for x = b y, as an array for y.  A symmetric plane stays symmetric."""
    found = []
    for plane in array:
        if all(plane[r][c] == plane[c][r] for r in range(len(plane)) for c in range(r)):
            found.append(congruence(graph, b, plane))
        else:
            found.append(vec.multiply_total(graph, vec.transpose(b), vec.multiply_total(graph, plane, b)))
    return found


def congruence(graph: Graph, b: Matrix, matrix: Matrix) -> Matrix:
    """b^T M b of a symmetric matrix; only one half is computed."""
    product = vec.transpose(vec.multiply_total(graph, matrix, b))
    return vec.multiply_symmetric_total(graph, vec.transpose(b), product)


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
        total(
            graph,
            [plane[r][r] * (x[r] * x[r]) for r in range(n)] + [term(plane, r, c) for r, c in pairs],
        )
        for plane in array
    ]
