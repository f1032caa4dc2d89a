"""Forward differentiation of expressions: along a direction, once and twice.

For a node x and inputs q that change at the rates dq/dt (constant in time, expressions that the differentiation does not
look into), ``first`` is dx/dt and ``second`` d2x/dt2.  Seeding one input with 1 gives a partial derivative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kanegen.codegen.graph.expression import Expression, total
from kanegen.codegen.graph.functions import TABLES
from kanegen.codegen.graph.graph import Graph, Kind, Ref
from kanegen.codegen.graph.operations import OPERATIONS


class Tangents:
    """Derivatives of expressions of one graph along one direction of its inputs, remembered node by node.

    ``rates`` maps inputs or parameters, as expressions that are single nodes, to the expressions at which they change.
    """

    def __init__(self, graph: Graph, rates: Mapping[Expression, Expression]) -> None:
        self.graph = graph
        self._zero = Expression(graph, graph.zero)
        self._first: dict[int, Expression] = {}
        self._second: dict[int, Expression] = {}
        for variable, rate in rates.items():
            if variable.ref < 0 or graph.kind(variable.ref) not in (Kind.INPUT, Kind.PARAMETER):
                raise ValueError("derivatives are taken with respect to inputs and parameters alone")
            self._first[variable.ref] = rate

    def first(self, expression: Expression) -> Expression:
        """The first derivative along the direction."""
        self._prepare(expression.ref)
        return self._signed(self._first, expression.ref)

    def second(self, expression: Expression) -> Expression:
        """The second derivative along the direction, the rates being constant."""
        self._prepare(expression.ref)
        for index in self._missing(expression.ref, self._second):
            self._second[index] = self._curvature(index)
        return self._signed(self._second, expression.ref)

    def _prepare(self, root: Ref) -> None:
        for index in self._missing(root, self._first):
            self._first[index] = self._slope(index)

    def _missing(self, root: Ref, table: Mapping[int, Expression]) -> list[int]:
        """Nodes that the root needs and the table lacks, operands first; what it has is not looked into again."""
        kinds, payloads = self.graph.kinds, self.graph.payloads
        found: set[int] = set()
        stack = [abs(root)]
        while stack:
            index = stack.pop()
            if index not in found and index not in table:
                found.add(index)
                if kinds[index] >= Kind.SUM:
                    stack.extend([abs(ref) for ref in payloads[index]])
        return sorted(found)

    def _signed(self, table: Mapping[int, Expression], ref: Ref) -> Expression:
        return table[ref] if ref > 0 else -table[-ref]

    def _d(self, ref: Ref) -> Expression:
        return self._signed(self._first, ref)

    def _slope(self, index: int) -> Expression:
        rates = [self._d(ref) for ref in self.graph.operands(index)]
        if all(rate.is_zero for rate in rates):
            return self._zero
        return self._along(index, rates)

    def _along(self, index: int, rates: Sequence[Expression]) -> Expression:
        """What changes of the operands do to a node, in the first order."""
        graph = self.graph
        along = TABLES[graph.names[index]].along if index in graph.names else None
        if along is not None:
            operands = [Expression(graph, ref) for ref in graph.operands(index)]
            found: Expression = along(Expression(graph, index), operands, rates)
            return found
        slopes = OPERATIONS[graph.kinds[index]].slopes(graph, index)
        terms = [
            weight * rate
            for (_, weight), rate in zip(slopes.weights, rates, strict=True)
            if not rate.is_zero and not weight.is_zero
        ]
        numerator = total(graph, terms)
        return numerator if slopes.divisor is None else numerator / slopes.divisor

    def _curvature(self, index: int) -> Expression:
        graph, kind, payload = self.graph, self.graph.kinds[index], self.graph.payloads[index]
        if kind in (Kind.CONSTANT, Kind.INPUT, Kind.PARAMETER):
            return self._zero
        node = Expression(graph, index)
        if kind is Kind.SUM:
            return total(graph, [self._signed(self._second, r) for r in payload])
        if kind is Kind.PRODUCT:
            terms = [
                self._others(payload, k) * self._signed(self._second, r)
                for k, r in enumerate(payload)
                if not self._signed(self._second, r).is_zero
            ]
            changing = self._changing(payload)
            for at, (k, d) in enumerate(changing):
                for l, e in changing[at + 1 :]:
                    terms.append(self._others(payload, k, l) * d * e * 2)
            return total(graph, terms)
        if kind is Kind.QUOTIENT:
            numerator, denominator = payload
            slope, bend = self._d(denominator), self._signed(self._second, denominator)
            top = self._signed(self._second, numerator) - node * bend - self._d(index) * slope * 2
            return top / Expression(graph, denominator)
        if index in graph.names:
            return self._curvature_of_function(index)
        inner, bend = self._d(payload[0]), self._signed(self._second, payload[0])
        if inner.is_zero and bend.is_zero:
            return self._zero
        if kind is Kind.WHOLE:
            return bend
        argument = Expression(graph, payload[0])
        if kind is Kind.SQUARE_ROOT:
            slope = self._d(index)
            return (bend / 2 - slope * slope) / node
        other = argument.cosine() if kind is Kind.SINE else -argument.sine()
        return other * bend - node * (inner * inner)

    def _curvature_of_function(self, index: int) -> Expression:
        """The second derivatives of the operands as they come, and the change of the slopes beside the first."""
        graph, payload = self.graph, self.graph.operands(index)
        bends = [self._signed(self._second, ref) for ref in payload]
        rates = [self._d(ref) for ref in payload]
        straight = self._zero if all(bend.is_zero for bend in bends) else self._along(index, bends)
        slopes = OPERATIONS[graph.kinds[index]].slopes(graph, index)
        assert slopes.divisor is None  # functions by table say their slopes themselves
        changes = [
            self.first(weight) * rate
            for (_, weight), rate in zip(slopes.weights, rates, strict=True)
            if not rate.is_zero and not weight.is_zero
        ]
        return total(graph, [straight, *changes])

    def _changing(self, payload: tuple[Ref, ...]) -> list[tuple[int, Expression]]:
        """Places and derivatives of the factors that change."""
        return [(k, self._d(r)) for k, r in enumerate(payload) if not self._d(r).is_zero]

    def _others(self, payload: tuple[Ref, ...], *left_out: int) -> Expression:
        return Expression(
            self.graph, self.graph.product([r for k, r in enumerate(payload) if k not in left_out])
        )


def partial(graph: Graph, variable: Expression) -> Tangents:
    """Partial derivatives with respect to one input or parameter."""
    return Tangents(graph, {variable: Expression(graph, graph.one)})
