"""Control laws of a mechanism: SymPy expressions that are compiled together with its dynamics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy

from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.graph.sympy_bridge import from_sympy


@dataclass(frozen=True, slots=True)
class ControlLaw:
    """Generalized forces as functions of time and state.

    ``forces`` holds one expression for each generalized speed, in the order of ``Mechanism.speeds``, or where there are
    none for each coordinate: the generalized forces tau on the speeds v [N m, N], so that power = tau . v.  Where
    actuators have signs of their own, the law is written in these and multiplied by them.  The expressions are made of
    ``time`` [s], the coordinates ``q`` [rad, m], the speeds ``v`` [rad/s, m/s], and symbols that are named like
    parameters of the mechanism.

    ``name`` becomes the name of the kernel, ``title`` is one line on what the law does, ``source`` where it is from.
    """

    name: str
    title: str
    source: str
    time: sympy.Symbol
    q: tuple[sympy.Symbol, ...]
    v: tuple[sympy.Symbol, ...]
    forces: tuple[sympy.Expr, ...]

    @property
    def state(self) -> tuple[sympy.Symbol, ...]:
        """Time, coordinates and speeds."""
        return (self.time, *self.q, *self.v)

    def parameter_symbols(self) -> tuple[sympy.Symbol, ...]:
        """The other symbols that occur in the forces, by name."""
        found = set().union(*(force.free_symbols for force in self.forces)) - set(self.state)
        return tuple(sorted(found, key=lambda symbol: (symbol.name, sympy.srepr(symbol))))

    def with_numbers(self, values: Mapping[str, sympy.Expr]) -> ControlLaw:
        """The same law with its parameters replaced by numbers, by name."""
        numbers = {
            symbol: values[symbol.name] for symbol in self.parameter_symbols() if symbol.name in values
        }
        return replace(self, forces=tuple(force.xreplace(numbers) for force in self.forces))

    def expressions(
        self,
        graph: Graph,
        time: Expression,
        q: Sequence[Expression],
        v: Sequence[Expression],
        parameters: Mapping[str, Expression],
    ) -> tuple[Expression, ...]:
        """The forces as nodes of a graph, for given state and parameters (by name).

        Raises UnsupportedExpressionError for functions that the graph lacks and for unknown symbols.
        """
        known = dict(zip(self.state, (time, *q, *v), strict=True))
        for symbol in self.parameter_symbols():
            if symbol.name in parameters:
                known[symbol] = parameters[symbol.name]
        return tuple(from_sympy(graph, force, known) for force in self.forces)

    def on_inputs(self, graph: Graph, parameters: Mapping[str, Expression]) -> tuple[Expression, ...]:
        """The forces as nodes of a graph whose inputs are t, q and v."""
        return self.expressions(
            graph,
            Expression(graph, graph.input("t")),
            [Expression(graph, graph.input("q", i)) for i in range(len(self.q))],
            [Expression(graph, graph.input("v", i)) for i in range(len(self.v))],
            parameters,
        )


def live_parameters(graph: Graph, names: Iterable[str]) -> dict[str, Expression]:
    """PARAMETER nodes of a graph, by name."""
    return {name: Expression(graph, graph.parameter(name)) for name in names}
