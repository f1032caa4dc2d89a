"""Every limit is a record, is used where it acts, and is listed in the guide."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import kanegen
from kanegen import limits
from tests.architecture.test_imports import ROOT, SOURCES

NAMES = sorted(name for name, value in vars(limits).items() if isinstance(value, limits.Limit))


def test_the_guide_lists_all() -> None:
    """The table of docs/guide/limits.md is the one that the module makes."""
    page = (ROOT / "docs/guide/limits.md").read_text(encoding="utf-8")
    assert limits.table() in page


def test_names_are_unique() -> None:
    assert len({limit.name for limit in limits.LIMITS}) == len(limits.LIMITS) == len(NAMES)


def test_the_code_takes_all_from_here() -> None:
    """Some module reads the value of each; that of the steps of a simulation stands in its signature, for people."""
    read = set().union(*(_reads(path) for path in SOURCES))
    assert set(NAMES) - read == {"SIMULATION_STEPS"}


def _reads(path: Path) -> set[str]:
    """Names ``X`` of ``X.value``."""
    return {
        node.value.id
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "value" and isinstance(node.value, ast.Name)
    }


def test_the_steps_of_a_simulation() -> None:
    """They stand as a number in the signature, where people read them."""
    default = inspect.signature(kanegen.simulate).parameters["max_steps"].default
    assert default == limits.SIMULATION_STEPS.value
