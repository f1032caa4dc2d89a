"""``kanegen generate``: the C of a mechanism, and how many operations it takes."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from kanegen import option_values
from kanegen.codegen import pipeline
from kanegen.codegen.commands.compiled_check import verify
from kanegen.codegen.commands.generation_report import (
    counts_beside_published,
    json_report,
    progress_line,
    table_of_passes,
    verification_table,
)
from kanegen.codegen.commands.notices import warnings_as_lines
from kanegen.codegen.commands.option_flags import FLAGS, add_options, asked_options
from kanegen.codegen.commands.parser import Parser
from kanegen.errors import counted
from kanegen.progress import Progress


def arguments(parser: Parser) -> None:
    """The flags of the command."""
    parser.add_model()
    parser.add_argument("-o", "--output", type=Path, help="directory (default: generated/MODEL)")
    add_options(parser, FLAGS)
    parser.add_argument("--explain", action="store_true", help="print the table of passes")
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="processes that derive kernels at once (default: one for each core)",
    )
    parser.add_json()


def run(given: argparse.Namespace) -> int:
    """Write the files, and print what they cost."""
    wanted = asked_options(given, FLAGS)
    directory = given.output or Path("generated") / Path(given.model).stem
    with Progress(sys.stderr, quiet=given.json) as progress, warnings_as_lines(progress.notice):
        generated = pipeline.generate(
            given.model,
            directory,
            wanted,
            lambda name, kernel: progress.line(progress_line(name, kernel)),
            progress.stage,
            option_values.jobs("--jobs", given.jobs),
        )
        residuals = None
        if wanted.verify:
            progress.stage("compiling, and comparing with the expressions")
            residuals = verify(directory, generated)
    if given.json:
        print(json.dumps(json_report(generated, residuals), indent=2))
        return 0
    if given.explain:
        print(table_of_passes(generated))
    print(counts_beside_published(generated))
    if residuals is not None:
        print(verification_table(residuals))
    print(f"wrote {counted(len(generated.files), 'file')} to {directory}")
    return 0
