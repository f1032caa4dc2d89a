"""Jacobians by elimination, in every order, against Taylor coefficients and against derivatives along directions."""

from __future__ import annotations

import mpmath
import pytest

from kanegen.codegen.graph import (
    Argument,
    Expression,
    Graph,
    Program,
    constant,
    evaluate_entries,
    inputs,
    multiprecision,
    partial,
)
from kanegen.codegen.graph.jacobian import Order, jacobian

from .test_derivative import POINT, functions

every_order = pytest.mark.parametrize("order", Order)
DIGITS = 50


def evaluated(graph: Graph, values: list[Expression], **given: list[str]) -> list[mpmath.mpf]:
    """The expressions where inputs have these values."""
    program = Program(
        "f", "", "", (), (Argument("y", (len(values),), "", ""),), graph, (tuple(x.ref for x in values),)
    )
    entries = {(name, i): mpmath.mpf(x) for name, column in given.items() for i, x in enumerate(column)}
    found: list[mpmath.mpf] = evaluate_entries(program, entries, multiprecision())[0]
    return found


@every_order
def test_every_kind_of_node(order: Order) -> None:
    """All functions at once, so that they share nodes; each entry against a numerical derivative at 50 digits."""
    graph = Graph()
    q = inputs(graph, "q", 3)
    results = list(functions(q).values())
    rows = jacobian(graph, results, q, order)
    with mpmath.workdps(DIGITS):
        found = evaluated(graph, [x for row in rows for x in row], q=list(POINT))
        for k, f in enumerate(results):
            for j in range(3):

                def moved(t: mpmath.mpf, f: Expression = f, j: int = j) -> mpmath.mpf:
                    point = [mpmath.mpf(x) + (t if i == j else 0) for i, x in enumerate(POINT)]
                    return evaluated(graph, [f], q=point)[0]

                # mpmath differentiates numerically: about half of 50 digits are left
                assert abs(found[3 * k + j] - mpmath.diff(moved, 0)) < mpmath.mpf(10) ** -20


@every_order
def test_it_agrees_with_derivatives_along_directions(order: Order) -> None:
    """To 45 of 50 digits: both are exact, and round a few dozen times."""
    graph = Graph()
    q = inputs(graph, "q", 3)
    results = list(functions(q).values())
    rows = jacobian(graph, results, q, order)
    columns = [[partial(graph, x).first(f) for f in results] for x in q]
    with mpmath.workdps(DIGITS):
        found = evaluated(graph, [x for row in rows for x in row], q=list(POINT))
        expected = evaluated(
            graph, [columns[j][k] for k in range(len(results)) for j in range(3)], q=list(POINT)
        )
    assert (
        max(abs(x - y) / (1 + abs(y)) for x, y in zip(found, expected, strict=True)) < mpmath.mpf(10) ** -45
    )


@every_order
def test_results_may_be_variables_constants_or_alike(order: Order) -> None:
    graph = Graph()
    x, y = inputs(graph, "q", 2)
    rows = jacobian(graph, [x, -x, constant(graph, 3), x * y, x * y], [x, y], order)
    zero, one = constant(graph, 0), constant(graph, 1)
    assert rows == [[one, zero], [-one, zero], [zero, zero], [y, x], [y, x]]


@every_order
def test_signs_and_repeated_operands(order: Order) -> None:
    graph = Graph()
    x, y = inputs(graph, "q", 2)
    assert jacobian(graph, [x * x], [x], order) == [[x * 2]]
    assert jacobian(graph, [y - (x - y) * 4], [x, y], order) == [[constant(graph, -4), constant(graph, 5)]]
    assert jacobian(graph, [(-x).sine()], [x], order) == [[-x.cosine()]]


@every_order
def test_parameters_are_variables_too(order: Order) -> None:
    graph = Graph()
    mass, x = Expression(graph, graph.parameter("mass")), inputs(graph, "q", 1)[0]
    assert jacobian(graph, [mass * mass * x + x], [mass], order) == [[mass * 2 * x]]


@every_order
def test_given_derivatives_are_used_and_not_looked_through(order: Order) -> None:
    """An input f stands for something that depends on u = x y and on y, with derivatives 5 and z."""
    graph = Graph()
    x, y, z = inputs(graph, "q", 3)
    (f,) = inputs(graph, "f", 1)
    u = x * y
    rows = jacobian(graph, [f * z + x], [x, y], order, {f: {u: constant(graph, 5), y: z}})
    one = constant(graph, 1)
    assert rows[0][0] == z * (y * 5) + one or rows[0][0] == (z * 5) * y + one
    assert rows[0][1] in (z * (x * 5 + z), (z * 5) * x + z * z, z * (x * 5) + z * z)


@every_order
def test_coordinates_may_depend_on_steps(order: Order) -> None:
    """dq = N e: a coordinate that two steps move is a node like any other."""
    graph = Graph()
    x, y = inputs(graph, "q", 2)
    steps = inputs(graph, "step", 2)
    one = constant(graph, 1)
    rows = jacobian(
        graph, [x.sine(), y], steps, order, {x: {steps[0]: one, steps[1]: y}, y: {steps[1]: -one}}
    )
    assert rows == [[x.cosine(), x.cosine() * y], [constant(graph, 0), -one]]


def test_the_same_graph_gives_the_same_nodes() -> None:
    """Elimination does not depend on hashes or on the order of dictionaries: building twice gives the same references."""

    def build(order: Order) -> list[int]:
        graph = Graph()
        q = inputs(graph, "q", 3)
        return [x.ref for row in jacobian(graph, list(functions(q).values()), q, order) for x in row]

    assert all(build(order) == build(order) for order in Order)
