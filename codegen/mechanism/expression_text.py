"""Expressions that users write as text, as SymPy has them: arithmetic in names, and equations with a sign of equality."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from kanegen.arithmetic import Arithmetic
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.values import to_value
from kanegen.errors import ModelError

_FUNCTIONS = ("sqrt", "sin", "cos", "tan", "sign", "exp", "log", "tanh", "atan2", "asin", "acos", "atan")
_RELATIONS = {"<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge", "==": "Eq"}


@cache
def functions() -> Mapping[str, Callable[..., Any]]:
    """SymPy's functions by the names that they have in a text."""
    found = {name: getattr(sympy, name) for name in _FUNCTIONS}
    return {"abs": sympy.Abs, "min": sympy.Min, "max": sympy.Max, **found}


class AnyName(dict[str, Any]):
    """Symbols of any names: what they stand for is seen when the mechanism is whole."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __missing__(self, name: str) -> sympy.Symbol:
        """A symbol of this name."""
        return sympy.Symbol(name, real=True)


_EQUALS = re.compile(r"(?<![<>=])=(?!=)")


def parsed(
    text: str,
    symbols: Mapping[str, sympy.Symbol],
    named: Mapping[str, Callable[[str], Any]],
    entry: Callable[[str, int], Any] | None = None,
) -> Any:
    """What a text stands for; an equation a = b stands for a - b.  Raises ValueError, TypeError, ZeroDivisionError."""
    names = symbols if isinstance(symbols, AnyName) else {"pi": sympy.pi, **symbols}
    algebra = Arithmetic(_rational, names, functions(), _chosen, named, _numbers_in, entry)
    left, *right = _EQUALS.split(text, maxsplit=1)
    found = algebra.value(left)
    return found - algebra.value(right[0]) if right else found


def from_text(where: str, given: Any) -> Any:
    """What a text stands for, in symbols of any names, with rate(q) for the symbol of that name; other things as they are.

    Raises ModelError for what is no arithmetic.
    """
    if not isinstance(given, str):
        return given
    rate = {"rate": lambda name: sympy.Symbol(f"rate({name})", real=True)}
    try:
        return parsed(given, AnyName(pi=sympy.pi), rate)
    except (ValueError, TypeError, ZeroDivisionError) as error:
        expected = "an equation a = b, or an expression, in coordinates, rate(coordinate), parameters and t"
        raise ModelError(where, f"{given!r} is not arithmetic: {error}", expected, "Mend it.") from None


def _chosen(left: Any, relation: str, right: Any, a: Any, b: Any) -> Any:
    return sympy.Piecewise((a, getattr(sympy, _RELATIONS[relation])(left, right)), (b, True))


def _rational(text: str) -> sympy.Rational:
    """A number in an equation, within the limits of all numbers.  Raises ValueError."""
    value = to_value(text)
    assert isinstance(value, Fraction)
    return sympy.Rational(value.numerator, value.denominator)


def _numbers_in(expression: Any) -> list[Fraction]:
    """The numbers that SymPy multiplies out by itself: the expression where it is one, or its own factors and terms."""
    parts = (expression, *expression.args)
    return [Fraction(int(part.p), int(part.q)) for part in parts if part.is_Rational]
