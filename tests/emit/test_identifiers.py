"""Names in C."""

from __future__ import annotations

import keyword
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanegen.codegen.emit.identifiers import (
    KEYWORDS,
    LONGEST,
    NameTable,
    cleaned,
    identifier,
    is_prefix,
    variable,
)


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
        ("I", "I_"),
        ("lambda", "lambda"),
        ("M_0_1", "M_0_1"),
        ("Z12", "Z12"),
        ("*/ x", "x"),
        ('"; system("rm', "system_rm"),
    ],
)
def test_table(text: str, name: str) -> None:
    assert identifier(text) == name


@pytest.mark.parametrize(
    "name",
    [
        "w_D_x",
        "a_C_in_B_z",
        "swing_F",
        "U_E_xy",
        "U_0_1",
        "s_q1",
        "c_2q2",
        "s_q2_plus_q3",
        "tau_5",
        "T_0",
    ],
)
def test_quantities_keep_their_names(name: str) -> None:
    assert variable(name) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("double", "double_"),
        ("sqrt", "sqrt_"),
        ("I", "I_"),
        ("errno", "errno_"),
        ("INT32_MAX", "INT32_MAX_"),
        ("M_PI", "M_PI_"),
        ("M_PI_2", "M_PI_2_"),
        ("st_atime", "st_atime_"),
        ("s_addr", "s_addr_"),
        ("si_value", "si_value_"),
        ("B1", "B1_"),
    ],
)
def test_what_could_be_a_macro_does_not_become_a_variable(text: str, name: str) -> None:
    assert variable(text) == name


@given(st.text())
def test_any_text_becomes_an_identifier(text: str) -> None:
    for name in (cleaned(text), identifier(text), variable(text)):
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name)
    assert not {identifier(text), variable(text)} & KEYWORDS
    assert "__" not in variable(text)  # C++ keeps these for itself


@given(st.lists(st.sampled_from(["a", "a_2", "a-2", "a_2_2", "b", "int", "int_", "t0"]), max_size=30))
def test_names_of_a_table_are_unique(wanted: list[str]) -> None:
    table = NameTable(["b", "t1"])
    names = [table.take(name) for name in wanted]
    number, following = table.number("t", 0)
    assert len({*names, "b", "t1", number}) == len(names) + 3
    assert following > int(number[1:])


def test_names_that_differ_far_behind_differ_where_compilers_look() -> None:
    table = NameTable()
    long = "a" * 300
    names = [table.take(f"{long}{i}", cleaned, "_live") for i in range(12)]
    assert len(set(names)) == 12
    assert all(len(name) <= LONGEST and name.endswith("_live") for name in names)


def test_words_of_the_languages_are_no_arguments() -> None:
    assert not any(identifier(word) in KEYWORDS for word in KEYWORDS)
    assert [word for word in ("for", "if", "return", "try") if word not in KEYWORDS] == []
    assert keyword.iskeyword("lambda")
    assert not is_prefix("_leading")
    assert not is_prefix("")
    assert is_prefix("while")  # names only begin with it
