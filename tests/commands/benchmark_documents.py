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


def timing(minimum: float, **more: float) -> Document:
    return {
        "minimum": minimum,
        "median": 2 * minimum,
        "passes": 10,
        "largest_relative_difference": 1e-15,
        **more,
    }


def counts(multiplications: int, additions: int, divisions: int | None = 0) -> Document:
    return {"multiplications": multiplications, "additions": additions, "divisions": divisions}


def kernel_claim(ratio: float | None, aim: float) -> Document:
    claim = {"kernel": "inverse_dynamics", "time_of": "Engine, C++", "over_time_of": "kanegen, C", "aim": aim}
    return {"claim": claim, "ratio_of_minima": ratio, "ratio_of_medians": ratio, "reached": None}


def kernels() -> Document:
    return {
        "benchmark": "kernels_stanford_arm",
        "environment": ENVIRONMENT,
        "protocol": {"states": 8, "unit": "ns per call"},
        "left_out": ["Engine two: is not installed"],
        "claims": [kernel_claim(20.0, 18.0), kernel_claim(None, 24.0)],
        "kernels": {
            "inverse_dynamics": {
                "operation_counts": [
                    {"who": "the book", **counts(300, 100, None)},
                    {"who": "kanegen (kanegen 0.1.0)", **counts(60, 40)},
                ],
                "reference": "Engine, Python",
                "timings": {
                    "kanegen, C": timing(50.0),
                    "Engine, C++": timing(1000.0),
                    "kanegen, checked call": timing(2000.0),
                    "Engine, Python": timing(5000.0),
                },
            }
        },
    }


def simulation() -> Document:
    own = {"name": "kanegen.simulate, dopri5", "rtol": 1e-6, "atol": 1e-9, "milliseconds": 2.0}
    peer = {**own, "name": "SciPy RK45", "milliseconds": 180.0, "median_milliseconds": 190.0}
    return {
        "benchmark": "simulation_stanford_arm",
        "environment": ENVIRONMENT,
        "protocol": {"rounds": 3, "duration_s": 10.0},
        "aim": 100.0,
        "left_out": [],
        "outcomes": [
            {**own, "median_milliseconds": 2.5, "error": 1e-12, "over_own": 1.0},
            {**peer, "error": 2e-12, "over_own": 90.0},
        ],
    }


def loops() -> Document:
    return {
        "benchmark": "closed_loops",
        "environment": ENVIRONMENT,
        "protocol": {},
        "left_out": [],
        "claims": [kernel_claim(48.0, 10.0)],
        "linkages": {
            "five_bar": {
                "kernel": "forward_dynamics",
                "operation_counts": counts(143, 84, 3),
                "reference": "kanegen, C",
                "timings": {
                    "kanegen, C": timing(56.0, difference_from_multipliers=2e-15),
                    "Engine, C, with a projection": timing(5600.0, difference_from_multipliers=3e-15),
                },
            }
        },
    }


def robot_kernel(peer: bool) -> Document:
    ratio = {"Engine, C++": 9.0} if peer else {}
    return {
        "operation_counts": counts(273, 270),
        "timings": {"kanegen, C": timing(100.0), **({"Engine, C++": timing(900.0)} if peer else {})},
        "ratios": ratio,
        "largest_relative_differences": {"Engine, C++": 2.5e-15} if peer else {},
    }


def robots() -> Document:
    claim = {"robot": "panda", "kernel": "inverse_dynamics", "over": "Engine, C++", "need": 8.0}
    return {
        "benchmark": "robots",
        "environment": ENVIRONMENT,
        "protocol": {"states": 8, "clock": "thread"},
        "left_out": [],
        "claims": [{"claim": claim, "ratio": 9.0, "reached": True}],
        "robots": {
            "panda": {
                "package": "robots",
                "file": "panda.urdf",
                "dof": 7,
                "search_budget": 300,
                "kernels": {"inverse_dynamics": robot_kernel(True), "mass_matrix": robot_kernel(False)},
            }
        },
    }


def flexible() -> Document:
    motion = {
        "arm": "bent",
        "scenario": "swing",
        "duration": 5.0,
        "milliseconds": 4.0,
        "runs": 3,
        "steps": 800,
    }
    what = "bent, equations_of_motion: the book's 900 multiplications / kanegen's"
    return {
        "benchmark": "flexible_arms",
        "environment": ENVIRONMENT,
        "protocol": {"states": 8, "runs_of_each_scenario": 3},
        "left_out": [],
        "claims": [
            {"what": what, "measured": 9.0, "need": 4.0, "reached": True},
            {"what": "bent, swing: seconds of motion", "measured": None, "need": 50.0, "reached": None},
        ],
        "operations": {
            "bent": {
                "kernel": "equations_of_motion",
                "size": {"n": 6, "n_f": 2, "m": 3},
                "operation_counts": [
                    {"who": "his formula", **counts(800, 700, None)},
                    {"who": "kanegen", **counts(100, 80)},
                ],
            }
        },
        "forward_dynamics": {
            "timings": {"kanegen, C, bent": timing(900.0), "Engine, C++, rigid chain": timing(4500.0)}
        },
        "scenarios": [{**motion, "median_milliseconds": 5.0, "over_real_time": 1250.0}],
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
    for name, document in (
        ("e.json", kernels()),
        ("d.json", simulation()),
        ("c.json", loops()),
        ("b.json", robots()),
        ("aa.json", flexible()),
        ("a.json", corpus()),
    ):
        write(folder, name, document)
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
