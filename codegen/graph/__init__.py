"""The expression graph: closed node set, hash-consed, executable, countable."""

from kanegen.codegen.graph.compose import compose
from kanegen.codegen.graph.count import count, count_nodes
from kanegen.codegen.graph.derivative import Tangents, partial
from kanegen.codegen.graph.evaluate import evaluate, evaluate_entries, multiprecision
from kanegen.codegen.graph.expression import Expression, constant, inputs, total
from kanegen.codegen.graph.graph import Graph, Kind, Ref
from kanegen.codegen.graph.meaning import Meaning
from kanegen.codegen.graph.program import Program
from kanegen.manifest import Argument, OperationCounts

__all__ = [
    "Argument",
    "Expression",
    "Graph",
    "Kind",
    "Meaning",
    "OperationCounts",
    "Program",
    "Ref",
    "Tangents",
    "compose",
    "constant",
    "count",
    "count_nodes",
    "evaluate",
    "evaluate_entries",
    "inputs",
    "multiprecision",
    "partial",
    "total",
]
