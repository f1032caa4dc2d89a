"""Block elimination and square systems against NumPy's dense solutions."""

from __future__ import annotations

import numpy as np
import pytest

from kanegen.codegen.derivation.motion_maps.elimination import Elimination, Square, inverted
from kanegen.codegen.derivation.motion_maps.plan import Block, Plan
from kanegen.codegen.graph import Argument, Expression, Graph, Program, constant, evaluate, inputs

# Well-conditioned random systems of order ten: a few hundred ulp.
TOLERANCE = 1e-12

PLAN = Plan(
    independent=(0, 1, 2, 3, 4),
    redundant=(),
    blocks=(Block((0, 1), (5, 2), None), Block((2,), (0,), None), Block((3, 4), (6, 1), None)),
    free=(3, 4),
    unit=None,
    indeterminate=(),
    states=np.zeros((1, 7)),
    closed=np.zeros((1, 7)),
)


def numbers(graph: Graph, values: dict[str, np.ndarray], wanted: list[Expression]) -> np.ndarray:
    arguments = tuple(Argument(name, value.shape, "", "") for name, value in values.items())
    program = Program(
        "t",
        "",
        "",
        arguments,
        (Argument("y", (len(wanted),), "", ""),),
        graph,
        (tuple(x.ref for x in wanted),),
    )
    return evaluate(program, values)["y"]


def matrix(graph: Graph, name: str, rows: int, columns: int) -> list[list[Expression]]:
    entries = inputs(graph, name, rows * columns)
    return [list(entries[columns * i : columns * (i + 1)]) for i in range(rows)]


@pytest.mark.parametrize("seed", range(4))
def test_rates_forces_and_multipliers(seed: int) -> None:
    generator = np.random.default_rng(seed)
    a, w, r = generator.standard_normal((5, 7)), generator.standard_normal(2), generator.standard_normal(5)
    force = generator.standard_normal(5)
    graph = Graph()
    elimination = Elimination(graph, matrix(graph, "A", 5, 7), PLAN)
    x = elimination.complete(inputs(graph, "w", 2), inputs(graph, "r", 5))
    given = {"A": a, "w": w, "r": r}
    found = numbers(graph, given, x)
    np.testing.assert_allclose(a @ found, r, atol=TOLERANCE * np.abs(found).max() * 7)
    np.testing.assert_array_equal(found[[3, 4]], w)

    dependent = [0, 1, 2, 5, 6]
    follow = -np.linalg.solve(a[:, dependent], a[:, [3, 4]])
    q = generator.standard_normal(7)
    reduced = numbers(graph, {"A": a, "Q": q}, elimination.reduce(inputs(graph, "Q", 7)))
    expected = q[[3, 4]] + follow.T @ q[dependent]
    np.testing.assert_allclose(reduced, expected, rtol=1e-10, atol=TOLERANCE * np.abs(follow).max() * 10)

    workless = a.T @ force
    multipliers = numbers(graph, {"A": a, "Q": workless}, elimination.multipliers(inputs(graph, "Q", 7)))
    np.testing.assert_allclose(multipliers, force, rtol=1e-10, atol=1e-11 * np.linalg.cond(a))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
def test_square_systems_of_every_size(n: int) -> None:
    generator = np.random.default_rng(n)
    j, b = generator.standard_normal((n, n)) + 3 * np.eye(n), generator.standard_normal(n)
    graph = Graph()
    square = Square(graph, matrix(graph, "J", n, n), None)
    right = inputs(graph, "b", n)
    # beyond order three J^T (J J^T)^-1 squares the condition number
    allowed = TOLERANCE * np.linalg.cond(j) ** 2
    np.testing.assert_allclose(
        numbers(graph, {"J": j, "b": b}, square.solve(right)), np.linalg.solve(j, b), rtol=0, atol=allowed
    )
    np.testing.assert_allclose(
        numbers(graph, {"J": j, "b": b}, square.solve_transposed(right)),
        np.linalg.solve(j.T, b),
        rtol=0,
        atol=allowed,
    )


def test_rows_with_one_number_are_solved_without_any_division() -> None:
    graph = Graph()
    one, zero = constant(graph, 1), constant(graph, 0)
    j = [[zero, one], [one, zero]]
    b = inputs(graph, "b", 2)
    square = Square(graph, j, -1)
    assert square.solve(b) == [b[1], b[0]]
    assert square.solve_transposed(b) == [b[1], b[0]]


def test_direct_rows_beside_a_dense_rest() -> None:
    generator = np.random.default_rng(5)
    graph = Graph()
    rows = matrix(graph, "J", 3, 3)
    zero, two = constant(graph, 0), constant(graph, 2)
    rows[1] = [zero, two, zero]
    j = generator.standard_normal((3, 3))
    j[1] = [0, 2, 0]
    b = generator.standard_normal(3)
    square = Square(graph, rows, None)
    right = inputs(graph, "b", 3)
    given = {"J": j, "b": b}
    np.testing.assert_allclose(numbers(graph, given, square.solve(right)), np.linalg.solve(j, b), rtol=1e-12)
    np.testing.assert_allclose(
        numbers(graph, given, square.solve_transposed(right)), np.linalg.solve(j.T, b), rtol=1e-12
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_a_determinant_known_to_be_one_costs_no_division(sign: int) -> None:
    graph = Graph()
    t = inputs(graph, "t", 1)[0]
    rotation = [[t.cosine(), -t.sine()], [t.sine() * sign, t.cosine() * sign]]
    inverse = inverted(graph, rotation, sign)
    found = numbers(graph, {"t": np.array([0.4])}, [x for row in inverse for x in row]).reshape(2, 2)
    c, s = np.cos(0.4), np.sin(0.4)
    np.testing.assert_allclose(found @ np.array([[c, -s], [s * sign, c * sign]]), np.eye(2), atol=1e-15)
