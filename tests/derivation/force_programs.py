"""Programs for inverse dynamics by any formulation, and the recursive Newton-Euler method as witness."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kanegen.codegen.derivation.dual_vectors import forces
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import Argument, Expression, Graph, Program, inputs
from kanegen.codegen.mechanism import Mechanism
from tests.derivation.tree_kernels import DYNAMICS

Expressions = Sequence[Expression]
Forces = Callable[[Mechanism, Graph, Expressions, Expressions, Expressions], list[Expression]]


def program(mechanism: Mechanism, method: Forces = forces) -> Program:
    """q, v, a -> tau by a formulation for trees."""
    n = len(mechanism.coordinates)
    graph = Graph()
    q, v, a = (inputs(graph, name, n) for name in "qva")
    tau = method(mechanism, graph, q, v, a)
    return program_of(graph, {"q": n, "v": n, "a": n}, tau)


def program_of(graph: Graph, arguments: dict[str, int], results: Expressions) -> Program:
    """Expressions of a graph as the output tau."""
    return Program(
        name="forces",
        title="generalized forces",
        source="a test",
        inputs=tuple(Argument(name, (size,), "", "") for name, size in arguments.items()),
        outputs=(Argument("tau", (len(results),), "", ""),),
        graph=graph,
        results=(tuple(x.ref for x in results),),
    )


def newton_euler(mechanism: Mechanism, live_parameters: bool = False) -> Program:
    """The witness: recursive Newton-Euler with the inertias as described and no decision made."""
    deriver = Deriver(mechanism, DYNAMICS["inverse_dynamics"], live_parameters=live_parameters, gauge=False)
    return deriver({})[0]
