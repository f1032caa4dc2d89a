"""Schedule: a program as an ordered list of statements, made by scheduling and printed by emission."""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.codegen.graph.graph import Kind, Ref
from kanegen.codegen.graph.program import Program


@dataclass(frozen=True, slots=True)
class Assignment:
    """The variable of a node is set to the value of the node."""

    node: int


@dataclass(frozen=True, slots=True)
class SineCosine:
    """Sines and cosines of these angle nodes are taken together, in one call."""

    angles: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """Entry ``entry`` of output number ``output`` is written."""

    output: int
    entry: int
    ref: Ref


Statement = Assignment | SineCosine | Store


@dataclass(frozen=True)
class Schedule:
    """A program and the order in which it is computed.

    Every node that is set by an Assignment has a variable of its own; a composite node without one is printed
    inside the single expression that uses it.  ``copies`` are the input nodes that are read after the first
    Store: they are copied before it, so that outputs may be the same arrays as inputs.
    """

    program: Program
    statements: tuple[Statement, ...]
    copies: tuple[int, ...]

    @property
    def variables(self) -> frozenset[int]:
        """Nodes that have a variable."""
        return frozenset(s.node for s in self.statements if isinstance(s, Assignment))


def expression_nodes(program: Program, refs: tuple[Ref, ...], variables: frozenset[int]) -> list[int]:
    """Nodes read by the printed expressions ``refs``, each once, in the order of first appearance.

    The walk goes through nodes that are printed in place and ends at variables, sines, cosines, inputs,
    parameters and constants, which are what is returned.
    """
    graph = program.graph
    found: dict[int, None] = {}
    stack = [abs(ref) for ref in reversed(refs)]
    while stack:
        index = stack.pop()
        kind = graph.kinds[index]
        if index in variables or kind < Kind.SUM or kind in (Kind.SINE, Kind.COSINE):
            found.setdefault(index)
        else:
            stack.extend(abs(operand) for operand in reversed(graph.payloads[index]))
    return list(found)
