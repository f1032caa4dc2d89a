"""Decimal numbers in the text of a file, exactly, whatever the locale of the process.

Each function says what is wrong with a text in the words of a ``ModelError``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from kanegen.limits import LARGEST_NUMBER, LONGEST_QUOTE, SMALLEST_EXPONENT

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)(\(\w*\))?|[+-]?1\.#\w+", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
_LARGEST, _SMALLEST_EXPONENT = LARGEST_NUMBER.value, SMALLEST_EXPONENT.value
_SHOWN = LONGEST_QUOTE.value


@dataclass(frozen=True, slots=True)
class Misread:
    """Why a text is not the numbers that were expected."""

    what: str
    expected: str
    cure: str


def read_numbers(text: str, count: int) -> tuple[Fraction, ...] | Misread:
    """As many decimal numbers, separated by white space."""
    words = text.split()
    expected = _expected(count)
    for word in words:
        wrong = _misread(word, text, expected, count)
        if wrong is not None:
            return wrong
    if len(words) != count:
        return Misread(f"is {quoted(text)}, {_count(len(words))}", expected, "Give as many.")
    return tuple(Fraction(word) for word in words)


def is_infinite(text: str) -> bool:
    """Whether a text says that there is no bound: by name, or as the largest number that a program has."""
    word = text.strip()
    if re.fullmatch(r"[+-]?inf(inity)?", word, re.IGNORECASE):
        return True
    return _DECIMAL.fullmatch(word) is not None and abs(float(word)) >= float(_LARGEST)


def quoted(text: str) -> str:
    """A text for a message: its beginning, quoted, without line breaks."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def _misread(word: str, text: str, expected: str, count: int) -> Misread | None:
    if _DECIMAL.fullmatch(word):
        if _in_range(word):
            return None
        return Misread(
            f"is {quoted(text)}: {quoted(word)} is out of range",
            expected,
            f"Stay below 1e60; exponents go down to {_SMALLEST_EXPONENT}.",
        )
    if "," in word:
        if count == 1 or _COMMA.fullmatch(word):
            decimal = word.replace(",", ".")
            cure = f"Write a decimal point: {decimal!r}." if _DECIMAL.fullmatch(decimal) else "Mend it."
            return Misread(f"is {quoted(text)}, with a decimal comma in {quoted(word)}", expected, cure)
        return Misread(
            f"is {quoted(text)}, with commas", expected, "Separate numbers by spaces, without commas."
        )
    if _NOT_FINITE.fullmatch(word):
        return Misread(f"is {quoted(text)}, which is not finite", expected, "Give a finite number.")
    if "${" in text or "$(" in text:
        return Misread(
            f"is {quoted(text)}: this looks like xacro",
            expected,
            "Expand it with xacro, or read it as .xacro.",
        )
    return Misread(f"is {quoted(text)}: {quoted(word)} is no number", expected, "Give decimal numbers.")


def _in_range(decimal: str) -> bool:
    mantissa, _, exponent = decimal.lower().partition("e")
    power = int(exponent or "0") if len(exponent) < 9 else _LARGEST
    return len(mantissa) < 1000 and _SMALLEST_EXPONENT < power < 400 and abs(Fraction(decimal)) < _LARGEST


def _expected(count: int) -> str:
    return "a decimal number" if count == 1 else f"{count} decimal numbers separated by spaces"


def _count(count: int) -> str:
    return "no number" if count == 0 else "1 number" if count == 1 else f"{count} numbers"
