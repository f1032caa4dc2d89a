"""Scales of values: another unit saves multiplications by numbers, and changes no value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanegen.codegen.graph import Expression, Program
from kanegen.codegen.passes.resubstitution.recipe import is_equal
from kanegen.codegen.passes.resubstitution.scales import rescaled
from kanegen.codegen.passes.resubstitution.web import PRODUCT, SCALED, SUM, Made, program_of, web_of
from tests.emitted.programs import double_pendulum, every_operation
from tests.passes.graphs import from_inputs, operations, same_values, sums_of_products


def walked(program: Program, steps: int, seed: int = 1, above: int = 0) -> Program:
    return program_of(rescaled(web_of(program), steps, Random(seed), above), program)


def scaled_thrice(x: Sequence[Expression]) -> list[Expression]:
    """Three multiples of products that share a factor, which the sum of all needs as they are."""
    return [7 * (x[0] * x[1]), 7 * (x[0] * x[2]), -7 * (x[0] * x[3]), 7 * ((x[1] + x[2]) * x[0])]


def turned_in_two_units(x: Sequence[Expression]) -> list[Expression]:
    """A turned vector of which multiples alone are needed: 3 sin and 3 cos serve both components."""
    c, s = x[0].cosine(), x[0].sine()
    u, v = c * x[1] + s * x[2], c * x[2] - s * x[1]
    return [3 * u + x[3], 3 * v - x[4], 3 * (c * x[3] - s * x[4]), 3 * (s * x[3] + c * x[4])]


@pytest.mark.parametrize(("build", "before", "after"), [(scaled_thrice, 8, 5), (turned_in_two_units, 12, 10)])
def test_fewer_multiplications(
    build: Callable[[Sequence[Expression]], list[Expression]], before: int, after: int
) -> None:
    program = from_inputs(build)
    found = min((walked(program, 4000, seed) for seed in range(5)), key=operations)
    same_values(found, program)
    assert (operations(program)[0], operations(found)[0]) == (before, after)
    assert operations(found)[1] <= operations(program)[1]


@given(sums_of_products(parameters=True), st.integers(0, 9), st.integers(0, 2))
@settings(max_examples=30, deadline=None)
def test_random_programs_keep_their_values(program: Program, seed: int, above: int) -> None:
    found = walked(program, 100, seed, above)
    assert is_equal(found, program)
    same_values(found, program)
    assert operations(found)[0] <= operations(program)[0] + above
    assert operations(found)[1] <= operations(program)[1]


@pytest.mark.parametrize("program", [double_pendulum(), every_operation()], ids=["pendulum", "mixture"])
def test_without_steps_it_is_the_program(program: Program) -> None:
    found = walked(program, 0)
    assert operations(found) == operations(program_of(web_of(program), program))
    same_values(found, program)


@pytest.mark.parametrize("steps", [0, 100])
def test_a_copy_that_both_factors_are(steps: int) -> None:
    """9 x less its square takes two multiplications, though scales cannot have one copy twice in a product."""
    web = web_of(from_inputs(lambda x: [x[0] * x[1]]))
    copy, square = web.leaves + 1, web.leaves + 2
    values = (Made(SCALED, (1,), Fraction(9)), Made(PRODUCT, (copy, copy)), Made(SUM, (copy, -square)))
    shorter = replace(web, values=(*web.values[: web.leaves], *values), results=(web.leaves + 3,))
    found = rescaled(shorter, steps, Random(0))
    assert sum(made.form in (PRODUCT, SCALED) for made in found.values) == 2
