"""Factor: a x + b x -> (a + b) x where the products serve nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from kanegen.codegen.graph import Program
from kanegen.codegen.passes.factor import factor

from .graphs import Build, from_inputs, operations, same_values, sums_of_products

TABLE: list[tuple[str, Build, tuple[int, int], tuple[int, int]]] = [
    ("two terms", lambda x: [x[0] * x[1] + x[2] * x[1]], (2, 1), (1, 1)),
    ("three terms", lambda x: [x[0] * x[1] + x[2] * x[1] - x[3] * x[1] + x[4]], (3, 3), (1, 3)),
    ("one is the factor itself: left", lambda x: [x[0] * x[1] + x[1]], (1, 1), (1, 1)),
    ("numbers too", lambda x: [3 * x[0] + 3 * x[1]], (2, 1), (1, 1)),
    ("negative numbers", lambda x: [3 * x[0] - 3 * x[1]], (2, 1), (1, 1)),
    ("squares", lambda x: [x[0] * x[0] + x[0] * x[1]], (2, 1), (1, 1)),
    ("shared products stay", lambda x: [x[0] * x[1] + x[2] * x[1], x[0] * x[1]], (2, 1), (2, 1)),
    ("a shared product as the factor", lambda x: [x[0] * x[1] * x[2] + x[0] * x[1] * x[3]], (3, 1), (2, 1)),
    ("nested", lambda x: [x[0] * (x[1] * x[2] + x[3] * x[2]) + x[0] * x[4]], (4, 2), (2, 2)),
    ("nothing in common", lambda x: [x[0] * x[1] + x[2] * x[3]], (2, 1), (2, 1)),
]


@pytest.mark.parametrize(
    ("build", "before", "after"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_table(build: Build, before: tuple[int, int], after: tuple[int, int]) -> None:
    plain = from_inputs(build)
    assert operations(plain) == before
    factored = factor(plain)
    assert operations(factored) == after
    same_values(factored, plain)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(sums_of_products())
def test_values_are_kept(plain: Program) -> None:
    same_values(factor(plain), plain)
