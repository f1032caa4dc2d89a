"""Programs of Kane's generalized forces, and their witness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kanegen.codegen.derivation.kane import forces, nonholonomic_forces
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import Argument, Expression, Graph, Program, inputs
from kanegen.codegen.mechanism import Mechanism
from tests.derivation.tree_kernels import DYNAMICS


def program_of(graph: Graph, sizes: Mapping[str, int], results: Sequence[Expression]) -> Program:
    """Expressions of a graph as the output tau; ``sizes`` are those of the inputs."""
    given = tuple(Argument(name, (size,), "", "") for name, size in sizes.items())
    tau = Argument("tau", (len(results),), "", "")
    return Program("forces", "", "", given, (tau,), graph, (tuple(x.ref for x in results),))


def tree_forces(tree: Mechanism) -> Program:
    """q, v, a -> tau of a plain tree, by Kane's method."""
    n = len(tree.coordinates)
    graph = Graph()
    q, v, a = (inputs(graph, name, n) for name in "qva")
    return program_of(graph, dict.fromkeys("qva", n), forces(tree, graph, q, v, a))


def forces_through(tree: Mechanism, count: int) -> Program:
    """q, v, a, N -> tau on ``count`` speeds, where N (n x count, by rows) is an input."""
    n = len(tree.coordinates)
    graph = Graph()
    q, v, a = (inputs(graph, name, n) for name in "qva")
    entries = inputs(graph, "N", n * count)
    rows = [entries[s * count : (s + 1) * count] for s in range(n)]
    tau = nonholonomic_forces(tree, graph, q, v, a, rows)
    return program_of(graph, {"q": n, "v": n, "a": n, "N": n * count}, tau)


def newton_euler(mechanism: Mechanism) -> Program:
    """The witness: recursive Newton-Euler with the inertias as described and no decision made."""
    return Deriver(mechanism, DYNAMICS["inverse_dynamics"], gauge=False)({})[0]
