"""All measurements in one run: a table of what is to be reached, and the figures behind it.

    python -m benchmarks [--only SECTION ...] [--machines NAME ...] [--quick] [--output FOLDER] [--name NAME]

Results are ``<date>-<processor>.json`` and ``.md`` in ``benchmarks/results``, in the form that ``kanegen report`` reads.
Peers that are not installed, or cannot do a thing, are listed with the reason.
"""

from __future__ import annotations

import argparse
import logging
import re
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import (
    closed_loops,
    flexible_arms,
    kernels,
    many,
    motions,
    parameters,
    starts,
    sweeps,
    threads,
)
from benchmarks.course import Course, say, without_paths
from benchmarks.drivers.build import FLAGS, compiler_command
from benchmarks.environment import environment
from benchmarks.machines import NAMES, USUAL
from benchmarks.report import RESULTS, write_json
from kanegen.codegen.commands.benchmark_records import Contents
from kanegen.codegen.commands.benchmark_results import collect
from kanegen.codegen.commands.report import text, write
from kanegen.codegen.core import is_compiled

SECTIONS: dict[str, Callable[[Course], Contents]] = {
    "kernels": kernels.section,
    "threads": threads.section,
    "parameters": parameters.section,
    "many": many.section,
    "sweeps": sweeps.section,
    "starts": starts.section,
    "motions": motions.section,
    "closed_loops": closed_loops.section,
    "flexible_arms": flexible_arms.section,
}
USUAL_SECTIONS = tuple(name for name in SECTIONS if name != "flexible_arms")
"""All but the one that takes minutes of generation."""


def run(course: Course, names: tuple[str, ...]) -> dict[str, Any]:
    """The document of a run.  A section that fails is left out of it, with the reason."""
    sections = {}
    for name in names:
        begin = time.perf_counter()
        try:
            contents = SECTIONS[name](course)
        except Exception as reason:  # noqa: BLE001 - the figures of the other sections are kept
            traceback.print_exc()
            course.missing(f"{name}: {type(reason).__name__}: {without_paths(str(reason))}")
            contents = Contents((), ())
        sections[name] = {"seconds": round(time.perf_counter() - begin, 1), **_plain(contents)}
        say(f"{name}: {sections[name]['seconds']} s")
    where = environment(compiler_command("CC", "cc"), compiler_command("CXX", "c++"), FLAGS)
    return {
        "benchmark": "all",
        "date": datetime.now(UTC).date().isoformat(),
        "environment": where.as_json(),
        "protocol": {
            "generator": "compiled core" if is_compiled() else "Python",
            "states": course.states,
            "rounds": course.rounds,
            "clock": "thread, unless a table says otherwise",
        },
        "left_out": course.left_out,
        "sections": sections,
    }


def _plain(contents: Contents) -> dict[str, object]:
    tables = [
        {
            "title": table.title,
            "columns": [{"name": column.name, "shown": column.shown.value} for column in table.columns],
            "rows": [list(row) for row in table.rows],
        }
        for table in contents.tables
    ]
    return {"claims": [asdict(claim) for claim in contents.claims], "tables": tables}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=USUAL_SECTIONS, metavar="SECTION")
    parser.add_argument("--machines", nargs="+", choices=NAMES, default=USUAL, metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="try everything, measure little")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    parser.add_argument("--name", help="in place of date and processor")
    options = parser.parse_args(arguments)
    machines = tuple(options.machines)[: 1 if options.quick else None]
    with tempfile.TemporaryDirectory() as folder:
        few = {"states": 64, "rounds": 1} if options.quick else {}
        course = Course(machines, Path(folder), quick=options.quick, **few)
        document = run(course, tuple(options.only))
    processor = re.sub(r"[^a-z0-9]+", "-", document["environment"]["processor"].lower()).strip("-")
    name = options.name or f"{document['date']}-{processor}"
    path = write_json(f"{name}.json", document, options.output)
    report = collect([path])
    write(report, path.with_suffix(".md"))
    print(text(report))
    return 0


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # the files' mended flaws are the corpus's business
    raise SystemExit(main())
