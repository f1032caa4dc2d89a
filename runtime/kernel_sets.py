"""The kernels of a model, from wherever they come: compiled when kanegen was installed, in the cache, or interpreted."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

from kanegen import generator
from kanegen.builds.extensions import MODULE, compiled_entry, write_generated
from kanegen.errors import ManifestError, NoCompilerError, TargetError
from kanegen.generator import Model, Verification
from kanegen.identity import builtin_names, identity_of, title_of
from kanegen.kernels.compiled import CompiledBackend, use_target
from kanegen.kernels.interpreted import InterpretedBackend
from kanegen.kernels.table import KernelSet
from kanegen.manifest import Manifest, manifest_text, parse_manifest
from kanegen.options import Options
from kanegen.progress import Stage, silent, stages

_log = logging.getLogger("kanegen")


def key_of(model: Model, options: Options) -> dict[str, object]:
    """What the C of a model depends on.  Raises UnknownModelError, and ModelError where a file has to be read for it."""
    identity = identity_of(model, options, builtin_names())
    return {"identity": identity, "generator": generator.generator_digest(), "options": asdict(options)}


def from_model(
    model: Model,
    options: Options,
    interpreting: bool = False,
    key: Mapping[str, object] | None = None,
    jobs: int | None = None,
) -> KernelSet:
    """The kernels of a model: compiled into the cache, or interpreted.

    ``key`` is what ``key_of`` finds; ``jobs`` processes derive at once, None: as many as there are cores.
    """
    key = key_of(model, options) if key is None else key
    if interpreting:
        return interpreted(model, options)
    with stages(title_of(model)) as stage:
        return compiled_or_interpreted(
            model,
            options,
            key,
            lambda directory: generator.generate(model, options, directory, stage, jobs),
            stage,
        )


def installed(name: str, manifest: Manifest) -> CompiledBackend | None:
    """The extension that was compiled when the package was installed, if there is one and it fits the manifest."""
    try:
        module = importlib.import_module(f"kanegen.generated.{name}.{MODULE}")
        installed = CompiledBackend(manifest, module)
    except (ImportError, ManifestError) as error:
        _log.info("%s: the installed extension is not used (%s)", name, error)
        return None
    use_target(module)
    return installed


def compiled_or_interpreted(
    model: Model,
    options: Options,
    key: Mapping[str, object],
    write: Callable[[Path], Verification | None],
    stage: Stage = silent,
) -> KernelSet:
    """The kernels of the cache entry that belongs to a key, or without a compiler interpreted ones.

    ``write(directory)`` writes the generated files where there is no such entry yet; ``stage`` is told what begins.
    """
    try:
        return _cached(title_of(model), key, write, stage)
    except NoCompilerError as error:
        if options.verify:
            raise
        _log.warning("%s. %s is interpreted by NumPy, which is right but slow", error, title_of(model))
    return interpreted(model, options)


def _cached(
    title: str,
    key: Mapping[str, object],
    write: Callable[[Path], Verification | None],
    stage: Stage = silent,
) -> KernelSet:
    """The kernels of a cache entry; those that have just been compiled are compared with what they were printed from.

    Raises CertificateError where they differ; there is no entry then.
    """
    fresh: list[Verification | None] = []

    def generate(directory: Path) -> None:
        fresh.append(write(directory))
        stage("compiling, once: then it is cached")

    def check(manifest: Manifest, module: ModuleType) -> None:
        found = KernelSet(manifest, CompiledBackend(manifest, module))
        with contextlib.suppress(TargetError):  # which the robot will raise; the entry is none the worse
            use_target(module)
        for verify in fresh:
            if verify is not None:
                verify(functools.partial(call_of, found))

    made = compiled_entry(title, key, generate, check)
    found = KernelSet(made.manifest, CompiledBackend(made.manifest, made.module))
    use_target(made.module)
    return found


def call_of(found: KernelSet, name: str, inputs: Sequence[Any]) -> Sequence[Any]:
    """The outputs of a kernel of a set."""
    results = found.backend.kernel(found.manifest.kernels[name]).call(*inputs, None, 1)
    return results if isinstance(results, tuple) else (results,)


def of_files(manifest: Manifest, files: Mapping[str, bytes]) -> KernelSet:
    """The kernels of generated files, compiled into the cache."""
    return _cached(manifest.name, content_of(files), lambda work: write_generated(files, work))


def content_of(files: Mapping[str, bytes]) -> dict[str, str]:
    """What the C is: the manifest, and the files themselves, should somebody have edited them."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


def interpreted(model: Model, options: Options) -> KernelSet:
    """All kernels, for NumPy to evaluate.  Raises ModelError."""
    return of_interpretation(generator.interpret(model, options), title_of(model))


def of_interpretation(found: generator.Interpretation, title: str) -> KernelSet:
    """The kernels that an interpretation has."""
    manifest = parse_manifest(manifest_text(found.manifest).encode(), title)
    return KernelSet(manifest, InterpretedBackend(manifest, found))
