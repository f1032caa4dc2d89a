"""``kanegen report``: the results of benchmarks in one report, for a terminal, as Markdown, for a program."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kanegen.codegen.commands.benchmark_records import Cell, Claim, Report, Result, Shown, Table
from kanegen.codegen.commands.benchmark_results import collect
from kanegen.codegen.commands.parser import Parser
from kanegen.errors import KanegenError, counted
from kanegen.files import write_whole

TITLE = "kanegen: benchmark report"
_MARKDOWN = (".md", ".markdown")
_HEADING = 14
"""Characters to which the heading of a narrow column is broken."""
_REACHED = {None: "not measured", True: "yes", False: "NO"}


def arguments(parser: Parser) -> None:
    """The flags of the command."""
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="folders of results, or result files (default: benchmarks/results and figures)",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.md", help="write it as Markdown")
    parser.add_json()


def run(given: argparse.Namespace) -> int:
    """Print the report, or write it; 1 where results are damaged."""
    found = collect(given.paths)
    if given.output is not None:
        write(found, given.output)
    if given.json:
        print(json.dumps(document(found), indent=2))
    else:
        print(f"wrote {given.output}" if given.output is not None else text(found))
    damaged = damage(found)
    if damaged is not None:
        print(f"kanegen: {damaged}", file=sys.stderr)
    return 0 if damaged is None else 1


def text(report: Report) -> str:
    """The report for a terminal."""
    lines = [TITLE, summary(report)]
    if report.claims:
        lines += ["", *_columns(*_claim_cells(report), numbers=(2, 3))]
    for result in report.results:
        lines += ["", "", f"{result.benchmark} ({result.file})"]
        facts = _facts(result)
        width = max(len(label) for label, _ in facts)
        lines += [f"  {label.ljust(width)}  {fact}" for label, fact in facts]
        for table in result.contents.tables:
            lines += ["", f"{table.title}", *_columns(*_cells(table), numbers=_numbers(table))]
    if report.unread:
        lines += ["", "", "not in this report", *(f"  {file.file}: {file.reason}" for file in report.unread)]
    return "\n".join(lines)


def markdown(report: Report) -> str:
    """The report as Markdown."""
    parts = [f"# {TITLE}", _escaped(summary(report))]
    if report.claims:
        parts.append(_pipes(*_claim_cells(report), numbers=(2, 3)))
    for result in report.results:
        parts.append(f"## {_escaped(result.benchmark)} ({_escaped(result.file)})")
        parts.append("\n".join(f"- {label}: {_escaped(fact)}" for label, fact in _facts(result)))
        for table in result.contents.tables:
            parts += [f"### {_escaped(table.title)}", _pipes(*_cells(table), numbers=_numbers(table))]
    if report.unread:
        parts.append("## not in this report")
        parts.append("\n".join(f"- {_escaped(f'{file.file}: {file.reason}')}" for file in report.unread))
    return "\n\n".join(parts) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The report for a program to read; cells are the numbers themselves, null where nothing was measured."""
    return {
        "claims": {
            "reached": report.count(True),
            "not reached": report.count(False),
            "not measured": report.count(None),
        },
        "results": [
            {
                "benchmark": result.benchmark,
                "file": result.file,
                "environment": asdict(result.machine),
                "protocol": result.protocol,
                "claims": [{**asdict(c), "reached": c.reached} for c in result.contents.claims],
                "tables": [
                    {
                        "title": table.title,
                        "rows": [
                            {c.name: cell for c, cell in zip(table.columns, row, strict=True)}
                            for row in table.rows
                        ],
                    }
                    for table in result.contents.tables
                ],
                "left_out": list(result.left_out),
            }
            for result in report.results
        ],
        "not in this report": [asdict(file) for file in report.unread],
    }


def write(report: Report, path: Path) -> None:
    """Write the report as Markdown.  Raises KanegenError for a file that is named as something else."""
    if path.suffix.lower() not in _MARKDOWN:
        raise KanegenError(
            f"{path}: ends in {path.suffix!r}; expected .md: the report is written as Markdown"
        )
    write_whole(path, markdown(report).encode("utf-8"))


def damage(report: Report) -> str | None:
    """One sentence about result files that could not be read, None where there are none."""
    damaged = [file for file in report.unread if file.damaged]
    if not damaged:
        return None
    listed = "; ".join(f"{file.file}: {file.reason}" for file in damaged)
    return f"damaged results: {listed}. Make them again, or remove them"


def summary(report: Report) -> str:
    """How many results and claims there are, and how many of these were reached."""
    results, claims = len(report.results), len(report.claims)
    parts = [f"{report.count(True)} reached", f"{report.count(False)} not reached"]
    if report.count(None):
        parts.append(f"{report.count(None)} not measured")
    return f"{counted(results, 'result')}; {counted(claims, 'claim')}: {', '.join(parts)}"


def _claim_cells(report: Report) -> tuple[list[str], list[list[str]]]:
    rows = [
        [
            result.benchmark,
            claim.what,
            "-" if claim.measured is None else _measured(claim, claim.measured),
            f"{'<=' if claim.at_most else '>='} {_measured(claim, claim.need)}",
            _REACHED[claim.reached],
        ]
        for result, claim in report.claims
    ]
    return ["benchmark", "claim", "measured", "aim", "reached"], rows


def _measured(claim: Claim, value: float) -> str:
    """A ratio that just misses its aim must not look like it."""
    shown = _number(value)
    if (
        claim.reached is False
        and claim.measured is not None
        and _number(claim.measured) == _number(claim.need)
    ):
        return f"{value:.6g}"
    return shown


def _facts(result: Result) -> list[tuple[str, str]]:
    """Machine, compilers, flags, packages, protocol, and who is missing."""
    machine = result.machine
    extensions = " ".join(machine.vector_extensions) or "no vector extensions known"
    packages = ", ".join(f"{name} {version}" for name, version in machine.packages.items())
    compilers = [machine.c_compiler or "no C compiler", machine.cpp_compiler or "no C++ compiler"]
    cores = f"{counted(machine.cores, 'core')}"
    facts = [
        ("machine", f"{machine.processor}, {cores}, {extensions}; {machine.system}"),
        ("compilers", "; ".join(compilers)),
        ("flags", " ".join(machine.flags) or "none given"),
        ("packages", f"Python {machine.python}{', ' * bool(packages)}{packages}"),
    ]
    if result.protocol:
        told = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in result.protocol.items())
        facts.append(("protocol", told))
    return [*facts, *(("left out", reason) for reason in result.left_out)]


def _cells(table: Table) -> tuple[list[str], list[list[str]]]:
    rows = [
        [_shown(cell, column.shown) for cell, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    return [column.name for column in table.columns], rows


def _numbers(table: Table) -> tuple[int, ...]:
    return tuple(k for k, column in enumerate(table.columns) if column.shown is not Shown.TEXT)


def _shown(cell: Cell, shown: Shown) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    form: dict[Shown, Callable[[float], str]] = {
        Shown.RATIO: lambda x: f"{_number(x)} x",
        Shown.DIFFERENCE: lambda x: f"{x:.1e}" if x else "0",
        Shown.NUMBER: _number,
    }
    return form.get(shown, str)(cell)


def _number(value: float) -> str:
    """Three significant digits, without an exponent where it can be avoided."""
    if value == 0 or 1e-2 <= abs(value) < 1e7:
        return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{value:.1e}"


def _columns(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int]) -> list[str]:
    """Columns padded to their widest cell, numbers to the right; headings in lines, where they are wider than all below."""
    below = [max((len(row[k]) for row in rows), default=0) for k in range(len(header))]
    headings = [
        textwrap.wrap(cell, max(width, _HEADING), break_long_words=False)
        for cell, width in zip(header, below, strict=True)
    ]
    height = max(len(heading) for heading in headings)
    padded = [[""] * (height - len(heading)) + heading for heading in headings]
    top = [[heading[k] for heading in padded] for k in range(height)]
    widths = [max(len(row[k]) for row in (*top, *rows)) for k in range(len(header))]
    return [
        "  ".join(
            cell.rjust(width) if k in numbers else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (*top, ["-" * width for width in widths], *rows)
    ]


def _pipes(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int]) -> str:
    """A table of Markdown, numbers to the right."""
    rule = ["---:" if k in numbers else "---" for k in range(len(header))]
    lines = [[_escaped(cell) for cell in header], rule, *([_escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    """Text that Markdown takes as it is."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#&~" else c for c in text)
