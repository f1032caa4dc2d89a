"""Control laws as kernels: t, q, v -> tau, compiled together with the dynamics.

Whatever the kind of mechanism and the formulation, a law closed over the dynamics is the forward dynamics of the mechanism
with the forces of the law for tau, in one graph, so that both share what they have in common.
"""

from __future__ import annotations

from functools import partial

from kanegen.codegen.derivation.kernels.catalogue import CLOSED_LOOP, law_contract
from kanegen.codegen.derivation.kernels.contract import Arguments
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.graph import Expression, Graph, Program, compose, constant
from kanegen.codegen.mechanism.control_law import ControlLaw, live_parameters
from kanegen.codegen.mechanism.records import Mechanism


def control_law(law: ControlLaw, mechanism: Mechanism, *, live: bool = False) -> Program:
    """The generalized forces tau (nv,) of a law of the mechanism, from time t (), coordinates q (nq,) and speeds v (nv,).

    The mechanism's parameters in the law become the numbers that they have, or with ``live`` parameters of the program.
    Raises UnsupportedExpressionError for a law that has not been validated and has no form in the graph.
    """
    graph = Graph()
    forces = law_forces(graph, law, mechanism, live)
    return law_contract(law.name, law.title).program(Arguments.of(mechanism), graph, [forces], law.source)


def law_forces(graph: Graph, law: ControlLaw, mechanism: Mechanism, live: bool) -> tuple[Expression, ...]:
    """The generalized forces of a law over the inputs t, q and v of a graph."""
    if live:
        parameters = live_parameters(graph, (p.name for p in mechanism.parameters))
    else:
        parameters = {p.name: constant(graph, p.value) for p in mechanism.parameters}
    return tuple(law.on_inputs(graph, parameters))


def closed_loop(
    tree: PlacedTree,
    tree_mechanism: Mechanism,
    choices: Choices,
    law: ControlLaw,
    mechanism: Mechanism,
    forward: Build,
    *,
    live: bool = False,
) -> Program:
    """Derivatives of the speeds under a law, from the forward dynamics ``forward`` of the mechanism.

    Raises ModelError where a joint has no inertia to move.
    """
    dynamics = forward(tree, tree_mechanism, choices)
    graph = Graph()
    labels: dict[int, str] = {}
    found = compose(dynamics, graph, {"tau": law_forces(graph, law, mechanism, live)}, labels)
    return CLOSED_LOOP.program(
        Arguments.of(mechanism),
        graph,
        found,
        f"{dynamics.source}; {law.source}",
        labels,
        name=CLOSED_LOOP.named(law.name),
        law=law.name,
    )


def law_kernels(mechanism: Mechanism, forward: Build, *, live: bool = False) -> dict[str, Build]:
    """The control laws of a mechanism, alone and closed over its ``forward`` dynamics."""

    def alone(tree: PlacedTree, tree_mechanism: Mechanism, choices: Choices, law: ControlLaw) -> Program:
        return control_law(law, mechanism, live=live)

    kernels: dict[str, Build] = {law.name: partial(alone, law=law) for law in mechanism.laws}
    return kernels | {
        CLOSED_LOOP.named(law.name): partial(
            closed_loop, law=law, mechanism=mechanism, forward=forward, live=live
        )
        for law in mechanism.laws
    }
