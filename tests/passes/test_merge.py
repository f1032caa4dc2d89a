"""Values that are equal become one, also where it takes c^2 + s^2 = 1 to see it; what is zero vanishes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings

from kanegen.codegen import pipeline
from kanegen.codegen.deriving import derive
from kanegen.codegen.graph import Program, count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.passes.merge import merge
from kanegen.codegen.passes.prices import cost
from kanegen.options import Options

from .graphs import Build, from_inputs, operations, same_values, sums_of_products

TABLE: list[tuple[str, Build, tuple[int, int], tuple[int, int]]] = [
    (
        "made in two ways",
        lambda x: [x[0] * (x[1] + x[2]), x[3] * (x[0] * x[1] + x[0] * x[2])],
        (4, 2),
        (2, 1),
    ),
    ("of opposite sign", lambda x: [x[0] * (x[1] - x[2]), x[0] * x[2] - x[0] * x[1]], (3, 2), (1, 1)),
    (
        "turned there and back",
        lambda x: [
            x[0].cosine() * (x[0].cosine() * x[1] - x[0].sine() * x[2])
            + x[0].sine() * (x[0].sine() * x[1] + x[0].cosine() * x[2])
            + x[3]
        ],
        (6, 4),
        (0, 1),
    ),
    (
        "nothing is left",
        lambda x: [
            x[0].cosine() * (x[0].sine() * x[1]) - x[0].sine() * (x[0].cosine() * x[1]) + x[2] * x[3],
            x[1] * x[3],
        ],
        (6, 2),
        (2, 0),
    ),
    ("others stay", lambda x: [x[0] * x[1] + x[2], x[0] * x[2] + x[1]], (2, 2), (2, 2)),
]


@pytest.mark.parametrize(
    ("build", "before", "after"), [case[1:] for case in TABLE], ids=[c[0] for c in TABLE]
)
def test_table(build: Build, before: tuple[int, int], after: tuple[int, int]) -> None:
    program = from_inputs(build)
    merged = merge(program)
    assert (operations(program), operations(merged)) == (before, after)
    same_values(merged, program)


@given(sums_of_products(parameters=True))
@settings(max_examples=60, deadline=None)
def test_any_program(program: Program) -> None:
    merged = merge(program)
    same_values(merged, program)
    assert cost(count(merged)) <= cost(count(program))
    assert count(merge(merged)) == count(merged)


@pytest.mark.parametrize("number", [2**61, 2**122, 31, 229, Fraction(1, 2**60)])
def test_numbers_that_are_equal_modulo_a_prime(number: Fraction | int) -> None:
    """2^61 is 1 modulo one prime, 31 modulo another: neither is taken for the other."""
    program = from_inputs(lambda x: [x[0] * number + x[1], x[0] + x[2], x[0] * 2**61, x[1] * 2])
    merged = merge(program)
    same_values(merged, program)
    assert count(merged) == count(program)


def test_a_vertical_joint_holds_no_weight() -> None:
    """Its torque under gravity is zero, and is written as that; the operations before were for nothing."""
    options = Options(kernels=("gravity_forces",))
    sources = KernelSources(pipeline.read("rx90_simplified", options), options)
    found = derive(sources, "gravity_forces").program
    assert [found.graph.is_constant(ref) for ref in found.roots] == [True, False, False, False, False, True]
