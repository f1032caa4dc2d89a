"""Expressions in C.  One place knows how a node is written; all else asks for the text of a reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from kanegen.codegen.emit.precision import Precision, literal
from kanegen.codegen.graph.graph import Graph, Kind, Ref
from kanegen.codegen.graph.latency import ready_as_term, ready_times


class Binding(IntEnum):
    """How tightly the outermost operator of a text binds."""

    SUM = 1
    PRODUCT = 2
    ATOM = 3


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a value or, where ``sign`` is -1, of its negative."""

    sign: int
    body: str
    binding: Binding

    def within(self, binding: Binding) -> str:
        """The body, in parentheses where it would come apart."""
        return self.body if self.binding >= binding else f"({self.body})"


@dataclass(frozen=True, slots=True)
class Leaf:
    """The name that stands for a node or, where ``sign`` is -1, for its negative."""

    sign: int
    name: str


class Printer:
    """Writes the nodes of one graph, down to ``leaves``: what has a name of its own."""

    def __init__(
        self, graph: Graph, leaves: Mapping[int, Leaf], precision: Precision, functions: Mapping[str, str]
    ) -> None:
        """Keep the names: changes of ``leaves`` are seen.  ``functions``: what functions by table are called in C."""
        self._graph, self._leaves, self._precision, self._functions = graph, leaves, precision, functions
        self._ready = ready_times(graph)

    def value(self, ref: Ref) -> str:
        """Expression for the value of a reference."""
        index, sign = abs(ref), 1 if ref > 0 else -1
        if index in self._leaves or self._graph.kinds[index] is Kind.CONSTANT:
            return _with_sign(self._signed(ref))
        return self.definition(index, sign)

    def definition(self, index: int, sign: int) -> str:
        """Expression for sign x the node, written out even if the node has a name."""
        return _with_sign(self._composite(index, sign, absorb=True))

    def _signed(self, ref: Ref) -> Text:
        index, sign = abs(ref), 1 if ref > 0 else -1
        leaf = self._leaves.get(index)
        if leaf is not None:
            return Text(sign * leaf.sign, leaf.name, Binding.ATOM)
        if self._graph.kinds[index] is Kind.CONSTANT:
            return Text(sign, literal(self._graph.payloads[index][0], self._precision), Binding.ATOM)
        return self._composite(index, sign, absorb=False)

    def _composite(self, index: int, sign: int, absorb: bool) -> Text:
        """Text of sign x a node, written out; ``absorb``: rather turn a difference than write a minus."""
        match self._graph.kinds[index]:
            case Kind.SUM:
                return self._sum(index, sign)
            case Kind.PRODUCT:
                return self._product(index, sign, absorb)
            case Kind.QUOTIENT:
                return self._quotient(index, sign)
            case Kind.SQUARE_ROOT:
                call = f"sqrt{self._precision.math_ending}({self.value(self._graph.payloads[index][0])})"
                return Text(sign, call, Binding.ATOM)
            case Kind.FUNCTION | Kind.COMPARISON | Kind.SELECTION:
                values = ", ".join(map(self.value, self._graph.payloads[index]))
                return Text(sign, f"{self._functions[self._graph.names[index]]}({values})", Binding.ATOM)
            case kind:
                raise ValueError(f"a node of kind {kind.name} has no name to be printed by")

    def _sum(self, index: int, sign: int) -> Text:
        """Terms in the order in which they become ready, since C adds from the left and the last waits for all.

        The first is a positive one, so that a minus in front is needed only when there are none.
        """
        ready = self._ready_times()
        timed = [
            (ready_as_term(self._graph, ready, abs(operand)), self._signed(operand))
            for operand in self._graph.payloads[index]
        ]
        terms = [term for _, term in sorted(timed, key=lambda entry: (entry[0], entry[1].sign != sign))]
        first = next((term for term in terms if term.sign == sign), None)
        if first is None:
            return Text(-1, self._sum(index, -sign).body, Binding.SUM)
        body = first.within(Binding.SUM)
        for term in terms:
            if term is not first:
                body += f" {'+' if term.sign == sign else '-'} {term.within(Binding.PRODUCT)}"
        return Text(1, body, Binding.SUM)

    def _in_order(self, operands: tuple[Ref, ...]) -> list[Ref]:
        """Factors, the earliest ready first; numbers before all others."""
        ready = self._ready_times()
        return sorted(operands, key=lambda ref: ready[abs(ref)])

    def _ready_times(self) -> list[int]:
        if len(self._ready) < len(self._graph):
            self._ready = ready_times(self._graph)
        return self._ready

    def _product(self, index: int, sign: int, absorb: bool) -> Text:
        operands = self._in_order(self._graph.payloads[index])
        factors = [self._signed(operand) for operand in operands]
        for factor in factors:
            sign *= factor.sign
        if absorb and sign < 0:
            for i, operand in enumerate(operands):
                turned = self._turned(operand, factors[i])
                if turned is not None:
                    factors[i], sign = turned, 1
                    break
        first, *others = factors
        body = first.within(Binding.PRODUCT)
        body += "".join(f" * {factor.within(Binding.ATOM)}" for factor in others)
        return Text(sign, body, Binding.PRODUCT)

    def _turned(self, operand: Ref, text: Text) -> Text | None:
        """The negative of a difference that is written out, as the difference the other way round."""
        index = abs(operand)
        if index in self._leaves or self._graph.kinds[index] is not Kind.SUM:
            return None
        turned = self._sum(index, -1)
        return turned if turned.sign > 0 and text.sign > 0 else None

    def _quotient(self, index: int, sign: int) -> Text:
        numerator, denominator = (self._signed(operand) for operand in self._graph.payloads[index])
        body = f"{numerator.within(Binding.PRODUCT)} / {denominator.within(Binding.ATOM)}"
        return Text(sign * numerator.sign * denominator.sign, body, Binding.PRODUCT)


def _with_sign(text: Text) -> str:
    if text.sign > 0:
        return text.body
    return f"-{text.within(Binding.PRODUCT)}"
