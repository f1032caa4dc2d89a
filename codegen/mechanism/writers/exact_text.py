"""Exact values as TOML takes them: a number where it is the decimal of a double, else arithmetic that gives it back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import isqrt

from kanegen.arithmetic import NotArithmetic
from kanegen.codegen.graph import Expression, Kind
from kanegen.codegen.graph.exact import from_number
from kanegen.codegen.mechanism.importers.toml.table import algebra
from kanegen.codegen.mechanism.records import Value
from kanegen.codegen.mechanism.values import FUNCTIONS_IN_TEXT, degrees, plain, settle
from kanegen.limits import LONGEST_ARITHMETIC

_SIMPLE = 10**4
"""Multiples of pi and of a degree, and squares, of this numerator and denominator at most are what people mean."""

_UNITS = (("pi", degrees(180), 24), ("deg", degrees(1), 100), ("pi", degrees(180), _SIMPLE))
"""Units of angles, with the largest denominator that they are tried with."""

_RATIO = 10**18
"""Squares of numerator and denominator of ratios that are written as such."""

IDENTIFIER = re.compile(r"[^\W\d]\w*")
"""Names that arithmetic can have."""

_RELATION, _TERM, _FACTOR, _ATOM = range(4)
_INFIX = (Kind.SUM, Kind.PRODUCT, Kind.QUOTIENT)
_FUNCTIONS = {Kind.SQUARE_ROOT: "sqrt", Kind.SINE: "sin", Kind.COSINE: "cos"}
_NAMED = {name: text for text, name in FUNCTIONS_IN_TEXT.items()}


class Unsayable(ValueError):  # noqa: N818  (it says so of a value)
    """A value that no arithmetic of TOML gives back."""


def exact_number(value: Fraction, names: Iterable[str] = ()) -> str:
    """A number without quotes, or arithmetic in quotes; ``names`` are those of parameters, which hide others.

    Raises Unsayable.
    """
    decimal = float(value) if abs(value) < 10**18 else 0.0
    if from_number(decimal) == value:
        return str(value.numerator) if value.denominator == 1 else repr(decimal)
    return f'"{_number(value, set(names))}"'


def exact_text(value: Value, names: Iterable[str] = ()) -> str:
    """The same for an expression in parameters."""
    if not isinstance(value, Expression):
        return exact_number(value, names)
    if value.is_number:
        return exact_number(value.value, names)
    return f'"{_fitting(_Expressions(set(names))(value))}"'


def _number(value: Fraction, names: set[str]) -> str:
    """Arithmetic of numbers: the shortest form that gives the very value back."""
    if value.numerator**2 < _RATIO and value.denominator**2 < _RATIO:
        return str(value)
    forms = []
    for unit, size, finest in _UNITS:
        if unit not in names:
            forms += _times(settle(value / size), unit, finest)
    forms += _root(value)
    decimals = _decimal(value)
    forms += [decimals] if decimals else []
    numbers = algebra({})
    for form in forms:
        try:
            if plain(numbers.value(form)) == value:
                return form
        except (NotArithmetic, ValueError):
            continue
    return _fitting(str(value))


def _fitting(text: str) -> str:
    if len(text) > LONGEST_ARITHMETIC.value:
        raise Unsayable(f"{len(text)} characters of arithmetic")
    return text


def _times(ratio: Fraction, unit: str, finest: int) -> list[str]:
    """A small multiple or part of a unit."""
    if not 0 < abs(ratio.numerator) < _SIMPLE or ratio.denominator > finest:
        return []
    sign = "-" if ratio < 0 else ""
    factor = "" if abs(ratio.numerator) == 1 else f"{abs(ratio.numerator)}*"
    divisor = "" if ratio.denominator == 1 else f"/{ratio.denominator}"
    return [f"{sign}{factor}{unit}{divisor}"]


def _root(value: Fraction) -> list[str]:
    """A square root of a ratio, its denominator outside where that is a square."""
    square = settle(value * value)
    if square.numerator > _SIMPLE or square.denominator > _SIMPLE:
        return []
    sign, outside = "-" if value < 0 else "", isqrt(square.denominator)
    if outside**2 == square.denominator:
        return [f"{sign}sqrt({square.numerator}){'' if outside == 1 else f'/{outside}'}"]
    return [f"{sign}sqrt({square})"]


def _decimal(value: Fraction) -> str:
    """All digits of a decimal that ends, "" for others and for long ones, which are shorter as a ratio."""
    rest, places = value.denominator, 0
    while rest > 1 and places < 400 and (rest % 2 == 0 or rest % 5 == 0):
        rest //= 10 if rest % 10 == 0 else 2 if rest % 2 == 0 else 5
        places += 1
    if rest > 1:
        return ""
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


class _Expressions:
    """Arithmetic of parameters from the nodes of their graph; each text with how tightly it holds together."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def __call__(self, value: Expression) -> str:
        graph, texts = value.graph, dict[int, tuple[int, str]]()
        for index in graph.reachable([value.ref]):
            kind, payload = graph.kinds[index], graph.payloads[index]
            if kind is Kind.CONSTANT:
                texts[index] = self._constant(payload[0])
            elif kind is Kind.PARAMETER and IDENTIFIER.fullmatch(payload[0]):
                texts[index] = _ATOM, payload[0]
            elif kind in _INFIX:
                texts[index] = _joined(kind, payload, texts)
            elif kind in _FUNCTIONS:
                texts[index] = _ATOM, f"{_FUNCTIONS[kind]}({_operand(texts, payload[0], _TERM)})"
            elif kind is Kind.COMPARISON:
                one, other = (_operand(texts, ref, _TERM) for ref in payload)
                texts[index] = _RELATION, f"{one} {graph.names[index]} {other}"
            elif kind is Kind.SELECTION and texts[abs(payload[0])][0] == _RELATION and payload[0] > 0:
                chosen = ", ".join(_operand(texts, ref, _TERM) for ref in payload[1:])
                texts[index] = _ATOM, f"piecewise({texts[payload[0]][1]}, {chosen})"
            elif kind is Kind.FUNCTION and graph.names[index] in _NAMED:
                name = _NAMED[graph.names[index]]
                ordered = (
                    reversed(payload) if name in ("min", "max") else payload
                )  # as the graph reverses them
                texts[index] = _ATOM, f"{name}({', '.join(_operand(texts, ref, _TERM) for ref in ordered)})"
            else:
                name = payload[0] if kind is Kind.PARAMETER else graph.names.get(index, kind.name.lower())
                raise Unsayable(f"{name} has no place in arithmetic of TOML")
            _fitting(texts[index][1])
        return _operand(texts, value.ref, _TERM)

    def _constant(self, value: Fraction) -> tuple[int, str]:
        number = exact_number(value, self._names).strip('"')
        return (_ATOM if number.replace(".", "").isdecimal() else _FACTOR), number


def _joined(kind: Kind, payload: tuple[int, ...], texts: Mapping[int, tuple[int, str]]) -> tuple[int, str]:
    if kind is Kind.SUM:
        return _TERM, " + ".join(_operand(texts, ref, _FACTOR) for ref in payload).replace("+ -", "- ")
    if kind is Kind.PRODUCT:
        return _FACTOR, "*".join(_operand(texts, ref, _ATOM) for ref in payload)
    numerator, denominator = payload
    return _FACTOR, f"{_operand(texts, numerator, _FACTOR)}/{_operand(texts, denominator, _ATOM)}"


def _operand(texts: Mapping[int, tuple[int, str]], ref: int, least: int) -> str:
    """The text of a node with its sign, in parentheses where it holds together less than is needed."""
    binding, text = texts[abs(ref)]
    if binding == _RELATION:
        raise Unsayable("a comparison has no place in arithmetic of TOML but in piecewise")
    inside = text if binding >= (least if ref > 0 else max(least, _FACTOR)) else f"({text})"
    return inside if ref > 0 else f"-{inside}"
