"""Program: what a derivation returns, what passes map, and what emission prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kanegen.codegen.graph.expression import Expression
from kanegen.codegen.graph.graph import Graph, Ref
from kanegen.codegen.graph.pickled import Made, made_of
from kanegen.manifest import Argument


@dataclass(frozen=True)
class Program:
    """Named inputs and outputs, and the graph between them.

    ``results[k]`` holds the references of the entries of ``outputs[k]``, row by row.
    ``labels`` maps node indices to the name of the quantity in its source; a leading "-" says that the node is the
    negative of that quantity.  ``title`` is one line on what is computed, ``source`` the paper or method.
    """

    name: str
    title: str
    source: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    graph: Graph
    results: tuple[tuple[Ref, ...], ...]
    labels: Mapping[int, str] = field(default_factory=dict)

    def __reduce__(self) -> Made:
        return made_of(self)

    @classmethod
    def of(
        cls,
        graph: Graph,
        name: str,
        title: str,
        inputs: tuple[Argument, ...],
        outputs: Mapping[Argument, Sequence[Expression]],
        source: str,
        labels: Mapping[int, str],
    ) -> Program:
        """The program with these results, each output with its entries."""
        results = tuple(tuple(x.ref for x in entries) for entries in outputs.values())
        return cls(name, title, source, inputs, tuple(outputs), graph, results, labels)

    @property
    def roots(self) -> list[Ref]:
        """All output references, flattened."""
        return [ref for refs in self.results for ref in refs]
