"""Small programs for tables of passes, and random programs made of sums and products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import hypothesis.strategies as st
import mpmath

from kanegen.codegen.graph import Expression, Graph, Program, count, evaluate_entries, inputs, multiprecision
from tests.emitted.programs import program

Build = Callable[[Sequence[Expression]], list[Expression]]


def from_inputs(build: Build) -> Program:
    """The program y of six inputs x[0..5]."""
    graph = Graph()
    return program("table", graph, {"x": 6}, {"y": build(inputs(graph, "x", 6))})


def operations(made: Program) -> tuple[int, int]:
    """Multiplications and additions."""
    counts = count(made)
    return counts.multiplications, counts.additions


def same_values(one: Program, other: Program) -> None:
    """Equal to 30 digits of 50, relative to the largest value that occurs."""
    with mpmath.workdps(50):
        entries = {}
        for argument in one.inputs:
            for i in range(argument.size):
                entries[argument.name, i] = (
                    mpmath.sin(mpmath.mpf(7 * i + len(argument.name)) / 3) + mpmath.mpf(1) / 9
                )
        for name in "mkc":
            entries["parameter", 0] = mpmath.mpf(1)
            entries[name, 0] = mpmath.sqrt(ord(name)) / 4
        found, wanted = (evaluate_entries(p, entries, multiprecision()) for p in (one, other))
        for xs, ys in zip(found, wanted, strict=True):
            for x, y in zip(xs, ys, strict=True):
                assert abs(x - y) <= mpmath.mpf(10) ** -30 * (1 + abs(y))


@st.composite
def sums_of_products(draw: st.DrawFn, parameters: bool = False) -> Program:
    """Up to thirty nested sums and products with repeated operands, numbers, and (if asked) live parameters m, k, c."""
    graph = Graph()
    pool = list(inputs(graph, "x", 6))
    if parameters:
        pool += [Expression(graph, graph.parameter(name)) for name in "mkc"]
    numbers = st.sampled_from([Fraction(1), Fraction(2), Fraction(-1), Fraction(1, 3), Fraction(-5, 2)])
    for step in range(draw(st.integers(1, 30))):
        x, y, z = (draw(st.sampled_from(pool[-12:])) for _ in range(3))
        match draw(st.sampled_from("+-*nsdq")):
            case "+":
                new = x + y + z
            case "-":
                new = x - y * z
            case "*":
                new = x * y
            case "n":
                new = draw(numbers) * x
            case "s":
                new = x.sine() * y.cosine()
            case "d":
                new = x / (1 + y * y)
            case _:
                new = (x + y) * z - x * z
        pool.append(new if step % 5 < 4 else new.sine())
    return program("random", graph, {"x": 6}, {"y": [draw(st.sampled_from(pool)) for _ in range(4)]})
