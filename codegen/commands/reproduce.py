"""The papers reproduced from the command line: printed values beside computed ones, figures, one book."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from kanegen.codegen.commands.parser import Parser
from kanegen.codegen.emit.writer import write_files
from kanegen.codegen.reproduction.book import PAPERS, files, paper, summary
from kanegen.codegen.reproduction.records import Claim, Verdict
from kanegen.figures.canvas import check_plot


def arguments(parser: Parser) -> None:
    """The flags of the command."""
    parser.add_argument("papers", nargs="*", metavar="PAPER", help="some of them (default: all)")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIRECTORY", help="write the book with its figures"
    )
    parser.add_json()


def run(given: argparse.Namespace) -> int:
    """Compute the claims of these papers, all where none is named; write the book where a directory is given.

    Returns 1 where a claim that should agree does not.  Raises KanegenError, FileError where files cannot be written.
    """
    if given.output is not None:
        check_plot(".png")  # before the work is done
    papers = []
    for name in given.papers or PAPERS:
        found = paper(name)
        papers.append(found)
        if not given.json:
            print(f"{found.citation}\n  {summary(found)}")
            for claim in found.claims:
                print(f"  {_line(claim)}")
    if given.json:
        print(json.dumps({one.key: [asdict(claim) for claim in one.claims] for one in papers}, indent=2))
    if given.output is not None:
        written = write_files(files(papers), given.output)
        print(f"wrote {len(written)} files in {given.output}: begin with index.html or README.md")
    failed = [claim for one in papers for claim in one.claims if claim.verdict is Verdict.FAILED]
    return 1 if failed else 0


def _line(claim: Claim) -> str:
    mark = {
        Verdict.AGREES: "=",
        Verdict.CORRECTED: "!",
        Verdict.ILLEGIBLE: "?",
        Verdict.DIFFERS: "~",
        Verdict.FAILED: "x",
    }[claim.verdict]
    return f"{mark} {claim.place}: {claim.says}: {claim.printed or '–'} | {claim.computed}"
