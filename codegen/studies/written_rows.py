"""Algorithms as their authors wrote them: rows such as ``Z24 = Z22*u1+Z23*u3``, counted and evaluated.

A row is read with Python's own parser and may hold names, numbers, + - * /, whole powers and parentheses;
anything else is refused.

Two counts are possible.  ``count_as_written`` takes every row as it stands: each occurrence of an operator is
an operation, unary minus and what consists of parameters alone are free, and a square is one multiplication.
A product gathers its parameters (mE Z52 L6 is one multiplication, by mE L6); a sum is added from left to
right in the order of its terms, so that only parameters that stand together before all other terms fold into
one (in the paper's X11 the terms -D1 -E1 come last and are two additions).  Rows share with each other what
the authors gave a name to, and nothing else.  The graph of ``Evaluation``, on the other hand, merges equal
subexpressions, drops what vanishes for particular values of parameters, and leaves out rows without use, so
that its count is lower; both are worth showing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kanegen.codegen.graph import Expression, Graph, OperationCounts, constant


@dataclass(frozen=True, slots=True)
class Row:
    """``name`` = ``expr``; ``printed`` is what the text has, ``cls`` the verdict on it, ``note`` why.

    ``meaning`` says what the quantity is, ``unit`` its SI unit, ``equation`` the numbers of those that introduce or use it.
    """

    name: str
    expr: str
    printed: str = ""
    cls: str = "ok"
    note: str = ""
    meaning: str = ""
    unit: str = ""
    equation: str = ""


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A parsed expression: a name, a number, or an operation ("+", "*" n-ary; "/", "-" unary) on parts."""

    operation: str
    parts: tuple[_Quantity, ...] = ()
    text: str = ""


def parse(expr: str) -> _Quantity:
    """The expression of a row, sums and products flattened.  Raises ValueError for other things."""
    try:
        tree = ast.parse(expr, mode="eval")
    except SyntaxError as error:
        raise ValueError(f"not an arithmetic expression: {expr!r} ({error.msg})") from None
    return _quantity(tree.body, expr)


def _quantity(node: ast.expr, expr: str) -> _Quantity:
    if isinstance(node, ast.Name):
        return _Quantity("name", text=node.id)
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    ):
        return _Quantity("number", text=repr(node.value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _Quantity("-", (_quantity(node.operand, expr),))
    if isinstance(node, ast.BinOp):
        left = _quantity(node.left, expr)
        if isinstance(node.op, ast.Pow):
            power = node.right.value if isinstance(node.right, ast.Constant) else None
            if isinstance(power, int) and power >= 2:
                return _Quantity("*", (left,) * power)
        right = _quantity(node.right, expr)
        if isinstance(node.op, ast.Add):
            return _flat("+", left, right)
        if isinstance(node.op, ast.Sub):
            return _flat("+", left, _Quantity("-", (right,)))
        if isinstance(node.op, ast.Mult):
            return _flat("*", left, right)
        if isinstance(node.op, ast.Div):
            return _Quantity("/", (left, right))
    raise ValueError(f"only names, numbers, + - * / ** and parentheses are understood: {expr!r}")


def _flat(operation: str, left: _Quantity, right: _Quantity) -> _Quantity:
    """An n-ary operation: the same operator to the left is part of it, and signs do not part factors."""
    sign = False
    if operation == "*" and left.operation == "-":
        sign, left = True, left.parts[0]
    first = left.parts if left.operation == operation else (left,)
    joined = _Quantity(operation, (*first, right))
    return _Quantity("-", (joined,)) if sign else joined


# -- counting ------------------------------------------------------------------------------------------------


def count_as_written(rows: Iterable[Row], parameters: Iterable[str] = ()) -> OperationCounts:
    """Operations of the rows; ``parameters`` and rows made of them alone are constants."""
    constants = set(parameters)
    tally = {"*": 0, "+": 0, "/": 0}
    for row in rows:
        if _counted(parse(row.expr), constants, tally):
            constants.add(row.name)
    return OperationCounts(multiplications=tally["*"], additions=tally["+"], divisions=tally["/"])


def _counted(quantity: _Quantity, constants: set[str], tally: dict[str, int]) -> bool:
    """Add the operations of a quantity to the tally; whether it is constant."""
    if quantity.operation == "number":
        return True
    if quantity.operation == "name":
        return quantity.text in constants
    fixed = [_counted(part, constants, tally) for part in quantity.parts]
    if quantity.operation == "*":
        varying = len(fixed) - sum(fixed)
        tally["*"] += varying - 1 + (varying < len(fixed)) if varying else 0
    elif quantity.operation == "+":
        leading = fixed.index(False) if False in fixed else len(fixed)  # constants at the front
        tally["+"] += len(fixed) - max(leading, 1)
    elif quantity.operation == "/":
        tally["/"] += not all(fixed)
    return all(fixed)


# -- evaluation ----------------------------------------------------------------------------------------------


class Evaluation:
    """Values of rows in a graph.  ``labels`` names the node of every row, as a Program wants it."""

    def __init__(self, graph: Graph, values: Mapping[str, Expression]) -> None:
        self.graph = graph
        self._values = dict(values)
        self.labels: dict[int, str] = {}

    def __getitem__(self, name: str) -> Expression:
        """The value of a row or of a given quantity.  Raises KeyError."""
        return self._values[name]

    def run(self, rows: Iterable[Row]) -> None:
        """Evaluate rows in order.  Raises ValueError when one uses a name without a value."""
        for row in rows:
            value = self._value(parse(row.expr), row)
            self._values[row.name] = value
            if self.graph.operands(value.ref):
                self.labels.setdefault(abs(value.ref), row.name if value.ref > 0 else "-" + row.name)

    def _value(self, quantity: _Quantity, row: Row) -> Expression:
        if quantity.operation == "name":
            if quantity.text not in self._values:
                raise ValueError(f"row {row.name} uses {quantity.text}, which has no value there")
            return self._values[quantity.text]
        if quantity.operation == "number":
            return constant(self.graph, quantity.text)
        parts = [self._value(part, row) for part in quantity.parts]
        if quantity.operation == "-":
            return -parts[0]
        if quantity.operation == "/":
            return parts[0] / parts[1]
        refs = [part.ref for part in parts]
        return Expression(
            self.graph, self.graph.sum(refs) if quantity.operation == "+" else self.graph.product(refs)
        )


def needed(rows: Sequence[Row], results: Iterable[str]) -> tuple[Row, ...]:
    """The rows that the results depend on, in their order."""
    wanted = set(results)
    kept: list[Row] = []
    for row in reversed(rows):
        if row.name in wanted:
            kept.append(row)
            wanted |= _names(parse(row.expr))
    return tuple(reversed(kept))


def _names(quantity: _Quantity) -> set[str]:
    if quantity.operation == "name":
        return {quantity.text}
    return set().union(*(_names(part) for part in quantity.parts))
