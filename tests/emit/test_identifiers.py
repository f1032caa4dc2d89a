"""Names in C."""

from __future__ import annotations

import keyword
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanegen.codegen.emit.identifiers import NameTable, identifier, is_identifier, is_reserved


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("q1", "q1"),
        ("w_D_x", "w_D_x"),
        ("left foot", "left_foot"),
        ("a.b-c/d", "a_b_c_d"),
        ("__x__", "x"),
        ("1st", "x1st"),
        ("", "x"),
        ("Ω", "x"),
        ("double", "double_"),
        ("class", "class_"),
        ("sqrt", "sqrt_"),
        ("I", "I_"),
        ("INFINITY", "INFINITY_"),
        ("INT32_MAX", "INT32_MAX_"),
        ("DBL_EPSILON", "DBL_EPSILON_"),
        ("M_PI", "M_PI_"),
        ("M_0_1", "M_0_1"),
        ("Z12", "Z12"),
        ("*/ x", "x"),
        ('"; system("rm', "system_rm"),
    ],
)
def test_table(text: str, name: str) -> None:
    assert identifier(text) == name


@given(st.text())
def test_any_text_becomes_an_identifier(text: str) -> None:
    name = identifier(text)
    assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name)
    assert is_identifier(name)
    assert not is_reserved(name)


@given(st.lists(st.sampled_from(["a", "a_2", "a-2", "a_2_2", "b", "int", "int_", "t0"]), max_size=30))
def test_names_of_a_table_are_unique(wanted: list[str]) -> None:
    table = NameTable(["b", "t1"])
    names = [table.take(name) for name in wanted]
    number, following = table.number("t", 0)
    assert len({*names, "b", "t1", number}) == len(names) + 3
    assert following > int(number[1:])


def test_keywords_of_the_languages_that_read_the_files() -> None:
    assert not is_identifier("while")
    assert not is_identifier("namespace")
    assert not is_identifier("_leading")
    assert [
        word for word in ("for", "if", "return", "try") if word in keyword.kwlist and not is_reserved(word)
    ] == []
