"""Arithmetic on graph references: the notation in which derivations are written."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kanegen.codegen.graph.exact import from_number
from kanegen.codegen.graph.graph import Graph, Kind, Ref
from kanegen.codegen.graph.meaning import Meaning

Number = int | float | Fraction


class Expression:
    """A scalar expression: a graph and a signed reference into it.  Operators build new nodes and change none.

    Derivations make millions of them; a frozen dataclass would take several times as long to make.
    """

    __slots__ = ("graph", "ref")

    def __init__(self, graph: Graph, ref: Ref) -> None:
        self.graph = graph
        self.ref = ref

    def __repr__(self) -> str:
        return f"Expression({self.graph!r}, {self.ref})"

    def __reduce__(self) -> tuple[type[Expression], tuple[Graph, Ref]]:
        return Expression, (self.graph, self.ref)  # a compiled class is not made without its arguments

    def _lift(self, other: Expression | Number) -> Ref:
        if isinstance(other, Expression):
            if other.graph is not self.graph:
                raise ValueError("expressions of two different graphs cannot be combined")
            return other.ref
        if isinstance(other, int | Fraction):
            return self.graph.constant(other)
        return self.graph.constant(from_number(other))

    def __add__(self, other: Expression | Number) -> Expression:
        return Expression(self.graph, self.graph.plus(self.ref, self._lift(other)))

    def __radd__(self, other: Expression | Number) -> Expression:
        return self + other

    def __sub__(self, other: Expression | Number) -> Expression:
        return Expression(self.graph, self.graph.plus(self.ref, -self._lift(other)))

    def __rsub__(self, other: Expression | Number) -> Expression:
        return Expression(self.graph, self.graph.plus(self._lift(other), -self.ref))

    def __mul__(self, other: Expression | Number) -> Expression:
        return Expression(self.graph, self.graph.times(self.ref, self._lift(other)))

    def __rmul__(self, other: Expression | Number) -> Expression:
        return self * other

    def __truediv__(self, other: Expression | Number) -> Expression:
        return Expression(self.graph, self.graph.quotient(self.ref, self._lift(other)))

    def __rtruediv__(self, other: Expression | Number) -> Expression:
        return Expression(self.graph, self.graph.quotient(self._lift(other), self.ref))

    def __neg__(self) -> Expression:
        return self if self.is_zero else Expression(self.graph, -self.ref)

    def __abs__(self) -> Expression:
        return self.function("absolute")

    def __pos__(self) -> Expression:
        return self

    def __eq__(self, other: object) -> bool:
        """Structural identity (hash-consing makes equal constructions the same node)."""
        if isinstance(other, Expression):
            return self.graph is other.graph and self.ref == other.ref
        if isinstance(other, int | float | Fraction):
            return self.graph.is_constant(self.ref) and self.graph.value(self.ref) == from_number(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.ref)

    @property
    def is_zero(self) -> bool:
        """Whether the expression is identically zero by construction."""
        return self.ref == self.graph.zero

    @property
    def is_number(self) -> bool:
        """Whether the expression is a constant."""
        return self.graph.kind(self.ref) is Kind.CONSTANT

    @property
    def value(self) -> Fraction:
        """Exact value of a constant expression.  Raises TypeError otherwise."""
        if not self.is_number:
            raise TypeError("the expression is not a number")
        return self.graph.value(self.ref)

    def sine(self) -> Expression:
        """sin of an angle in radians."""
        return Expression(self.graph, self.graph.sine(self.ref))

    def cosine(self) -> Expression:
        """cos of an angle in radians."""
        return Expression(self.graph, self.graph.cosine(self.ref))

    def square_root(self) -> Expression:
        """Positive square root."""
        return Expression(self.graph, self.graph.square_root(self.ref))

    def function(self, name: str, *others: Expression | Number) -> Expression:
        """A function of functions.FUNCTIONS of this operand, and of further ones where it has more."""
        refs = (self.ref, *map(self._lift, others))
        return Expression(self.graph, self.graph.function(name, refs))

    def compared(self, relation: str, other: Expression | Number) -> Expression:
        """1 where ``self relation other`` holds, with "<", "<=" or "==", else 0."""
        return Expression(self.graph, self.graph.comparison(relation, self.ref, self._lift(other)))

    def selected(self, a: Expression | Number, b: Expression | Number) -> Expression:
        """``a`` where this is 1, ``b`` where it is 0."""
        return Expression(self.graph, self.graph.selection(self.ref, self._lift(a), self._lift(b)))

    def mean(self, meaning: Meaning) -> Expression:
        """This expression, having said what it means."""
        self.graph.mean(self.ref, meaning)
        return self

    def whole(self) -> Expression:
        """The same value, which passes do not look into where it is a sum."""
        return Expression(self.graph, self.graph.whole(self.ref))


def constant(graph: Graph, value: Number | str) -> Expression:
    """An exact number of the graph."""
    exact = value if type(value) is Fraction or isinstance(value, int) else from_number(value)
    return Expression(graph, graph.constant(exact))


def inputs(graph: Graph, name: str, count: int) -> tuple[Expression, ...]:
    """The entries of an input of the given length."""
    return tuple(Expression(graph, graph.input(name, i)) for i in range(count))


def total(graph: Graph, terms: Sequence[Expression]) -> Expression:
    """Sum of any number of expressions as one n-ary node."""
    return Expression(graph, graph.sum(t.ref for t in terms))
