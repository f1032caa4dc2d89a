"""Every case of the table in README.md has a test whose docstring says which case it is, and no test names another."""

from __future__ import annotations

import ast
import re
from pathlib import Path

FOLDER = Path(__file__).parent
ROW = re.compile(r"^\| (\d+) \|", re.MULTILINE)


def docstrings() -> list[str]:
    """Of all tests here."""
    return [
        ast.get_docstring(node) or ""
        for path in sorted(FOLDER.glob("test_*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


def cases_in(docstring: str) -> set[int]:
    """Numbers in "Case 5", "Cases 5 and 9", "Cases 34 to 38"."""
    numbers: set[int] = set()
    for text in re.findall(r"Cases? (\d+(?:(?:, | and | to )\d+)*)", docstring):
        found = [int(number) for number in re.findall(r"\d+", text)]
        numbers |= set(range(found[0], found[1] + 1)) if " to " in text else set(found)
    return numbers


def test_every_case_has_a_test_that_names_it() -> None:
    listed = [int(number) for number in ROW.findall((FOLDER / "README.md").read_text(encoding="utf-8"))]
    assert listed == sorted(set(listed))
    tested = set().union(*map(cases_in, docstrings()))
    assert tested <= set(listed)
    assert set(range(1, 45)) <= tested
