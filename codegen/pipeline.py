"""The map: from a mechanism to C text, room by room.

    mechanism    a built-in's name, a file or records  ->  Mechanism, validated                        reading
    derivation   Mechanism, Options                    ->  what each kernel is derived from            kernel_sources
    passes       a kernel's sources                    ->  Program, searched and optimized             deriving
    certificate  all Programs, Mechanism               ->  Record of what they were checked for        certificate
    passes       all Programs, Record                  ->  Model: hoisted, scheduled, named            assembly
    emit         Model                                 ->  C source, header, declarations, manifest    emit

What a user may ask is in ``options``, what comes out in ``generation``.  Every stage hands frozen records to the next;
nothing else crosses.  ``generate`` walks the map from end to end; ``interpret`` stops before the C.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from kanegen.codegen.assembly import assemble
from kanegen.codegen.certificate.certify import FILE_NAME, Record, certify
from kanegen.codegen.certificate.comparison import (
    CERTIFIED_STATES,
    TELLING,
    Configurations,
    all_configurations,
)
from kanegen.codegen.deriving import DerivedKernels, Progress, Stage, derive_all
from kanegen.codegen.emit.manifest import manifest
from kanegen.codegen.emit.writer import generated_files, write_files
from kanegen.codegen.generation import Generated, Interpretation
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.reading import read
from kanegen.errors import NotCompiledError
from kanegen.model_warnings import once
from kanegen.options import Options


def generate(
    model: str | os.PathLike[str] | Mechanism,
    directory: str | os.PathLike[str],
    options: Options | None = None,
    progress: Progress | None = None,
    stage: Stage | None = None,
) -> Generated:
    """Write the C of a mechanism into a directory, and the certificate of its kernels.

    ``progress`` and ``stage`` are told of what is done and of what begins.

    Raises ModelError for a wrong model or an unknown kernel, NotCompiledError for a language that cannot be verified, and
    CertificateError where the kernels fail a check; nothing is written then.
    """
    options, begin = options or Options(), stage or _silent
    if options.verify and not options.loadable:
        raise NotCompiledError(
            f"verify compiles what is written, which is not done with {options.language!r}"
        )
    begin("reading the model")
    with once() as told:
        sources = KernelSources(read(model, options), options)
    derived, at, record = _certified(sources, progress, begin, Path(directory))
    begin("ordering statements, and writing")
    assembled = assemble(sources, derived, record, tuple(told.heard))
    generated = Generated(sources, assembled, derived.kernels, record, at)
    files = generated_files(assembled, options.language)
    files[FILE_NAME] = generated.certificate.text().encode("ascii")
    written = write_files(files, Path(directory))
    if derived.recipes is not None and derived.recipes.used:
        written += write_files(derived.recipes.files(), derived.recipes.place.parent)
    return replace(generated, files=written)


def interpret(model: str | os.PathLike[str] | Mechanism, options: Options | None = None) -> Interpretation:
    """A mechanism for NumPy to evaluate; the textbook derivations, without a search.  Raises ModelError."""
    options = replace(options or Options(), search=1)
    sources = KernelSources(read(model, options), options)
    derived, _, record = _certified(sources)
    return Interpretation(manifest(assemble(sources, derived, record), {}), derived.programs)


def _certified(
    sources: KernelSources,
    progress: Progress | None = None,
    begin: Stage | None = None,
    directory: Path | None = None,
) -> tuple[DerivedKernels, Configurations, Record]:
    """The kernels asked for, where they were compared with their plain derivations, and what the whole set passed."""
    begin = begin or _silent
    at = all_configurations(sources.kernel_set(helpers=TELLING))
    derived = derive_all(sources, at, progress, begin, directory)
    begin("checking the kernels against each other")
    kernel_set = replace(sources.kernel_set(derived.programs), special=at.special)
    return derived, at, certify(kernel_set, CERTIFIED_STATES)


def _silent(stage: str) -> None:
    """Nobody looks."""
    del stage


__all__ = ["Generated", "Interpretation", "Options", "generate", "interpret", "read"]
