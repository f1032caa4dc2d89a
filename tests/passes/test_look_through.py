"""Look through: what it finds on small programs, and that it never changes a value or adds an operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings

from kanegen.codegen.graph import Expression, Graph, Program, count, inputs
from kanegen.codegen.passes.look_through import dissolve, look_through
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.passes.terms import TermTable
from tests.emitted.programs import every_operation, program, random_programs

from .graphs import from_inputs, operations, same_values, sums_of_products

Build = Callable[[Sequence[Expression]], list[Expression]]


def merged(x: Sequence[Expression]) -> list[Expression]:
    """xy - a with a = b - zy becomes (x + z) y - b, where x + z is at hand, for both users of a."""
    a = x[2] - x[3] * x[1]
    return [x[0] * x[1] - a, x[5] * x[1] - a, (x[0] + x[3]) * x[4], (x[5] + x[3]) * x[4]]


def cancelled(x: Sequence[Expression]) -> list[Expression]:
    """d - a + b with d = a - c, used twice."""
    d = x[0] - x[1] * x[2]
    return [d - x[0] + x[3], d * x[4]]


def dying_product(x: Sequence[Expression]) -> list[Expression]:
    """ab + c with c = d - ae becomes a(b - e) + d, where b - e is at hand; the product ae dies with c."""
    c = x[3] - x[0] * x[4]
    return [x[0] * x[1] + c, x[0] * x[2] + c, (x[1] - x[4]) * x[5], (x[2] - x[4]) * x[5]]


def no_trade(x: Sequence[Expression]) -> list[Expression]:
    """The same where nothing is at hand would only trade a multiplication for an addition."""
    c = x[3] - x[0] * x[4]
    return [x[0] * x[1] + c, x[0] * x[2] + c]


def partial_sum(x: Sequence[Expression]) -> list[Expression]:
    """a + b is there already."""
    return [x[0] + x[1], (x[0] + x[2]) + x[1], (x[0] + x[3]) + x[1]]


def common_pair(x: Sequence[Expression]) -> list[Expression]:
    """Three sums with two terms in common, one of them scaled."""
    return [
        (x[0] * x[5] + x[2]) + x[1],
        (x[0] * x[5] + x[3]) + x[1],
        3 * (x[0] * x[5]) + 3 * x[1] + x[4] * x[4],
    ]


def circle(x: Sequence[Expression]) -> list[Expression]:
    """c (c x + s y) - s (c y - s x) is x."""
    c, s = x[5].cosine(), x[5].sine()
    u, v = c * x[0] + s * x[1], c * x[1] - s * x[0]
    return [u * x[2], v * x[3], c * u - s * v + x[4]]


def squares(x: Sequence[Expression]) -> list[Expression]:
    """A turn keeps the sum of squares."""
    c, s = x[5].cosine(), x[5].sine()
    u, v = c * x[0] + s * x[1], c * x[1] - s * x[0]
    return [u, v, (x[0] * x[0] + x[1] * x[1]) * x[2], u * u + v * v + x[4]]


def turned_cross(x: Sequence[Expression]) -> list[Expression]:
    """Two vectors turned alike keep their cross product about the axis."""
    c, s = x[5].cosine(), x[5].sine()
    u, v = c * x[0] + s * x[1], c * x[1] - s * x[0]
    p, q = c * x[2] + s * x[3], c * x[3] - s * x[2]
    return [u, v, p, q, x[0] * x[3] - x[1] * x[2], u * q - v * p + x[4]]


def turned_product(x: Sequence[Expression]) -> list[Expression]:
    """Two products with w, turned: (2 c x + s y) w and (c y - 2 s x) w, where c x and the like are at hand."""
    c, s = x[5].cosine(), x[5].sine()
    p, q = 2 * x[0] * x[4], x[1] * x[4]
    at_hand = [c * x[0], s * x[1], c * x[1], s * x[0]]
    return [c * p + s * q + x[2], c * q - s * p + x[3], *at_hand]


def components(x: Sequence[Expression]) -> list[Expression]:
    """The squares of both components of w are together that of w."""
    c, s = x[5].cosine(), x[5].sine()
    p, q = c * x[0], s * x[0]
    return [p * p + q * q + x[1], p * x[2], q * x[3], x[0] * x[0] * x[4]]


@pytest.mark.parametrize(
    ("build", "before", "after"),
    [
        (merged, (5, 5), (4, 4)),
        (cancelled, (2, 3), (2, 2)),
        (dying_product, (5, 5), (4, 4)),
        (no_trade, (3, 3), (3, 3)),
        (partial_sum, (0, 5), (0, 3)),
        (common_pair, (4, 6), (3, 4)),
        (circle, (8, 4), (6, 3)),
        (squares, (9, 5), (7, 4)),
        (turned_cross, (12, 7), (10, 6)),
    ],
)
def test_what_it_finds(build: Build, before: tuple[int, int], after: tuple[int, int]) -> None:
    plain = from_inputs(build)
    for better in (look_through(plain), dissolve(plain)):
        assert operations(better) == after
        same_values(better, plain)
    assert operations(plain) == before


@pytest.mark.parametrize(
    ("build", "before", "after"), [(turned_product, (11, 4), (8, 4)), (components, (8, 2), (6, 1))]
)
def test_what_takes_several_sums_at_once(
    build: Build, before: tuple[int, int], after: tuple[int, int]
) -> None:
    plain = from_inputs(build)
    better = dissolve(plain)
    assert operations(plain) == operations(look_through(plain)) == before
    assert operations(better) == after
    same_values(better, plain)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(sums_of_products(parameters=True))
def test_values_are_kept_and_counts_never_rise(plain: Program) -> None:
    better = look_through(plain)
    same_values(better, plain)
    assert cost(count(better)) <= cost(count(plain))


@settings(max_examples=50, deadline=None, derandomize=True)
@given(random_programs())
def test_any_node_kind(plain: Program) -> None:
    same_values(look_through(plain), plain)


def test_every_node_kind() -> None:
    plain = every_operation()
    better = look_through(plain)
    same_values(better, plain)
    assert set(better.labels.values()) <= set(plain.labels.values())


def test_labels_stay_with_their_values() -> None:
    graph = Graph()
    x = inputs(graph, "x", 6)
    d = x[0] - x[1] * x[2]
    named = program("table", graph, {"x": 6}, {"y": [d - x[0] + x[3], d * x[4]]}, labels={d.ref: "d"})
    better = look_through(named)
    (index,) = better.labels
    assert better.labels[index] == "d"
    part = program("part", better.graph, {"x": 6}, {"y": [Expression(better.graph, index)]})
    same_values(part, program("part", graph, {"x": 6}, {"y": [d]}))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(sums_of_products())
def test_the_same_program_every_time(plain: Program) -> None:
    one, other = look_through(plain), look_through(plain)
    assert (one.graph.kinds, one.graph.payloads, one.results) == (
        other.graph.kinds,
        other.graph.payloads,
        other.results,
    )


def test_numbers_that_nearly_cancel_are_left_alone() -> None:
    """No multiple of an equation is added that is far larger than the sum: its value would drown in rounding."""
    plain = from_inputs(
        lambda x: [x[0] + x[1] + x[2], (x[0] + 10**9 * x[1] + x[3]) * x[5], x[0] + x[1] - x[2] * x[4]]
    )
    for kind, payload in zip(
        look_through(plain).graph.kinds, look_through(plain).graph.payloads, strict=True
    ):
        if kind == 0 and payload:
            assert payload[0] <= 10**9


def chain(length: int) -> Program:
    """Sums in which each uses the two before it, and a product of the one before those."""
    graph = Graph()
    x = inputs(graph, "x", 6)
    values = list(x[:3])
    for i in range(length):
        values.append(values[-1] - values[-2] + x[i % 6] * values[-3])
    return program("chain", graph, {"x": 6}, {"y": values[-2:]})


def test_long_chains_need_no_deep_recursion() -> None:
    plain = chain(1200)  # deeper than Python calls
    better = look_through(plain)
    assert cost(count(better)) <= cost(count(plain))


def test_a_change_taken_back_leaves_no_trace() -> None:
    """Price, uses and definitions are as before."""
    table = TermTable(from_inputs(no_trade))
    sums = [i for i in range(len(table.kinds)) if table.is_open(i)]
    before = (table.paid, list(table.uses), {i: table.payloads[i] for i in sums})
    index = max(sums)
    terms = table.expanded(index, min(sums))
    assert terms is not None
    old = table.detach(index)
    table.attach(index, tuple(table.written(terms, keep=False)))
    assert table.paid != before[0]
    table.detach(index)
    table.attach(index, old)
    known = len(before[1])
    assert (table.paid, table.uses[:known], {i: table.payloads[i] for i in sums}) == before
    assert not any(table.uses[known:])


def test_a_definition_that_needs_itself_is_seen() -> None:
    table = TermTable(from_inputs(cancelled))
    first, *_, last = [i for i in range(len(table.kinds)) if table.is_open(i)]
    assert table.reaches([last], first)
    assert table.reaches([first], first)
    assert not table.reaches([first], last)
