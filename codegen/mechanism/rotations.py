"""Rotation matrices: from angles, and from the rounded entries that people and files give."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import mpmath

from kanegen.codegen.graph import Expression
from kanegen.codegen.graph.exact import DIGITS, from_mpf, to_mpf
from kanegen.codegen.mechanism.records import IDENTITY3, ZERO3, Matrix3, Value, Vector3
from kanegen.codegen.mechanism.values import cosine, plain, sine, square_root
from kanegen.codegen.mechanism.vectors import (
    cross,
    dot,
    matrix_add,
    matrix_multiply,
    scale,
    subtract,
    transpose,
)

LARGEST_DEVIATION = Fraction(1, 10**6)
"""Largest |R R^T - 1| of a matrix that counts as a rotation written with few digits (0.707107), not as a
mistake."""

Row = tuple[Fraction, Fraction, Fraction]

_ROUNDING = Fraction(1, 2**51)
"""Entries of a rotation this near to 0 or 1 are the rounding of a double (cos(pi/2) = 6e-17)."""

_VERTICAL = 1e-40
"""A pitch whose cosine is below this is a quarter turn."""


def about_axis(axis: int, angle: Value) -> Matrix3:
    """Rotation by ``angle`` [rad] about coordinate axis 0, 1 or 2: r_outer = R @ r_turned."""
    zero, one = Fraction(0), Fraction(1)
    s, c = sine(angle), cosine(angle)
    if axis == 0:
        return (one, zero, zero), (zero, c, plain(-s)), (zero, s, c)
    if axis == 1:
        return (c, zero, s), (zero, one, zero), (plain(-s), zero, c)
    return (c, plain(-s), zero), (s, c, zero), (zero, zero, one)


def rotation_of_quaternion(
    quaternion: tuple[Fraction, ...],
) -> tuple[Row, Row, Row]:
    """The rows of the rotation that a quaternion (x, y, z, w) of any length but zero stands for, exactly."""
    x, y, z, w = quaternion
    s = 2 / (x * x + y * y + z * z + w * w)
    return (
        (1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)),
        (s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)),
        (s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)),
    )


def roll_pitch_yaw(angles: Vector3) -> Matrix3:
    """Rz(yaw) Ry(pitch) Rx(roll) of (roll, pitch, yaw) [rad]: turns about fixed axes x, y, z, as in URDF."""
    return _of_numbers(angles) if all(isinstance(x, Fraction) for x in angles) else _of_angles(angles)


def _of_angles(angles: Vector3) -> Matrix3:
    roll, pitch, yaw = angles
    return matrix_multiply(about_axis(2, yaw), matrix_multiply(about_axis(1, pitch), about_axis(0, roll)))


_of_numbers = lru_cache(maxsize=1024)(_of_angles)
"""Sines of 60 digits take time, and the joints of a robot are turned by few angles."""


def turned(axis: Vector3, angle: Value) -> Matrix3:
    """Rotation by an angle [rad] about a unit vector (Rodrigues)."""
    if angle == 0:
        return IDENTITY3
    x, y, z = axis
    s, c = sine(angle), cosine(angle)
    zero = ZERO3[0]
    skew: Matrix3 = (zero, -z, y), (z, zero, -x), (-y, x, zero)
    squared = matrix_multiply(skew, skew)
    parts = [tuple(scale(factor, row) for row in m) for factor, m in ((s, skew), (1 - c, squared))]
    first, second = ((m[0], m[1], m[2]) for m in parts)
    return orthonormalized(matrix_add(IDENTITY3, matrix_add(first, second)))


def angles_of(rotation: Matrix3) -> tuple[Fraction, Fraction, Fraction]:
    """Roll, pitch and yaw [rad] of a numeric matrix, to 60 digits; no roll where pitch is a quarter turn."""
    with mpmath.workdps(DIGITS + 5):
        r = [[to_mpf(_number(entry)) for entry in row] for row in rotation]
        across = mpmath.hypot(r[0][0], r[1][0])
        if across < _VERTICAL:
            found = mpmath.mpf(0), mpmath.atan2(-r[2][0], across), mpmath.atan2(-r[0][1], r[1][1])
        else:
            found = (
                mpmath.atan2(r[2][1], r[2][2]),
                mpmath.atan2(-r[2][0], across),
                mpmath.atan2(r[1][0], r[0][0]),
            )
        roll, pitch, yaw = map(from_mpf, found)
        return roll, pitch, yaw


def orthonormalized(matrix: Matrix3) -> Matrix3:
    """The rotation that a matrix of rounded numbers stands for, orthonormal to 50 digits and with its zeros
    exact.

    Matrices with parameters are returned as they are.  Raises ValueError when rows are not orthonormal to
    ``LARGEST_DEVIATION``, or when the matrix is a reflection; the text says by how much.
    """
    if not all(isinstance(entry, Fraction) for row in matrix for entry in row):
        return matrix
    rows: list[Vector3] = [(_rounded(row[0]), _rounded(row[1]), _rounded(row[2])) for row in matrix]
    deviation = departure((rows[0], rows[1], rows[2]))
    if deviation > LARGEST_DEVIATION:
        raise ValueError(
            f"rows are not orthonormal (R R^T differs from the unit matrix by {float(deviation):.3g})"
        )
    if _number(dot(rows[0], cross(rows[1], rows[2]))) < 0:
        raise ValueError("a reflection (determinant -1)")
    if deviation == 0:
        return rows[0], rows[1], rows[2]
    # Gram-Schmidt, beginning with the rows that have most zeros: they then keep them
    first, second, third = sorted(range(3), key=lambda i: -sum(entry == 0 for entry in rows[i]))
    rows[first] = _unit(rows[first])
    rows[second] = _unit(subtract(rows[second], scale(dot(rows[second], rows[first]), rows[first])))
    parity = 1 if (second - first) % 3 == 1 else -1
    rows[third] = scale(Fraction(parity), cross(rows[first], rows[second]))
    return rows[0], rows[1], rows[2]


def departure(matrix: Matrix3) -> Fraction:
    """Largest entry of |R R^T - 1| of a numeric matrix."""
    product = matrix_multiply(matrix, transpose(matrix))
    largest = Fraction(0)
    for i, row in enumerate(product):
        for j, entry in enumerate(row):
            largest = max(largest, abs(_number(entry) - (i == j)))
    return largest


def _rounded(entry: Value) -> Value:
    """Exact 0 and +-1 for entries within double rounding of them."""
    number = _number(entry)
    nearest = round(number)
    return Fraction(nearest) if abs(number - nearest) < _ROUNDING else number


def _number(value: Value) -> Fraction:
    return value.value if isinstance(value, Expression) else value


def _unit(v: Vector3) -> Vector3:
    length = square_root(dot(v, v))
    return scale(1 / length, v)
