"""The papers reproduced from the command line: printed values beside computed ones, figures, one book."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from kanegen.codegen.emit.writer import write_files
from kanegen.codegen.reproduction.book import PAPERS, files, paper, summary
from kanegen.codegen.reproduction.records import Claim, Verdict
from kanegen.figures.canvas import check_plot


def run(names: Sequence[str], directory: Path | None, as_json: bool, report: Callable[[str], None]) -> int:
    """Compute the claims of these papers, all where none is named; write the book where a directory is given.

    Returns 1 where a claim that should agree does not.  Raises KanegenError, FileError where files cannot be written.
    """
    if directory is not None:
        check_plot(".png")  # before the work is done
    papers = []
    for name in names or PAPERS:
        found = paper(name)
        papers.append(found)
        if not as_json:
            report(f"{found.citation}\n  {summary(found)}")
            for claim in found.claims:
                report(f"  {_line(claim)}")
    if as_json:
        report(json.dumps({one.key: [asdict(claim) for claim in one.claims] for one in papers}, indent=2))
    if directory is not None:
        written = write_files(files(papers), directory)
        report(f"wrote {len(written)} files in {directory}: begin with index.html or README.md")
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
