"""What every part of a robot needs: its manifest, what evaluates its kernels, and the table of these."""

from __future__ import annotations

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
