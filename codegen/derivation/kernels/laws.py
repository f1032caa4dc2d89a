"""Control laws as kernels: t, q, v -> tau, compiled together with the dynamics; x and xdot with states, r with signals.

Whatever the kind of mechanism and the formulation, a law closed over the dynamics is the forward dynamics of the mechanism
with the forces of the law for tau, in one graph, so that both share what they have in common.  So are the quantities of the
mechanism that a law refers to, which are its other kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kanegen.codegen.derivation.kernels.catalogue import CLOSED_LOOP, law_contract, of_law
from kanegen.codegen.derivation.kernels.contract import Arguments
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.graph import Expression, Graph, Program, compose, constant
from kanegen.codegen.mechanism.control_law import ControlLaw, live_parameters
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.errors import ModelError


@dataclass(frozen=True, eq=False)
class _Loop:
    """A law of a mechanism whose other kernels ``build`` derives; ``live`` parameters stay parameters of programs."""

    law: ControlLaw
    mechanism: Mechanism
    build: Callable[[str], Build]
    live: bool

    def alone(self, tree: PlacedTree, tree_mechanism: Mechanism, choices: Choices) -> Program:
        """The generalized forces tau (nv,) of the law, and the rates of its states where it has any.

        Raises UnsupportedExpressionError for a law that has not been validated and has no form in the graph.
        """
        labels: dict[int, str] = {}
        graph, law = Graph(), self.law
        forces, rates = self._found(graph, tree, tree_mechanism, choices, labels)
        results = [forces, rates] if rates else [forces]
        contract = law_contract(law.name, law.title, *self._has)
        return contract.program(self._arguments, graph, results, law.source, labels, **self._words)

    def closed(self, tree: PlacedTree, tree_mechanism: Mechanism, choices: Choices) -> Program:
        """Derivatives of the speeds under the law, and the rates of its states where it has any.

        Raises ModelError where a joint has no inertia to move.
        """
        dynamics = self.build("forward_dynamics")(tree, tree_mechanism, choices)
        labels: dict[int, str] = {}
        graph, law = Graph(), self.law
        forces, rates = self._found(graph, tree, tree_mechanism, choices, labels)
        found = compose(dynamics, graph, {"tau": forces}, labels)
        return of_law(CLOSED_LOOP, *self._has).program(
            self._arguments,
            graph,
            [*found, rates] if rates else found,
            f"{dynamics.source}; {law.source}",
            labels,
            name=CLOSED_LOOP.named(law.name),
            law=law.name,
            **self._words,
        )

    @property
    def _has(self) -> tuple[bool, bool]:
        """Whether there are states, and signals."""
        return bool(self.law.states), bool(self.law.references)

    @property
    def _arguments(self) -> Arguments:
        law = self.law
        return Arguments.of(self.mechanism).more(
            {"law_states": len(law.states), "signals": len(law.references)}
        )

    @property
    def _words(self) -> dict[str, str]:
        law = self.law
        return {
            "law_states": ", ".join(state.name for state in law.states),
            "signals": ", ".join(law.references),
        }

    def _found(
        self,
        graph: Graph,
        tree: PlacedTree,
        tree_mechanism: Mechanism,
        choices: Choices,
        labels: dict[int, str],
    ) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
        """Forces and rates over the inputs of a graph."""
        parameters = self.mechanism.parameters
        if self.live:
            numbers = live_parameters(graph, (p.name for p in parameters))
        else:
            numbers = {p.name: constant(graph, p.value) for p in parameters}

        def kernel(name: str, given: Mapping[str, Sequence[Expression]]) -> Sequence[Expression]:
            program = self.build(name)(tree, tree_mechanism, choices)
            self._check_quantity(name, given, program)
            return compose(program, graph, given, labels)[0]

        return self.law.on_inputs(graph, numbers, kernel)

    def _check_quantity(self, name: str, given: Mapping[str, Sequence[Expression]], program: Program) -> None:
        """Raise ModelError where a quantity has other inputs than those given and the law's own, or fewer entries."""
        sizes = {argument.name: argument.size for argument in program.inputs}
        own = {"t", "q", "v"} - set(given)
        entries = [q.entry for q in self.law.quantities() if q.kernel == name]
        if any(not 0 <= entry < program.outputs[0].size for entry in entries):
            raise ModelError(
                f"control law {self.law.name!r}",
                f"refers to entry {max(entries)} of {name}",
                f"entries 0 to {program.outputs[0].size - 1}",
                "Count them from 0, row by row.",
            )
        if {n: len(row) for n, row in given.items()} != {n: k for n, k in sizes.items() if n not in own}:
            wanted = ", ".join(f"{n} ({k},)" for n, k in sizes.items() if n not in {"t", "q", "v"})
            raise ModelError(
                f"control law {self.law.name!r}",
                f"refers to {name} with {', '.join(given) or 'no inputs'}",
                f"as many entries as it takes: {wanted or 'none'}",
                "Give them by name, as quantity('inverse_dynamics', a=[...]).",
            )


def law_kernels(
    mechanism: Mechanism, build: Callable[[str], Build], *, live: bool = False
) -> dict[str, Build]:
    """The control laws of a mechanism, alone and closed over its forward dynamics; ``build`` derives its other kernels.

    The mechanism's parameters in the laws become the numbers that they have, or with ``live`` parameters of the programs.
    """
    loops = [_Loop(law, mechanism, build, live) for law in mechanism.laws]
    kernels: dict[str, Build] = {loop.law.name: loop.alone for loop in loops}
    return kernels | {CLOSED_LOOP.named(loop.law.name): loop.closed for loop in loops}
