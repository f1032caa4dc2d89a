"""The Python interpreter that runs this program."""

from __future__ import annotations

import sys
from pathlib import Path


def interpreter() -> str | None:
    """Its path; None where kanegen runs inside a program that is no Python interpreter."""
    path = sys.executable or ""
    return path if Path(path).stem.lower().startswith(("python", "pypy")) else None
