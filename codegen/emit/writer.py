"""Writing the generated files: all of them or none."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from kanegen.codegen.emit.declarations import cffi_declarations
from kanegen.codegen.emit.header import c_header
from kanegen.codegen.emit.manifest import manifest, manifest_text
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.source import c_source
from kanegen.codegen.emit.stub import type_stub

MANIFEST = "manifest.json"


def generated_files(model: Model) -> dict[str, bytes]:
    """The content of every generated file, by name; last the manifest, with the checksums of the others."""
    texts = {
        f"{model.prefix}.c": c_source(model),
        f"{model.prefix}.h": c_header(model),
        f"{model.prefix}.cdef": cffi_declarations(model),
        f"{model.prefix}.pyi": type_stub(model),
    }
    files = {name: text.encode("ascii") for name, text in texts.items()}
    return files | {MANIFEST: manifest_text(manifest(model, files)).encode("ascii")}


def write_model(model: Model, directory: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write the generated files of a model into a directory, which is made if need be.  Returns their paths.

    Other files there are left alone.  When anything fails, the directory is as it was before.
    """
    return write_files(generated_files(model), Path(directory))


def write_files(files: Mapping[str, bytes], directory: Path) -> tuple[Path, ...]:
    """Replace files in a directory together: write all beside their places, then rename each, in order."""
    missing = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    beside: Path | None = None
    replaced: dict[Path, Path | None] = {}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=".writing-", dir=directory))
        for name, content in files.items():
            (beside / name).write_bytes(content)
        for name in files:
            place = directory / name
            kept = beside / f"{name}.before"
            if place.exists():
                shutil.copy2(place, kept)
                replaced[place] = kept
            else:
                replaced[place] = None
            (beside / name).replace(place)
    except BaseException:
        _undo(replaced)
        _remove(beside)
        for folder in missing:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    _remove(beside)
    return tuple(directory / name for name in files)


def _undo(replaced: Mapping[Path, Path | None]) -> None:
    for place, kept in replaced.items():
        if kept is None:
            place.unlink(missing_ok=True)
        elif kept.exists():
            kept.replace(place)


def _remove(folder: Path | None) -> None:
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
