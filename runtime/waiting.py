"""Kernels that wait until they are first asked for: what a model has, known at once, and what makes them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from kanegen import generator
from kanegen.boundary import boundary
from kanegen.builds.extensions import is_to_be_made, kept_text, outline_entry
from kanegen.errors import KanegenError
from kanegen.generator import Model, OnDemand
from kanegen.identity import title_of
from kanegen.kernel_sets import compiled_or_interpreted, of_interpretation
from kanegen.kernels.table import KernelSet
from kanegen.kernels.waiting import Waiting
from kanegen.manifest import FILE_NAME, Manifest, manifest_text, parse_manifest
from kanegen.model_warnings import Told, once
from kanegen.options import Options
from kanegen.progress import Stage, stages

_DECISIONS = "decisions.json"


def may_wait(options: Options) -> bool:
    """Whether kernels may be made one by one: none were named, and no struct of prepared values serves them all.

    With ``verify`` all are to be compared at once, and a thorough search keeps what it finds with the whole set.
    """
    return options.kernels is None and not (options.live_names or options.verify or options.thorough)


def waiting(
    model: Model, options: Options, key: Mapping[str, object], told: Told, jobs: int | None
) -> Maker | None:
    """What makes the kernels of a model one by one; None where all are in the cache, or nothing can be compiled here.

    Raises ModelError for a wrong model.
    """
    if not is_to_be_made(title_of(model), key):
        return None
    maker = Maker(model, options, key, told, jobs)
    maker.manifest = outline_entry(title_of(model), key, maker.write_outline)
    return maker


def waiting_for_numpy(model: Model, options: Options, told: Told) -> Maker:
    """What derives the kernels of a model one by one for NumPy, with no compiler and no cache.  Raises ModelError."""
    maker = Interpreter(model, options, {}, told, 1)
    maker.manifest = parse_manifest(maker.outline_text().encode(), title_of(model))
    return maker


@dataclass(eq=False)
class Maker:
    """Makes the kernels of a model that belong together when one of them is asked for, one group at a time.

    What was derived for some serves all later ones, as long as the process lives.  ``jobs`` processes derive at once.
    """

    model: Model
    options: Options
    key: Mapping[str, object]
    told: Told
    jobs: int | None
    manifest: Manifest | None = field(default=None, init=False)
    _become: ClassVar[str] = "compiled"
    _generator: OnDemand | None = field(default=None, init=False)
    _made: dict[str, KernelSet] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    def outline(self) -> KernelSet:
        """All kernels, waiting."""
        assert self.manifest is not None, "the outline is made before the kernels"
        return KernelSet(self.manifest, Waiting(self.manifest.name, self._become))

    def write_outline(self, directory: Path) -> None:
        """Read the model, and write the manifest that its kernels wait in."""
        (directory / FILE_NAME).write_text(self.outline_text(), encoding="ascii")

    def outline_text(self) -> str:
        """Read the model: the text of the manifest that its kernels wait in."""
        with stages(title_of(self.model)) as stage:
            stage("reading the model")
            self._generator = self._read()
            return manifest_text(self._generator.outline())

    def kernel_set(self, kernel: str) -> KernelSet:
        """The set of a kernel and of those that are made with it.  Raises KanegenError where the model has changed."""
        assert self.manifest is not None, "the outline is made before the kernels"
        group = self.manifest.waiting[kernel]
        with self._lock:
            if group not in self._made:
                title = title_of(self.model)
                with (
                    boundary(f"making the kernel {kernel} of", title),
                    once(self.told),
                    stages(title) as stage,
                ):
                    self._made[group] = self._kernels(kernel, group, stage)
            return self._made[group]

    def _kernels(self, kernel: str, group: str, stage: Stage) -> KernelSet:
        """The set of a group, to which a kernel belongs."""
        return compiled_or_interpreted(
            self.model,
            self.options,
            {**self.key, "kernels": group},
            lambda directory: (
                self._of_model(kernel).generate(directory, group, None, stage, self.jobs).compiled_residuals
            ),
            stage,
        )

    def _read(self) -> OnDemand:
        """What derives the kernels, of the model as it is now."""
        return generator.on_demand(self.model, self.options, self._kept)

    def _kept(self, find: Callable[[], Mapping[str, int]]) -> Mapping[str, int]:
        """The decisions that all kernels begin with, which another process may have found."""
        text = kept_text(title_of(self.model), self.key, _DECISIONS, lambda: json.dumps(dict(find())))
        decisions: Mapping[str, int] = json.loads(text)
        return decisions

    def _of_model(self, kernel: str) -> OnDemand:
        """What derives the kernels, of the model that was loaded.  Raises KanegenError where it has changed since."""
        if self._generator is None:
            found = self._read()
            assert self.manifest is not None, "the outline is made before the kernels"
            require_same(self.model, self.manifest, found.hash, of_another_mechanism(kernel))
            self._generator = found
        return self._generator


class Interpreter(Maker):
    """Makes kernels that NumPy evaluates."""

    _become = "interpreted"

    def _kernels(self, kernel: str, group: str, stage: Stage) -> KernelSet:
        return of_interpretation(self._of_model(kernel).interpretation(group, stage), title_of(self.model))

    def _read(self) -> OnDemand:
        return generator.interpreted_on_demand(self.model, self.options)


def require_same(model: Model, loaded: Manifest, found: str, otherwise: str) -> None:
    """Raise KanegenError where the hash that is found of a model is not that of what was loaded."""
    if found != loaded.hash:
        raise KanegenError(
            f"{title_of(model)}: the model has changed since this robot was loaded, so {otherwise}"
        )


def of_another_mechanism(kernel: str) -> str:
    """What a kernel would be that is made of a model that has changed."""
    return f"its kernel {kernel!r} would belong to another mechanism. Load it again."
