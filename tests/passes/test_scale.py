"""Scale: what it finds on small programs, and that it never changes a value or adds an operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings

from kanegen.codegen.graph import Expression, Program, count
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.passes.scale import scale
from tests.emitted.programs import every_operation, random_programs

from .graphs import from_inputs, operations, same_values, sums_of_products

Build = Callable[[Sequence[Expression]], list[Expression]]


def turns(x: Sequence[Expression]) -> list[Expression]:
    """3 (c x + s y), 3 (c y - s x) and 3 (c z + s x): two scaled entries, and a product of one twice."""
    c, s = x[5].cosine(), x[5].sine()
    u, v, w = 3 * x[0], 3 * x[1], 3 * (c * x[2] + s * x[0])
    return [c * u + s * v + x[3], c * v - s * u + x[4], w + x[3] * x[3]]


def doubled(x: Sequence[Expression]) -> list[Expression]:
    """x w + (x w + u) and y w + (y w + v) take 2 w once."""
    p, q = x[0] * x[4], x[1] * x[4]
    return [p + (p + x[2]), q + (q + x[3])]


def doubled_once(x: Sequence[Expression]) -> list[Expression]:
    """A single one would only trade an addition for a multiplication."""
    p = x[0] * x[4]
    return [p + (p + x[2]), p * x[1]]


@pytest.mark.parametrize(
    ("build", "before", "after"),
    [(turns, (10, 6), (8, 6)), (doubled, (2, 4), (3, 2)), (doubled_once, (2, 2), (2, 2))],
)
def test_what_it_finds(build: Build, before: tuple[int, int], after: tuple[int, int]) -> None:
    plain = from_inputs(build)
    better = scale(plain)
    assert operations(plain) == before
    assert operations(better) == after
    same_values(better, plain)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(sums_of_products(parameters=True))
def test_values_are_kept_and_counts_never_rise(plain: Program) -> None:
    better = scale(plain)
    same_values(better, plain)
    assert cost(count(better)) <= cost(count(plain))


@settings(max_examples=50, deadline=None, derandomize=True)
@given(random_programs())
def test_any_node_kind(plain: Program) -> None:
    same_values(scale(plain), plain)


def test_every_node_kind() -> None:
    same_values(scale(every_operation()), every_operation())
