"""Graphs as lists of definitions: which values have a symbol, and what each is in terms of those before it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import sympy
from sympy.core.parameters import distribute

from kanegen.codegen.emit.identifiers import cleaned
from kanegen.codegen.graph import Graph, Kind, Ref
from kanegen.codegen.graph.sympy_bridge import symbolic_node
from kanegen.codegen.symbolic.numbers import symbolic_number
from kanegen.codegen.symbolic.symbols import Symbols

_SHORT = 8
"""Operands of what is written out more than once where it has no name of its own and such names alone are wanted."""

_TOLD = 3
"""Users of a shared expression that are told."""

ANGLES = (Kind.SINE, Kind.COSINE)

Leaves = Mapping[tuple[str, int] | str, sympy.Expr]
"""Symbols of inputs by name and entry, and of parameters by name: a length may be called a, as accelerations are."""


class Definitions:
    """The values of a graph for SymPy, with a symbol for what is named; ``listed`` are the definitions in order."""

    def __init__(self, graph: Graph, leaves: Leaves, symbols: Symbols) -> None:
        """Begin with the symbols that inputs and parameters have."""
        self.graph, self.leaves, self.symbols = graph, leaves, symbols
        self.listed: list[tuple[sympy.Symbol, sympy.Expr]] = []
        self._values: dict[int, sympy.Expr] = {}
        self._shared: list[sympy.Symbol] = []

    def value(self, ref: Ref) -> sympy.Expr:
        """The value of a reference, written out as far as it has no symbol."""
        with distribute(False):
            self._write_out((ref,))
            return self._known(ref)

    def define(self, index: int, symbol: sympy.Symbol, sign: int = 1) -> None:
        """Let a symbol stand for a node, or for its negative."""
        with distribute(False):
            self._write_out(self.graph.operands(index))
            written = self._written(index)
            self.listed.append((symbol, written if sign > 0 else _negative(written)))
            self._values[index] = sign * symbol

    def _known(self, ref: Ref) -> sympy.Expr:
        return self._values[ref] if ref > 0 else _negative(self._values[-ref])

    def _write_out(self, refs: Iterable[Ref]) -> None:
        """Write nodes that have not been written yet, and what they need."""
        stack = [abs(ref) for ref in refs]
        while stack:
            index = stack[-1]
            needed = [abs(ref) for ref in self.graph.operands(index) if abs(ref) not in self._values]
            if index in self._values or not needed:
                stack.pop()
                if index not in self._values:
                    self._values[index] = self._written(index)
            stack += needed

    def write(self, roots: Iterable[Ref], named: bool = False, results: bool = False) -> list[sympy.Expr]:
        """The values of the roots; on the way to them what has a meaning or is shared gets a symbol.

        With ``named`` that is what has a meaning, and long shared expressions besides.  With ``results`` roots are, too,
        among what gets a symbol.
        """
        refs = list(roots)
        graph = self.graph
        order = graph.reachable(refs)
        uses = _uses(graph, order)
        for ref in refs if results else ():
            uses[abs(ref)] += 1
        lengths = dict.fromkeys(order, 1)
        with distribute(False):
            for index in order:
                if index in self._values:
                    continue
                lengths[index] = sum(lengths[abs(ref)] for ref in graph.operands(index)) or 1
                if uses[index] and self._deserves(index, uses[index], lengths[index] > _SHORT or not named):
                    symbol, sign = self._symbol(index)
                    self.define(index, symbol, sign)
                    lengths[index] = 1
                else:
                    self._values[index] = self._written(index)
        return [self.value(ref) for ref in refs]

    def tell_users(self, outputs: Iterable[tuple[str, sympy.Expr]]) -> None:
        """Say of shared expressions without a meaning of their own what they are a part of; ``outputs`` by name."""
        users: dict[sympy.Symbol, list[str]] = {symbol: [] for symbol in self._shared}
        lines = [(symbol.name, value) for symbol, value in self.listed]
        for name, value in (*lines, *outputs):
            for symbol in value.free_symbols & users.keys():
                users[symbol].append(name)
        for symbol, names in users.items():
            more = f" and {len(names) - _TOLD} more" if len(names) > _TOLD else ""
            self.symbols.meaning[symbol] = f"shared sub-expression of {', '.join(names[:_TOLD])}{more}"

    def _deserves(self, index: int, uses: int, share: bool) -> bool:
        graph = self.graph
        if graph.kinds[index] < Kind.SUM or graph.kinds[index] is Kind.WHOLE:
            return False
        if index in graph.meanings or -index in graph.meanings or graph.kinds[index] in ANGLES:
            return True
        return share and uses > 1 and not self._trivial(index)

    def _trivial(self, index: int) -> bool:
        """Whether it is a number times what has a symbol."""
        operands = self.graph.operands(index)
        return (
            self.graph.kinds[index] is Kind.PRODUCT
            and len(operands) == 2
            and self.graph.is_constant(operands[0])
            and self._values[operands[1]].is_Symbol
        )

    def _symbol(self, index: int) -> tuple[sympy.Symbol, int]:
        """A symbol, and 1 or -1: whether it stands for the node or for its negative."""
        graph, symbols = self.graph, self.symbols
        if graph.kinds[index] in ANGLES:
            return self.of_angle(index), 1
        for sign in (1, -1):
            meant = graph.meanings.get(sign * index)
            if meant is not None:
                text = f"{meant.text} ({meant.source})" if meant.source else meant.text
                return symbols.new(cleaned(meant.name), text, meant.unit, meant.latex), sign
        number = len(self._shared) + 1
        self._shared.append(symbols.new(f"z{number}", "", "", f"z_{{{number}}}"))
        return self._shared[-1], 1

    def of_angle(self, index: int) -> sympy.Symbol:
        """s_q1 for the sine of q1; numbered where the angle is no symbol."""
        letter, word = ("s", "sine") if self.graph.kinds[index] is Kind.SINE else ("c", "cosine")
        angle = self._values[self.graph.payloads[index][0]]
        if angle.is_Symbol:
            shown = self.symbols.latex[angle]
            of_figure = shown.startswith("q_{") and shown[3:-1].isdigit()
            latex = f"{letter}_{{{shown[3:-1] if of_figure else shown}}}"
            return self.symbols.new(cleaned(f"{letter}_{angle.name}"), f"{word} of {angle.name}", "1", latex)
        return self.symbols.new(f"{letter}_angle", f"{word} of {angle}", "1")

    def _written(self, index: int) -> sympy.Expr:
        graph = self.graph
        kind, payload = graph.kinds[index], graph.payloads[index]
        if kind is Kind.CONSTANT:
            return symbolic_number(payload[0])
        if kind < Kind.SUM:
            return self.leaves[payload if kind is Kind.INPUT else payload[0]]
        return symbolic_node(kind, graph.names.get(index, ""), [self._known(ref) for ref in payload])


def _negative(value: sympy.Expr) -> sympy.Expr:
    """Minus a value, with the sign in the terms of a sum."""
    return sympy.Add(*(-term for term in value.args)) if value.is_Add else -value


def _uses(graph: Graph, order: Collection[int]) -> dict[int, int]:
    """How many nodes use each one; what is a result alone has its line already."""
    uses = dict.fromkeys(order, 0)
    for index in order:
        for ref in graph.operands(index):
            uses[abs(ref)] += 1
    return uses
