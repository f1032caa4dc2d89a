"""The extensions of the runtime, compiled when the package was installed from the C that is here, or not at all.

Without a C compiler there are none, and after an update older ones may still lie about.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from types import ModuleType

from kanegen.csrc.sources import DIGEST, calls_digest, sources_digest


def integrators() -> ModuleType | None:
    """The extension of cffi with integrators and threads."""
    module = _imported("kanegen._integrators")
    digest = None if module is None else getattr(module.lib, DIGEST, None)
    if module is None or digest is None:
        return None
    return module if module.ffi.string(digest()).decode("ascii") == _present(sources_digest) else None


@functools.cache
def calls() -> ModuleType | None:
    """The extension that takes NumPy's arrays to kernels."""
    module = _imported("kanegen._calls")
    return module if getattr(module, DIGEST, None) == _present(calls_digest) else None


def _imported(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


@functools.cache
def _present(digest: Callable[[], str]) -> str:
    try:
        return digest()
    except OSError:
        return ""  # and nothing fits
