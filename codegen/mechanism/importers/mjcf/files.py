"""The files that MuJoCo is about to open, looked at before: its parser asks no questions."""

from __future__ import annotations

import re
from pathlib import Path

from kanegen.codegen.mechanism.importers.model_file import model_bytes
from kanegen.errors import ModelError
from kanegen.files import exists, is_file

_DOCTYPE = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s++|<\?.*?\?>|<!--.*?-->)*+<!DOCTYPE", re.DOTALL)
_NAMED = re.compile(rb"<\s*(include\b)?[^<>]*?\bfile\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_FOLDER = re.compile(rb"\b(?:meshdir|texturedir|assetdir)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def check_files(path: Path) -> list[bytes]:
    """The contents of a model and of the files that it includes.

    Raises ModelError where one of them, or of their assets, is no regular file of its size, and for a document type
    declaration.  Files that do not exist are left to MuJoCo.
    """
    folder = path.parent
    read: dict[Path, bytes] = {}
    waiting, assets, folders = [path], set[Path](), {Path()}
    while waiting:
        current = waiting.pop()
        if current in read:
            continue
        raw = read[current] = model_bytes(current)
        refuse_doctype(raw, str(current))
        folders.update(_path(one or other) for one, other in _FOLDER.findall(raw))
        for include, one, other in _NAMED.findall(raw):
            named = _path(one or other)
            if include:
                waiting += [found for found in (folder / named, current.parent / named) if exists(found)]
            else:
                assets.add(named)
    for named in assets:
        for beside in folders:
            found = folder / beside / named
            if exists(found) and not is_file(found) and not found.is_dir():
                raise ModelError(
                    str(path), f"names {str(named)!r}, which is no regular file", "a file", "Name a file."
                )
    return list(read.values())


def refuse_doctype(raw: bytes, file: str | None) -> None:
    """Raise ModelError for a document type declaration: MuJoCo skips it, and would read its entities as plain letters."""
    if found := _DOCTYPE.match(raw):
        line = found.group().count(b"\n") + 1
        raise ModelError(
            f"line {line}" if file is None else f"{file}:{line}",
            "has a document type declaration",
            "plain XML: MuJoCo knows no entities beyond those of XML itself",
            "Remove <!DOCTYPE ...> and write out the entities that it declares.",
        )


def _path(name: bytes) -> Path:
    return Path(name.decode("utf-8", "surrogateescape").replace("\0", "?"))
