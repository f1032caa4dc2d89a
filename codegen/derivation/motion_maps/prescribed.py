"""Joints that move as given: where they are, and their first and second derivatives by time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kanegen.codegen.graph import Expression, Graph, constant, partial
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.graph.sympy_bridge import from_sympy
from kanegen.codegen.mechanism.constraints import PrescribedRate
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import Lift
from kanegen.errors import ModelError


@dataclass(frozen=True, slots=True)
class Given:
    """The coordinate of a joint, its rate and its acceleration, none of which depends on the state."""

    position: Expression
    rate: Expression
    acceleration: Expression


def time_of(mechanism: Mechanism, graph: Graph) -> Expression | None:
    """The input t of a graph; None for a mechanism that does not depend on time."""
    return Expression(graph, graph.input("t")) if mechanism.depends_on_time else None


def prescribed_joints(mechanism: Mechanism, lift: Lift) -> dict[str, Given]:
    """All joints whose motion is prescribed, by name; those of constant rates stand at zero."""
    graph, found = lift.graph, {}
    zero = constant(graph, 0)
    for given in mechanism.prescribed:
        if isinstance(given, PrescribedRate):
            found[given.joint] = Given(zero, lift(given.rate), zero)
            continue
        at = written(given.expression, mechanism, lift, time=given.time)
        if not given.varies:
            found[given.joint] = Given(at, zero, zero)
            continue
        along = partial(graph, Expression(graph, graph.input("t")))
        found[given.joint] = Given(at, along.first(at), along.second(at))
    return found


def written(
    expression: sympy.Expr,
    mechanism: Mechanism,
    lift: Lift,
    known: Mapping[sympy.Symbol, Expression] | None = None,
    joints: Mapping[str, Given] | None = None,
    time: sympy.Symbol | None = None,
) -> Expression:
    """A user's expression in the graph of ``lift``.

    Symbols are ``known``, or time, or stand for parameters, and prescribed ``joints`` and their rates, by their names.
    Raises ModelError for others.
    """
    graph = lift.graph
    found = dict(known or {})
    parameters = {parameter.name for parameter in mechanism.parameters}
    named = {name: given.position for name, given in (joints or {}).items()}
    named |= {f"rate({name})": given.rate for name, given in (joints or {}).items()}
    for symbol in expression.free_symbols - set(found):
        if symbol == time:
            found[symbol] = Expression(graph, graph.input("t"))
        elif symbol.name in parameters:
            found[symbol] = lift.parameter(symbol.name)
        elif symbol.name in named:
            found[symbol] = named[symbol.name]
        else:
            raise ModelError(
                f"symbol {symbol.name!r}",
                "is no parameter of the mechanism",
                "its coordinates and parameters",
                "Declare it.",
            )
    return from_sympy(graph, expression, found)
