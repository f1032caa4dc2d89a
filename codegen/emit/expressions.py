"""Expressions as they are to be written, in no language yet: which names and numbers, in which order, with which signs.

A minus is taken out of products and quotients and stands in front of the whole, or turns a difference, or is taken up by a
sum; so a language has to print few of them, and none of its own choosing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.graph.graph import Graph, Kind, Ref
from kanegen.codegen.graph.latency import ready_as_term, ready_times

SQUARE_ROOT = "square root"
"""The function of square-root nodes; the others have the names of the table of functions."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A local variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of an argument, which is an array."""

    argument: str
    entry: int


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a struct that is handed in."""

    struct: str
    field: str


Place = Variable | Entry | Member
"""What has a value and a name."""


@dataclass(frozen=True, slots=True)
class Number:
    """A constant that is not negative."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms to be added from the left; the first has no minus."""

    terms: tuple[Signed, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """Factors to be multiplied from the left."""

    factors: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Quotient:
    """One value over another."""

    numerator: Value
    denominator: Value


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the operands."""

    function: str
    operands: tuple[Signed, ...]


Value = Variable | Entry | Member | Number | Sum | Product | Quotient | Call


@dataclass(frozen=True, slots=True)
class Signed:
    """A value or, where ``sign`` is -1, its negative."""

    sign: int
    value: Value

    def negative(self) -> Signed:
        """The other one."""
        return Signed(-self.sign, self.value)


class Arrangement:
    """Writes out the nodes of one graph, down to ``leaves``: what has a name of its own."""

    def __init__(self, graph: Graph, leaves: Mapping[int, Signed]) -> None:
        """Keep the leaves: changes of them are seen."""
        self._graph, self._leaves = graph, leaves
        self._ready = ready_times(graph)

    def value(self, ref: Ref) -> Signed:
        """The value of a reference."""
        index, sign = abs(ref), 1 if ref > 0 else -1
        if index in self._leaves or self._graph.kinds[index] is Kind.CONSTANT:
            return self._signed(ref)
        return self.definition(index, sign)

    def definition(self, index: int, sign: int) -> Signed:
        """Sign x the node, written out even if the node has a name."""
        return self._composite(index, sign, absorb=True)

    def _signed(self, ref: Ref) -> Signed:
        index, sign = abs(ref), 1 if ref > 0 else -1
        leaf = self._leaves.get(index)
        if leaf is not None:
            return leaf if sign > 0 else leaf.negative()
        if self._graph.kinds[index] is Kind.CONSTANT:
            return Signed(sign, Number(self._graph.payloads[index][0]))
        return self._composite(index, sign, absorb=False)

    def _composite(self, index: int, sign: int, absorb: bool) -> Signed:
        """Sign x a node, written out; ``absorb``: rather turn a difference than leave a minus."""
        match self._graph.kinds[index]:
            case Kind.SUM:
                return self._sum(index, sign)
            case Kind.PRODUCT:
                return self._product(index, sign, absorb)
            case Kind.QUOTIENT:
                numerator, denominator = map(self._signed, self._graph.payloads[index])
                sign *= numerator.sign * denominator.sign
                return Signed(sign, Quotient(numerator.value, denominator.value))
            case Kind.SQUARE_ROOT:
                return Signed(sign, Call(SQUARE_ROOT, (self.value(self._graph.payloads[index][0]),)))
            case Kind.FUNCTION | Kind.COMPARISON | Kind.SELECTION:
                operands = tuple(map(self.value, self._graph.payloads[index]))
                return Signed(sign, Call(self._graph.names[index], operands))
            case kind:
                raise ValueError(f"a node of kind {kind.name} has no name to be printed by")

    def _sum(self, index: int, sign: int) -> Signed:
        """Terms in the order in which they become ready, since sums run from the left and the last waits for all.

        The first is a positive one, so that a minus in front is needed only when there are none.
        """
        ready = self._ready_times()
        timed = [
            (ready_as_term(self._graph, ready, abs(operand)), self._signed(operand))
            for operand in self._graph.payloads[index]
        ]
        terms = [term for _, term in sorted(timed, key=lambda entry: (entry[0], entry[1].sign != sign))]
        first = next((place for place, term in enumerate(terms) if term.sign == sign), None)
        if first is None:
            return self._sum(index, -sign).negative()
        ordered = (terms[first], *terms[:first], *terms[first + 1 :])
        return Signed(1, Sum(tuple(Signed(term.sign * sign, term.value) for term in ordered)))

    def _product(self, index: int, sign: int, absorb: bool) -> Signed:
        """Factors in the order in which they become ready; numbers before all others."""
        ready = self._ready_times()
        operands = sorted(self._graph.payloads[index], key=lambda ref: ready[abs(ref)])
        factors = [self._signed(operand) for operand in operands]
        for factor in factors:
            sign *= factor.sign
        if absorb and sign < 0:
            for i, operand in enumerate(operands):
                turned = self._turned(operand, factors[i])
                if turned is not None:
                    factors[i], sign = turned, 1
                    break
        return Signed(sign, Product(tuple(factor.value for factor in factors)))

    def _ready_times(self) -> list[int]:
        if len(self._ready) < len(self._graph):
            self._ready = ready_times(self._graph)
        return self._ready

    def _turned(self, operand: Ref, written: Signed) -> Signed | None:
        """The negative of a difference that is written out, as the difference the other way round."""
        index = abs(operand)
        if index in self._leaves or self._graph.kinds[index] is not Kind.SUM:
            return None
        turned = self._sum(index, -1)
        return turned if turned.sign > 0 and written.sign > 0 else None
