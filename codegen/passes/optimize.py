"""The optimizer: passes in their order, and a record of what each one did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kanegen.codegen.graph import Graph, Kind, OperationCounts, Program, Ref, count
from kanegen.codegen.graph.pickled import Made, made_of
from kanegen.codegen.passes.look_through import dissolve, look_through
from kanegen.codegen.passes.merge import merge
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.passes.rewrite import rebuild
from kanegen.codegen.passes.scale import scale
from kanegen.codegen.passes.sums import cancel, factor, flatten

Pass = Callable[[Program], Program]

PASSES: tuple[Pass, ...] = (
    flatten,  # terms that belong together meet; what cancels vanishes
    factor,  # a x + b x -> (a + b) x
    flatten,  # brackets that became alike or single are merged
    factor,
    look_through,  # values with several uses are looked through as well, where that saves
    dissolve,  # the same, and products that several sums have in common
    scale,  # k (c x + s y) with k c and k s, where these serve several sums
    cancel,  # x (1 / x) -> 1
)


@dataclass(frozen=True)
class Step:
    """Counts after a stage of one kernel."""

    name: str
    counts: OperationCounts

    def __reduce__(self) -> Made:
        return made_of(self)


_SMALL = 60
"""Operations of programs in which one common factor decides a tenth of the cost, so that they are tried in two orders."""
_DISSOLVED_FIRST = (*PASSES[:4], dissolve, *PASSES[4:])


def optimize(program: Program) -> tuple[Program, tuple[Step, ...]]:
    """Run the passes; a pass that would make the program dearer is not taken.  What is whole is laid open at the end.

    What stands in sums of small programs depends on their frames, and so does what the order of passes finds; so there the
    cheaper one of two orders counts.
    """
    return finished(program, *looked_through(program))


def looked_through(program: Program) -> tuple[Program, tuple[Step, ...]]:
    """The program after the passes to look_through, and what they did: what orders programs well, at most of the expense."""
    return _run(PASSES[:5], program)


def finished(program: Program, seen: Program, steps: tuple[Step, ...]) -> tuple[Program, tuple[Step, ...]]:
    """What ``optimize`` makes of a program, which was looked through (``seen``) in these steps."""
    found, more = _run(PASSES[5:], seen)
    steps = (*steps, *more)
    if cost(count(found)) <= _SMALL:
        other, its_steps = _run(_DISSOLVED_FIRST, program)
        if cost(count(other)) < cost(count(found)):
            found, steps = other, its_steps
    return laid_open(found), steps


def factored_alone(program: Program) -> tuple[Program, tuple[Step, ...]]:
    """The program after the passes that add nothing to sums: no term can cancel there that did not before."""
    found, steps = _run(PASSES[:4], program)
    return laid_open(found), steps


def _run(passes: tuple[Pass, ...], program: Program) -> tuple[Program, tuple[Step, ...]]:
    steps = []
    counts = count(program)
    for step in passes:
        candidate = step(program)
        found = count(candidate)
        if cost(found) <= cost(counts):
            program, counts = candidate, found
        steps.append(Step(step.__name__, counts))
    return program, tuple(steps)


def factored(program: Program) -> Program:
    """The program flattened and factored once: what orders many of them best at little expense."""
    return factor(flatten(program))


def laid_open(program: Program) -> Program:
    """The program with the sums that passes were not to look into in their own places, as it is printed."""
    source = program.graph

    def build(graph: Graph, index: int, operands: tuple[Ref, ...]) -> Ref | None:
        del graph
        return operands[0] if source.kinds[index] is Kind.WHOLE else None

    return rebuild(program, build) if Kind.WHOLE in source.kinds else program


def with_equal_values_merged(
    program: Program, steps: tuple[Step, ...] = ()
) -> tuple[Program, tuple[Step, ...]]:
    """What passes end with, its equal values one where that makes it cheaper."""
    merged = merge(program)
    if cost(count(merged)) >= cost(count(program)):
        return program, steps
    return merged, (*steps, Step(merge.__name__, count(merged)))
