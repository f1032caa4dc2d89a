"""3-vectors and 3 x 3 matrices of a mechanism: what graph/linear.py makes of its values, settled (values.plain)."""

from __future__ import annotations

from collections.abc import Iterable

from kanegen.codegen.graph import linear
from kanegen.codegen.mechanism.records import IDENTITY3, ZERO3, Matrix3, Value, Vector3
from kanegen.codegen.mechanism.values import plain

__all__ = [
    "IDENTITY3",
    "ZERO3",
    "add",
    "cross",
    "diagonal",
    "dot",
    "matrix",
    "matrix_add",
    "matrix_multiply",
    "matrix_vector",
    "parallel_axes",
    "rotated_tensor",
    "scale",
    "subtract",
    "symmetric",
    "transpose",
    "vector",
]


def vector(entries: Iterable[Value]) -> Vector3:
    """Three plain values."""
    x, y, z = (plain(entry) for entry in entries)
    return x, y, z


def matrix(rows: Iterable[Iterable[Value]]) -> Matrix3:
    """Three rows of plain values."""
    x, y, z = (vector(row) for row in rows)
    return x, y, z


def dot(a: Vector3, b: Vector3) -> Value:
    """Scalar product."""
    return plain(linear.dot(a, b))


def add(a: Vector3, b: Vector3) -> Vector3:
    """a + b."""
    return vector(linear.add(a, b))


def subtract(a: Vector3, b: Vector3) -> Vector3:
    """a - b."""
    return vector(linear.subtract(a, b))


def scale(factor: Value, a: Vector3) -> Vector3:
    """factor * a."""
    return vector(linear.scale(factor, a))


def cross(a: Vector3, b: Vector3) -> Vector3:
    """a x b."""
    return vector(linear.cross(a, b))


def transpose(m: Matrix3) -> Matrix3:
    """Transposed matrix: for a rotation, the inverse."""
    x, y, z = linear.transpose(m)
    return x, y, z


def matrix_vector(m: Matrix3, v: Vector3) -> Vector3:
    """m @ v."""
    return vector(linear.apply(m, v))


def matrix_multiply(a: Matrix3, b: Matrix3) -> Matrix3:
    """a @ b."""
    return matrix(linear.multiply(a, b))


def matrix_add(a: Matrix3, b: Matrix3) -> Matrix3:
    """a + b."""
    return matrix(linear.matrix_add(a, b))


def diagonal(x: Value, y: Value, z: Value) -> Matrix3:
    """Diagonal matrix."""
    zero = ZERO3[0]
    return (x, zero, zero), (zero, y, zero), (zero, zero, z)


def symmetric(xx: Value, yy: Value, zz: Value, xy: Value, xz: Value, yz: Value) -> Matrix3:
    """Symmetric matrix of its six entries."""
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def rotated_tensor(rotation: Matrix3, tensor: Matrix3) -> Matrix3:
    """R T R^T: a symmetric tensor's components in the frame to which R carries them; exactly symmetric."""
    m = matrix_multiply(matrix_multiply(rotation, tensor), transpose(rotation))
    return symmetric(m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2])


def parallel_axes(mass: Value, offset: Vector3) -> Matrix3:
    """m (|d|^2 1 - d d^T): what a mass at ``offset`` [m] adds to an inertia tensor about a point
    (Steiner).
    """
    x, y, z = offset
    xx, yy, zz = plain(mass * x * x), plain(mass * y * y), plain(mass * z * z)
    return symmetric(
        plain(yy + zz),
        plain(xx + zz),
        plain(xx + yy),
        plain(-mass * x * y),
        plain(-mass * x * z),
        plain(-mass * y * z),
    )
