"""Numbers in files: exact, decimal, finite, and never what the locale makes of them."""

from __future__ import annotations

import locale
from fractions import Fraction

import pytest

from kanegen.codegen.mechanism.importers.numbers_in_text import Misread, is_infinite, read_numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("+1.", Fraction(1)),
        ("-.5", Fraction(-1, 2)),
        ("1e-3", Fraction(1, 1000)),
        ("4.9e-324", Fraction(49, 10**325)),
        ("2E+2", Fraction(200)),
        (" 7\n", Fraction(7)),
        ("-0", Fraction(0)),
        ("3.141592653589793238462643383279", Fraction("3.141592653589793238462643383279")),
    ],
)
def test_decimals_are_exact(text: str, value: Fraction) -> None:
    assert read_numbers(text, 1) == (value,)


def test_any_white_space_separates() -> None:
    assert read_numbers("\t1  2\n3 ", 3) == (1, 2, 3)


@pytest.mark.parametrize(
    ("text", "count", "what", "cure"),
    [
        ("0,3 0 0", 3, "decimal comma in '0,3'", "'0.3'"),
        ("0,3", 1, "decimal comma", "'0.3'"),
        ("1,234.5", 1, "decimal comma", "Mend it"),
        ("1,2,3", 3, "with commas", "Separate numbers by spaces"),
        ("nan 0 0", 3, "not finite", "finite"),
        ("-INF", 1, "not finite", "finite"),
        ("1.#QNAN", 1, "not finite", "finite"),
        ("1 2", 3, "2 numbers", "as many"),
        ("1 2 3 4", 3, "4 numbers", "as many"),
        ("", 3, "no number", "as many"),
        ("abc", 1, "'abc' is no number", "decimal"),
        ("1/3", 1, "no number", "decimal"),
        ("0x10", 1, "no number", "decimal"),
        ("1_000", 1, "no number", "decimal"),
        ("١", 1, "no number", "decimal"),
        ("1e999999999999", 1, "out of range", "1e60"),
        ("1e61", 1, "out of range", "1e60"),
        ("-1e-999999999999", 1, "out of range", "1e60"),
        ("9" * 2000, 1, "out of range", "1e60"),
        ("${pi/2}", 1, "looks like xacro", "xacro"),
        ("--1", 1, "no number", "decimal"),
        ("1 2 x" * 1000, 3, "...", "decimal"),
    ],
)
def test_what_is_refused(text: str, count: int, what: str, cure: str) -> None:
    """Case 11."""
    found = read_numbers(text, count)
    assert isinstance(found, Misread)
    assert what in found.what
    assert cure in found.cure
    assert len(found.what) < 300


def test_infinity_is_no_bound() -> None:
    assert all(map(is_infinite, ("inf", "-Infinity", " +INF ", "1.7976931348623157e+308", "-1e400")))
    assert not any(map(is_infinite, ("1", "nan", "info", "1e16")))


def test_the_locale_does_not_matter() -> None:
    """Case 17, with every locale of this machine that has a decimal comma."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"):
            try:
                locale.setlocale(locale.LC_ALL, name)
            except locale.Error:
                continue
            assert read_numbers("0.5 1e3", 2) == (Fraction(1, 2), 1000)
    finally:
        locale.setlocale(locale.LC_ALL, before)
