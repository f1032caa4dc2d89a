"""SymPy expressions into the graph and back: users' control laws and motions, and printed equations.

This module is imported by its own name; ``kanegen.codegen.graph`` itself does without SymPy.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph.exact import DIGITS, bounded, from_number
from kanegen.codegen.graph.expression import Expression
from kanegen.codegen.graph.functions import COMPARISONS, FUNCTIONS
from kanegen.codegen.graph.graph import Graph, Kind, Ref
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.graph.program import Program
from kanegen.errors import KanegenError, shortened, shown
from kanegen.limits import LARGEST_EXPONENT, MOST_BITS

_DOUBLE_BITS = 53
_LARGEST = Fraction(sys.float_info.max)


@functools.cache
def _functions() -> Mapping[Any, str]:
    """Names in ``functions.py`` of SymPy's functions."""
    return {getattr(sympy, row.symbolic): name for name, row in FUNCTIONS.items() if row.symbolic is not None}


def _supported() -> str:
    """What may be in an expression, for a message."""
    return (
        "supported are +, -, *, /, integer and half-integer powers (2, 2.0, 1/2, 0.5, -1.5), sqrt, sin, cos, tan, atan, "
        f"{', '.join(known.__name__ for known in _functions())}, Piecewise, real constants, and the known symbols"
    )


class UnsupportedExpressionError(KanegenError, ValueError):
    """A SymPy expression that the graph cannot represent; the message names the part and says what is supported."""


def from_sympy(graph: Graph, expression: Any, symbols: Mapping[sympy.Symbol, Expression]) -> Expression:
    """The SymPy expression as nodes of ``graph``, with each symbol replaced by what ``symbols`` holds for it.

    Rationals of any size are taken exactly; a Float that a double holds counts as the shortest decimal of that double,
    a longer one as its own digits; any other real constant (pi, exp(1), 2**(1/3), acos(1/5)) is taken to 60 digits.
    Integer powers (2.0 is 2) become products by repeated squaring, half-integer ones these times a square root, negative
    ones of the factors of a product one quotient, tan a quotient of sin and cos.  The result does not depend on the hash
    seed.

    Raises UnsupportedExpressionError for anything else, naming it; for constants that are not finite and real or that
    no double can hold; and for symbols that are not in ``symbols``.  Raises ValueError when ``symbols`` holds
    expressions of another graph.
    """
    if any(value.graph is not graph for value in symbols.values()):
        raise ValueError("the symbols stand for expressions of another graph")
    try:
        given = sympy.sympify(expression, strict=True)
    except sympy.SympifyError:
        given = None
    if not isinstance(given, sympy.Expr) or given.is_Matrix:
        raise UnsupportedExpressionError(f"{expression!r} is no scalar SymPy expression")
    try:
        return Expression(graph, _FromSympy(graph, symbols).convert(with_exact_exponents(given)))
    except RecursionError:
        raise UnsupportedExpressionError("the expression is nested too deeply") from None


def exact_constant(number: sympy.Expr) -> Fraction:
    """The exact value meant by a SymPy constant: see ``from_sympy``.

    Raises UnsupportedExpressionError for what is not finite and real.
    """
    if number.is_Rational:
        return _within(number, Fraction(int(number.p), int(number.q)))
    if number.is_Float and number.is_finite:
        _check_exponent(number)
        double = float(number)
        if sympy.Float(double, precision=_DOUBLE_BITS) == number:
            return from_number(double)
        return _within(number, Fraction(str(number)))
    # A Float within an expression would limit the digits of all of it.
    exact = number.xreplace({part: _rational(part) for part in number.atoms(sympy.Float) if part.is_finite})
    value = exact if exact.is_Rational else exact.evalf(DIGITS)
    if not (value.is_Float or value.is_Rational) or not value.is_finite:
        raise UnsupportedExpressionError(f"{number} is not a finite real number")
    if value.is_Float:
        _check_exponent(value)
    return _within(number, Fraction(str(value)))


def _within(number: sympy.Expr, value: Fraction) -> Fraction:
    """The value of a constant, if it is within the limits.  Raises UnsupportedExpressionError."""
    try:
        return bounded(value)
    except ValueError as error:
        raise UnsupportedExpressionError(f"the constant is {error}") from None


def _check_exponent(number: sympy.Float) -> None:
    """Raise UnsupportedExpressionError for a Float whose exponent would make an endless Fraction of it."""
    _, _, exponent, bits = number._mpf_
    if abs(exponent + bits) > MOST_BITS:
        raise UnsupportedExpressionError(f"the constant {number.evalf(3)} is beyond what a double can hold")


def _rational(number: sympy.Float) -> sympy.Rational:
    fraction = exact_constant(number)
    return sympy.Rational(fraction.numerator, fraction.denominator)


def with_exact_exponents(expression: sympy.Expr) -> sympy.Expr:
    """The expression with exact exponents for decimal ones: x**0.5 is sqrt(x), and x**2.0 is x**2."""
    inexact = {
        power: power.func(power.base, _rational(power.exp))
        for power in expression.atoms(sympy.Pow)
        if power.exp.is_Float and power.exp.is_finite
    }
    if not inexact:
        return expression
    # a base may hold such powers itself: each round mends at least the outermost ones
    return with_exact_exponents(expression.xreplace(inexact))


class _FromSympy:
    """One conversion; what occurs twice is converted once."""

    def __init__(self, graph: Graph, symbols: Mapping[sympy.Symbol, Expression]) -> None:
        self._graph = graph
        self._symbols = symbols
        self._done: dict[sympy.Expr, Ref] = {}

    def convert(self, expression: sympy.Expr) -> Ref:
        ref = self._done.get(expression)
        if ref is None:
            try:
                ref = self._convert(expression)
            except ZeroDivisionError as error:
                raise UnsupportedExpressionError(f"{expression}: {error}") from None
            self._done[expression] = ref
        return ref

    def _convert(self, expression: sympy.Expr) -> Ref:
        graph = self._graph
        if expression in self._symbols:
            return self._symbols[expression].ref
        if expression.is_Symbol:
            raise UnsupportedExpressionError(self._unknown(expression))
        if expression.is_number:
            return self._constant(expression)
        if expression.is_Add:
            return graph.sum([self.convert(term) for term in _ordered(expression)])
        if expression.is_Mul or expression.is_Pow:
            return self._product(expression)
        if isinstance(expression, sympy.sin):
            return graph.sine(self.convert(expression.args[0]))
        if isinstance(expression, sympy.cos):
            return graph.cosine(self.convert(expression.args[0]))
        if isinstance(expression, sympy.tan):
            angle = self.convert(expression.args[0])
            return graph.quotient(graph.sine(angle), graph.cosine(angle))
        if isinstance(expression, sympy.Piecewise):
            return self._selected(expression)
        if isinstance(expression, sympy.logic.boolalg.Boolean):
            return self._condition(expression)
        if isinstance(expression, sympy.Min | sympy.Max):
            name = "minimum" if isinstance(expression, sympy.Min) else "maximum"
            refs = [self.convert(operand) for operand in _ordered(expression)]
            return functools.reduce(lambda a, b: graph.function(name, (a, b)), refs)
        if isinstance(expression, sympy.atan):
            return graph.function("atan2", (self.convert(expression.args[0]), graph.one))
        known = _functions().get(expression.func)
        if known is not None:
            try:
                return graph.function(known, [self.convert(operand) for operand in expression.args])
            except ValueError as error:
                raise UnsupportedExpressionError(f"{expression}: {error}") from None
        raise UnsupportedExpressionError(
            f"{expression.func.__name__} in {expression} is not supported; {_supported()}"
        )

    def _selected(self, pieces: sympy.Piecewise) -> Ref:
        """The first piece whose condition holds.  Raises UnsupportedExpressionError where there may be none."""
        if pieces.args[-1].cond != sympy.true:
            raise UnsupportedExpressionError(
                f"{pieces} has no value where no condition holds; end it with (value, True)"
            )
        ref = self.convert(pieces.args[-1].expr)
        for piece in reversed(pieces.args[:-1]):
            ref = self._graph.selection(self._condition(piece.cond), self.convert(piece.expr), ref)
        return ref

    def _condition(self, condition: Any) -> Ref:
        """1 where it holds, 0 where it does not."""
        graph = self._graph
        if condition in (sympy.true, sympy.false):
            return graph.one if condition == sympy.true else graph.zero
        if isinstance(condition, sympy.core.relational.Relational):
            left, right = self.convert(condition.lhs), self.convert(condition.rhs)
            if isinstance(condition, sympy.Ne):
                return graph.sum((graph.one, -graph.comparison("==", left, right)))
            if isinstance(condition, sympy.Gt | sympy.Ge):
                left, right = right, left
            relation = {sympy.Lt: "<", sympy.Gt: "<", sympy.Le: "<=", sympy.Ge: "<=", sympy.Eq: "=="}
            return graph.comparison(relation[condition.func], left, right)
        if isinstance(condition, sympy.Not):
            return graph.sum((graph.one, -self._condition(condition.args[0])))
        if isinstance(condition, sympy.And | sympy.Or):
            parts = [self._condition(part) for part in _ordered(condition)]
            name = "minimum" if isinstance(condition, sympy.And) else "maximum"
            return functools.reduce(lambda a, b: graph.function(name, (a, b)), parts)
        raise UnsupportedExpressionError(f"the condition {condition} is not supported; {_supported()}")

    def _constant(self, number: sympy.Expr) -> Ref:
        value = exact_constant(number)
        if abs(value) > _LARGEST:
            raise UnsupportedExpressionError(
                f"the constant {shortened(number)} exceeds what a double can hold"
            )
        ref = self._graph.constant(value)
        if ref == self._graph.zero and value and (number.is_Rational or number.is_Float):
            raise UnsupportedExpressionError(
                f"the constant {number} is too small: below 1e-50 it counts as zero. Use other units"
            )
        return ref

    def _product(self, expression: sympy.Expr) -> Ref:
        """A product or a power: the factors with negative exponents go below one line."""
        above: list[Ref] = []
        below: list[Ref] = []
        for factor in _ordered(expression) if expression.is_Mul else (expression,):
            if factor.is_Pow and not factor.is_number and factor not in self._symbols:
                base, exponent = factor.args
                if not (exponent.is_Rational and exponent.q in (1, 2)):
                    raise UnsupportedExpressionError(
                        f"the power {factor} with exponent {exponent} is not supported; {_supported()}"
                    )
                side = below if exponent.is_negative else above
                side.append(self._power(base, abs(exponent), divides=exponent.is_negative))
            else:
                above.append(self.convert(factor))
        numerator = self._graph.product(above)
        return self._graph.quotient(numerator, self._graph.product(below)) if below else numerator

    def _power(self, base: sympy.Expr, exponent: sympy.Rational, divides: bool) -> Ref:
        """base to a positive integer or half-integer power, which ``divides`` or does not.

        Differences under a root and below a line stay as they are written: expanded, they might lose their digits.
        """
        self._require_small(base, exponent)
        ref = self._kept(base, divides) if divides or exponent.q == 2 else self.convert(base)
        whole = int(exponent)
        factors = [_integer_power(self._graph, ref, whole)] if whole else []
        if exponent.q == 2:
            try:
                factors.append(self._graph.square_root(ref))
            except ValueError as error:
                raise UnsupportedExpressionError(f"sqrt({base}): {error}") from None
        return self._graph.product(factors)

    @staticmethod
    def _require_small(base: sympy.Expr, exponent: sympy.Rational) -> None:
        if exponent > LARGEST_EXPONENT.value:
            raise UnsupportedExpressionError(
                f"the exponent {shown(exponent)} of {shown(base)} exceeds {LARGEST_EXPONENT.value}"
            )

    def _kept(self, expression: sympy.Expr, divides: bool) -> Ref:
        """The expression with its sums whole; one that a root is drawn of is left to the terms that are added in it."""
        graph = self._graph
        if expression.is_number or expression in self._symbols:
            return self.convert(expression)
        if expression.is_Add and not divides:
            return graph.sum([self._kept(term, divides) for term in _ordered(expression)])
        if expression.is_Mul and not any(f.is_Pow and f.args[1].is_negative for f in expression.args):
            return graph.product([self._kept(factor, divides=True) for factor in _ordered(expression)])
        if expression.is_Pow and expression.args[1].is_Integer and expression.args[1].is_positive:
            base, exponent = expression.args
            self._require_small(base, exponent)
            return _integer_power(graph, self._kept(base, divides=True), int(exponent))
        return graph.whole(self.convert(expression))

    def _unknown(self, symbol: sympy.Symbol) -> str:
        names = sorted({str(known) for known in self._symbols})
        if symbol.name in names:
            return (
                f"the symbol {symbol.name!r} is known, but with other assumptions; "
                "use the same Symbol object, or give it the same assumptions"
            )
        return f"the symbol {symbol.name!r} is unknown; known are {', '.join(names) or 'none'}"


def _integer_power(graph: Graph, ref: Ref, exponent: int) -> Ref:
    """ref to a positive power by repeated squaring."""
    if exponent == 1:
        return ref
    half = _integer_power(graph, ref, exponent // 2)
    square = graph.product((half, half))
    return graph.product((square, ref)) if exponent % 2 else square


def _ordered(expression: sympy.Expr) -> list[sympy.Expr]:
    """Operands in an order that is the same in every process."""
    return sorted(expression.args, key=sympy.default_sort_key)


@functools.cache
def _builders() -> Mapping[Kind | str, Callable[..., Any]]:
    """What makes a SymPy expression of operands, by kind of node or name of function."""
    return {
        Kind.SUM: sympy.Add,
        Kind.PRODUCT: sympy.Mul,
        Kind.QUOTIENT: lambda a, b: a / b,
        Kind.SQUARE_ROOT: sympy.sqrt,
        Kind.WHOLE: lambda x: x,
        Kind.SINE: sympy.sin,
        Kind.COSINE: sympy.cos,
        **{name: function for function, name in _functions().items()},
    }


Leaf = tuple[str, int]
"""Name and entry of an input, or the name of a parameter and 0."""


def to_sympy(graph: Graph, ref: Ref, names: Mapping[Leaf, sympy.Expr] | None = None) -> sympy.Expr:
    """A node as a SymPy expression, for printed equations and symbolic work.

    ``names`` gives the symbols of inputs and parameters; those it lacks are called by their own name, entries of inputs
    with their index, ``q_0``.  Constants become exact rationals, and a number times a sum stays so.  Shared nodes are
    written out wherever they are used: meant for expressions that a person can read.
    """
    given = names or {}
    done: dict[int, sympy.Expr] = {}

    def get(operand: Ref) -> sympy.Expr:
        return done[operand] if operand > 0 else -done[-operand]

    with sympy.core.parameters.distribute(False):
        for index in graph.reachable([ref]):
            kind, payload = graph.kinds[index], graph.payloads[index]
            if kind is Kind.CONSTANT:
                result = sympy.Rational(payload[0].numerator, payload[0].denominator)
            elif kind is Kind.INPUT or kind is Kind.PARAMETER:
                result = given.get(payload) or _named(kind, *payload)
            else:
                result = symbolic_node(
                    kind, graph.names.get(index, ""), [get(operand) for operand in payload]
                )
            done[index] = result
        return get(ref)


def symbolic_node(kind: Kind, name: str, operands: list[sympy.Expr]) -> sympy.Expr:
    """A composite node of these operands: a function by its name, a comparison as a Piecewise of 1 and 0."""
    build = _builders().get(name or kind)
    if build is not None:
        return build(*operands)
    if name in COMPARISONS:
        relation = {"<": sympy.Lt, "<=": sympy.Le, "==": sympy.Eq}[name]
        return sympy.Piecewise((1, relation(*operands)), (0, True))
    condition, a, b = operands
    return sympy.Piecewise((a, sympy.Eq(condition, 1)), (b, True))


def argument_names(program: Program) -> dict[Leaf, sympy.Expr]:
    """Symbols for the inputs of a program: ``t`` for a scalar, ``q_0``, ``q_1``, ... for the entries of others."""
    return {
        (argument.name, entry): sympy.Symbol(f"{argument.name}_{entry}" if argument.shape else argument.name)
        for argument in program.inputs
        for entry in range(argument.size)
    }


def _named(kind: Kind, name: str, entry: int) -> sympy.Symbol:
    return sympy.Symbol(name if kind is Kind.PARAMETER else f"{name}_{entry}")
