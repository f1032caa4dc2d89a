"""Expressions of a TOML file as SymPy has them: equations, forces of laws, rates of their states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy

from kanegen.codegen.mechanism.importers.toml.arithmetic import Arithmetic
from kanegen.codegen.mechanism.importers.toml.table import Table
from kanegen.codegen.mechanism.values import to_value

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": sympy.Abs,
    "min": sympy.Min,
    "max": sympy.Max,
    **{
        name: getattr(sympy, name)
        for name in (
            "sqrt",
            "sin",
            "cos",
            "tan",
            "sign",
            "exp",
            "log",
            "tanh",
            "atan2",
            "asin",
            "acos",
            "atan",
        )
    },
}

_RELATIONS = {"<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge, "==": sympy.Eq}


class AnyName(dict[str, sympy.Symbol]):
    """Symbols of any names: what they stand for is seen when the mechanism is whole."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __missing__(self, name: str) -> sympy.Symbol:
        """A symbol of this name."""
        return sympy.Symbol(name, real=True)


def expression(
    table: Table,
    key: str,
    text: Any,
    symbols: Mapping[str, sympy.Symbol],
    named: Mapping[str, Callable[[str], Any]],
    expected: str,
    entry: Callable[[str, int], Any] | None = None,
) -> Any:
    """What a text under a key of a table stands for; numbers are taken as they are.  Raises ModelError."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        text = str(text)
    if not isinstance(text, str):
        raise table.error(key, f"is {text!r}", expected, "Write it in quotes.")
    names = symbols if isinstance(symbols, AnyName) else {"pi": sympy.pi, **symbols}
    algebra = Arithmetic(_rational, names, FUNCTIONS, _chosen, named, _numbers_in, entry)
    try:
        return algebra.value(text)
    except (ValueError, TypeError, ZeroDivisionError) as error:
        raise table.error(key, f"{text!r} is not arithmetic: {error}", expected, "Mend it.") from None


def _chosen(left: Any, relation: str, right: Any, a: Any, b: Any) -> Any:
    return sympy.Piecewise((a, _RELATIONS[relation](left, right)), (b, True))


def _rational(text: str) -> sympy.Rational:
    """A number in an equation, within the limits of all numbers.  Raises ValueError."""
    value = to_value(text)
    assert isinstance(value, Fraction)
    return sympy.Rational(value.numerator, value.denominator)


def _numbers_in(expression: Any) -> list[Fraction]:
    """The numbers that SymPy multiplies out by itself: the expression where it is one, or its own factors and terms."""
    parts = (expression, *expression.args)
    return [Fraction(int(part.p), int(part.q)) for part in parts if part.is_Rational]
