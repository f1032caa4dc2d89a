"""Values that live longer than the part of a kernel in which they are computed."""

from __future__ import annotations

from kanegen.codegen.graph.graph import Kind
from kanegen.codegen.graph.schedule import Assignment, Schedule, SineCosine, nodes_read


def carried_nodes(schedule: Schedule, variables: frozenset[int]) -> dict[int, None]:
    """Nodes that are computed in one part and read in a later one, in the order in which they are computed.

    Copies of inputs are made at the beginning of the first part.
    """
    if not schedule.cuts:
        return {}
    kinds, payloads = schedule.program.graph.kinds, schedule.program.graph.payloads
    made: dict[int, int] = dict.fromkeys(
        schedule.copies, 0
    )  # node, or angle of a sine and cosine -> its part
    crossing: set[int] = set()
    order: list[int] = list(schedule.copies)
    turned: dict[int, int] = {}
    for part, statements in enumerate(schedule.parts):
        for statement in statements:
            for node in nodes_read(schedule.program, statement, variables):
                if kinds[node] in (Kind.SINE, Kind.COSINE) and node not in made:
                    made[node] = turned[payloads[node][0]]
                    order.append(node)
                if made.get(node, part) < part:
                    crossing.add(node)
            if isinstance(statement, Assignment):
                made[statement.node] = part
                order.append(statement.node)
            elif isinstance(statement, SineCosine):
                turned |= dict.fromkeys(statement.angles, part)
    return {node: None for node in order if node in crossing}
