"""Operation counts, by the rules of the field.

Multiplications: every ``*``.  Additions: every ``+`` and binary ``-``.  Divisions and square roots separately.  Free:
unary minus, and whatever depends on constants and parameters alone.  Sines and cosines are counted as pairs, one for
each distinct angle; functions by table beside them, and comparisons and selections in a figure of their own.
"""

from __future__ import annotations

from collections.abc import Iterable

from kanegen.codegen.graph.graph import Graph, Kind, Ref
from kanegen.codegen.graph.program import Program
from kanegen.manifest import OperationCounts

# A search counts thousands of programs; an attribute of an enumeration costs several times a global name.
_SUM, _PRODUCT = Kind.SUM, Kind.PRODUCT


def count_nodes(graph: Graph, roots: Iterable[Ref]) -> OperationCounts:
    """Count the operations needed to evaluate the roots."""
    multiplications = additions = divisions = square_roots = functions = selections = 0
    angles: set[int] = set()
    kinds, payloads, parametric = graph.kinds, graph.payloads, graph.parametric
    for index in graph.reachable(roots):
        if parametric[index]:
            continue
        kind, payload = kinds[index], payloads[index]
        if kind is _SUM or kind is _PRODUCT:
            varying = 0
            for ref in payload:
                if not parametric[ref if ref > 0 else -ref]:
                    varying += 1
            operations = varying - 1 + (varying < len(payload))
            if kind is _SUM:
                additions += operations
            else:
                multiplications += operations
        elif kind is Kind.QUOTIENT:
            divisions += 1
        elif kind is Kind.SQUARE_ROOT:
            square_roots += 1
        elif kind is Kind.SINE or kind is Kind.COSINE:
            angles.add(payload[0])
        elif kind is Kind.FUNCTION:
            functions += 1
        elif kind is Kind.COMPARISON or kind is Kind.SELECTION:
            selections += 1
    return OperationCounts(
        multiplications, additions, divisions, square_roots, len(angles), functions, selections
    )


def count(program: Program) -> OperationCounts:
    """Count the operations of a program."""
    return count_nodes(program.graph, program.roots)
