"""Decimal numbers in the text of a file, exactly, whatever the locale of the process.

Each function says what is wrong with a text in the words of a ``ModelError``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)(\(\w*\))?|[+-]?1\.#\w+", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
_LARGEST_EXPONENT = 300
"""Exponents of ten beyond this are no quantity of mechanics, and cost memory as exact numbers."""

_SHOWN = 60  # characters of a text that a message quotes


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
    """Whether a text says that there is no bound."""
    return re.fullmatch(r"\s*[+-]?inf(inity)?\s*", text, re.IGNORECASE) is not None


def quoted(text: str) -> str:
    """A text for a message: its beginning, quoted, without line breaks."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def _misread(word: str, text: str, expected: str, count: int) -> Misread | None:
    if _DECIMAL.fullmatch(word):
        exponent = re.search(r"[eE](.*)", word)
        if (exponent and len(exponent[1]) > 9) or (exponent and abs(int(exponent[1])) > _LARGEST_EXPONENT):
            return Misread(
                f"is {quoted(text)}, whose exponent is out of range",
                expected,
                f"Stay between 1e-{_LARGEST_EXPONENT} and 1e{_LARGEST_EXPONENT}.",
            )
        return None
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


def _expected(count: int) -> str:
    return "a decimal number" if count == 1 else f"{count} decimal numbers separated by spaces"


def _count(count: int) -> str:
    return "no number" if count == 0 else "1 number" if count == 1 else f"{count} numbers"
