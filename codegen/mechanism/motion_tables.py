"""Motions given by tables, as expressions in time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from kanegen.codegen.graph.exact import from_number
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.readers import read_list, read_value
from kanegen.codegen.mechanism.values import Scalar
from kanegen.errors import ModelError
from kanegen.splines import cubic_pieces


def tabular_motion(where: str, points: Iterable[Sequence[Scalar]], time: sympy.Symbol) -> sympy.Expr:
    """The cubic spline through points (t, x), with continuous acceleration and not-a-knot ends.

    Beyond its ends it goes on at the rates that it has there.
    Coefficients are selected by time, and the cubic is evaluated once.  Raises ModelError for fewer than two points, and for
    times that do not increase.
    """
    rows = [read_list(where, row, object, "number") for row in read_list(where, points, object, "point")]
    table = [tuple(_number(f"{where}, point {k}", x) for x in row) for k, row in enumerate(rows, start=1)]
    if len(table) < 2 or any(len(row) != 2 for row in table):
        raise ModelError(where, "has no two points (t, x)", "two or more of them", "Add points.")
    if any(one[0] >= other[0] for one, other in pairwise(table)):
        raise ModelError(where, "its times do not increase", "t1 < t2 < ...", "Sort the points.")
    t, x = np.array([[float(entry) for entry in row] for row in table]).T
    pieces = [[from_number(float(c)) for c in row] for row in cubic_pieces(t, x)]
    zero, (last, c) = Fraction(0), (table[-1][0] - table[-2][0], pieces[-1])
    end = [
        sum((c[k] * last**k for k in range(4)), zero),
        sum((k * c[k] * last ** (k - 1) for k in (1, 2, 3)), zero),
    ]
    pieces = [[*pieces[0][:2], zero, zero], *pieces, [*end, zero, zero]]
    knots = [table[0][0], *(row[0] for row in table)]
    until = [sympy.Lt(time, _rational(row[0])) for row in table]

    def selected(values: Sequence[Fraction]) -> sympy.Expr:
        cases = [(_rational(value), condition) for value, condition in zip(values, until, strict=False)]
        return sympy.Piecewise(*cases, (_rational(values[-1]), True))

    s = time - selected(knots)
    c0, c1, c2, c3 = (selected(column) for column in zip(*pieces, strict=True))
    return c0 + s * (c1 + s * (c2 + s * c3))


def _number(where: str, number: Scalar) -> Fraction:
    value = read_value(where, number)
    if not isinstance(value, Fraction):
        raise ModelError(where, "depends on parameters", "a number", "Give the number.")
    return value


def _rational(value: Fraction) -> sympy.Rational:
    return sympy.Rational(value.numerator, value.denominator)
