"""The C files of the runtime know one another one way, each by its header: read from includes, and from what they define."""

from __future__ import annotations

import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "runtime/csrc"
PUBLIC = "kanegen_integrators"
UNITS = sorted({path.stem for path in FOLDER.glob("kanegen_*.[ch]")})
"""A header and the source that goes with it are one."""


@cache
def code(name: str) -> str:
    """A file without its comments; empty where there is none."""
    path = FOLDER / name
    return (
        re.sub(r"/\*.*?\*/", "", path.read_text(encoding="ascii"), flags=re.DOTALL) if path.exists() else ""
    )


def included(name: str) -> set[str]:
    return set(re.findall(r'#include "(\w+)\.h"', code(name)))


def functions(name: str, after: str) -> set[str]:
    """Functions at the left margin that are followed by a body ("{") or end (";") there: defined, or declared."""
    return set(
        re.findall(rf"^[a-z][\w ]*[ *](kanegen_\w+)\([^;{{)]*\)\s*{after}", code(name), flags=re.MULTILINE)
    )


def reached(unit: str) -> set[str]:
    """What a source includes, directly or not."""
    found: set[str] = set()
    left = {unit}
    left |= included(f"{unit}.c")
    while left:
        one = left.pop()
        found.add(one)
        left |= included(f"{one}.h") - found
    return found


def test_includes_have_no_circle() -> None:
    edges = {unit: (included(f"{unit}.h") | included(f"{unit}.c")) - {unit} for unit in UNITS}
    assert edges["kanegen_rk4"] >= {"kanegen_driver", "kanegen_equal_steps"}
    assert edges[PUBLIC] == set()
    TopologicalSorter(edges).prepare()  # raises CycleError, which names a circle


def test_calls_have_no_circle() -> None:
    defined = {function: unit for unit in UNITS for function in functions(f"{unit}.c", "{")}
    assert {"kanegen_dopri5", "kanegen_project", "kanegen_accept_step"} <= set(defined)
    edges = {
        unit: {defined[name] for name in re.findall(r"\bkanegen_\w+", code(f"{unit}.c")) if name in defined}
        - {unit}
        for unit in UNITS
    }
    assert edges["kanegen_adaptive"] == {"kanegen_events", "kanegen_rows", "kanegen_steps"}
    TopologicalSorter(edges).prepare()


@pytest.mark.parametrize("unit", [unit for unit in UNITS if code(f"{unit}.c")])
def test_a_source_sees_what_it_defines_and_calls_by_headers(unit: str) -> None:
    """Every function has its declaration in the header of its own file, or in the public one, and there alone."""
    declared = {name: functions(f"{name}.h", ";") for name in UNITS}
    for function in functions(f"{unit}.c", "{"):
        assert [name for name in UNITS if function in declared[name]] in ([unit], [PUBLIC]), function
    for name in UNITS:
        for function in declared[name] & set(re.findall(r"\bkanegen_\w+", code(f"{unit}.c"))):
            assert name in reached(unit), function
