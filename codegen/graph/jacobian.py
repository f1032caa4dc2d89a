"""Jacobians by elimination on the graph: all derivatives of some expressions by some nodes at once.

Every node that varies has derivatives by its own operands; they are the weights of the graph's edges.  Eliminating a node
joins each edge that enters it with each one that leaves it, weights multiplied, parallel edges added; when only variables
and results are left, the weights are the Jacobian (Griewank & Walther 2008, "Evaluating Derivatives", chapter 9).  The
order decides how many products that takes:

    FORWARD   operands first: tangents of all variables, carried along together
    REVERSE   users first: adjoints of all results
    ACROSS    whichever node leaves fewest edges more than there were (Markowitz's rule, as a difference)

None of them is the cheapest on all graphs, so a caller counts and chooses (differentiate.py).  Whatever is equal in two
entries is shared, as everywhere in the graph, so that nothing is computed twice.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

from kanegen.codegen.graph.expression import Expression, total
from kanegen.codegen.graph.graph import Graph, Kind, Ref
from kanegen.codegen.graph.operations import OPERATIONS

Given = Mapping[Expression, Mapping[Expression, Expression]]
"""Nodes that depend on others in a way that the graph does not show: their derivatives, by those others."""


class Order(Enum):
    """In what order nodes are eliminated."""

    FORWARD = "forward"
    REVERSE = "reverse"
    ACROSS = "across"


def jacobian(
    graph: Graph,
    results: Sequence[Expression],
    variables: Sequence[Expression],
    order: Order = Order.REVERSE,
    given: Given | None = None,
) -> list[list[Expression]]:
    """Derivatives of the results (rows) by the variables (columns), which are nodes that do not depend on one another.

    ``given`` has nodes, mostly inputs that stand for something else, with their derivatives by further nodes; these are
    taken as they are, and what such a node is made of in the graph is not looked into.
    """
    return _Elimination(graph, results, variables, given or {}).run(order)


def local_derivatives(graph: Graph, index: int) -> dict[int, Expression]:
    """Derivatives of a node by the nodes that it is made of."""
    row = OPERATIONS.get(graph.kinds[index])
    if row is None:
        return {}
    slopes = row.slopes(graph, index)
    if slopes.divisor is None:
        return _gathered(slopes.weights)
    reciprocal = 1 / slopes.divisor
    return _gathered(
        (ref, weight / slopes.divisor if weight.is_number else weight * reciprocal)
        for ref, weight in slopes.weights
    )


def _gathered(pairs: Iterable[tuple[Ref, Expression]]) -> dict[int, Expression]:
    """Derivatives by nodes from those by references: signs moved over, repeated operands added."""
    found: dict[int, Expression] = {}
    for ref, weight in pairs:
        signed = weight if ref > 0 else -weight
        found[abs(ref)] = found[abs(ref)] + signed if abs(ref) in found else signed
    return found


def _joined(graph: Graph, outer: Expression, inner: Expression) -> Expression:
    """The product of two weights; where a selection does not take a branch, whatever is in it does not count."""
    for weight, other in ((outer, inner), (inner, outer)):
        if graph.kind(weight.ref) is Kind.SELECTION:
            condition, a, b = (Expression(graph, ref) for ref in graph.operands(weight.ref))
            if {a.ref, b.ref} == {graph.one, graph.zero}:
                chosen = other if weight.ref > 0 else -other
                return condition.selected(chosen, 0) if b.is_zero else condition.selected(0, chosen)
    return outer * inner


class _Elimination:
    """Edges between nodes that vary.  A result is a vertex of its own, with a negative number."""

    def __init__(
        self, graph: Graph, results: Sequence[Expression], variables: Sequence[Expression], given: Given
    ) -> None:
        self.graph = graph
        self._zero = Expression(graph, graph.zero)
        self._variables = [abs(x.ref) for x in variables]
        self._given = {
            abs(node.ref): _gathered((x.ref, weight) for x, weight in by.items())
            for node, by in given.items()
        }
        self._before: dict[int, dict[int, list[Expression]]] = {}
        self._after: dict[int, dict[int, None]] = {index: {} for index in self._variables}
        for index in self._operands_first(abs(x.ref) for x in results):
            if index not in self._after:
                self._connect(index, self._derivatives(index))
        self._position = {index: place for place, index in enumerate(self._before)}
        self._results = [-1 - k for k in range(len(results))]
        one = Expression(graph, graph.one)
        for sink, x in zip(self._results, results, strict=True):
            self._connect(sink, {abs(x.ref): one if x.ref > 0 else -one}, always=True)

    def run(self, order: Order) -> list[list[Expression]]:
        """Eliminate all nodes between variables and results."""
        if order is Order.ACROSS:
            self._run_across()
        else:
            inner = list(self._position)
            for index in inner if order is Order.FORWARD else reversed(inner):
                self._eliminate(index)
        return [[self._weight(x, sink) for x in self._variables] for sink in self._results]

    # -- the graph ---------------------------------------------------------------------------------------------------

    def _derivatives(self, index: int) -> dict[int, Expression]:
        found = self._given.get(index)
        return local_derivatives(self.graph, index) if found is None else found

    def _operands_first(self, roots: Iterable[int]) -> list[int]:
        """All nodes that the roots depend on, through given derivatives as well."""
        order: list[int] = []
        seen: set[int] = set()
        stack = [(root, False) for root in roots][::-1]
        while stack:
            index, complete = stack.pop()
            if complete:
                order.append(index)
            elif index not in seen:
                seen.add(index)
                stack.append((index, True))
                stack += [(operand, False) for operand in reversed(self._operands(index))]
        return order

    def _operands(self, index: int) -> list[int]:
        if index in self._given:
            return list(self._given[index])
        return [abs(ref) for ref in self.graph.operands(index)]

    def _connect(self, index: int, weights: Mapping[int, Expression], always: bool = False) -> None:
        """Enter a vertex, if it varies, behind those that it depends on."""
        varying = {x: [w] for x, w in weights.items() if x in self._after and not w.is_zero}
        if varying or always:
            self._before[index] = varying
            self._after[index] = {}
            for x in varying:
                self._after[x][index] = None

    # -- elimination -------------------------------------------------------------------------------------------------

    def _weight(self, start: int, end: int) -> Expression:
        """The weight of an edge, its terms added now; zero where there is none."""
        terms = self._before[end].get(start)
        if terms is None:
            return self._zero
        if len(terms) > 1:
            terms[:] = [total(self.graph, terms)]
        return terms[0]

    def _eliminate(self, index: int) -> list[int]:
        """Join the edges of a node; returns the vertices at the other ends of them."""
        entering = [(x, self._weight(x, index)) for x in self._before[index]]
        leaving = [(y, self._weight(index, y)) for y in self._after[index]]
        for x, _ in entering:
            del self._after[x][index]
        for y, outer in leaving:
            del self._before[y][index]
            for x, inner in entering:
                term = _joined(self.graph, outer, inner)
                if not term.is_zero:
                    self._before[y].setdefault(x, []).append(term)
                    self._after[x][y] = None
        del self._before[index], self._after[index]
        return [x for x, _ in entering] + [y for y, _ in leaving]

    def _run_across(self) -> None:
        scores = {index: self._score(index) for index in self._position}
        heap = [(score, self._position[index], index) for index, score in scores.items()]
        heapq.heapify(heap)
        while heap:
            score, _, index = heapq.heappop(heap)
            if scores.get(index) != score:
                continue  # entered again since, with another score
            del scores[index]
            for touched in self._eliminate(index):
                if touched in scores:
                    now = self._score(touched)
                    if now != scores[touched]:
                        scores[touched] = now
                        heapq.heappush(heap, (now, self._position[touched], touched))

    def _score(self, index: int) -> int:
        """Edges that eliminating a node makes, less those that it removes."""
        entering, leaving = len(self._before[index]), len(self._after[index])
        return entering * leaving - entering - leaving
