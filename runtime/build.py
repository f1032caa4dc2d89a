"""Compiled mechanisms in the cache: from generated C, committed or fresh, to a loaded extension module."""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import platform
import re
import shutil
import sysconfig
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from kanegen import extension_source
from kanegen.cache import cache_directory, entry
from kanegen.compiler import Compiler, compile_extension, compile_with_setuptools, find_compiler
from kanegen.errors import ManifestError, NoCompilerError
from kanegen.extension_source import (
    BASELINE,
    TARGET_VARIABLE,
    Variant,
    extension_builder,
    main_source,
    manifest_and_digest,
)
from kanegen.manifest import read_manifest
from kanegen.processor import chosen_variants
from kanegen.version import VERSION

MODULE = "_kernels"

_modules: dict[Path, ModuleType] = {}
_modules_lock = threading.Lock()


def digest(content: object) -> str:
    """Thirty-two hexadecimal digits for anything that JSON can hold."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


@functools.cache
def _extension_source_digest() -> str:
    """SHA-256 of what writes the extension around the generated C, and of its skeletons."""
    source = Path(extension_source.__file__)
    found = hashlib.sha256(source.read_bytes())
    for template in sorted((source.parent / "csrc").glob("*.template")):
        found.update(template.read_bytes())
    return found.hexdigest()


def _build_conditions() -> dict[str, str]:
    """What a compiled mechanism depends on beside its model and the compiler."""
    return {
        "version": VERSION,
        "extension source": _extension_source_digest(),
        "python": str(sysconfig.get_config_var("EXT_SUFFIX")),
        "machine": platform.machine(),
    }


def compiled_entry(name: str, model: Mapping[str, object], generate: Callable[[Path], None]) -> Path:
    """The cache entry of a compiled mechanism, made if it is not there yet.

    ``name`` is for people; ``model`` is what the generated C depends on; ``generate(directory)`` writes the C.
    Without a compiler, an entry that another compiler made serves.  Raises NoCompilerError, BuildError, CacheError, and
    what ``generate`` raises.
    """
    stem = re.sub(r"[^A-Za-z0-9]+", "_", name)[:40]
    key = f"{stem}-{digest({**model, **_build_conditions()})}"
    try:
        compiler = None if os.name == "nt" else find_compiler()
    except NoCompilerError:
        for made_before in sorted(cache_directory().glob(f"{key}-*/{MODULE}.*")):
            if made_before.suffix in (".so", ".pyd"):
                return made_before.parent
        raise
    by = ["setuptools"] if compiler is None else [compiler.identity, *compiler.command, *compiler.flags]
    variants = chosen_variants(os.environ.get(TARGET_VARIABLE))
    by += [variant.name for variant in variants]

    def make(directory: Path) -> None:
        source = _generated_before(key)
        if source is None:
            generate(directory)
        else:
            copy_generated(source, directory)
        _compile(compiler, directory, variants)

    return entry(f"{key}-{digest(by)[:8]}", make)


def _generated_before(key: str) -> Path | None:
    """An entry with the same C, compiled by another compiler or for another instruction set."""
    found = sorted(cache_directory().glob(f"{key}-*/manifest.json"))
    return next((path.parent for path in found if path.parent.suffix != ".failed"), None)


def _compile(compiler: Compiler | None, directory: Path, variants: Sequence[Variant]) -> None:
    builder = extension_builder(MODULE, directory, directory, optional=False, variants=variants)
    if compiler is None:
        compile_with_setuptools(builder, directory)
        return
    from cffi.recompiler import make_c_source

    unit = directory / f"{MODULE}.c"
    make_c_source(builder, MODULE, main_source(*manifest_and_digest(directory), variants), str(unit))
    units = [f"{MODULE}.c", *(variant.file_name for variant in (BASELINE, *variants))]
    compile_extension(compiler, units, MODULE, directory)


def copy_generated(source: Path, directory: Path) -> None:
    """Copy the generated files of a mechanism, from which an extension is compiled."""
    prefix = read_manifest(source).prefix
    for name in (f"{prefix}.c", f"{prefix}.h", f"{prefix}.cdef", "manifest.json"):
        shutil.copyfile(source / name, directory / name)


def load_module(directory: Path) -> ModuleType:
    """The extension module of a cache entry, loaded once in a process."""
    with _modules_lock:
        module = _modules.get(directory)
        if module is None:
            module = _modules[directory] = _load(directory)
    return module


def _load(directory: Path) -> ModuleType:
    files = [directory / f"{MODULE}{suffix}" for suffix in importlib.machinery.EXTENSION_SUFFIXES]
    found = next((file for file in files if file.exists()), None)
    if found is None:
        raise ManifestError(
            f"{directory}: the compiled kernels are missing. Delete the directory and load again"
        )
    spec = importlib.util.spec_from_file_location(f"kanegen.cached.{directory.name}.{MODULE}", found)
    assert spec is not None and spec.loader is not None  # the suffix is one of an extension module
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError as error:
        raise ManifestError(
            f"{directory}: the compiled kernels cannot be loaded ({error}). Delete the directory and load again"
        ) from error
    return module
