"""From what a user calls a model to a model file of another format."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from kanegen.codegen.mechanism.findings import Finding, Severity, tell
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.writers import WRITERS
from kanegen.codegen.reading import read
from kanegen.errors import ModelError, counted, did_you_mean, shown
from kanegen.files import exists, write_file
from kanegen.options import Options


def convert(
    model: str | os.PathLike[str] | Mechanism,
    path: str | os.PathLike[str],
    options: Options | None = None,
    strict: bool = False,
) -> tuple[Finding, ...]:
    """Write a model into a file, whose suffix says the format.  Returns what that cannot say, which is told as well.

    A file of that name is replaced.  Nothing is written where something is wrong: ModelError for a suffix that is not
    known, for a wrong model, for a file that is the model itself, and with ``strict`` for the first thing that the format
    cannot say; FileError where the file cannot be written.
    """
    out = Path(path)
    suffix = out.suffix.lower()
    if suffix not in WRITERS:
        raise ModelError(
            str(out),
            f"ends in {shown(out.suffix)}" if out.suffix else "has no suffix that says its format",
            f"a file {', '.join(WRITERS)}",
            did_you_mean(suffix, WRITERS, "Name the file so."),
        )
    if not isinstance(model, Mechanism) and exists(model) and exists(out) and out.samefile(model):
        raise ModelError(str(out), "is the model itself", "another file", "Name another file.")
    mechanism = read(
        model, replace(options or Options(), friction=True)
    )  # what resists is written, acting or not
    written = WRITERS[suffix](mechanism)
    found = tuple(replace(finding, file=str(out)) for finding in written.findings)
    if strict:
        _refuse(found)
    try:
        content = written.text.encode("utf-8")
    except UnicodeEncodeError as error:
        what = f"a name of the mechanism has a character that no file can have, {error.object[error.start]!r}"
        raise ModelError(str(out), what, "names in Unicode", "Rename it.") from None
    tell(found)
    write_file(out, content)
    return found


def _refuse(findings: tuple[Finding, ...]) -> None:
    """Raise the ModelError of the first finding, saying how many more there are."""
    lost = [finding for finding in findings if finding.severity is Severity.WARNING]
    if not lost:
        return
    first, more = lost[0].error(), len(lost) - 1
    others = f" (And {counted(more, 'thing')} more: convert without strict to see all.)" if more else ""
    raise ModelError(first.where, first.what, first.expected, f"{first.cure}{others}")
