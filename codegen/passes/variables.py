"""Which nodes of a program get a variable of their own when it is printed, and which are written in place.

A node is written in place when one expression uses it, no source names it, and the expression stays readable.
"""

from __future__ import annotations

from kanegen.codegen.graph.graph import Kind
from kanegen.codegen.graph.program import Program

MAXIMUM_WIDTH = 80
"""Estimated characters of an expression, beyond which its longest part gets a variable."""
MAXIMUM_DEPTH = 2
"""Levels of parentheses, beyond which the deepest part gets a variable."""

_NAME_WIDTH = 5
_NUMBER_WIDTH = 7
_CALLS = (Kind.SQUARE_ROOT, Kind.FUNCTION, Kind.COMPARISON, Kind.SELECTION)
COMPUTED = (Kind.SUM, Kind.PRODUCT, Kind.QUOTIENT, *_CALLS)
"""Kinds of nodes that statements compute; sines come in statements of their own."""


def choose_variables(program: Program) -> set[int]:
    """Indices of the nodes that get a variable."""
    graph = program.graph
    order = graph.reachable(program.roots)
    uses = _uses(program, order)
    width = {i: _NUMBER_WIDTH if graph.kinds[i] is Kind.CONSTANT else _NAME_WIDTH for i in order}
    depth = dict.fromkeys(order, 0)
    in_place: set[int] = set()
    variables: set[int] = set()

    def give_variable(index: int) -> None:
        variables.add(index)
        in_place.discard(index)
        width[index] = len(program.labels[index]) if index in program.labels else _NAME_WIDTH
        depth[index] = 0

    for index in order:
        if graph.kinds[index] not in COMPUTED:
            continue
        operands = [abs(operand) for operand in graph.payloads[index]]
        while True:
            parts = [operand for operand in operands if operand in in_place]
            width[index] = sum(width[operand] + 3 for operand in operands)
            levels = {
                part: depth[part] + _in_parentheses(graph.kinds[part], graph.kinds[index]) for part in parts
            }
            depth[index] = max(levels.values(), default=0)
            if not parts or (width[index] <= MAXIMUM_WIDTH and depth[index] <= MAXIMUM_DEPTH):
                break
            too_deep = depth[index] > MAXIMUM_DEPTH
            give_variable(max(parts, key=lambda part: (levels[part] if too_deep else 0, width[part], -part)))
        in_place.add(index)
        if uses[index] > 1 or index in program.labels:
            give_variable(index)
    return variables


def _in_parentheses(part: Kind, whole: Kind) -> bool:
    """Whether a node written in place inside another one mostly needs parentheses."""
    if part is Kind.SUM:
        return whole is not Kind.SUM
    return part not in _CALLS and whole in (Kind.PRODUCT, Kind.QUOTIENT)


def _uses(program: Program, order: list[int]) -> dict[int, int]:
    """How often each node is printed if only leaves are shared; an angle once for sine and cosine."""
    graph = program.graph
    uses = dict.fromkeys(order, 0)
    angles: set[int] = set()
    for index in order:
        kind = graph.kinds[index]
        if kind in (Kind.SINE, Kind.COSINE):
            angles.add(graph.payloads[index][0])
        elif kind >= Kind.SUM:
            for operand in graph.payloads[index]:
                uses[abs(operand)] += 1
    for angle in sorted(angles):
        uses[angle] += 1
    for root in program.roots:
        uses[abs(root)] += 1
    return uses
