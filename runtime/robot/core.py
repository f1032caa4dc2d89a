"""What every part of a robot needs: its manifest, what evaluates its kernels, and the table of these."""

from __future__ import annotations

from typing import NoReturn, Self

from kanegen.backends import Backend
from kanegen.kernel_table import KernelSet, KernelTable, More
from kanegen.manifest import Manifest


class Core:
    """A manifest, the backend that evaluates its kernels, and what obtains further ones (None: nothing does)."""

    def __init__(self, manifest: Manifest, backend: Backend, more: More | None = None) -> None:
        self._manifest = manifest
        self._backend = backend
        self._more = more
        self._kernels = KernelTable(KernelSet(manifest, backend), more)

    def __copy__(self) -> Self:
        """The robot itself: nothing in it changes."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        """The robot itself: nothing in it changes."""
        del memo
        return self

    def __reduce__(self) -> NoReturn:
        """Raises TypeError: compiled functions are in this process alone."""
        raise TypeError(
            f"{self._manifest.name}: a robot cannot be pickled. Load it in every process: kanegen.load(model) takes it from "
            "the cache"
        )
