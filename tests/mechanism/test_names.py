"""Names of files, kernels and functions: valid, unique, and nothing of a hostile name left."""

from __future__ import annotations

import keyword
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanegen.codegen.mechanism.names import HEADERS, RESERVED, c_names, file_name

HOSTILE = [
    "double",
    "I",
    "int",
    "lambda",
    "two words",
    "a.b",
    "a-b",
    "a/b",
    'quote"',
    "new\nline",
    '"; system("rm -rf /',
    "*/ int main(){}",
    "_leading",
    "__reserved",
    "9lives",
    "",
    "Été",
    "关节",
    "a__b",
    "trailing_",
    "None",
    "M_PI",
    "y0",
    "A_batch",
    "batch",
    "q_f32",
    "x" * 500,
    "\x00",
    "??/",
]


def test_valid_names_stay() -> None:
    names = ["stanford_arm", "A", "q1", "Link7", "gripper_left"]
    assert c_names(names) == {name: name for name in names}


def test_hostile_names_become_identifiers() -> None:
    names = c_names(HOSTILE)
    check(HOSTILE, names)
    assert names["double"] == "double"  # C functions only begin or end with it
    assert names["lambda"] == "lambda_1"
    assert names["two words"] == "two_words"
    assert names["Été"] == "Ete"
    assert names[""] == "unnamed"
    assert names["9lives"] == "n9lives"
    assert names['"; system("rm -rf /'] == "system_rm_rf"


@pytest.mark.parametrize(
    ("originals", "expected"),
    [
        (["a b", "a_b"], {"a b": "a_b_1", "a_b": "a_b"}),  # the valid name keeps itself, whatever the order
        (["arm", "Arm", "ARM"], {"arm": "arm", "Arm": "Arm_1", "ARM": "ARM_2"}),
        (["try", "try_1"], {"try": "try_2", "try_1": "try_1"}),
        (["b", "b"], {"b": "b"}),
    ],
)
def test_collisions(originals: list[str], expected: dict[str, str]) -> None:
    assert c_names(originals) == expected


@given(st.lists(st.one_of(st.text(max_size=80), st.sampled_from(HOSTILE + sorted(RESERVED))), max_size=12))
def test_any_names(originals: list[str]) -> None:
    names = c_names(originals)
    check(originals, names)
    assert c_names(originals) == names
    assert c_names(names.values()) == {name: name for name in names.values()}


def test_no_file_takes_the_place_of_a_header() -> None:
    for header in HEADERS:
        assert file_name(header) == f"{header}_1"
        assert file_name(header.upper()) == f"{header.upper()}_1"  # one file where case does not matter
    assert file_name("stanford_arm") == "stanford_arm"


def test_no_model_has_the_names_of_kanegen() -> None:
    assert file_name("kanegen") == "model_kanegen"
    assert file_name("Kanegen_table") == "model_Kanegen_table"
    assert file_name("kanegenetics") == "kanegenetics"
    assert len(file_name("kanegen_" + "a" * 300)) <= 63


def check(originals: list[str], names: dict[str, str]) -> None:
    """Every identifier is valid and unique beyond case; keys are the originals."""
    assert list(names) == list(dict.fromkeys(originals))
    assert len({name.lower() for name in names.values()}) == len(names)
    for name in names.values():
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", name)
        assert "__" not in name
        assert not name.endswith("_")
        assert not keyword.iskeyword(name)
        assert name not in RESERVED
