"""Cuts of long lists of statements: bounded parts, at the places where the fewest values are alive."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanegen.codegen.graph import Expression, Program
from kanegen.codegen.graph.graph import Kind
from kanegen.codegen.graph.schedule import Assignment, Schedule, SineCosine, nodes_read
from kanegen.codegen.passes.parts import LONGEST, cuts, values_alive
from kanegen.codegen.passes.schedule import schedule
from tests.emitted.programs import every_operation, random_programs

from .graphs import from_inputs


def alive_by_definition(made: Schedule) -> list[int]:
    """For every place, count the values that exist before it and are read at or after it, one by one."""
    graph = made.program.graph
    read = [set(nodes_read(made.program, s, made.variables)) for s in made.statements]
    counts = []
    for place in range(len(made.statements) + 1):
        values = set(made.copies) if place else set()
        for statement in made.statements[:place]:
            if isinstance(statement, Assignment):
                values.add(statement.node)
            elif isinstance(statement, SineCosine):
                values |= {
                    node
                    for node in graph.reachable(made.program.roots)
                    if graph.kinds[node] in (Kind.SINE, Kind.COSINE)
                    and graph.payloads[node][0] in statement.angles
                }
        counts.append(len(values & set().union(*read[place:])) if place < len(read) else 0)
    return counts


def cut(made: Schedule, longest: int) -> tuple[int, ...]:
    return cuts(made.program, made.statements, made.copies, made.variables, longest)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(random_programs())
def test_values_alive(kernel: Program) -> None:
    made = schedule(kernel)
    found = values_alive(kernel, made.statements, made.copies, made.variables)
    assert found == alive_by_definition(made)


def best_by_trying(alive: Sequence[int], total: int, longest: int) -> int:
    """The fewest values alive at the cuts, over all ways to cut: by trying them from the end."""
    shortest = max(1, longest // 2)
    best: list[float] = [0.0] + [float("inf")] * total
    for end in range(1, total + 1):
        begins = range(max(0, end - longest), end - shortest + 1)
        best[end] = min((best[begin] for begin in begins), default=float("inf")) + alive[end]
    return int(best[total])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(random_programs(), st.integers(1, 9))
def test_the_best_of_all_cuts(kernel: Program, longest: int) -> None:
    made = schedule(kernel)
    found, total = cut(made, longest), len(made.statements)
    if total <= longest:
        assert found == ()
        return
    lengths = [last - first for first, last in pairwise((0, *found, total))]
    assert all(max(1, longest // 2) <= length <= longest for length in lengths)
    alive = values_alive(kernel, made.statements, made.copies, made.variables)
    assert sum(alive[place] for place in found) == best_by_trying(alive, total, longest)


def chains(x: Sequence[Expression], length: int) -> list[Expression]:
    """Two chains of steps that have nothing to do with each other."""
    results = []
    for start in (x[0], x[1]):
        value = start
        for step in range(length):
            value = (value * x[2] + step + 1) * (value + x[3])
        results.append(value)
    return results


def test_one_chain_is_finished_before_the_other() -> None:
    """Where two independent computations meet nothing is alive but the result of the first, if it waits to be written."""
    made = schedule(from_inputs(lambda x: chains(x, 10)))
    (place,) = cut(made, len(made.statements) - 1)
    alive = values_alive(made.program, made.statements, made.copies, made.variables)
    assert alive[place] <= 1


@pytest.mark.parametrize("length", [LONGEST // 5, LONGEST])
def test_kernels_are_cut_from_a_length_on(length: int) -> None:
    made = schedule(from_inputs(lambda x: chains(x, length)))
    assert bool(made.cuts) == (len(made.statements) > LONGEST)
    assert all(len(part) <= LONGEST for part in made.parts)
    assert sum(made.parts, ()) == made.statements


@pytest.mark.parametrize("wrong", [(0,), (3, 3), (5, 2), (1000,)])
def test_cuts_that_divide_nothing_are_refused(wrong: tuple[int, ...]) -> None:
    made = schedule(every_operation())
    with pytest.raises(ValueError, match="do not divide"):
        Schedule(made.program, made.statements, made.copies, wrong)
