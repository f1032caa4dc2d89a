"""Lines and comments."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from kanegen.codegen.emit.layout import (
    WIDTH,
    comment_block,
    comment_text,
    paragraph,
    signature,
    statement,
    table,
)


@given(st.text())
def test_no_text_can_leave_a_comment(text: str) -> None:
    safe = comment_text(text)
    assert safe.isascii()
    assert re.search(r"[\n\r\\*?\"#]", safe) is None
    assert comment_block([safe]).count("*/") == 1


def test_units_are_spelled() -> None:
    assert comment_text("kg·m², m/s² & rad") == "kg m^2, m/s^2 and rad"


def test_long_statements_are_broken_at_spaces() -> None:
    words = " + ".join(f"variable_{i}" for i in range(40))
    lines = statement(f"const double sum = {words};")
    assert len(lines) > 3
    assert all(len(line) <= WIDTH for line in lines)
    assert " ".join(line.strip() for line in lines) == f"const double sum = {words};"
    assert {len(line) - len(line.lstrip()) for line in lines[1:]} == {8}


def test_signatures_are_broken_after_commas() -> None:
    parameters = ", ".join(f"const double argument_{i}[6]" for i in range(8))
    lines = signature(f"void function({parameters})").splitlines()
    assert len(lines) > 1
    assert all(line.endswith((",", ")")) for line in lines)


def test_tables_have_columns() -> None:
    lines = table([["", "n", ""], ["first", "1", "what it is"], ["second one", "100", "long " * 40]])
    assert lines[1].index("what it is") == lines[2].index("long")
    assert lines[1].rstrip().split()[1] == "1"
    assert all(len(line) <= WIDTH - 3 for line in lines)
    assert len(lines) > 3


def test_tables_with_long_names_keep_their_columns() -> None:
    rows = [["", "n", ""], ["first", "1", "what it is"], ["x" * 90, "100", "long " * 40]]
    lines = table(rows)
    assert "  " + "x" * 90 in lines
    assert lines[1].index("what it is") == next(line for line in lines if "long" in line).index("long")
    assert max(map(len, lines)) <= WIDTH - 3


def test_comments_are_bounded() -> None:
    assert comment_text("w" * 5000) == f"{'w' * 50}...{'w' * 50}"
    assert len(comment_text("word " * 5000)) < 1010


def test_paragraphs_fit_in_a_comment() -> None:
    assert all(len(f" * {line}") <= WIDTH for line in paragraph("word " * 100))
