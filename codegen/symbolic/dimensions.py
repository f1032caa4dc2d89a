"""Units of the values of a graph by what is done with them: terms of a sum have one unit, units of factors multiply.

A dimension has exponents of kg, m and s; angles are numbers.  Numbers in a graph may be anything, lengths and masses of the
description among them: a number that multiplies or divides leaves the unit of the result open, and one that is a term of a
sum has that of the others.  What is known goes both ways, from operands to results and back, until nothing more follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import sympy

from kanegen.codegen.graph import Expression, Graph, Kind, Ref
from kanegen.codegen.graph.functions import COMPARISONS
from kanegen.codegen.graph.sympy_bridge import from_sympy

Dimension = tuple[Fraction, Fraction, Fraction]

NUMBER: Dimension = (Fraction(0),) * 3
LENGTH: Dimension = (Fraction(0), Fraction(1), Fraction(0))
TIME: Dimension = (Fraction(0), Fraction(0), Fraction(1))
_BASES: Mapping[str, tuple[int, int, int]] = {
    "kg": (1, 0, 0),
    "m": (0, 1, 0),
    "s": (0, 0, 1),
    "rad": (0, 0, 0),
    "1": (0, 0, 0),
    "N": (1, 1, -2),
    "J": (1, 2, -2),
    "W": (1, 2, -3),
}
_FORCES: Mapping[tuple[float | Fraction, ...], str] = {
    (1, 1, -2): "N",
    (1, 2, -2): "N m",
    (1, 0, -2): "N/m",
    (1, 1, -1): "N s",
    (1, 2, -1): "N m s",
}
_LIKE = ("abs", "minimum", "maximum")
"""Functions whose value has the unit of their operands."""


def dimension(unit: str) -> Dimension | None:
    """The dimension of a unit such as "N m s/rad"; None where it is empty or names several."""
    found, sign = [Fraction(0)] * 3, 1
    if not unit or "," in unit:
        return None
    for word in re.findall(r"/|[^\s/]+", unit):
        if word == "/":
            sign = -1
            continue
        base, _, power = word.partition("^")
        if base not in _BASES:
            return None
        found = [x + sign * int(power or 1) * y for x, y in zip(found, _BASES[base], strict=True)]
    return found[0], found[1], found[2]


def unit(given: Dimension) -> str:
    """The unit of a dimension, "1" for a number."""
    if given in _FORCES:
        return _FORCES[given]
    powers = list(zip(("kg", "m", "s"), given, strict=True))
    above, below = (
        " ".join(base if abs(x) == 1 else f"{base}^{abs(x)}" for base, x in powers if x * sign > 0)
        for sign in (1, -1)
    )
    return f"{above or '1'}/{below}" if below else above or "1"


def times(one: Dimension, other: Dimension, power: int = 1) -> Dimension:
    """The dimension of a product, or of a quotient for the power -1."""
    a, b, c = (x + power * y for x, y in zip(one, other, strict=True))
    return a, b, c


def of_expression(
    expression: sympy.Expr, known: Mapping[sympy.Symbol, Dimension]
) -> tuple[Dimension | None, bool]:
    """The dimension of a user's expression, None where it is open, and whether it mixes units.

    Numbers that multiply are taken for plain ones where nothing else follows.
    """
    graph = Graph()
    leaves = {s: Expression(graph, graph.input(s.name, k)) for k, s in enumerate(known)}
    root = from_sympy(graph, expression, leaves).ref
    given = {abs(leaf.ref): known[s] for s, leaf in leaves.items()}
    for plain in (False, True):
        found = Dimensions(graph, [root], given, plain)
        if found.mixed or abs(root) in found.found:
            return (None if found.mixed else found.found[abs(root)]), bool(found.mixed)
    return None, False


class Dimensions:
    """The dimensions of the nodes of a graph, as far as they follow from those that are known.

    With ``plain`` numbers that multiply have no unit.  ``mixed`` are sums, and arguments of functions, whose operands do not
    go together.
    """

    def __init__(
        self, graph: Graph, roots: Iterable[Ref], known: Mapping[int, Dimension], plain: bool = False
    ) -> None:
        self.graph, self._plain = graph, plain
        self.found: dict[int, Dimension] = dict(known)
        self.mixed: set[int] = set()
        nodes = graph.reachable(roots)
        count = -1
        while count != len(self.found):
            count = len(self.found)
            for order in (nodes, reversed(nodes)):
                for node in order:
                    self._look(node)

    def _look(self, node: int) -> None:
        kind = self.graph.kinds[node]
        operands = [abs(x) for x in self.graph.operands(node)]
        if kind in (Kind.SUM, Kind.WHOLE):
            self._alike(node, [node, *operands])
        elif kind is Kind.PRODUCT:
            self._multiplied(node, [(node, -1), *((x, 1) for x in operands)])
        elif kind is Kind.QUOTIENT:
            self._multiplied(node, [(node, -1), (operands[0], 1), (operands[1], -1)])
        elif kind is Kind.SQUARE_ROOT:
            self._multiplied(node, [(node, -2), (operands[0], 1)])
        elif kind in (Kind.SINE, Kind.COSINE):
            self._alike(node, operands, NUMBER)
            self._alike(node, [node], NUMBER)
        elif kind is Kind.SELECTION:
            self._alike(node, [node, *operands[1:]])
        elif kind is Kind.COMPARISON:
            self._alike(node, operands)
        elif kind is Kind.FUNCTION:
            self._function(node, operands)

    def _function(self, node: int, operands: Sequence[int]) -> None:
        name = self.graph.names[node]
        if name in _LIKE:
            self._alike(node, [node, *operands])
            return
        self._alike(node, [node], NUMBER)
        self._alike(node, operands, None if name in ("atan2", "sign", *COMPARISONS) else NUMBER)

    def _number(self, node: int) -> bool:
        return self.graph.kinds[node] is Kind.CONSTANT

    def _alike(self, node: int, parts: Sequence[int], given: Dimension | None = None) -> None:
        """All of these nodes that are no numbers have one dimension."""
        parts = [x for x in parts if not self._number(x)]
        known = {self.found[x] for x in parts if x in self.found} | ({given} if given is not None else set())
        if len(known) > 1:
            self.mixed.add(node)
        elif known:
            (one,) = known
            for x in parts:
                self.found.setdefault(x, one)

    def _multiplied(self, node: int, factors: Sequence[tuple[int, int]]) -> None:
        """The dimensions of these nodes, to these powers, multiply to that of a number."""
        numbers = [x for x, _ in factors if self._number(x)]
        if numbers and not self._plain:
            return
        total, open_ = NUMBER, dict[int, int]()
        for x, power in factors:
            if x in self.found:
                total = times(total, self.found[x], power)
            elif x not in numbers:
                open_[x] = open_.get(x, 0) + power
        if not open_ and total != NUMBER:
            self.mixed.add(node)
        elif len(open_) == 1:
            ((x, power),) = open_.items()
            if power:
                a, b, c = (-t / power for t in total)
                self.found[x] = a, b, c
