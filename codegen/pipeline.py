"""The map: from a mechanism to C text, room by room.

    mechanism    a built-in's name, a file or records  ->  Mechanism, validated                        reading
    derivation   Mechanism, Options                    ->  what each kernel is derived from            kernel_sources
    passes       a kernel's sources                    ->  Program, searched and optimized             deriving
    certificate  all Programs, Mechanism               ->  Record of what they were checked for        certificate
    passes       all Programs, Record                  ->  Model: hoisted, scheduled, named            assembly
    emit         Model                                 ->  C source, header, declarations, manifest    emit

What a user may ask is in ``options``, what comes out in ``generation``.  Every stage hands frozen records to the next;
nothing else crosses.  ``OnDemand`` walks the map for some kernels at a time, ``generate`` for all from end to end;
``interpret`` stops before the C.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from kanegen.codegen.assembly import assemble, known_of
from kanegen.codegen.certificate.certify import FILE_NAME, Record, certify
from kanegen.codegen.certificate.comparison import (
    CERTIFIED_STATES,
)
from kanegen.codegen.deriving import Derivations, DerivedKernels, Keep, Progress, recipes
from kanegen.codegen.emit.manifest import manifest, outline
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.writer import generated_files, write_files
from kanegen.codegen.generation import Generated, Interpretation
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.reading import read
from kanegen.errors import NotCompiledError
from kanegen.manifest import Manifest
from kanegen.model_warnings import once
from kanegen.options import Options
from kanegen.progress import Stage, silent


def generate(
    model: str | os.PathLike[str] | Mechanism,
    directory: str | os.PathLike[str],
    options: Options | None = None,
    progress: Progress | None = None,
    stage: Stage = silent,
    jobs: int | None = 1,
) -> Generated:
    """Write the C of a mechanism into a directory, and the certificate of its kernels.

    ``progress`` and ``stage`` are told of what is done and of what begins.  ``jobs`` processes derive kernels at once, None:
    as many as there are cores.  What is written is the same.

    Raises ModelError for a wrong model or an unknown kernel, NotCompiledError for a language that cannot be verified, and
    CertificateError where the kernels fail a check; nothing is written then.
    """
    options = options or Options()
    if options.verify and not options.loadable:
        raise NotCompiledError(
            f"verify compiles what is written, which is not done with {options.language!r}"
        )
    stage("reading the model")
    return OnDemand(model, options).generate(Path(directory), None, progress, stage, jobs)


@contextmanager
def _garbage_left() -> Iterator[None]:
    """Let Python look for no cycles meanwhile: graphs are large and have none, and a fifth of the time would go.

    What was made meanwhile is old afterwards, or the first look for cycles, which comes at once, would go through all of it.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():  # what somebody else has frozen stays so
                gc.freeze()
                gc.unfreeze()
            gc.enable()


class OnDemand:
    """The kernels of a model, written some at a time: what was derived for some serves all that come later.

    ``keep`` has the decisions that other kernels begin with, from one process to the next.
    Raises ModelError for a wrong model or an unknown kernel.
    """

    def __init__(
        self, model: str | os.PathLike[str] | Mechanism, options: Options, keep: Keep | None = None
    ) -> None:
        self._keep = keep
        with once() as told:
            self.sources = KernelSources(read(model, options), options)
        self._warnings = tuple(told.heard)

    @cached_property
    def hash(self) -> str:
        """That of the mechanism, which the manifests have."""
        return fingerprint(self.sources.mechanism)

    @cached_property
    def _derivations(self) -> Derivations:
        found = Derivations.everywhere(self.sources)
        found.keep = self._keep
        return found

    @_garbage_left()
    def outline(self) -> Manifest:
        """The manifest of the mechanism with all of its kernels waiting.

        Each was derived once, as the textbook has it, which tells those that there are from those that cannot be had.
        """
        options, found = self.sources.options, self._derivations
        known = known_of(self.sources, found.names, found.derived(()), self._warnings)
        return outline(known, self.sources.together(found.names), options.sincos, options.float32)

    @_garbage_left()
    def generate(
        self,
        directory: Path,
        together: str | None = None,
        progress: Progress | None = None,
        stage: Stage = silent,
        jobs: int | None = 1,
    ) -> Generated:
        """Write the C of the kernels that are made ``together`` under this name, else of all, as ``generate`` does."""
        self._derivations.book = recipes(self.sources.options, directory)
        derived, record, assembled = self._assembled(together, progress, stage, jobs)
        generated = Generated(self.sources, assembled, derived.kernels, record, self._derivations.at)
        files = generated_files(assembled, self.sources.options.language)
        files[FILE_NAME] = generated.certificate.text().encode("ascii")
        written = write_files(files, directory)
        if derived.recipes is not None and derived.recipes.used:
            written += write_files(derived.recipes.files(), derived.recipes.place.parent)
        return replace(generated, files=written)

    @_garbage_left()
    def interpretation(self, together: str | None = None, stage: Stage = silent) -> Interpretation:
        """The kernels that are made ``together`` under this name, else all, for NumPy to evaluate."""
        derived, _, assembled = self._assembled(together, None, stage, 1)
        return Interpretation(manifest(assembled, {}), derived.programs)

    def _assembled(
        self, together: str | None, progress: Progress | None, stage: Stage, jobs: int | None
    ) -> tuple[DerivedKernels, Record, Model]:
        """Kernels that are made together, what the set of them passed, and the record of both for emission."""
        groups = self.sources.together(self._derivations.names)
        names = [name for name, group in groups.items() if together in (None, group)]
        derived = self._derivations.derived(names, progress, stage, jobs)
        stage("checking the kernels against each other")
        kernel_set = replace(self.sources.kernel_set(derived.programs), special=self._derivations.at.special)
        record = certify(kernel_set, CERTIFIED_STATES)
        stage("ordering statements, and writing")
        return derived, record, assemble(self.sources, derived, record, self._warnings)


def interpret(model: str | os.PathLike[str] | Mechanism, options: Options | None = None) -> Interpretation:
    """A mechanism for NumPy to evaluate; the textbook derivations, without a search.  Raises ModelError."""
    return OnDemand(model, without_search(options or Options())).interpretation()


def without_search(options: Options) -> Options:
    """The same options for the textbook derivations, which are what NumPy evaluates."""
    return replace(options, search=1)


__all__ = ["Generated", "Interpretation", "Options", "generate", "interpret", "read"]
