"""When values can be ready: the critical path through a graph, in cycles of a usual processor."""

from __future__ import annotations

from kanegen.codegen.graph.functions import TABLES
from kanegen.codegen.graph.graph import Graph, Kind
from kanegen.codegen.graph.operations import OPERATIONS

_OPERATION = OPERATIONS[Kind.SUM].latency


def ready_times(graph: Graph) -> list[int]:
    """For every node, the cycle in which it is ready when nothing but its operands is waited for.

    Sums are taken in the order in which their terms become ready, a product inside a sum at the cost of the sum alone
    (one fused operation).
    """
    times: list[int] = []
    for index, (kind, payload) in enumerate(zip(graph.kinds, graph.payloads, strict=True)):
        if kind is Kind.SUM:
            arrivals = sorted(ready_as_term(graph, times, abs(ref)) for ref in payload)
            time = arrivals[0]
            for arrival in arrivals[1:]:
                time = max(time, arrival) + _OPERATION
        elif kind is Kind.PRODUCT:
            arrivals = sorted(times[ref] for ref in payload)
            time = arrivals[0]
            for arrival in arrivals[1:]:
                time = max(time, arrival) + _OPERATION
        elif kind >= Kind.QUOTIENT:
            own = TABLES[graph.names[index]].latency if index in graph.names else OPERATIONS[kind].latency
            time = max(times[abs(ref)] for ref in payload) + own
        else:
            time = 0
        times.append(time)
    return times


def ready_as_term(graph: Graph, times: list[int], index: int) -> int:
    """When a term of a sum is ready to be added; a product is multiplied and added in one operation."""
    return times[index] - _OPERATION if graph.kinds[index] is Kind.PRODUCT else times[index]
