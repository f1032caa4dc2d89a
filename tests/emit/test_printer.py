"""How expressions are written, as a table of expression and text."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from kanegen.codegen.emit.expressions import SQUARE_ROOT, Arrangement, Signed, Variable
from kanegen.codegen.emit.languages.c99 import C99
from kanegen.codegen.emit.precision import Precision
from kanegen.codegen.emit.printer import Printer
from kanegen.codegen.graph import Expression, Graph, constant, inputs, total

Build = Callable[[Expression, Expression, Expression, Expression], Expression]

TABLE: list[tuple[Build, str]] = [
    (lambda a, b, c, d: a, "a"),
    (lambda a, b, c, d: -a, "-a"),
    (lambda a, b, c, d: a + b, "a + b"),
    (lambda a, b, c, d: a - b, "a - b"),
    (lambda a, b, c, d: b - a, "b - a"),
    (lambda a, b, c, d: total(a.graph, [-a, b, -c, d]), "b + d - a - c"),
    (lambda a, b, c, d: total(a.graph, [-a, -b, -c]), "-(a + b + c)"),
    (lambda a, b, c, d: a * b * -c, "-c * (a * b)"),
    (lambda a, b, c, d: -Expression(a.graph, a.graph.product((a.ref, b.ref, c.ref))), "-a * b * c"),
    (lambda a, b, c, d: a * 2, "2.0 * a"),
    (lambda a, b, c, d: a * Fraction(-1, 2) + b, "b - 0.5 * a"),
    (lambda a, b, c, d: a * a, "a * a"),
    (lambda a, b, c, d: a * (b + c), "a * (b + c)"),
    (lambda a, b, c, d: a - (b - c) * d, "a - d * (b - c)"),
    (lambda a, b, c, d: -(a - b) * d, "d * (b - a)"),
    (lambda a, b, c, d: -(a + b) * d, "-d * (a + b)"),
    (lambda a, b, c, d: a + (b + c).square_root(), "a + sqrt(b + c)"),
    (lambda a, b, c, d: (-(a * b)).square_root(), "sqrt(-a * b)"),
    (lambda a, b, c, d: a / b, "a / b"),
    (lambda a, b, c, d: 1 / a, "1.0 / a"),
    (lambda a, b, c, d: a * b / (c * d), "a * b / (c * d)"),
    (lambda a, b, c, d: (a + b) / (c - d), "(a + b) / (c - d)"),
    (lambda a, b, c, d: a / (b / c), "a / (b / c)"),
    (lambda a, b, c, d: -a / b - c, "-(c + a / b)"),
    (lambda a, b, c, d: d * (a / b), "d * (a / b)"),
    (lambda a, b, c, d: a / 3 + Fraction(1, 2), "0.3333333333333333 * a + 0.5"),
    (lambda a, b, c, d: constant(a.graph, -3), "-3.0"),
    (lambda a, b, c, d: constant(a.graph, 0), "0.0"),
]


def printer(precision: Precision = Precision.DOUBLE) -> Printer:
    return Printer(C99, precision, {SQUARE_ROOT: C99.function("sqrt", precision)}, {})


def leaf(sign: int, name: str) -> Signed:
    return Signed(sign, Variable(name))


@pytest.mark.parametrize(("build", "text"), TABLE, ids=[text for _, text in TABLE])
def test_table(build: Build, text: str) -> None:
    graph = Graph()
    leaves = inputs(graph, "q", 4)
    names = {node.ref: leaf(1, name) for node, name in zip(leaves, "abcd", strict=True)}
    assert printer().value(Arrangement(graph, names).value(build(*leaves).ref)) == text


def test_a_name_for_the_negative_turns_signs() -> None:
    graph = Graph()
    a, b, c, _ = inputs(graph, "q", 4)
    written = Arrangement(graph, {a.ref: leaf(1, "a"), b.ref: leaf(-1, "Z"), c.ref: leaf(1, "c")})
    prints = printer().value
    assert prints(written.value((a - b).ref)) == "a + Z"
    assert prints(written.value((a * b).ref)) == "-a * Z"
    assert prints(written.value((b + b * c).ref)) == "-(Z + Z * c)"
    assert prints(written.definition((b * c).ref, -1)) == "Z * c"


def test_single_precision() -> None:
    graph = Graph()
    a, *_ = inputs(graph, "q", 4)
    value = Arrangement(graph, {a.ref: leaf(1, "a")}).value((a * Fraction(1, 3) + 1).square_root().ref)
    assert printer(Precision.SINGLE).value(value) == "sqrtf(1.0f + 0.33333334f * a)"


def test_a_leaf_without_a_name_is_an_error() -> None:
    graph = Graph()
    a, *_ = inputs(graph, "q", 4)
    with pytest.raises(ValueError, match="INPUT has no name"):
        Arrangement(graph, {}).value((a + 1).ref)
