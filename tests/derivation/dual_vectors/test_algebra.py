"""Dual numbers, vectors and rotations against an independent picture: a + epsilon b as the matrix [[a, 0], [b, a]]."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import cosm, sinm

from kanegen.codegen.derivation.dual_vectors import DualNumber, DualRotation, DualVector, about_axis
from kanegen.codegen.derivation.dual_vectors.dual_vector import triple, unit_vector
from kanegen.codegen.graph import Expression, Graph, constant, evaluate, inputs
from tests.derivation.force_programs import program_of

Array = NDArray[np.float64]

ROUNDING = 1e-14
"""Sums of at most nine products of numbers below 4: ten roundings of 1.1e-16 on at most 16."""

X = np.random.default_rng(5).uniform(-2, 2, 24)


def numbers(count: int) -> list[DualNumber]:
    graph = Graph()
    x = inputs(graph, "x", 2 * count)
    return [DualNumber(x[2 * i], x[2 * i + 1]) for i in range(count)]


def vectors(count: int) -> list[DualVector]:
    graph = Graph()
    x = inputs(graph, "x", 6 * count)
    return [DualVector(triple(x[6 * i : 6 * i + 3]), triple(x[6 * i + 3 : 6 * i + 6])) for i in range(count)]


def values(expressions: list[Expression]) -> Array:
    program = program_of(expressions[0].graph, {"x": len(X)}, expressions)
    return evaluate(program, {"x": X})["tau"]


def matrix(number: DualNumber) -> Array:
    """The 2 x 2 matrix of the value of a dual number: sums and products of such matrices are those of dual numbers."""
    a, b = values([number.real, number.dual])
    return np.array([[a, 0.0], [b, a]])


def matrices(vector: DualVector) -> Array:
    """(3, 2, 2)."""
    return np.array([matrix(vector[r]) for r in range(3)])


def same(found: DualNumber, expected: Array) -> bool:
    return bool(np.abs(matrix(found) - expected).max() <= ROUNDING)


def test_epsilon_squared_is_zero() -> None:
    (x,) = numbers(1)
    graph = x.real.graph
    epsilon = DualNumber(constant(graph, 0), constant(graph, 1))
    square = epsilon * epsilon
    assert square.real.is_zero
    assert square.dual.is_zero
    assert epsilon * x == x.times_epsilon()
    assert x.times_epsilon().times_epsilon() == DualNumber(constant(graph, 0), constant(graph, 0))


def test_sums_and_products() -> None:
    x, y, z = numbers(3)
    X2, Y2, Z2 = map(matrix, (x, y, z))
    assert same(x + y, X2 + Y2)
    assert same(x - y, X2 - Y2)
    assert same(-x, -X2)
    assert same(x * y, X2 @ Y2)
    assert same(3 * x, 3 * X2)
    assert same(x * y.real, X2 * Y2[0, 0])
    assert same(x * (y + z) - x * y, X2 @ Z2)
    assert (x * y) == (y * x)


def test_sine_and_cosine_of_a_dual_angle() -> None:
    """(11) and (12), against the matrix functions of the picture."""
    (x,) = numbers(1)
    assert same(x.sine(), sinm(matrix(x)))
    assert same(x.cosine(), cosm(matrix(x)))
    assert same(x.sine() * x.sine() + x.cosine() * x.cosine(), np.eye(2))


def test_vector_products() -> None:
    u, v = vectors(2)
    U, V = matrices(u), matrices(v)
    assert same(u.dot(v), np.einsum("iab,ibc->ac", U, V))
    cross = u.cross(v)
    for t in range(3):
        r, c = (t + 1) % 3, (t + 2) % 3
        assert same(cross[t], U[r] @ V[c] - U[c] @ V[r])
        assert same((u + v)[t], U[t] + V[t])
        assert same((u - v)[t], U[t] - V[t])
        assert same((u * v[0])[t], U[t] @ V[0])
        assert same((2 * u)[t], 2 * U[t])
        assert same(u.times_epsilon()[t], np.array([[0, 0], [1, 0]]) @ U[t])


def test_unit_vectors_are_bound_to_the_point_of_their_axes() -> None:
    graph = Graph()
    x, y, z = (unit_vector(graph, axis) for axis in range(3))
    assert x.cross(y) == z
    assert y.dot(y) == DualNumber(constant(graph, 1), constant(graph, 0))
    assert x.dot(z) == DualNumber(constant(graph, 0), constant(graph, 0))


def turned_and_displaced() -> tuple[DualRotation, DualVector, DualVector]:
    """A displacement in general position and two vectors."""
    graph = Graph()
    x = inputs(graph, "x", len(X))
    zero = constant(graph, 0)
    first = about_axis(2, DualNumber(x[12], zero))
    second = about_axis(0, DualNumber(x[13], zero))
    rotation = [
        [
            sum((a * b for a, b in zip(row, column, strict=True)), zero)
            for column in zip(*second.rotation, strict=True)
        ]
        for row in first.rotation
    ]
    general = DualRotation((triple(rotation[0]), triple(rotation[1]), triple(rotation[2])), triple(x[14:17]))
    u = DualVector(triple(x[0:3]), triple(x[3:6]))
    v = DualVector(triple(x[6:9]), triple(x[9:12]))
    return general, u, v


def test_rotation_applies_its_matrix() -> None:
    general, u, _ = turned_and_displaced()
    entries = np.array([[matrix(entry) for entry in row] for row in general.matrix()])
    U = matrices(u)
    outer, inner = general.outward(u), general.inward(u)
    for r in range(3):
        assert same(outer[r], np.einsum("iab,ibc->ac", entries[r], U))
        assert same(inner[r], np.einsum("iab,ibc->ac", entries[:, r], U))
    # a dual rotation matrix is orthogonal
    product = np.einsum("ijab,kjbc->ikac", entries, entries)
    assert np.abs(product - np.einsum("ik,ac->ikac", np.eye(3), np.eye(2))).max() <= ROUNDING


def test_dual_product_is_the_same_in_all_axes() -> None:
    general, u, v = turned_and_displaced()
    assert same(general.outward(u).dot(general.outward(v)), matrix(u.dot(v)))
    back = general.inward(general.outward(u))
    for r in range(3):
        assert same(back[r], matrix(u[r]))


@pytest.mark.parametrize("axis", range(3))
def test_displacement_about_an_axis_is_a_rotation_by_the_dual_angle(axis: int) -> None:
    (angle,) = numbers(1)
    s, c = sinm(matrix(angle)), cosm(matrix(angle))
    a, b = (axis + 1) % 3, (axis + 2) % 3
    expected = np.zeros((3, 3, 2, 2))
    expected[axis, axis] = np.eye(2)
    expected[a, a] = expected[b, b] = c
    expected[a, b], expected[b, a] = -s, s
    for row, wanted in zip(about_axis(axis, angle).matrix(), expected, strict=True):
        for entry, value in zip(row, wanted, strict=True):
            assert same(entry, value)
