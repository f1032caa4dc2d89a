"""Every URDF and xacro of rtb-data and example-robot-data: outcome, cost, agreement with Pinocchio.

    python -m benchmarks.corpus [--output FILE.md] [--json FILE] [--jobs N] [--only TEXT] [--search N]

Each file has a process of its own.  Exits 1 where a file that both read differs by more than 1e-10 and this is kanegen's
doing (see robot_case.py), or where a process fails.  The packages come with ``pip install -e '.[corpus]'``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.corpus.robots import RobotFile, robot_files
from benchmarks.drivers.build import compiler_command
from benchmarks.environment import environment
from kanegen.codegen import pipeline
from kanegen.codegen.commands.against_report import BOUND
from kanegen.extras import install_command

_SECONDS = 1800

_KERNELS = {
    "inverse_dynamics": "inverse dynamics × / +",
    "mass_matrix": "mass matrix × / +",
    "forward_dynamics": "forward dynamics × / + / ÷",
}
_FRAMES = {"operations": "", "in_own_frames": " in the file's frames"}

Row = tuple[RobotFile, dict[str, Any]]


def examined(file: RobotFile, derivations: int) -> dict[str, Any]:
    """What robot_case found, or how it failed."""
    command = [sys.executable, "-m", "benchmarks.corpus.robot_case", str(file.path), str(derivations)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"outcome": "failed", "reason": f"longer than {_SECONDS} s"}
    if done.returncode != 0:
        return {"outcome": "failed", "reason": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def passes(case: dict[str, Any]) -> bool:
    """Whether nothing about a file contradicts what is promised."""
    return case["outcome"] != "failed" and all(x <= BOUND for x in case.get("of_kanegen", {}).values())


def table(rows: Sequence[Row]) -> str:
    """The results as Markdown."""
    counts = [f"{kernel}{frames}" for frames in _FRAMES.values() for kernel in _KERNELS.values()]
    columns = (
        "package",
        "file",
        "outcome",
        "dof",
        *counts,
        "generate [s]",
        "compile [s]",
        "largest difference",
    )
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for file, case in rows:
        if not case.get("operations"):
            lines.append(
                f"| {file.package} | {file.name} | {case['outcome']}: {_short(case['reason'])} |"
                + " |" * (len(columns) - 3)
            )
            continue
        operations = [case[frames].get(kernel, "–") for frames in _FRAMES for kernel in _KERNELS]
        differences = case["differences"]
        worst = (
            f"{max(differences.values()):.1e}{_explained(case)}" if differences else _short(case["without"])
        )
        note = f": {_short(case['unphysical'])}" if case["unphysical"] else ""
        if case["without"] and differences:
            note += f" (no forward dynamics: {_short(case['without'])})"
        lines.append(
            f"| {file.package} | {file.name} | {case['outcome']}{note} | {case['dof']} | {' | '.join(operations)} "
            f"| {case['generation_seconds']:.1f} | {case['compile_seconds']:.1f} | {worst} |"
        )
    return "\n".join(lines) + "\n"


def _explained(case: dict[str, Any]) -> str:
    """Whose a difference beyond the bound is, where that was found out."""
    if not case["errors"]:
        return ""
    ours, theirs = case["errors"]["kanegen"], case["errors"]["pinocchio"]
    return f"; errors against 40 digits: kanegen {ours:.1e}, Pinocchio {theirs:.1e}"


def _short(text: str) -> str:
    return " ".join(text.replace("|", "/").split())[:200]


def summary(rows: Sequence[Row]) -> str:
    """Counts of outcomes, and the worst of everything."""
    outcomes: dict[str, int] = {}
    for _, case in rows:
        outcomes[case["outcome"]] = outcomes.get(case["outcome"], 0) + 1
    differences = [x for _, case in rows for x in case.get("differences", {}).values()]
    compared = sum(bool(case.get("differences")) for _, case in rows)
    listed = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    worst = f"{max(differences):.1e}" if differences else "nothing compared"
    told = f"{len(rows)} files: {listed}. Compared with Pinocchio: {compared}; largest difference {worst}"
    if any(not x <= BOUND for x in differences):
        ours = max(x for _, case in rows for x in case.get("of_kanegen", {}).values())
        told += f", of which {ours:.1e} is kanegen's"
    return f"{told}. {_frames(rows)}"


def _frames(rows: Sequence[Row]) -> str:
    """What it saves to choose frames, and how many robots pay for it."""
    cases = [case for _, case in rows if case.get("in_own_frames")]
    total, saved, dearer = [0, 0], 0, 0
    for case in cases:
        pairs = [[_operations(case[frames][k]) for frames in _FRAMES] for k in case["operations"]]
        total = [before + sum(column) for before, column in zip(total, zip(*pairs, strict=True), strict=True)]
        saved += any(own > chosen for chosen, own in pairs)
        dearer += any(own < chosen for chosen, own in pairs)
    return (
        f"Multiplications and additions of all kernels: {total[0]} in the chosen frames, {total[1]} in the files'; "
        f"the files' are dearer in {saved} of {len(cases)} robots, the chosen ones in {dearer}."
    )


def _operations(shown: str) -> int:
    """Multiplications and additions."""
    return sum(map(int, shown.split(" / ")[:2]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpus")
    parser.add_argument("--output", type=Path, help="write the table as Markdown")
    parser.add_argument("--json", type=Path, help="write everything as JSON")
    parser.add_argument("--jobs", type=int, default=2, help="files at the same time (default %(default)s)")
    parser.add_argument("--only", default="", help="files whose name contains this text")
    parser.add_argument(
        "--search",
        type=int,
        default=pipeline.Options.search,
        help="derivations tried for each kernel (default %(default)s)",
    )
    options = parser.parse_args(arguments)
    files = [file for file in robot_files() if options.only in f"{file.package}/{file.name}"]
    if not files:
        print(f"no model files: {install_command('corpus')}", file=sys.stderr)
        return 1
    rows: list[Row] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for file, case in zip(
            files, pool.map(partial(examined, derivations=options.search), files), strict=True
        ):
            rows.append((file, case))
            worst = max(case.get("differences", {}).values(), default=0.0)
            told = f"{file.package} {file.name} {case.get('reason', '')[:100]}"
            print(f"{case['outcome']:10.10} {worst:.1e} {told}", flush=True)
            _write(rows, options)  # after each file: a run takes hours
    print(summary(rows))
    return 0 if all(passes(case) for _, case in rows) else 1


def _write(rows: Sequence[Row], options: argparse.Namespace) -> None:
    if options.output:
        times = f"{options.search} derivation" + "s" * (options.search != 1)
        bounded = f"At most {times} for each kernel."
        options.output.write_text(f"{summary(rows)} {bounded}\n\n{table(rows)}", encoding="utf-8")
    if options.json:
        content = {
            "environment": environment(
                compiler_command("CC", "cc"), compiler_command("CXX", "c++"), ()
            ).as_json(),
            "robots": [{"package": f.package, "name": f.name, **case} for f, case in rows],
        }
        options.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
