"""Operations of a method as it is written: every one that its formulas have, whatever it works on.

The rules are those by which the papers count: matrices and vectors are full, zeros and ones among their entries are numbers
like others, and what is computed twice counts twice.  Free are signs, what consists of constants of the mechanism alone,
and the entries of the joints' matrices, which are sines and cosines as they come.  Terms are left out where the base does
not move and where nothing comes after a tip.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kanegen.codegen.derivation.historical.links import Tree, links_of, mapped
from kanegen.codegen.graph import Expression, Graph, OperationCounts, inputs
from kanegen.codegen.mechanism.records import Mechanism


def counted(method: Callable[[Tree], Any], mechanism: Mechanism) -> tuple[OperationCounts, Any, Graph]:
    """Operations that a method writes down for a tree, and what it finds: nested Expressions of q, v and a in the graph.

    Raises ModelError for what is no plain tree.
    """
    graph, size = Graph(), len(mechanism.coordinates)
    tree = links_of(mechanism, graph, *(inputs(graph, name, size) for name in "qva"))
    tally = {"*": 0, "+": 0, "/": 0}
    found = method(mapped(tree, lambda x: _Counted(x, True, tally), lambda x: _Counted(x, False, tally)))
    return OperationCounts(tally["*"], tally["+"], tally["/"]), _values(found), graph


def _values(found: Any) -> Any:
    return found.value if isinstance(found, _Counted) else [_values(x) for x in found]


class _Counted:
    """An expression whose operations are counted as they are written; what is ``fixed`` is made of constants alone."""

    __slots__ = ("fixed", "tally", "value")

    def __init__(self, value: Expression, fixed: bool, tally: dict[str, int]) -> None:
        self.value, self.fixed, self.tally = value, fixed, tally

    @property
    def is_zero(self) -> bool:
        """Whether the number is zero: a body without mass has no mass centre."""
        return self.value.is_zero

    def _made(self, value: Expression, other: Any, operation: str) -> _Counted:
        fixed = self.fixed and (other.fixed if isinstance(other, _Counted) else True)
        if not fixed:
            self.tally[operation] += 1
        return _Counted(value, fixed, self.tally)

    def __add__(self, other: Any) -> _Counted:
        return self._made(self.value + _value(other), other, "+")

    def __sub__(self, other: Any) -> _Counted:
        return self._made(self.value - _value(other), other, "+")

    def __mul__(self, other: Any) -> _Counted:
        return self._made(self.value * _value(other), other, "*")

    def __rmul__(self, other: int) -> _Counted:
        return self.__mul__(other)

    def __rtruediv__(self, other: Any) -> _Counted:
        return self._made(_value(other) / self.value, other, "/")

    def __neg__(self) -> _Counted:
        return _Counted(-self.value, self.fixed, self.tally)


def _value(x: Any) -> Any:
    return x.value if isinstance(x, _Counted) else x
