"""Tables on the terminal and JSON in ``benchmarks/results``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to their widest cell: the first to the left, the others to the right."""
    cells = [list(header), *(list(row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def number(value: float) -> str:
    """Three significant digits, without an exponent where it can be avoided."""
    if value == 0.0 or 1e-2 <= abs(value) < 1e7:
        return f"{value:.0f}" if abs(value) >= 100.0 else f"{value:.3g}"
    return f"{value:.1e}"


def write_json(name: str, document: dict[str, object], folder: Path = RESULTS) -> Path:
    """Write ``document`` to a folder, that of the results, under ``name`` and return the path.

    Raises:
        ValueError: when ``name`` is not a plain file name.
    """
    if Path(name).name != name:
        raise ValueError(f"a plain file name is wanted, not {name!r}: results lie in {RESULTS.name}/")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path
