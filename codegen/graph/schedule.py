"""Schedule: a program as an ordered list of statements, made by scheduling and printed by emission."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

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
    Store: they are copied before it, so that outputs may be the same arrays as inputs.  ``cuts`` are the places
    in a long list of statements where a new part begins, to be printed as a function of its own.

    Raises ValueError for cuts that are not in order between the first statement and the end.
    """

    program: Program
    statements: tuple[Statement, ...]
    copies: tuple[int, ...]
    cuts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Check the cuts."""
        ends = (0, *self.cuts, len(self.statements))
        if self.cuts and any(first >= last for first, last in pairwise(ends)):
            raise ValueError(f"cuts {self.cuts} do not divide {len(self.statements)} statements")

    @property
    def parts(self) -> tuple[tuple[Statement, ...], ...]:
        """The statements between the cuts."""
        ends = (0, *self.cuts, len(self.statements))
        return tuple(self.statements[first:last] for first, last in pairwise(ends))

    @property
    def variables(self) -> frozenset[int]:
        """Nodes that have a variable."""
        return frozenset(s.node for s in self.statements if isinstance(s, Assignment))


def nodes_read(program: Program, statement: Statement, variables: frozenset[int]) -> list[int]:
    """Nodes that the expressions of a statement read: see ``expression_nodes``."""
    if isinstance(statement, Assignment):
        refs = program.graph.payloads[statement.node]
    else:
        refs = statement.angles if isinstance(statement, SineCosine) else (statement.ref,)
    return expression_nodes(program, refs, variables)


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
            stack.extend([abs(operand) for operand in graph.payloads[index][::-1]])
    return list(found)
