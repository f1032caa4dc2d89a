"""Where a long list of statements is cut into parts, each of which becomes a C function of its own.

The time and memory of compilers grow faster than the length of a function, so long kernels are handed to them in parts.
A value that a later part reads has to pass through memory: cuts are made where few values are alive.  Of all ways to cut
into parts of bounded length, the one with the fewest values alive at its cuts is found by dynamic programming, in time
proportional to the number of statements.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from kanegen.codegen.graph.graph import Kind
from kanegen.codegen.graph.program import Program
from kanegen.codegen.graph.schedule import Assignment, SineCosine, Statement, nodes_read

LONGEST = 400
"""Statements of a part.  Kernels with no more than this are not cut."""


def cuts(
    program: Program,
    statements: Sequence[Statement],
    copies: Sequence[int],
    variables: frozenset[int],
    longest: int = LONGEST,
) -> tuple[int, ...]:
    """Indices of the statements with which new parts begin; parts have half of ``longest`` statements or more."""
    total = len(statements)
    if total <= longest:
        return ()
    alive = values_alive(program, statements, copies, variables)
    shortest = max(1, longest // 2)
    fewest: list[int | None] = [0] + [
        None
    ] * total  # values alive at the cuts up to here, if a part may end here
    before: list[int] = [0] * (total + 1)
    window: deque[int] = deque()  # places where the part that ends here may begin, the best first
    for end in range(shortest, total + 1):
        begin = end - shortest
        value = fewest[begin]
        if value is not None:
            while window and (fewest[window[-1]] or 0) > value:
                window.pop()
            window.append(begin)
        while window and window[0] < end - longest:
            window.popleft()
        if window:
            before[end] = window[0]
            fewest[end] = (fewest[window[0]] or 0) + alive[end]
    found: list[int] = []
    place = before[total]
    while place > 0:
        found.append(place)
        place = before[place]
    return tuple(reversed(found))


def values_alive(
    program: Program, statements: Sequence[Statement], copies: Sequence[int], variables: frozenset[int]
) -> list[int]:
    """For every place between statements: values computed before it, or copied at the beginning, and read after it."""
    kinds, payloads = program.graph.kinds, program.graph.payloads
    made: dict[int, int] = dict.fromkeys(copies, 0)
    change = [0] * (len(statements) + 2)
    last: dict[int, int] = {}
    angles: dict[int, int] = {}
    for place, statement in enumerate(statements):
        for node in nodes_read(program, statement, variables):
            if kinds[node] in (Kind.SINE, Kind.COSINE):
                made.setdefault(node, angles[payloads[node][0]])
            if node in made:
                last[node] = place
        if isinstance(statement, Assignment):
            made[statement.node] = place
        elif isinstance(statement, SineCosine):
            angles |= dict.fromkeys(statement.angles, place)
    for node, place in last.items():
        change[made[node] + 1] += 1
        change[place + 1] -= 1
    alive: list[int] = []
    count = 0
    for place in range(len(statements) + 1):
        count += change[place]
        alive.append(count)
    return alive
