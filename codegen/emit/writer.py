"""Writing the generated files: all of them or none."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from kanegen.codegen.emit.languages import LANGUAGES
from kanegen.codegen.emit.manifest import manifest
from kanegen.codegen.emit.model import Model
from kanegen.errors import FileError
from kanegen.files import in_folders, no_file, sync_folder, way_out, what_failed, write_new
from kanegen.manifest import FILE_NAME, manifest_text

_BESIDE = ".writing-"
"""What names of folders begin with in which files wait for their places."""


def generated_files(model: Model, language: str = "c99") -> dict[str, bytes]:
    """The content of every generated file, by name; last the manifest, with the checksums of the others, if there is one."""
    written = LANGUAGES[language]
    files = {f"{model.prefix}{ending}": text.encode("ascii") for ending, text in written.files(model).items()}
    if not written.manifest:
        return files
    return files | {FILE_NAME: manifest_text(manifest(model, files)).encode("ascii")}


def write_model(model: Model, directory: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write the generated files of a model into a directory, which is made if need be.  Returns their paths.

    Other files there are left alone.  When anything fails, the directory is as it was before.  Raises FileError.
    """
    return write_files(generated_files(model), Path(directory))


def write_files(files: Mapping[str, bytes], directory: Path) -> tuple[Path, ...]:
    """Replace files in a directory together: write all beside their places, down to the disk, then rename each.

    The manifest goes away first and comes last, so that files of which some are new and some old have none: whoever is
    killed in between, and whoever reads in between, finds no mechanism there.  One process at a time writes.

    Raises FileError.  The files are as they were then, or the error says otherwise.
    """
    try:
        with in_folders(directory), _alone(directory) as alone:
            abandoned = list(directory.glob(f"{_BESIDE}*")) if alone else []  # of processes that were killed
            _replace(files, directory)
            for folder in abandoned:
                shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        cure = way_out(error, "name another directory")
        raise FileError(f"{what_failed(error, directory)}. {cure}", error.errno) from error
    return tuple(directory / name for name in files)


def _replace(files: Mapping[str, bytes], directory: Path) -> None:
    beside = Path(tempfile.mkdtemp(prefix=_BESIDE, dir=directory))
    replaced: dict[Path, Path | None] = {}
    try:
        for name, content in files.items():
            write_new(beside / name, content)
        sync_folder(beside)
        if FILE_NAME in files:
            _keep(directory / FILE_NAME, beside, replaced)
            (directory / FILE_NAME).unlink(missing_ok=True)
        for name in sorted(files, key=lambda name: name == FILE_NAME):
            if name != FILE_NAME:
                _keep(directory / name, beside, replaced)
            (beside / name).replace(directory / name)
        sync_folder(directory)
    except BaseException as error:
        _undo(replaced, error)
        raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[bool]:
    """Keep other processes from writing into a directory.  Yields whether they are, for not every system can.

    The directory itself is locked, so that no file is left behind.
    """
    if os.name != "posix":
        yield False
        return
    import fcntl

    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError:  # a network's file system without locks
            alone = False
        else:
            alone = True
        yield alone
    finally:
        os.close(descriptor)


def _keep(place: Path, beside: Path, replaced: dict[Path, Path | None]) -> None:
    """Keep the file that is to be replaced, if there is one, until all are.  Raises OSError for what is no file."""
    kept = beside / f"{place.name}.before"
    if os.path.lexists(place):
        if (what := no_file(place.lstat().st_mode)) is not None:
            raise OSError(errno.EINVAL, what, str(place))
        shutil.copy2(place, kept, follow_symlinks=False)
        replaced[place] = kept
    else:
        replaced[place] = None


def _undo(replaced: Mapping[Path, Path | None], cause: BaseException) -> None:
    """Put the old files back, the manifest last.  Raises FileError where that fails, too."""
    try:
        for place, kept in reversed(list(replaced.items())):
            if kept is None:
                place.unlink(missing_ok=True)
            else:
                kept.replace(place)
    except OSError as error:
        folder = next(iter(replaced)).parent
        raise FileError(
            f"{what_failed(error, folder)}, nor can the files be put back that were replaced before ({cause}). What is in "
            f"{folder} belongs to two mechanisms: delete it, and generate anew",
            error.errno,
        ) from cause
