"""The page for who carries on draws the imports as they are, and its recipes name files that are there."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_map_shows_the_imports() -> None:
    """``python docs/figures/draw_map.py --write`` draws it anew."""
    script = runpy.run_path(str(ROOT / "docs" / "figures" / "draw_map.py"))
    assert script["drawn"](script["rooms"]()) in PAGE


def test_what_the_page_names_is_there() -> None:
    """Files, folders and tests, from the root or from a room."""
    named = set(re.findall(r"`([a-z_]+(?:/[a-zA-Z_0-9]+)+(?:\.[a-z]+|/)?)`", PAGE))
    named |= {test for tests in re.findall(r"`pytest ([^`]*)`", PAGE) for test in tests.split()}
    assert len(named) > 30
    roots = [ROOT, ROOT / "codegen", ROOT / "runtime", ROOT / "codegen" / "derivation"]
    assert [name for name in sorted(named) if not any((root / name).exists() for root in roots)] == []
