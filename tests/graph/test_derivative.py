"""Derivatives along a direction against Taylor coefficients in 50-digit arithmetic."""

from __future__ import annotations

import mpmath
import pytest

from kanegen.codegen.graph import (
    Argument,
    Expression,
    Graph,
    Program,
    Tangents,
    constant,
    evaluate_entries,
    inputs,
    multiprecision,
    partial,
)

POINT = ("0.53", "0.71", "1.13")
DIRECTION = ("0.31", "-0.42", "0.94")


def functions(q: tuple[Expression, ...]) -> dict[str, Expression]:
    """Expressions that use every kind of node, signs and constants included."""
    x, y, z = q
    return {
        "sum": x * 3 - y + 2,
        "product": x * y * z * x,
        "quotient": (x + y) / (z - x * y * 4),
        "constant over": 1 / (x + 5),
        "root": (x * x + y * 3 + z).square_root(),
        "sine": (x * y).sine() * z,
        "cosine": -(y - z * z).cosine() / x,
        "nested": ((x.sine() * y + z).square_root() / (y.cosine() * 3 + x * z)).sine(),
        "untouched": constant(x.graph, 7),
    }


@pytest.mark.parametrize("name", list(functions(inputs(Graph(), "q", 3))))
def test_first_and_second_derivatives(name: str) -> None:
    graph = Graph()
    q, r = inputs(graph, "q", 3), inputs(graph, "r", 3)
    f = functions(q)[name]
    tangents = Tangents(graph, dict(zip(q, r, strict=True)))
    program = Program(
        "f",
        "",
        "",
        (Argument("q", (3,), "", ""), Argument("r", (3,), "", "")),
        (Argument("y", (3,), "", ""),),
        graph,
        ((f.ref, tangents.first(f).ref, tangents.second(f).ref),),
    )
    with mpmath.workdps(50):

        def at(t: mpmath.mpf) -> list[mpmath.mpf]:
            entries = {("r", i): mpmath.mpf(d) for i, d in enumerate(DIRECTION)}
            entries |= {
                ("q", i): mpmath.mpf(p) + t * mpmath.mpf(d)
                for i, (p, d) in enumerate(zip(POINT, DIRECTION, strict=True))
            }
            return list(evaluate_entries(program, entries, multiprecision())[0])

        _, first, second = at(mpmath.mpf(0))
        coefficients = mpmath.taylor(lambda t: at(t)[0], 0, 2)
        # mpmath differentiates numerically: of 50 digits about half are left for the second derivative
        assert abs(first - coefficients[1]) < mpmath.mpf(10) ** -20
        assert abs(second - 2 * coefficients[2]) < mpmath.mpf(10) ** -15


def test_partial_derivatives_are_structurally_sparse() -> None:
    graph = Graph()
    q = inputs(graph, "q", 2)
    assert partial(graph, q[1]).first(q[0].sine()).is_zero
    assert partial(graph, q[0]).first(q[0].sine()) == q[0].cosine()


def test_only_inputs_and_parameters_can_change() -> None:
    graph = Graph()
    x = inputs(graph, "q", 1)[0]
    with pytest.raises(ValueError, match="parameters alone"):
        Tangents(graph, {x.sine(): x})


def test_parameters_can_change() -> None:
    graph = Graph()
    length, q = Expression(graph, graph.parameter("length")), inputs(graph, "q", 1)[0]
    found = partial(graph, length).first(length * length * q.sine())
    assert found == length * 2 * q.sine()
    assert partial(graph, q).first(length * 3).is_zero
