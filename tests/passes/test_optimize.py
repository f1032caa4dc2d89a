"""The optimizer as a whole: same values, never dearer, and a record of every pass."""

from __future__ import annotations

from hypothesis import given, settings

from kanegen.codegen.graph import Program, count
from kanegen.codegen.passes.optimize import PASSES, optimize
from kanegen.codegen.passes.search import cost
from tests.emitted.programs import every_operation, random_programs

from .graphs import from_inputs, operations, same_values, sums_of_products


@settings(max_examples=80, deadline=None, derandomize=True)
@given(sums_of_products(parameters=True))
def test_values_are_kept_and_counts_never_rise(plain: Program) -> None:
    better, steps = optimize(plain)
    same_values(better, plain)
    costs = [cost(count(plain)), *(cost(step.counts) for step in steps)]
    assert costs == sorted(costs, reverse=True)
    assert [step.name for step in steps] == [one.__name__ for one in PASSES]
    assert steps[-1].counts == count(better)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(random_programs())
def test_any_node_kind(plain: Program) -> None:
    better, _ = optimize(plain)
    same_values(better, plain)


def test_every_node_kind() -> None:
    plain = every_operation()
    better, _ = optimize(plain)
    same_values(better, plain)
    assert set(better.labels.values()) >= {"root length"}


def test_look_through_cancel_and_factor_again() -> None:
    """x y - (a - q y) + a -> (x + q) y, one product fewer."""
    plain = from_inputs(lambda x: [x[0] * x[1] - (x[2] - x[3] * x[1]) + x[2]])
    assert operations(optimize(plain)[0]) == (1, 1)


def test_running_it_again_changes_nothing() -> None:
    plain = from_inputs(lambda x: [x[0] * x[1] + x[2] * x[1] + (x[3] + x[4]) * x[1]])
    once, _ = optimize(plain)
    twice, _ = optimize(once)
    assert count(once) == count(twice)
