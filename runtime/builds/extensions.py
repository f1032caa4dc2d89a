"""Compiled mechanisms in the cache: from generated C, committed or fresh, to a loaded extension module."""

from __future__ import annotations

import hashlib
import importlib
import importlib.machinery
import importlib.util
import json
import logging
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from kanegen.builds.cache import RECORD_FORMAT, Entry, entries, entry
from kanegen.builds.cache_place import VARIABLE, cache_directory
from kanegen.builds.compiler import (
    Compiler,
    chosen_variants,
    compile_extension,
    compile_with_setuptools,
    find_compiler,
)
from kanegen.errors import BuildError, CacheError, ManifestError, NoCompilerError
from kanegen.extension_source import (
    TARGET_VARIABLE,
    Variant,
    extension_builder,
    extension_digest,
    main_source,
    manifest_and_digest,
)
from kanegen.files import contents
from kanegen.interpreter import interpreter
from kanegen.manifest import FILE_NAME, Manifest, parse_manifest, read_manifest
from kanegen.version import VERSION

MODULE = "_kernels"

_modules: dict[Path, ModuleType] = {}
_modules_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Compiled:
    """A mechanism in the cache: its directory there, its manifest, and its extension module."""

    directory: Path
    manifest: Manifest
    module: ModuleType


def digest(content: object) -> str:
    """Thirty-two hexadecimal digits for anything that JSON can hold."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


def _build_conditions() -> dict[str, str]:
    """What a compiled mechanism depends on beside its model and the compiler."""
    return {
        "version": VERSION,
        "record": str(RECORD_FORMAT),
        "extension source": extension_digest(),
        "python": str(sysconfig.get_config_var("EXT_SUFFIX")),
        "machine": platform.machine(),
    }


def compiled_entry(
    name: str,
    model: Mapping[str, object],
    generate: Callable[[Path], object],
    check: Callable[[Manifest, ModuleType], None] | None = None,
) -> Compiled:
    """A compiled mechanism of the cache, made if it is not there yet.

    ``name`` is for people; ``model`` is what the generated C depends on; ``generate(directory)`` writes the C.  What is made
    is loaded by another process first, then here, and published when ``check(manifest, module)`` returns.  Without a
    compiler, an entry that another compiler made serves.  Raises NoCompilerError, BuildError, CacheError, and what
    ``generate`` and ``check`` raise.
    """
    key = _key(name, model)
    try:
        compiler, variants = _tools()
    except NoCompilerError:
        for made_before in entries(f"{key}-"):
            if _library(made_before.files) is not None:
                return _compiled(made_before)
        raise
    full_name = _full_name(key, compiler, variants)
    fresh: list[ModuleType] = []

    def make(directory: Path) -> None:
        before = next(entries(f"{key}-"), None)  # the same C, for another compiler or instruction set
        if before is None:
            generate(directory)
        else:
            write_generated(_generated_of(before.files), directory)
        _compile(compiler, directory, variants)
        fresh.append(_tried(directory, full_name, compiler))
        if check is not None:
            check(read_manifest(directory), fresh[0])

    return _compiled(entry(full_name, make), *fresh)


def is_to_be_made(name: str, model: Mapping[str, object]) -> bool:
    """Whether a mechanism is not in the cache, and its kernels may be made one by one, or have been.

    That takes a compiler, or an outline that is there already, and an instruction set that can be compiled for.
    """
    key, root = _key(name, model), cache_directory()
    try:
        compiler, variants = _tools()
    except NoCompilerError:
        return not any(root.glob(f"{key}-*")) and os.path.lexists(root / _outline_name(name, model))
    wanted = os.environ.get(TARGET_VARIABLE)
    if wanted and wanted not in [variant.name for variant in variants]:
        return False
    return not os.path.lexists(root / _full_name(key, compiler, variants))


def outline_entry(name: str, model: Mapping[str, object], write: Callable[[Path], None]) -> Manifest:
    """The manifest of a mechanism whose kernels are not made yet, kept in the cache; ``write(directory)`` writes it."""
    found = entry(_outline_name(name, model), write)
    return parse_manifest(found.files[FILE_NAME], str(found.directory / FILE_NAME))


def kept_text(name: str, model: Mapping[str, object], file: str, find: Callable[[], str]) -> str:
    """What is known of a mechanism in a file of this name, kept in the cache; found where it is not there yet."""

    def write(directory: Path) -> None:
        (directory / file).write_text(find(), encoding="ascii")

    found = entry(f"{_key(name, {**model, 'kept': file})}-{digest(file)[:8]}", write)
    return found.files[file].decode("ascii")


def _outline_name(name: str, model: Mapping[str, object]) -> str:
    return f"{_key(name, {**model, 'outline': True})}-{digest('outline')[:8]}"


def _key(name: str, model: Mapping[str, object]) -> str:
    """How the name of an entry begins, whatever compiles it."""
    stem = re.sub(r"[^A-Za-z0-9]+", "_", name)[:40]
    return f"{stem}-{digest({**model, **_build_conditions()})}"


def _tools() -> tuple[Compiler | None, tuple[Variant, ...]]:
    """The compiler, None for that of setuptools, and the instruction sets to compile for.  Raises NoCompilerError."""
    compiler = None if os.name == "nt" else find_compiler()
    return compiler, chosen_variants(os.environ.get(TARGET_VARIABLE))


def _full_name(key: str, compiler: Compiler | None, variants: Sequence[Variant]) -> str:
    """The name of an entry that a compiler makes for some instruction sets."""
    by = (
        ["setuptools"]
        if compiler is None
        else [compiler.identity, *compiler.command, *compiler.flags_of_calls]
    )
    return f"{key}-{digest([*by, *(variant.name for variant in variants)])[:8]}"


def _compiled(found: Entry, fresh: ModuleType | None = None) -> Compiled:
    """What is in an entry that is as it was published; ``fresh`` is its module, loaded when it was made."""
    library = _library(found.files)
    if library is None:
        raise CacheError(
            f"{found.directory}: the compiled kernels are missing. Delete the directory and load again"
        )
    with _modules_lock:
        if fresh is not None:
            fresh.__file__ = str(found.directory / library)
            _modules[found.directory] = fresh
        module = _modules.get(found.directory)
        if module is None:
            module = _modules[found.directory] = _load(found.directory / library, found.directory.name)
    where = str(found.directory / FILE_NAME)
    return Compiled(found.directory, parse_manifest(found.files[FILE_NAME], where), module)


def _library(files: Iterable[str]) -> str | None:
    """The extension module among names of files."""
    names = [f"{MODULE}{suffix}" for suffix in importlib.machinery.EXTENSION_SUFFIXES]
    return next((name for name in names if name in files), None)


def _tried(directory: Path, name: str, compiler: Compiler | None) -> ModuleType:
    """The module that has just been compiled in a directory, once another process could load it.  Raises BuildError."""
    command = "setuptools build_ext" if compiler is None else shlex.join(compiler.command)
    library = _library([path.name for path in directory.iterdir()])
    if library is None:
        raise BuildError(command, f"it made no {MODULE} that this Python could load", directory)
    reason = failure(directory / library)
    if reason is not None and not _forbidden(reason):
        raise BuildError(command, f"{library}, which it made, cannot be loaded: {reason}", directory)
    return _load(_free_to_move(directory / library), name)


def _free_to_move(library: Path) -> Path:
    """The library, or on Windows, where no folder of a loaded one can be renamed, a copy of it."""
    if os.name != "nt":
        return library
    return Path(shutil.copy2(library, tempfile.mkdtemp(prefix="kanegen-")))


def _compile(compiler: Compiler | None, directory: Path, variants: Sequence[Variant]) -> None:
    builder = extension_builder(MODULE, directory, directory, optional=False, variants=variants)
    if compiler is None:
        compile_with_setuptools(builder, directory)
        return
    from cffi.recompiler import make_c_source

    unit = directory / f"{MODULE}.c"
    make_c_source(builder, MODULE, main_source(*manifest_and_digest(directory), variants), str(unit))
    units = [f"{MODULE}.c", *(variant.file_name for variant in variants)]
    compile_extension(compiler, units, MODULE, directory)


def generated(directory: Path) -> tuple[Manifest, dict[str, bytes]]:
    """The manifest of a generated mechanism, and by name the content of the files from which an extension is compiled.

    They belong together, even where another process writes them at this moment.  Raises ManifestError.
    """
    path = directory / FILE_NAME
    try:
        content = contents(path)
        manifest = parse_manifest(content, str(path))
        files = {name: contents(directory / name) for name in _names(manifest)} | {FILE_NAME: content}
        if contents(path) == content:  # writers take it away first, and put it there last
            return manifest, files
    except OSError as error:
        raise ManifestError(
            f"{error.filename or directory}: {error.strerror}, and belongs to {FILE_NAME} beside it. Generate the mechanism "
            "again"
        ) from error
    raise ManifestError(f"{directory}: the files are being written at this moment. Load again")


def write_generated(files: Mapping[str, bytes], directory: Path) -> None:
    """Write generated files into a directory where an extension will be compiled."""
    for name, content in files.items():
        (directory / name).write_bytes(content)


def copy_generated(source: Path, directory: Path) -> None:
    """Copy the generated files of a mechanism, from which an extension is compiled.  Raises ManifestError."""
    write_generated(generated(source)[1], directory)


def _names(manifest: Manifest) -> list[str]:
    return [f"{manifest.prefix}.{ending}" for ending in ("c", "h", "cdef")]


def _generated_of(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The generated files among those of an entry."""
    names = _names(parse_manifest(files[FILE_NAME], FILE_NAME))
    return {name: files[name] for name in (*names, FILE_NAME)}


def load_module(directory: Path) -> ModuleType:
    """The extension module in a directory where one was compiled.  Raises CacheError."""
    library = _library([path.name for path in directory.iterdir()])
    if library is None:
        raise CacheError(f"{directory}: the compiled kernels are missing")
    return _load(directory / library, directory.name)


def _load(library: Path, name: str) -> ModuleType:
    """The extension module in a file, for an entry of this name.  Raises CacheError."""
    spec = importlib.util.spec_from_file_location(f"kanegen.cached.{name}.{MODULE}", library)
    assert spec is not None and spec.loader is not None  # the suffix is one of an extension module
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError as error:
        if _forbidden(str(error)):
            why = "This system forbids to run code from there"
        else:
            why = f"It is whole, so another system made it: delete {library.parent} and load again"
        raise CacheError(
            f"{library} cannot be loaded here ({error}). {why}, or set {VARIABLE} to another directory, "
            "where code may run"
        ) from error
    return module


def _forbidden(reason: str) -> bool:
    """Whether a library was not mapped into memory since the system forbids it: noexec, or a security policy."""
    return "failed to map segment" in reason or "Operation not permitted" in reason


_PROGRAM = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
sys.path.extend(sys.argv[3:])
spec = spec_from_file_location(sys.argv[1], sys.argv[2])
module = module_from_spec(spec)
spec.loader.exec_module(module)
module.ffi, module.lib
"""

_MOST_SECONDS = 300.0

_log = logging.getLogger("kanegen")


def failure(library: Path) -> str | None:
    """Why an extension module cannot be loaded by this Python; None where it can, or where that cannot be tried.

    It cannot where kanegen runs inside a program that is no Python interpreter.  The process has the standard library and
    cffi alone, and no site packages.
    """
    python = interpreter()
    if python is None:
        _log.info("%s is no Python interpreter: %s is not tried elsewhere first", sys.executable, library)
        return None
    place = getattr(
        importlib.import_module("_cffi_backend"), "__file__", None
    )  # a part of the interpreter in PyPy
    folders = [] if place is None else [str(Path(place).parent)]
    command = [
        python,
        "-I",
        "-S",
        "-c",
        _PROGRAM,
        library.name.partition(".")[0],
        str(library),
        *folders,
    ]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_MOST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"loading it takes more than {_MOST_SECONDS:.0f} s"
    except OSError as error:
        _log.info("%s cannot be run (%s): %s is not tried elsewhere first", python, error, library)
        return None
    if done.returncode == 0:
        return None
    if done.returncode < 0:
        return f"loading it ends with {_signal_name(-done.returncode)}"
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"loading it ends with exit status {done.returncode}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
