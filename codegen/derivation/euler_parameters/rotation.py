"""Euler parameters p = (e0, e1, e2, e3): rotation matrix, rates, products (equations 2, 14, 15).

A(p) carries components from a body's axes to the base; it is quadratic in p, so its derivatives are elementary:

    dA/dt = bilinear in p and dp/dt,    d2A/dt2 at constant dp/dt = 2 (A(dp/dt) + 1) =: C(dp/dt),    |p| not assumed 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kanegen.codegen.graph import Expression, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import ExpressionRows, Expressions
from kanegen.codegen.mechanism.records import Matrix3, Mechanism, Value
from kanegen.codegen.mechanism.values import numeric, square_root

_HALF = Fraction(1, 2)


def rotation_matrix(p: Expressions) -> ExpressionRows:
    """A of (2), corrected: the entry (2, 3) is 2 (e2 e3 - e0 e1)."""
    return [[x - 1 if r == c else x for c, x in enumerate(row)] for r, row in enumerate(_bilinear(p, p))]


def rotation_rate(p: Expressions, rate: Expressions) -> ExpressionRows:
    """dA/dt."""
    forward, back = _bilinear(p, rate), _bilinear(rate, p)
    return [
        [x + y for x, y in zip(row, other, strict=True)] for row, other in zip(forward, back, strict=True)
    ]


def rotation_curvature(rate: Expressions) -> ExpressionRows:
    """d2A/dt2 for constant dp/dt."""
    return [vec.scale(2, row) for row in _bilinear(rate, rate)]


def _bilinear(p: Expressions, r: Expressions) -> ExpressionRows:
    """2 (e0 d0 + e1 d1) and its like: the form that is A + 1 where both arguments are p, not symmetric otherwise."""
    graph = p[0].graph
    twice = vec.scale(2, p)

    def sum_of(*terms: tuple[int, int, int]) -> Expression:
        return total(graph, [twice[i] * r[k] * sign for i, k, sign in terms])

    return [
        [sum_of((0, 0, 1), (1, 1, 1)), sum_of((1, 2, 1), (0, 3, -1)), sum_of((1, 3, 1), (0, 2, 1))],
        [sum_of((1, 2, 1), (0, 3, 1)), sum_of((0, 0, 1), (2, 2, 1)), sum_of((2, 3, 1), (0, 1, -1))],
        [sum_of((1, 3, 1), (0, 2, -1)), sum_of((2, 3, 1), (0, 1, 1)), sum_of((0, 0, 1), (3, 3, 1))],
    ]


def turned_gradient(p: Expressions, s: Expressions) -> ExpressionRows:
    """d(A s)/dp, 3 x 4, for a vector s fixed in the body.

    With e = (e1, e2, e3), A s = (2 e0^2 - 1) s + 2 e (e . s) + 2 e0 e x s.  So the column of e0 is 4 e0 s + 2 e x s, and
    those of e are 2 e s^T + 2 (e . s) 1 - 2 e0 skew(s).
    """
    graph = p[0].graph
    e0, e = p[0], p[1:]
    along = vec.dot_total(graph, e, s) * 2
    rows = []
    for m in range(3):
        n, l = (m + 1) % 3, (m + 2) % 3
        row = [total(graph, [e0 * s[m] * 4, e[n] * s[l] * 2, -(e[l] * s[n] * 2)])]
        row += [e[m] * s[c] * 2 for c in range(3)]
        row[1 + m] = row[1 + m] + along
        row[1 + n] = row[1 + n] + e0 * s[l] * 2
        row[1 + l] = row[1 + l] - e0 * s[n] * 2
        rows.append(row)
    return rows


def b_matrix(p: Expressions) -> ExpressionRows:
    """B of (15): w' = 2 B dp/dt in the body's axes; B p = 0 and B B^T = 1."""
    e0, e1, e2, e3 = p
    return [[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]]


def rate_of_parameters(p: Expressions, w: Expressions) -> Expressions:
    """dp/dt for an angular velocity w in the base's axes: half of (0, w) times p, which is half of B^T w'."""
    zero = w[0] * 0
    return vec.scale(_HALF, parameter_product([zero, *w], p))


def parameter_product(p: Expressions, r: Sequence[Expression]) -> Expressions:
    """Parameters of the rotation A(p) A(r)."""
    graph = p[0].graph
    p0, p1, p2, p3 = p
    r0, r1, r2, r3 = r
    return [
        total(graph, [p0 * r0, -(p1 * r1), -(p2 * r2), -(p3 * r3)]),
        total(graph, [p0 * r1, p1 * r0, p2 * r3, -(p3 * r2)]),
        total(graph, [p0 * r2, p2 * r0, p3 * r1, -(p1 * r3)]),
        total(graph, [p0 * r3, p3 * r0, p1 * r2, -(p2 * r1)]),
    ]


def parameters_of(rotation: Matrix3, mechanism: Mechanism) -> tuple[Value, Value, Value, Value]:
    """Euler parameters of a fixed rotation matrix.

    Of four equal formulas the one is used whose divisor is largest at the numbers of the mechanism's parameters, so the
    result is regular near these.
    """
    m = rotation
    squares = (  # four times the squares of e0 ... e3
        1 + m[0][0] + m[1][1] + m[2][2],
        1 + m[0][0] - m[1][1] - m[2][2],
        1 - m[0][0] + m[1][1] - m[2][2],
        1 - m[0][0] - m[1][1] + m[2][2],
    )
    sizes = [numeric(square, mechanism) for square in squares]
    largest = sizes.index(max(sizes))
    differences = (m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1])  # four times e0 e1, e0 e2, e0 e3
    sums = {(1, 2): m[0][1] + m[1][0], (1, 3): m[0][2] + m[2][0], (2, 3): m[1][2] + m[2][1]}
    twice = square_root(squares[largest])

    def entry(k: int) -> Value:
        if k == largest:
            return twice * _HALF
        low, high = sorted((k, largest))
        product = differences[high - 1] if low == 0 else sums[low, high]
        return product / (twice * 2)

    return entry(0), entry(1), entry(2), entry(3)
