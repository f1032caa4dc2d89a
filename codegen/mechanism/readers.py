"""From what people write to the values of records: numbers, vectors, rotations, inertia tensors."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, SupportsFloat

from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.graph.exact import quantity
from kanegen.codegen.mechanism.records import IDENTITY3, Matrix3, Value, Vector3
from kanegen.codegen.mechanism.rotations import orthonormalized, roll_pitch_yaw
from kanegen.codegen.mechanism.values import Scalar, square_root, to_value
from kanegen.codegen.mechanism.vectors import diagonal, dot, scale, symmetric
from kanegen.errors import ModelError, counted, shown

Vector = Iterable[Scalar]
Matrix = Iterable[Iterable[Scalar]]
Rotation = Vector | Matrix
"""(roll, pitch, yaw) [rad] about fixed axes, or the rows of a rotation matrix."""

_ASYMMETRY = Fraction(1, 10**12)
"""Relative difference of mirrored entries that counts as rounding of doubles, not as a mistake."""


def read_value(where: str, number: Scalar) -> Value:
    """One number.  Raises ModelError."""
    try:
        value = to_value(number)
        return quantity(value) if isinstance(value, Fraction) else value
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(
            where, str(error), "a finite number", "Give a number, or an expression in parameters."
        ) from None


def read_term(graph: Graph, where: str, term: Any) -> Value:
    """One number, or a SymPy expression in symbols named like parameters, copied into ``graph``.  Raises ModelError."""
    if not getattr(term, "free_symbols", None):
        return read_value(where, term)
    from kanegen.codegen.graph.sympy_bridge import UnsupportedExpressionError, from_sympy

    symbols = {symbol: Expression(graph, graph.parameter(symbol.name)) for symbol in term.free_symbols}
    try:
        return from_sympy(graph, term, symbols)
    except UnsupportedExpressionError as error:
        raise ModelError(where, str(error), "an expression in parameters", "Rewrite it.") from None


def read_number(where: str, number: SupportsFloat) -> Fraction:
    """One number that depends on nothing.  Raises ModelError."""
    value = read_value(where, number)
    assert isinstance(value, Fraction)
    return value


def read_vector(where: str, vector: Vector) -> Vector3:
    """Three numbers.  Raises ModelError."""
    entries = _entries(where, vector, (3,), "three numbers")
    x, y, z = (read_value(where, entry) for entry in entries)
    return x, y, z


def read_list(where: str, given: Iterable[Any], kind: Any, name: str = "") -> tuple[Any, ...]:
    """A list of one kind of thing, which messages call by this ``name``, or by its class; no text.  Raises ModelError."""
    if _is_row(given):
        entries = tuple(given)
        wrong = [entry for entry in entries if not isinstance(entry, kind)]
        if not wrong:
            return entries
        given = wrong[0]
    listed = f"{name}s" if name else f"{kind.__name__}(...)"
    one = name or kind.__name__
    raise ModelError(
        where, f"is given {shown(given)}", f"a list of {listed}", f"Give a list, each entry a {one}."
    )


def read_unit_vector(where: str, vector: Vector) -> tuple[Vector3, float]:
    """A vector normalised exactly, and the length it had (1.0 when that depends on parameters).

    Raises ModelError for the zero vector.
    """
    v = read_vector(where, vector)
    square = dot(v, v)
    if square == 0 and all(isinstance(x, Fraction) for x in v) and any(v):
        largest = max(abs(x) for x in v if isinstance(x, Fraction))  # too small for its square
        direction, times = read_unit_vector(where, scale(1 / largest, v))
        return direction, float(largest) * times
    if square == 0:
        raise ModelError(
            where, "is the zero vector", "a direction", "Give the axis of the joint, such as (0, 0, 1)."
        )
    length = square_root(square)
    unit = v if length == 1 else scale(1 / length, v)
    return unit, 1.0 if isinstance(length, Expression) else float(length)


def read_rotation(where: str, rotation: Rotation | None) -> Matrix3:
    """None, (roll, pitch, yaw) or nine entries, as an orthonormal matrix.  Raises ModelError."""
    if rotation is None:
        return IDENTITY3
    rows = _entries(where, rotation, (3,), "roll, pitch and yaw, or the three rows of a matrix")
    if not any(_is_row(row) for row in rows):
        return roll_pitch_yaw(read_vector(where, rows))
    try:
        return orthonormalized(_matrix(where, rows))
    except ValueError as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(
            where,
            str(error),
            "an orthonormal, right-handed matrix",
            "Check its entries, their order and their digits.",
        ) from None


def inertia_tensor(where: str, inertia: Vector | Matrix) -> Matrix3:
    """Principal moments, (Ixx, Iyy, Izz, Ixy, Ixz, Iyz), or a symmetric 3 x 3 matrix [kg m^2].  Raises
    ModelError.
    """
    entries = _entries(where, inertia, (3, 6), "3 principal moments, 6 entries, or a 3 x 3 matrix")
    if not any(_is_row(entry) for entry in entries):
        v = [read_value(where, entry) for entry in entries]
        return diagonal(v[0], v[1], v[2]) if len(v) == 3 else symmetric(v[0], v[1], v[2], v[3], v[4], v[5])
    matrix = _matrix(where, entries)
    largest = max((abs(e) for row in matrix for e in row if isinstance(e, Fraction)), default=Fraction(0))

    def off_diagonal(i: int, j: int, name: str) -> Value:
        one, other = matrix[i][j], matrix[j][i]
        if one == other:
            return one
        if (
            isinstance(one, Fraction)
            and isinstance(other, Fraction)
            and abs(one - other) <= _ASYMMETRY * largest
        ):
            return (one + other) / 2
        raise ModelError(
            where,
            f"is not symmetric: I{name} is {_shown(one)} and I{name[::-1]} is {_shown(other)}",
            "a symmetric tensor",
            "Give each product of inertia twice the same.",
        )

    return symmetric(
        matrix[0][0],
        matrix[1][1],
        matrix[2][2],
        off_diagonal(0, 1, "xy"),
        off_diagonal(0, 2, "xz"),
        off_diagonal(1, 2, "yz"),
    )


def _is_row(entry: object) -> bool:
    try:
        iter(entry)  # type: ignore[call-overload]
    except TypeError:  # an array without dimensions has the method, and cannot be iterated
        return False
    return not isinstance(entry, str)


def _entries(where: str, given: Iterable[Any], counts: tuple[int, ...], expected: str) -> list[Any]:
    if not _is_row(given):
        raise ModelError(where, f"is {shown(given)}", expected, "Give them as a tuple, a list or an array.")
    entries = list(given)
    if len(entries) not in counts:
        raise ModelError(where, f"has {counted(len(entries), 'entry', 'entries')}", expected, "Give as many.")
    return entries


def _matrix(where: str, rows: list[Any]) -> Matrix3:
    a, b, c = (read_vector(where, row) for row in rows)
    return a, b, c


def _shown(value: Value) -> str:
    return repr(float(value)) if isinstance(value, Fraction) else "an expression"
