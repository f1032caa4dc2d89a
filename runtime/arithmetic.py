"""Plain arithmetic in text: numbers, names, + - * / ** ( ), and functions.  Nothing else is ever evaluated.

piecewise(x < 1, a, x <= 2, b, c) is a where the first comparison holds, b where the second one does, and else c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from kanegen.limits import DEEPEST_ARITHMETIC, LARGEST_POWER, LONGEST_ARITHMETIC, MOST_BITS, MOST_DIGITS

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)|(?P<sign>\*\*|[<>=]=|[-+*/(),<>\[\]]))"
)

ARITIES: Mapping[str, int | None] = {"atan2": 2, "min": None, "max": None}
"""How many numbers functions take, if not one; None: any number of them."""

_PLAIN = re.compile(r"[\d.]{1,20}")
"""Exponents: without an exponent of their own, as 1e999999999 as an exact number would fill the memory."""


_DIGITS = 9
"""No array has more entries than numbers of so many digits count."""

RELATIONS = ("<", "<=", ">", ">=", "==")

PIECEWISE = "piecewise"


class NotArithmetic(ValueError):  # noqa: N818  (it is what the text is)
    """A text that is no such arithmetic; the message says where it fails."""


def _itself(value: Any) -> tuple[Fraction, ...]:
    """A number is all that it consists of; what is no number keeps its own bounds."""
    return (value,) if isinstance(value, Fraction) else ()


class Arithmetic:
    """An algebra: what numbers, names and functions stand for.

    The values must know + - * and /.  ``named`` functions take a name as it is written, such as ``rate(q1)``.
    ``numbers_in`` gives the exact numbers that a value consists of, which may not grow without bound.
    ``choose(left, relation, right, a, b)`` is a where the relation holds, else b.  ``entry(name, k)`` is name[k].
    """

    def __init__(
        self,
        number: Callable[[str], Any],
        names: Mapping[str, Any],
        functions: Mapping[str, Callable[..., Any]],
        choose: Callable[[Any, str, Any, Any, Any], Any],
        named: Mapping[str, Callable[[str], Any]] | None = None,
        numbers_in: Callable[[Any], Iterable[Fraction]] = _itself,
        entry: Callable[[str, int], Any] | None = None,
    ) -> None:
        self._number, self._names, self._functions, self._named = number, names, functions, named or {}
        self._choose, self._numbers_in, self._entry = choose, numbers_in, entry

    def value(self, text: str) -> Any:
        """What the text stands for.  Raises NotArithmetic; ZeroDivisionError where it divides by zero."""
        if len(text) > LONGEST_ARITHMETIC.value:
            raise NotArithmetic(f"it is longer than {LONGEST_ARITHMETIC.value} characters")
        tokens = _Tokens(text)
        found = self._sum(tokens, 0)
        if tokens.kind:
            raise NotArithmetic(f"{tokens.text!r} is not expected after {text[: tokens.begin].strip()!r}")
        return found

    def _sum(self, tokens: _Tokens, depth: int) -> Any:
        if depth > DEEPEST_ARITHMETIC.value:
            raise NotArithmetic(f"its parentheses are nested deeper than {DEEPEST_ARITHMETIC.value}")
        found = self._product(tokens, depth)
        while tokens.text in ("+", "-"):
            plus = tokens.text == "+"
            tokens.next()
            term = self._product(tokens, depth)
            found = self._bounded(found + term if plus else found - term)
        return found

    def _product(self, tokens: _Tokens, depth: int) -> Any:
        found = self._signed(tokens, depth)
        while tokens.text in ("*", "/"):
            times = tokens.text == "*"
            tokens.next()
            factor = self._signed(tokens, depth)
            found = self._bounded(found * factor if times else found / factor)
        return found

    def _signed(self, tokens: _Tokens, depth: int) -> Any:
        negative = False
        while tokens.text in ("+", "-"):
            negative ^= tokens.text == "-"
            tokens.next()
        found = self._power(tokens, depth)
        return -found if negative else found

    def _power(self, tokens: _Tokens, depth: int) -> Any:
        base = self._atom(tokens, depth)
        if tokens.text != "**":
            return base
        tokens.next()
        exponent = self._exponent(tokens)
        whole, half = divmod(abs(exponent), 1)
        if exponent == 0 or abs(exponent) > LARGEST_POWER.value or half not in (0, Fraction(1, 2)):
            most = LARGEST_POWER.value
            raise NotArithmetic(
                f"a power is an integer or half of one, between -{most} and {most} and not 0, not {exponent}"
            )
        found = None if half == 0 else self._root(base)
        for _ in range(int(whole)):
            found = base if found is None else self._bounded(found * base)
        return found if exponent > 0 else self._number("1") / found

    def _exponent(self, tokens: _Tokens) -> Fraction:
        """A decimal number with or without a sign, or a ratio in parentheses: 2, -1, 0.5, (1/2)."""
        if tokens.text != "(":
            return self._signed_decimal(tokens)
        tokens.next()
        found = self._signed_decimal(tokens)
        if tokens.text == "/":
            tokens.next()
            found /= self._signed_decimal(tokens)
        tokens.expect(")")
        return found

    def _signed_decimal(self, tokens: _Tokens) -> Fraction:
        negative = tokens.text == "-"
        if tokens.text in ("+", "-"):
            tokens.next()
        text = tokens.text
        if tokens.kind != "number" or not _PLAIN.fullmatch(text):
            raise NotArithmetic(
                f"a power has a number such as 2, -1, 0.5 or (1/2) as its exponent, not {text!r}"
            )
        tokens.next()
        return -Fraction(text) if negative else Fraction(text)

    def _root(self, base: Any) -> Any:
        if "sqrt" not in self._functions:
            raise NotArithmetic("a power is an integer here")
        return self._functions["sqrt"](base)

    def _bounded(self, value: Any) -> Any:
        """The value, if the numbers in it have not too many digits: powers of powers would compute for ever."""
        for number in self._numbers_in(value):
            if max(number.numerator.bit_length(), number.denominator.bit_length()) > MOST_BITS:
                raise NotArithmetic(f"an exact number in it has more than {MOST_DIGITS.value} digits")
        return value

    def _atom(self, tokens: _Tokens, depth: int) -> Any:
        kind, text = tokens.kind, tokens.text
        tokens.next()
        if kind == "number":
            return self._number(text)
        if text == "(":
            found = self._sum(tokens, depth + 1)
            tokens.expect(")")
            return found
        if kind != "name":
            raise NotArithmetic(
                f"a number, a name or a parenthesis is expected, not {text!r}"
                if text
                else "it ends too early"
            )
        if tokens.text == "(":
            return self._call(text, tokens, depth)
        if tokens.text == "[" and self._entry is not None:
            tokens.next()
            number = tokens.text
            if not number.isdecimal() or len(number) > _DIGITS:
                raise NotArithmetic(
                    f"the number of an entry, counted from 0, is expected in {text}[...], not {number!r}"
                )
            tokens.next()
            tokens.expect("]")
            return self._entry(text, int(number))
        if text not in self._names:
            known = ", ".join(sorted(self._names))
            raise NotArithmetic(f"{text!r} is none of the names {known}")
        return self._names[text]

    def _call(self, function: str, tokens: _Tokens, depth: int) -> Any:
        tokens.next()
        if function in self._named:
            name = tokens.text
            tokens.next()
            tokens.expect(")")
            return self._named[function](name)
        if function == PIECEWISE:
            return self._piecewise(tokens, depth + 1)
        if function not in self._functions:
            known = ", ".join(sorted([*self._functions, *self._named, PIECEWISE]))
            raise NotArithmetic(f"{function!r} is none of the functions {known}")
        arguments = [self._sum(tokens, depth + 1)]
        while tokens.text == ",":
            tokens.next()
            arguments.append(self._sum(tokens, depth + 1))
        tokens.expect(")")
        wanted = ARITIES.get(function, 1)
        if wanted not in (None, len(arguments)):
            raise NotArithmetic(f"{function} takes {wanted} numbers, not {len(arguments)}")
        return self._bounded(self._functions[function](*arguments))

    def _piecewise(self, tokens: _Tokens, depth: int) -> Any:
        """What follows piecewise( or a comma in it: the last value, or a comparison, a value, and the rest."""
        found = self._sum(tokens, depth)
        if tokens.text == ")":
            tokens.next()
            return found
        relation = tokens.text
        if relation not in RELATIONS:
            raise NotArithmetic(f"one of {', '.join(RELATIONS)} is expected in piecewise, not {relation!r}")
        tokens.next()
        right = self._sum(tokens, depth)
        tokens.expect(",")
        value = self._sum(tokens, depth)
        tokens.expect(",")
        return self._choose(found, relation, right, value, self._piecewise(tokens, depth + 1))


class _Tokens:
    """The token at hand: its ``kind`` ("" at the end), ``text``, and where it begins."""

    def __init__(self, text: str) -> None:
        self._whole, self._end = text, 0
        self.next()

    def next(self) -> None:
        """Go on to the next token."""
        self.begin = self._end
        rest = self._whole[self._end :]
        if not rest.strip():
            self.kind, self.text = "", ""
            return
        match = _TOKEN.match(rest)
        if match is None and rest.lstrip().startswith("^"):
            raise NotArithmetic("a power is written with **, as in L**2, not with ^")
        if match is None:
            raise NotArithmetic(f"{rest.strip()[:20]!r} is neither a number, a name nor a sign of arithmetic")
        self.kind, self.text = match.lastgroup or "", match.group(match.lastgroup or 0)
        self._end += match.end()

    def expect(self, text: str) -> None:
        """Go past this token.  Raises NotArithmetic where it is another one."""
        if self.text != text:
            raise NotArithmetic(f"{text!r} is missing" + (f" before {self.text!r}" if self.text else ""))
        self.next()
