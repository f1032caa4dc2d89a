"""Operation counts, by the rules of the field.

Multiplications: every ``*``.  Additions: every ``+`` and binary ``-``.  Divisions and square roots separately.  Free:
unary minus, and whatever depends on constants and parameters alone.  Sines and cosines are counted as pairs, one for
each distinct angle; functions by table beside them, and comparisons and selections in a figure of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Final

from kanegen.codegen.graph.graph import Graph, Kind, Ref
from kanegen.codegen.graph.program import Program
from kanegen.manifest import OperationCounts

# A search counts thousands of programs; an attribute of an enumeration costs several times a global name.
_SUM: Final = Kind.SUM
_PRODUCT: Final = Kind.PRODUCT
_SINE: Final = Kind.SINE
_COSINE: Final = Kind.COSINE

_BITS: Final = 32
"""The figures of OperationCounts are added up in one integer, each in bits of its own."""
_PLACES = {field.name: 1 << _BITS * place for place, field in enumerate(dataclasses.fields(OperationCounts))}
_ADDITION: Final = _PLACES["additions"]
_MULTIPLICATION: Final = _PLACES["multiplications"]
_OTHERS: Final = {
    Kind.QUOTIENT: _PLACES["divisions"],
    Kind.SQUARE_ROOT: _PLACES["square_roots"],
    Kind.FUNCTION: _PLACES["functions"],
    Kind.COMPARISON: _PLACES["selections"],
    Kind.SELECTION: _PLACES["selections"],
}
_ANGLE: Final = -1
"""For a sine or a cosine: angles are counted once."""


class Tally:
    """Counts operations in one graph, again and again: what a node counts is found once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._of_node: list[int] = []

    def __call__(self, roots: Iterable[Ref]) -> tuple[OperationCounts, int]:
        """Operations needed to evaluate the roots, and the number of nodes: the work is theirs, however large the graph."""
        graph, of_node = self._graph, self._of_node
        payloads, kinds = graph.payloads, graph.kinds
        for index in range(len(of_node), len(kinds)):
            of_node.append(_operations(graph, index))
        seen = bytearray(len(kinds))
        stack = [abs(root) for root in roots]
        for index in stack:
            seen[index] = 1
        stack = list(dict.fromkeys(stack))
        nodes = total = 0
        angles: set[int] = set()
        while stack:
            index = stack.pop()
            nodes += 1
            counted = of_node[index]
            if counted >= 0:
                total += counted
            else:
                angles.add(payloads[index][0])
            if kinds[index] >= _SUM:
                for ref in payloads[index]:
                    if ref < 0:
                        ref = -ref
                    if not seen[ref]:
                        seen[ref] = 1
                        stack.append(ref)
        return _unpacked(total, len(angles)), nodes


def _operations(graph: Graph, index: int) -> int:
    """What one node counts."""
    parametric = graph.parametric
    if parametric[index]:
        return 0
    kind, payload = graph.kinds[index], graph.payloads[index]
    if kind is _SUM or kind is _PRODUCT:
        varying = 0
        for ref in payload:
            if not parametric[ref if ref > 0 else -ref]:
                varying += 1
        operations = varying - 1 + (varying < len(payload))
        return operations * (_ADDITION if kind is _SUM else _MULTIPLICATION)
    return _ANGLE if kind is _SINE or kind is _COSINE else _OTHERS.get(kind, 0)


def _unpacked(total: int, angles: int) -> OperationCounts:
    figures = {name: (total // place) % (1 << _BITS) for name, place in _PLACES.items()}
    return OperationCounts(**{**figures, "sincos": angles})


def count_nodes(graph: Graph, roots: Iterable[Ref]) -> OperationCounts:
    """Count the operations needed to evaluate the roots."""
    total = 0
    angles: set[int] = set()
    for index in graph.reachable(roots):
        counted = _operations(graph, index)
        if counted >= 0:
            total += counted
        else:
            angles.add(graph.payloads[index][0])
    return _unpacked(total, len(angles))


def count(program: Program) -> OperationCounts:
    """Count the operations of a program."""
    return count_nodes(program.graph, program.roots)
