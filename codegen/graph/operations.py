"""One row for each node kind: how it is built, evaluated and differentiated, what it costs, and how long it takes.

Whoever walks a graph node by node asks the row of a node in place of telling kinds apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from kanegen.codegen.graph.expression import Expression
from kanegen.codegen.graph.functions import TABLES
from kanegen.codegen.graph.graph import Graph, Kind, Ref


class Nodes(Protocol):
    """Nodes by index, as a Graph holds them."""

    kinds: list[Kind]
    payloads: list[tuple[Any, ...]]
    names: dict[int, str]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A number system: how to make a constant, and its functions.  Operators come from the numbers."""

    constant: Callable[[Fraction], Any]
    sine: Callable[[Any], Any]
    cosine: Callable[[Any], Any]
    square_root: Callable[[Any], Any]
    function: Callable[[str, Sequence[Any]], Any]
    """A function of functions.TABLES, by name."""


@dataclass(frozen=True)
class Slopes:
    """Derivatives of a node by its operands: weights, all over one ``divisor`` where there is one."""

    weights: Sequence[tuple[Ref, Expression]]
    divisor: Expression | None = None


Build = Callable[[Graph, Sequence[Ref], str], Ref]
Values = Mapping[int, Any]
"""Values of nodes by index."""
Evaluate = Callable[[Arithmetic, Values, Sequence[Ref], str], Any]


@dataclass(frozen=True)
class Operation:
    """What there is to know of a kind of composite nodes.

    ``build``: the node with these operands, folded as always.  ``evaluate``: its value, from those of all nodes before it.
    ``slopes``: its derivatives by its operands.  ``counted``: the figure of OperationCounts in which it appears.
    ``price``: of one operation, in thousandths of an addition.  ``latency``: cycles of a usual processor from the last
    operand to its value; functions by table have their own.
    """

    build: Build
    evaluate: Evaluate
    slopes: Callable[[Graph, int], Slopes]
    counted: str | None = None
    price: int = 0
    latency: int = 0


ADDITION, MULTIPLICATION, DIVISION, FUNCTION = 1000, 1001, 12000, 40000
"""Prices: a division or root costs twelve additions, its latency.  A multiplication costs slightly more than an addition, so
that ties go to fewer multiplications."""
FAST, SLOW, SINES = 4, 14, 60
"""Latencies: of sums, products and selections; of divisions and roots; of sines."""


def _one(graph: Graph) -> Expression:
    return Expression(graph, graph.one)


def signed_value(values: Values, ref: Ref) -> Any:
    """The value of a reference."""
    return values[ref] if ref > 0 else -values[-ref]


def _sum_of(numbers: Arithmetic, values: Values, refs: Sequence[Ref], name: str) -> Any:
    result = signed_value(values, refs[0])
    for ref in refs[1:]:
        result = result + values[ref] if ref > 0 else result - values[-ref]
    return result


def _product_of(numbers: Arithmetic, values: Values, refs: Sequence[Ref], name: str) -> Any:
    result = values[refs[0]]
    for ref in refs[1:]:
        result = result * values[ref]
    return result


def _function_of(numbers: Arithmetic, values: Values, refs: Sequence[Ref], name: str) -> Any:
    return numbers.function(name, [signed_value(values, ref) for ref in refs])


def _slopes_of_product(graph: Graph, index: int) -> Slopes:
    factors = graph.payloads[index]
    return Slopes(
        [
            (ref, Expression(graph, graph.product([*factors[:k], *factors[k + 1 :]])))
            for k, ref in enumerate(factors)
        ]
    )


def _slopes_of_quotient(graph: Graph, index: int) -> Slopes:
    numerator, denominator = graph.payloads[index]
    weights = [(numerator, _one(graph)), (denominator, -Expression(graph, index))]
    return Slopes(weights, Expression(graph, denominator))


def _slopes_of_root(graph: Graph, index: int) -> Slopes:
    half = Expression(graph, graph.constant(Fraction(1, 2)))
    return Slopes([(graph.payloads[index][0], half)], Expression(graph, index))


def _slopes_of_function(graph: Graph, index: int) -> Slopes:
    operands = graph.payloads[index]
    found = TABLES[graph.names[index]].slopes(
        Expression(graph, index), *(Expression(graph, ref) for ref in operands)
    )
    lifted = [x if isinstance(x, Expression) else Expression(graph, graph.constant(x)) for x in found]
    return Slopes(list(zip(operands, lifted, strict=True)))


def _all_one(graph: Graph, index: int) -> Slopes:
    return Slopes([(ref, _one(graph)) for ref in graph.payloads[index]])


def _slope(derivative: Callable[[Expression], Expression]) -> Callable[[Graph, int], Slopes]:
    def slopes(graph: Graph, index: int) -> Slopes:
        (argument,) = graph.payloads[index]
        return Slopes([(argument, derivative(Expression(graph, argument)))])

    return slopes


OPERATIONS: Mapping[Kind, Operation] = {
    Kind.SUM: Operation(
        lambda graph, refs, name: graph.sum(refs), _sum_of, _all_one, "additions", ADDITION, FAST
    ),
    Kind.PRODUCT: Operation(
        lambda graph, refs, name: graph.product(refs),
        _product_of,
        _slopes_of_product,
        "multiplications",
        MULTIPLICATION,
        FAST,
    ),
    Kind.QUOTIENT: Operation(
        lambda graph, refs, name: graph.quotient(*refs),
        lambda numbers, values, refs, name: values[refs[0]] / values[refs[1]],
        _slopes_of_quotient,
        "divisions",
        DIVISION,
        SLOW,
    ),
    Kind.SQUARE_ROOT: Operation(
        lambda graph, refs, name: graph.square_root(refs[0]),
        lambda numbers, values, refs, name: numbers.square_root(signed_value(values, refs[0])),
        _slopes_of_root,
        "square_roots",
        DIVISION,
        SLOW,
    ),
    Kind.SINE: Operation(
        lambda graph, refs, name: graph.sine(refs[0]),
        lambda numbers, values, refs, name: numbers.sine(values[refs[0]]),
        _slope(lambda x: x.cosine()),
        "sincos",
        0,
        SINES,
    ),
    Kind.COSINE: Operation(
        lambda graph, refs, name: graph.cosine(refs[0]),
        lambda numbers, values, refs, name: numbers.cosine(values[refs[0]]),
        _slope(lambda x: -x.sine()),
        "sincos",
        0,
        SINES,
    ),
    Kind.WHOLE: Operation(
        lambda graph, refs, name: graph.whole(refs[0]),
        lambda numbers, values, refs, name: values[refs[0]],
        _all_one,
    ),
    Kind.FUNCTION: Operation(
        lambda graph, refs, name: graph.function(name, refs),
        _function_of,
        _slopes_of_function,
        "functions",
        FUNCTION,
        0,
    ),
    Kind.COMPARISON: Operation(
        lambda graph, refs, name: graph.comparison(name, *refs),
        _function_of,
        _slopes_of_function,
        "selections",
        ADDITION,
        0,
    ),
    Kind.SELECTION: Operation(
        lambda graph, refs, name: graph.selection(*refs),
        _function_of,
        _slopes_of_function,
        "selections",
        ADDITION,
        0,
    ),
}
"""By kind; what is not here is a leaf: a constant, an input, a parameter."""


def copy_node(graph: Graph, source: Nodes, index: int, operands: Sequence[Ref]) -> Ref:
    """The same node in another graph, with operands already there."""
    kind, payload = source.kinds[index], source.payloads[index]
    row = OPERATIONS.get(kind)
    if row is not None:
        return row.build(graph, operands, source.names.get(index, ""))
    if kind is Kind.CONSTANT:
        return graph.constant(payload[0])
    return graph.input(*payload) if kind is Kind.INPUT else graph.parameter(payload[0])
