"""3-vectors and 3 x 3 matrices of exact values and parameter expressions: the algebra that models need."""

from __future__ import annotations

from kanegen.codegen.mechanism.records import IDENTITY3, ZERO3, Matrix3, Value, Vector3
from kanegen.codegen.mechanism.values import plain

__all__ = [
    "IDENTITY3",
    "ZERO3",
    "add",
    "cross",
    "diagonal",
    "dot",
    "matrix_add",
    "matrix_multiply",
    "matrix_vector",
    "parallel_axes",
    "rotated_tensor",
    "scale",
    "subtract",
    "symmetric",
    "transpose",
]


def dot(a: Vector3, b: Vector3) -> Value:
    """Scalar product."""
    return plain(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def add(a: Vector3, b: Vector3) -> Vector3:
    """a + b."""
    return plain(a[0] + b[0]), plain(a[1] + b[1]), plain(a[2] + b[2])


def subtract(a: Vector3, b: Vector3) -> Vector3:
    """a - b."""
    return plain(a[0] - b[0]), plain(a[1] - b[1]), plain(a[2] - b[2])


def scale(factor: Value, a: Vector3) -> Vector3:
    """factor * a."""
    return plain(factor * a[0]), plain(factor * a[1]), plain(factor * a[2])


def cross(a: Vector3, b: Vector3) -> Vector3:
    """a x b."""
    return (
        plain(a[1] * b[2] - a[2] * b[1]),
        plain(a[2] * b[0] - a[0] * b[2]),
        plain(a[0] * b[1] - a[1] * b[0]),
    )


def transpose(m: Matrix3) -> Matrix3:
    """Transposed matrix: for a rotation, the inverse."""
    return (m[0][0], m[1][0], m[2][0]), (m[0][1], m[1][1], m[2][1]), (m[0][2], m[1][2], m[2][2])


def matrix_vector(m: Matrix3, v: Vector3) -> Vector3:
    """m @ v."""
    return dot(m[0], v), dot(m[1], v), dot(m[2], v)


def matrix_multiply(a: Matrix3, b: Matrix3) -> Matrix3:
    """a @ b."""
    columns = transpose(b)
    return matrix_vector(columns, a[0]), matrix_vector(columns, a[1]), matrix_vector(columns, a[2])


def matrix_add(a: Matrix3, b: Matrix3) -> Matrix3:
    """a + b."""
    return add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])


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
