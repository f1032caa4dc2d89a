"""Small results of benchmarks, as the benchmarks write them, and what tests of the report do with them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from kanegen.codegen.cli import main

Document = dict[str, Any]

ENVIRONMENT = {
    "processor": "Some Processor | 3 GHz",
    "cores": 1,
    "vector_extensions": ["avx2", "fma"],
    "system": "Linux x86_64",
    "python": "3.11.7",
    "c_compiler": "cc 12.2.0",
    "cpp_compiler": None,
    "flags": ["-O3", "-march=native"],
    "packages": {"numpy": "2.0.0"},
}


def claim(measured: float | None, need: float, at_most: bool = False) -> Document:
    what = "inverse_dynamics: Engine, C++ / kanegen, C"
    return {"what": what, "measured": measured, "need": need, "at_most": at_most}


def table(title: str, columns: dict[str, str], *rows: list[object]) -> Document:
    shown = [{"name": name, "shown": shown} for name, shown in columns.items()]
    return {"title": title, "columns": shown, "rows": list(rows)}


def sections() -> Document:
    counts = {"source": "text", "mult": "count", "div": "count", "over": "ratio"}
    times = {"contestant": "text", "min ns": "number", "over": "ratio", "difference": "difference"}
    return {
        "benchmark": "all",
        "date": "2026-01-31",
        "environment": ENVIRONMENT,
        "protocol": {"states": 8, "unit": "ns per call"},
        "left_out": ["Engine two: is not installed"],
        "sections": {
            "kernels": {
                "seconds": 3.5,
                "claims": [claim(20.0, 18.0), claim(None, 24.0)],
                "tables": [
                    table("operations", counts, ["the book", 300, None, 4.0], ["kanegen", 60, 0, 1.0]),
                    table("times", times, ["kanegen, C", 50.0, 1.0, 0.0], ["Engine, C++", 1000, 20, 1e-15]),
                ],
            },
            "motions": {
                "seconds": 1,
                "claims": [claim(90.0, 100.0), claim(150.0, 200.0, True)],
                "tables": [],
            },
        },
    }


def corpus() -> Document:
    loaded = {"outcome": "loaded", "reason": "", "generation_seconds": 3.0, "compile_seconds": 2.0}
    return {
        "environment": {**ENVIRONMENT, "flags": []},
        "robots": [
            {"package": "p", "name": "a.urdf", **loaded, "dof": 6, "differences": {"mass_matrix": 3e-15}},
            {"package": "p", "name": "b.urdf", **loaded, "dof": 12, "differences": {"mass_matrix": 2e-9}},
            {"package": "p", "name": "c.urdf", "outcome": "refused", "reason": "has no mass"},
            {"package": "o", "name": "d.urdf", "outcome": "failed", "reason": "longer than 1800 s"},
        ],
    }


def write(folder: Path, name: str, content: Document | str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path, code: int = 0) -> tuple[str, str]:
    assert main(["report", *map(str, arguments)]) == code
    said = capsys.readouterr()
    return said.out, said.err


def row(text: str) -> list[str]:
    return text.split()


def words(text: str) -> list[list[str]]:
    return [row(line) for line in text.splitlines()]


def every_kind(folder: Path) -> Path:
    """A folder with a result of every kind, named so that the order of names is not that of the report."""
    write(folder, "b.json", sections())
    write(folder, "a.json", corpus())
    return folder


def changed(document: Document, path: str, value: object) -> Document:
    """The document with another value at a path of names and indices; without the member where the value is ``...``."""
    *above, last = path.split(".")
    document = copy.deepcopy(document)
    place: Any = document
    for name in above:
        place = place[int(name)] if isinstance(place, list) else place[name]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return document
