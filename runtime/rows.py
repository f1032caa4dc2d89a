"""The rows of a frame's twist, and how kernels of some of them are called."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kanegen.errors import shown

ROWS = ("x", "y", "z", "rx", "ry", "rz")
"""The rows of a frame's Jacobian: velocity of its origin, then angular velocity, along the axes of the base."""

OF_ROWS = rf"rows((?:_(?:{'|'.join(ROWS)}))+)$"
"""What the names of kernels of chosen rows end with, as a regular expression."""


def rows_of(kernel: str) -> tuple[str, tuple[str, ...]]:
    """The name of a kernel without its ending for rows, and these rows; none where it has no such ending."""
    found = re.search(f"_{OF_ROWS}", kernel)
    return (kernel, ()) if found is None else (kernel[: found.start()], tuple(found[1].split("_")[1:]))


def with_rows(kernel: str, rows: Sequence[str]) -> str:
    """The name of the kernel for these rows; all in their order are what it is for without saying so."""
    return kernel if tuple(rows) == ROWS else "_".join((kernel, "rows", *rows))


def checked_rows(rows: Sequence[str] | None) -> tuple[str, ...]:
    """The rows that a caller names, all six for None.  Raises ValueError."""
    names = ROWS if rows is None else tuple(rows)
    unknown = [name for name in names if name not in ROWS]
    if unknown or not names or len(set(names)) < len(names):
        raise ValueError(f"rows: expected some of {', '.join(ROWS)}, each once, got {shown(rows)}")
    return names
