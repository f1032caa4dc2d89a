"""Cancel: a product with what one of its factors divides by loses both.

Passes that open and close brackets bring a value together with its own reciprocal.  It is done last: as long as terms have a
common denominator, they can still be brought together over it.
"""

from __future__ import annotations

from kanegen.codegen.graph import Graph, Kind, Program, Ref
from kanegen.codegen.passes.rewrite import rebuild


def cancel(program: Program) -> Program:
    """Products in lowest terms."""
    source = program.graph

    def build(graph: Graph, index: int, operands: tuple[Ref, ...]) -> Ref | None:
        return graph.cancelled(operands) if source.kinds[index] is Kind.PRODUCT else None

    return rebuild(program, build)
