"""``kanegen cache``: where compiled mechanisms are kept, what is there, and making room."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from typing import Any

from kanegen.builds import cache_contents
from kanegen.builds.cache_contents import Kept
from kanegen.builds.cache_place import cache_directory
from kanegen.codegen.commands.parser import Parser, one_of
from kanegen.errors import counted

WAYS = ("path", "list", "clear")


def arguments(parser: Parser) -> None:
    """The flags of the command."""
    parser.add_argument(
        "what",
        metavar="|".join(WAYS),
        type=one_of(WAYS),
        choices=WAYS,
        help="the folder, what is in it, or removing it",
    )
    parser.add_json()


def run(given: argparse.Namespace) -> int:
    """Print where it is or what is in it, or clear it.  Raises CacheError."""
    text, folders = _found(given.what)
    print(json.dumps({"path": text} if given.what == "path" else folders, indent=2) if given.json else text)
    return 0


def _found(what: str) -> tuple[str, list[dict[str, Any]]]:
    """What a command says, and the folders that it is about, for a program to read.  Raises CacheError."""
    root = cache_directory()
    if what == "path":
        return str(root), []
    found = cache_contents.kept() if what == "list" else cache_contents.clear()
    size = f"{sum(folder.size for folder in found) / 2**20:.1f} MiB"
    folders = [{**_described(folder), "path": str(folder.path)} for folder in found]
    if what == "clear":
        return f"removed {counted(len(found), 'entry', 'entries')} ({size}) from {root}", folders
    return "\n".join(
        [*_table(found), f"{counted(len(found), 'entry', 'entries')}, {size}, in {root}"]
    ), folders


def _described(folder: Kept) -> dict[str, Any]:
    changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(folder.time))
    return {"model": folder.model, "state": folder.state, "bytes": folder.size, "changed": changed}


def _table(found: Sequence[Kept]) -> list[str]:
    width = max((len(folder.model) for folder in found), default=0)
    lines = []
    for folder in found:
        row = _described(folder)
        lines.append(
            f"{row['model']:{width}}  {row['state']:10}  {folder.size / 2**20:7.2f} MiB  {row['changed']}"
        )
    return lines
