"""Parts of a length that are numbers, though the length may be a parameter."""

from __future__ import annotations

from fractions import Fraction

from kanegen.codegen.graph import Expression, Graph, Kind
from kanegen.codegen.mechanism.records import Parameter, Value
from kanegen.codegen.mechanism.values import Lift, plain


def share_of(x: Value, length: Value) -> Value:
    """x / length, as a number where it is one whatever the parameters are: l / 2 is half of l.

    What it is for some values of the parameters is the number, if x less that part of the length vanishes identically.
    """
    share = plain(x / length)
    if not (isinstance(x, Expression) and isinstance(length, Expression) and x.graph is length.graph):
        return share
    graph = x.graph
    reached = graph.reachable([x.ref, length.ref])
    names = sorted({graph.payloads[i][0] for i in reached if graph.kinds[i] is Kind.PARAMETER})
    some = [Parameter(name, Fraction(3 * k + 5, 7), "", "") for k, name in enumerate(names)]
    numbers = Lift(Graph(), some)
    whole = numbers(length).value
    if whole == 0:
        return share
    guess = numbers(x).value / whole
    return guess if plain(x - guess * length) == 0 else share
