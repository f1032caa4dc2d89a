"""Flatten: what meets, what cancels, and what must stay as it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from kanegen.codegen.graph import Program
from kanegen.codegen.passes.flatten import flatten

from .graphs import Build, from_inputs, operations, same_values, sums_of_products

# what is built from x; multiplications and additions before and after
TABLE: list[tuple[str, Build, tuple[int, int], tuple[int, int]]] = [
    ("cancels across a definition", lambda x: [(x[0] + x[1]) - x[1]], (0, 2), (0, 0)),
    ("cancels in a nested sum", lambda x: [(x[0] * x[1] + x[2]) + (x[3] - x[0] * x[1])], (1, 3), (0, 1)),
    ("shared sums stay", lambda x: [(x[0] + x[1]) + x[2], (x[0] + x[1]) * x[3]], (1, 2), (1, 2)),
    ("products merge", lambda x: [(x[0] * x[1]) * (x[2] * x[3])], (3, 0), (3, 0)),
    ("two numbers in one product", lambda x: [(2 * x[0] * x[1]) * (3 * x[2])], (4, 0), (3, 0)),
    ("x + x is not made 2 x", lambda x: [(x[0] + x[1]) + (x[0] + x[2])], (0, 3), (0, 3)),
    ("merging coefficients", lambda x: [(3 * x[0] + x[1]) + (2 * x[0] + x[2])], (2, 3), (1, 2)),
    ("a negative inner sum", lambda x: [x[2] - (x[0] - x[1] + x[2])], (0, 3), (0, 1)),
]


@pytest.mark.parametrize(
    ("build", "before", "after"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_table(build: Build, before: tuple[int, int], after: tuple[int, int]) -> None:
    plain = from_inputs(build)
    assert operations(plain) == before
    flat = flatten(plain)
    assert operations(flat) == after
    same_values(flat, plain)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(sums_of_products())
def test_values_are_kept(plain: Program) -> None:
    same_values(flatten(plain), plain)
