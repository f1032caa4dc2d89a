"""Control laws of a mechanism: SymPy expressions that are compiled together with its dynamics."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.graph.late import Late, sympy
from kanegen.codegen.graph.sympy_bridge import from_sympy

if TYPE_CHECKING:
    from kanegen.codegen.mechanism import law_quantities
    from kanegen.codegen.mechanism.law_quantities import Quantity
else:
    law_quantities = Late("kanegen.codegen.mechanism.law_quantities")  # its classes are derived from SymPy's

_ORDERS = ("reference({})", "rate(reference({}))", "acceleration(reference({}))")
_REFERENCE = re.compile(r"(?:reference|rate\(reference|acceleration\(reference)\(([^()]*)\)+")


def reference(name: str, order: int = 0) -> sympy.Symbol:
    """The value of a signal that a law follows, or its first or second derivative by time (``order`` 1, 2)."""
    return sympy.Symbol(_ORDERS[order].format(name), real=True)


def referred(expressions: Iterable[object]) -> tuple[str, ...]:
    """The names of the signals that expressions follow, in alphabetical order."""
    free = set().union(*(x.free_symbols for x in expressions if isinstance(x, sympy.Basic)))
    found = (_REFERENCE.fullmatch(symbol.name) for symbol in free)
    return tuple(sorted({match[1] for match in found if match}))


def is_quantity(part: object) -> bool:
    """Whether a part of an expression is an entry of what a kernel gives."""
    return isinstance(part, law_quantities.Quantity)


@dataclass(frozen=True, slots=True)
class quantity:  # noqa: N801  (it is called like a function)
    """What a kernel of the mechanism gives, for use in a law: ``quantity("gravity_forces")[0]``.

    Entries of its first output are counted from 0, row by row.  ``given`` are inputs other than the law's own t, q and v, by
    name: ``quantity("inverse_dynamics", a=[...])``, expressions like those of the law.
    """

    kernel: str
    given: tuple[tuple[str, tuple[sympy.Expr, ...]], ...]

    def __init__(self, kernel: str, **given: Iterable[sympy.Expr | float]) -> None:
        object.__setattr__(self, "kernel", kernel)
        entries = {name: tuple(map(sympy.sympify, row)) for name, row in sorted(given.items())}
        object.__setattr__(self, "given", tuple(entries.items()))

    def __getitem__(self, entry: int) -> Quantity:
        """The entry of this number."""
        inputs = (sympy.Tuple(sympy.core.symbol.Str(name), sympy.Tuple(*row)) for name, row in self.given)
        return law_quantities.Quantity(sympy.core.symbol.Str(self.kernel), sympy.Integer(entry), *inputs)


@dataclass(frozen=True, slots=True)
class LawState:
    """A state of a law: its ``rate`` by time is integrated along with the motion from ``initial`` on.

    ``symbol`` stands for it in the expressions of the law, its name is that of the state.
    """

    symbol: sympy.Symbol
    rate: sympy.Expr
    initial: Fraction = Fraction(0)

    @property
    def name(self) -> str:
        """What the state is called."""
        return str(self.symbol.name)


Kernel = Callable[[str, Mapping[str, Sequence[Expression]]], Sequence[Expression]]
"""Entries of the first output of a kernel of the mechanism, where inputs of these names are as given."""


@dataclass(frozen=True, slots=True)
class ControlLaw:
    """Generalized forces as functions of time and state.

    ``forces`` holds one expression for each generalized speed, in the order of ``Mechanism.speeds``, or where there are
    none for each coordinate: the generalized forces tau on the speeds v [N m, N], so that power = tau . v.  Where
    actuators have signs of their own, the law is written in these and multiplied by them.  The expressions are made of
    ``time`` [s], the coordinates ``q`` [rad, m], the speeds ``v`` [rad/s, m/s], and symbols that are named like
    parameters of the mechanism; of the law's own ``states``, of ``reference`` to the signals named in ``references``, and
    of a ``quantity`` of the mechanism.

    ``name`` becomes the name of the kernel, ``title`` is one line on what the law does, ``source`` where it is from.
    """

    name: str
    title: str
    source: str
    time: sympy.Symbol
    q: tuple[sympy.Symbol, ...]
    v: tuple[sympy.Symbol, ...]
    forces: tuple[sympy.Expr, ...]
    states: tuple[LawState, ...] = ()
    references: tuple[str, ...] = ()

    @property
    def state(self) -> tuple[sympy.Symbol, ...]:
        """Time, coordinates, speeds, and the law's own states."""
        return (self.time, *self.q, *self.v, *(state.symbol for state in self.states))

    @property
    def rates(self) -> tuple[sympy.Expr, ...]:
        """The rates of its states."""
        return tuple(state.rate for state in self.states)

    @property
    def results(self) -> tuple[sympy.Expr, ...]:
        """Forces, then rates of its states."""
        return (*self.forces, *self.rates)

    @property
    def signals(self) -> tuple[sympy.Symbol, ...]:
        """The symbols of its references: for each its value, its first and its second derivative."""
        return tuple(reference(name, order) for name in self.references for order in range(3))

    def replaced(self, change: Callable[[sympy.Expr], sympy.Expr]) -> ControlLaw:
        """The same law with all expressions changed."""
        states = tuple(replace(state, rate=change(state.rate)) for state in self.states)
        return replace(self, forces=tuple(map(change, self.forces)), states=states)

    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities of the mechanism that it refers to, those that others are made of first."""
        found = set().union(
            *(x.atoms(law_quantities.Quantity) for x in self.results if isinstance(x, sympy.Basic))
        )

        def place(one: Quantity) -> tuple[int, str, str, str]:
            size, text = _of_inputs(one.args[2:])
            return size, one.kernel, str(one.entry), text

        return tuple(sorted(found, key=place))

    def parameter_symbols(self) -> tuple[sympy.Symbol, ...]:
        """The other symbols that occur in the forces and rates, by name."""
        found = set().union(*(x.free_symbols for x in self.results)) - {*self.state, *self.signals}
        return tuple(sorted(found, key=lambda symbol: (symbol.name, sympy.srepr(symbol))))

    def with_numbers(self, values: Mapping[str, sympy.Expr]) -> ControlLaw:
        """The same law with its parameters replaced by numbers, by name."""
        numbers = {
            symbol: values[symbol.name] for symbol in self.parameter_symbols() if symbol.name in values
        }
        return self.replaced(lambda expression: expression.xreplace(numbers))

    def on_inputs(
        self, graph: Graph, parameters: Mapping[str, Expression], kernel: Kernel | None = None
    ) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
        """Forces and rates of its states as nodes of a graph whose inputs are t, q and v, x and r.

        ``parameters`` by name.  ``kernel`` gives quantities of the mechanism; where there is none, each is an input of its
        own, named like the kernel.  Raises UnsupportedExpressionError for functions that the graph lacks and for unknown
        symbols.
        """

        def entries(name: str, symbols: Sequence[sympy.Symbol]) -> dict[sympy.Expr, Expression]:
            return {symbol: Expression(graph, graph.input(name, i)) for i, symbol in enumerate(symbols)}

        def as_input(name: str, given: Mapping[str, Sequence[Expression]]) -> Sequence[Expression]:
            del given
            most = max((q.entry for q in self.quantities() if q.kernel == name), default=-1)
            return [Expression(graph, graph.input(name, i)) for i in range(most + 1)]

        known = entries("t", (self.time,)) | entries("q", self.q) | entries("v", self.v)
        known |= entries("x", [state.symbol for state in self.states]) | entries("r", self.signals)
        for symbol in self.parameter_symbols():
            if symbol.name in parameters:
                known[symbol] = parameters[symbol.name]
        evaluated: dict[sympy.Expr, Sequence[Expression]] = {}
        for one in self.quantities():
            if one.whole not in evaluated:
                given = {name: [from_sympy(graph, x, known) for x in row] for name, row in one.given.items()}
                evaluated[one.whole] = (kernel or as_input)(one.kernel, given)
            known[one] = evaluated[one.whole][one.entry]
        forces, rates = (
            tuple(from_sympy(graph, x, known) for x in expressions)
            for expressions in (self.forces, self.rates)
        )
        return forces, rates


@cache
def _of_inputs(given: tuple[sympy.Basic, ...]) -> tuple[int, str]:
    """The size of what a quantity is given, and its text: once for all entries, since SymPy takes seconds for large ones."""
    return sum(1 for x in given for _ in sympy.preorder_traversal(x)), ", ".join(map(sympy.srepr, given))


def live_parameters(graph: Graph, names: Iterable[str]) -> dict[str, Expression]:
    """PARAMETER nodes of a graph, by name."""
    return {name: Expression(graph, graph.parameter(name)) for name in names}
