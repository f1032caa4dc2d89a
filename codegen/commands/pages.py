"""Pages that commands write: into a file that was named, or printed."""

from __future__ import annotations

from pathlib import Path

from kanegen.codegen.emit.writer import write_files


def printed(text: str, output: Path | None) -> int:
    """Print a page, or write it into a file."""
    if output is None:
        print(text, end="")
    else:
        write_files({output.name: text.encode("utf-8")}, output.parent)
        print(f"wrote {output}")
    return 0
