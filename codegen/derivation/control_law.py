"""Control laws as kernels: t, q, v -> tau, compiled together with the dynamics."""

from __future__ import annotations

from functools import partial

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.forward_dynamics import accelerations
from kanegen.codegen.derivation.kernel_arguments import (
    acceleration_output,
    force_argument,
    position_input,
    rate_input,
)
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.graph import Argument, Expression, Graph, Program, constant
from kanegen.codegen.mechanism.control_law import ControlLaw, live_parameters
from kanegen.codegen.mechanism.records import Mechanism

TIME = Argument("t", (), "s", "time")
CLOSED_LOOP = "closed_loop_"
"""How the names of kernels begin that give the accelerations under a law."""


def control_law(law: ControlLaw, mechanism: Mechanism, *, live: bool = False) -> Program:
    """The generalized forces tau (n,) of a law of the mechanism, from time t (), coordinates q (n,) and rates v (n,).

    The mechanism's parameters in the law become the numbers that they have, or with ``live`` parameters of the program.
    Raises UnsupportedExpressionError for a law that has not been validated and has no form in the graph.
    """
    graph = Graph()
    tau = law_forces(graph, law, mechanism, live)
    return Program(
        name=law.name,
        title=law.title,
        source=law.source,
        inputs=(TIME, position_input(mechanism), rate_input(mechanism)),
        outputs=(force_argument(mechanism),),
        graph=graph,
        results=(tuple(force.ref for force in tau),),
    )


def law_forces(graph: Graph, law: ControlLaw, mechanism: Mechanism, live: bool) -> tuple[Expression, ...]:
    """The generalized forces of a law over the inputs t, q and v of a graph."""
    if live:
        parameters = live_parameters(graph, (p.name for p in mechanism.parameters))
    else:
        parameters = {p.name: constant(graph, p.value) for p in mechanism.parameters}
    return tuple(law.on_inputs(graph, parameters))


def closed_loop(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, law: ControlLaw, *, live: bool = False
) -> Program:
    """Joint accelerations under a law: law and forward dynamics in one graph, so that they share what they have in common.

    Raises ModelError where a joint has no inertia to move.
    """
    graph = Graph()
    found = accelerations(tree, mechanism, choices, law_forces(graph, law, mechanism, live))
    return Program(
        name=CLOSED_LOOP + law.name,
        title=f"joint accelerations under {law.name}",
        source=f"{found.source}; {law.source}",
        inputs=(TIME, position_input(mechanism), rate_input(mechanism)),
        outputs=(acceleration_output(mechanism),),
        graph=graph,
        results=(tuple(x.ref for x in found.a),),
        labels=found.labels,
    )


def law_kernels(mechanism: Mechanism, *, live: bool = False) -> dict[str, Build]:
    """The control laws of a mechanism, alone and closed over the dynamics, in the form of the standard kernels."""

    def alone(tree: PlacedTree, mechanism: Mechanism, choices: Choices, law: ControlLaw) -> Program:
        return control_law(law, mechanism, live=live)

    kernels: dict[str, Build] = {law.name: partial(alone, law=law) for law in mechanism.laws}
    return kernels | {
        CLOSED_LOOP + law.name: partial(closed_loop, law=law, live=live) for law in mechanism.laws
    }
