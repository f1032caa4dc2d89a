"""Pages that commands write: into a file that was named, or printed."""

from __future__ import annotations

from pathlib import Path

from kanegen.files import write_file


def printed(text: str, output: Path | None) -> int:
    """Print a page, or write it into a file."""
    if output is None:
        print(text, end="")
    else:
        write_file(output, text.encode("utf-8"))
        print(f"wrote {output}")
    return 0
