"""The table in README.md: every case has tests, and each of them is there and says which case it is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

FOLDER = Path(__file__).parent
ROW = re.compile(r"^\| (\d+) \|.*\| (.*) \|$", re.MULTILINE)
TEST = re.compile(r"`(test_\w+\.py)::(test_\w+)`")


def described(file: str) -> dict[str, str]:
    """Docstrings of the tests of a file by their names."""
    tree = ast.parse((FOLDER / file).read_text(encoding="utf-8"))
    return {
        node.name: ast.get_docstring(node) or ""
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def cases_in(docstring: str) -> set[int]:
    """Numbers in "Case 5", "Cases 5 and 9", "Cases 34 to 38"."""
    numbers: set[int] = set()
    for text in re.findall(r"Cases? (\d+(?:(?:, | and | to )\d+)*)", docstring):
        found = [int(number) for number in re.findall(r"\d+", text)]
        numbers |= set(range(found[0], found[1] + 1)) if " to " in text else set(found)
    return numbers


def test_every_case_has_tests_that_name_it() -> None:
    rows = {
        int(number): TEST.findall(tests) for number, tests in ROW.findall((FOLDER / "README.md").read_text())
    }
    assert list(rows) == list(range(1, 45))
    assert all(rows.values())
    files = {path.name: described(path.name) for path in FOLDER.glob("test_*.py")}
    for case, tests in rows.items():
        for file, name in tests:
            assert case in cases_in(files[file][name]), f"{file}::{name} does not name case {case}"
