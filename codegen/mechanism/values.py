"""Scalar values of a mechanism: exact numbers, or expressions in its parameters.

Conversion from what people write, evaluation at the parameters' numbers, and copying into the graph of a
derivation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, SupportsFloat

import mpmath

from kanegen.codegen.graph import Expression, Graph, Kind, Ref, constant
from kanegen.codegen.graph.exact import (
    DIGITS,
    bounded,
    exact_cosine,
    exact_sine,
    exact_square_root,
    from_number,
    tidy,
)
from kanegen.codegen.graph.functions import COMPARISONS, FUNCTIONS
from kanegen.codegen.graph.operations import copy_node
from kanegen.codegen.mechanism.records import Matrix3, Mechanism, Parameter, Value, Vector3
from kanegen.errors import ModelError, shortened, shown
from kanegen.limits import LARGEST_NUMBER, MOST_DIGITS, SMALLEST_EXPONENT

Scalar = str | SupportsFloat | Expression
"""What a person may give for a number: int, float, decimal text, Fraction, SymPy or NumPy number, or an
Expression."""

_SIMPLE_DENOMINATOR = 10**9
_SAME_BELOW = Fraction(1, 10**50)


def to_value(number: Scalar) -> Value:
    """The exact value that was meant: floats by their shortest decimal, text as decimal or ratio, SymPy
    exactly.

    Irrational SymPy numbers become Fractions of 60 digits.  Raises ValueError for what is not a finite real
    number, and for one beyond the limits (``kanegen.limits``).
    """
    return plain(number) if isinstance(number, Expression) else bounded(_exact(number))


def _exact(number: Any) -> Fraction:
    """The exact value of what is no expression.  Raises ValueError."""
    if isinstance(number, bool):
        raise ValueError(f"a truth value, {number!r}")
    if isinstance(number, str):
        return _from_text(number)
    if isinstance(number, int | Fraction):
        return Fraction(number)
    if isinstance(number, Decimal):
        return _from_text(str(number))
    if type(number).__module__.partition(".")[0] == "sympy":
        return _from_sympy(number)
    if not isinstance(number, SupportsFloat):
        raise ValueError(f"not a number, {shown(number)}")
    try:
        found = from_number(float(number))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"not a finite number, {shown(number)}") from None
    if not found and number != 0:  # a number of another program with a wider range
        raise ValueError(f"a number too small for a double, {shown(number)}: give it as text")
    return found


def _from_text(text: str) -> Fraction:
    """Decimal or ratio of integers; refuses anything else, and exponents no double can hold."""
    trimmed = text.strip()
    if len(trimmed) > 2 * MOST_DIGITS.value:
        raise ValueError(f"a number of more than {MOST_DIGITS.value} digits, {shown(text)}")
    if trimmed.isascii() and "_" not in trimmed:
        numerator, slash, denominator = trimmed.partition("/")
        try:
            if slash:
                return Fraction(int(numerator), int(denominator))
            decimal = Decimal(trimmed)
        except (InvalidOperation, ValueError, ZeroDivisionError):
            decimal = Decimal("nan")
        if decimal.is_finite():
            if decimal == 0 or abs(decimal.adjusted()) < -SMALLEST_EXPONENT.value:
                return Fraction(decimal)
            small, largest = decimal.adjusted() < 0, f"{LARGEST_NUMBER.value:.0e}"
            bound = f"exponents go down to {SMALLEST_EXPONENT.value}" if small else f"stay below {largest}"
            raise ValueError(f"a number too {'small' if small else 'large'}, {shown(text)}: {bound}")
    raise ValueError(f"not a finite number, {shown(text)}")


def _from_sympy(number: Any) -> Fraction:
    """Exact rational, or 60 digits of an irrational number."""
    from kanegen.codegen.graph.sympy_bridge import (
        exact_constant,  # SymPy is there already, or there was no such number
    )

    if getattr(number, "free_symbols", None) or not getattr(number, "is_real", False):
        raise ValueError(f"not a finite real number, {shortened(number)}")
    return settle(exact_constant(number))


def settle(value: Fraction) -> Fraction:
    """Round to 60 digits, and to the simple fraction that a value with such rounding errors stands for (cos^2
    + sin^2).

    A ratio with a denominator below 1e9 that agrees to 50 places cannot be there by chance.
    """
    if value.denominator < 10 ** (DIGITS - 10):
        return value
    simple = _simple_ratio(value)
    return tidy(value) if simple is None else simple


def _simple_ratio(value: Fraction) -> Fraction | None:
    """The ratio with a small denominator that the value stands for, None if there is none.

    Being so close, it is a convergent of the value's continued fraction, and the last one before denominators grow.
    """
    numerator, denominator = value.as_integer_ratio()
    n, d = numerator, denominator
    p, q, p_next, q_next = 0, 1, 1, 0
    while d:
        whole = n // d
        if q_next and q + whole * q_next > _SIMPLE_DENOMINATOR:
            break
        p, q, p_next, q_next = p_next, q_next, p + whole * p_next, q + whole * q_next
        n, d = d, n - whole * d
    close = abs(p_next * denominator - numerator * q_next) * _SAME_BELOW.denominator < q_next * denominator
    return Fraction(p_next, q_next) if close else None


def plain(value: Value) -> Value:
    """The value with constant expressions as Fractions, settled."""
    if isinstance(value, Expression):
        if not value.is_number:
            return value
        value = value.value
    return settle(value)


def sine(angle: Value) -> Value:
    """sin of an angle [rad]; exact at multiples of pi/2 given to double precision."""
    return plain(angle.sine()) if isinstance(angle, Expression) else settle(exact_sine(angle))


def cosine(angle: Value) -> Value:
    """cos of an angle [rad]; exact at multiples of pi/2 given to double precision."""
    return plain(angle.cosine()) if isinstance(angle, Expression) else settle(exact_cosine(angle))


def square_root(value: Value) -> Value:
    """Positive square root; exact for squares of ratios.  Raises ValueError for negative numbers."""
    return plain(value.square_root()) if isinstance(value, Expression) else settle(exact_square_root(value))


FUNCTIONS_IN_TEXT = {"abs": "absolute", "min": "minimum", "max": "maximum"} | {
    name: name for name in ("sign", "exp", "log", "tanh", "atan2", "asin", "acos")
}
"""What people call the functions of ``graph/functions.py``, and their names there."""


def function_of(name: str, *operands: Value) -> Value:
    """A function by table; one of two operands takes any number in turn.  Raises ValueError where there is no value."""
    row = FUNCTIONS[name]
    if len(operands) > row.arity:
        return function_of(name, function_of(name, *operands[:-1]), operands[-1])
    if len(operands) < row.arity:
        return operands[0]
    graph = next((x.graph for x in operands if isinstance(x, Expression)), None)
    if graph is None:
        return settle(row.exact(*operands))
    first, *others = (constant(graph, x) if isinstance(x, Fraction) else x for x in operands)
    return plain(first.function(name, *others))


def chosen(left: Value, relation: str, right: Value, a: Value, b: Value) -> Value:
    """a where ``left relation right`` holds, with "<", "<=", ">", ">=" or "==", else b."""
    if relation.startswith(">"):
        left, relation, right = right, relation.replace(">", "<"), left
    graph = next((x.graph for x in (left, right) if isinstance(x, Expression)), None)
    if graph is None:
        assert isinstance(left, Fraction)
        assert isinstance(right, Fraction)
        return a if COMPARISONS[relation].exact(left, right) else b
    first = constant(graph, left) if isinstance(left, Fraction) else left
    return plain(first.compared(relation, right).selected(a, b))


def degrees(angle: int | Fraction) -> Fraction:
    """An angle in degrees as radians to 60 digits, so that its sine and cosine are exact where they are
    rational.
    """
    with mpmath.workdps(DIGITS + 5):
        radians = mpmath.pi * angle.numerator / (180 * angle.denominator)
        return Fraction(mpmath.nstr(radians, DIGITS, strip_zeros=True)) if angle else Fraction(0)


class Lift:
    """Copies values of a mechanism into the graph of a derivation; nodes already copied are remembered.

    With ``live`` its parameters become PARAMETER nodes of the target, or those of these names, otherwise the exact constants
    of their values.
    """

    def __init__(
        self,
        graph: Graph,
        parameters: Iterable[Parameter] = (),
        *,
        live: bool | Collection[str] = False,
    ) -> None:
        self.graph = graph
        self._numbers = {parameter.name: parameter.value for parameter in parameters}
        self._live = live
        self._copies: dict[tuple[int, int], Ref] = {}
        self._sources: list[Graph] = []  # keeps the sources alive, so that their identities stay unique

    def __call__(self, value: Value) -> Expression:
        """The value in the target graph.

        Raises ModelError for a parameter without a number and for values without one (a division by zero).
        """
        if not isinstance(value, Expression):
            return constant(self.graph, value)
        source = value.graph
        if not any(known is source for known in self._sources):
            self._sources.append(source)
        key = id(source)
        for index in source.reachable([value.ref]):
            if (key, index) not in self._copies:
                self._copies[key, index] = self._copy(source, index, key)
        ref = self._copies[key, abs(value.ref)]
        return Expression(self.graph, ref if value.ref > 0 else -ref)

    def into(self, graph: Graph) -> Lift:
        """The same for another target."""
        other = Lift(graph, live=self._live)
        other._numbers = self._numbers
        return other

    def vector(self, vector: Vector3) -> tuple[Expression, Expression, Expression]:
        """The components of a 3-vector in the target graph."""
        x, y, z = vector
        return self(x), self(y), self(z)

    def matrix(self, matrix: Matrix3) -> tuple[tuple[Expression, Expression, Expression], ...]:
        """The rows of a 3 x 3 matrix in the target graph."""
        return tuple(self.vector(row) for row in matrix)

    def parameter(self, name: str) -> Expression:
        """The parameter of that name in the target graph, live or as its number."""
        return Expression(self.graph, self._parameter(name))

    def _copy(self, source: Graph, index: int, key: int) -> Ref:
        kind, payload, target = source.kinds[index], source.payloads[index], self.graph
        if kind is Kind.CONSTANT:
            return target.constant(payload[0])
        if kind is Kind.PARAMETER:
            return self._parameter(payload[0])
        if kind is Kind.INPUT:
            raise ModelError(
                "value",
                f"depends on the input {payload[0]!r}",
                "numbers and parameters of the mechanism",
                "Values of a mechanism do not change while it moves; make it a parameter.",
            )
        refs = [self._copies[key, abs(ref)] if ref > 0 else -self._copies[key, abs(ref)] for ref in payload]
        try:
            return copy_node(target, source, index, refs)
        except (ZeroDivisionError, ValueError) as error:
            raise ModelError(
                "value",
                f"has no number ({error})",
                "a finite value at the parameters' numbers",
                "Mend the parameters.",
            ) from None

    def _parameter(self, name: str) -> Ref:
        if self._live if isinstance(self._live, bool) else name in self._live:
            return self.graph.parameter(name)
        if name not in self._numbers:
            raise ModelError(
                f"parameter {name!r}",
                "has no number here",
                f"one of {', '.join(map(repr, self._numbers)) or 'no parameters'}",
                "Pass the mechanism's parameters along with its values.",
            )
        return self.graph.constant(self._numbers[name])


def lift(graph: Graph, value: Value, live: bool, parameters: Iterable[Parameter] = ()) -> Expression:
    """One value copied into ``graph``; ``parameters`` are those of the mechanism.  See ``Lift`` for many
    values.
    """
    return Lift(graph, parameters, live=live)(value)


def numeric(value: Value, mechanism: Mechanism) -> Fraction:
    """The exact number of a value at the mechanism's own parameters.  Raises ModelError where there is
    none.
    """
    if not isinstance(value, Expression):
        return value
    return settle(Lift(Graph(), mechanism.parameters)(value).value)


def home_values(mechanism: Mechanism) -> tuple[Value, ...]:
    """The configuration given as home, or zero, with balls that do not turn."""
    upright = {ball.coordinates[-1] for ball in mechanism.balls}
    return mechanism.home or tuple(Fraction(name in upright) for name in mechanism.coordinates)


def home_numbers(mechanism: Mechanism) -> tuple[float, ...]:
    """The same in numbers."""
    return tuple(float(numeric(x, mechanism)) for x in home_values(mechanism))
