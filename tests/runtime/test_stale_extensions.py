"""Extensions that were compiled from other sources than those that are here serve nobody."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest
import robots
from cffi import FFI

from kanegen import extension_source
from kanegen.csrc.sources import DIGEST, sources_digest
from kanegen.errors import ManifestError
from kanegen.kernels.compiled import CompiledBackend
from kanegen.simulation import simulate
from kanegen.simulation.compiled import find_integrators


class _Library:
    """The functions of an extension with some of them replaced; None: they are not there."""

    def __init__(self, lib: object, **changes: object) -> None:
        self._lib, self._changes = lib, changes

    def __getattr__(self, name: str) -> object:
        if name in self._changes:
            if self._changes[name] is None:
                raise AttributeError(name)
            return self._changes[name]
        return getattr(self._lib, name)


def changed(module: object, **changes: str | None) -> SimpleNamespace:
    """The module, whose functions of these names return these texts."""
    ffi = FFI()
    kept = {
        name: text if text is None else ffi.new("char[]", text.encode()) for name, text in changes.items()
    }
    functions = {name: None if text is None else (lambda text=text: text) for name, text in kept.items()}
    library = _Library(module.lib, **functions)  # type: ignore[attr-defined]
    return SimpleNamespace(ffi=module.ffi, lib=library)  # type: ignore[attr-defined]


@pytest.mark.parametrize("digest", ["0" * 64, None])
def test_integrators_of_other_sources(
    arms: SimpleNamespace, integrators: ModuleType, monkeypatch: pytest.MonkeyPatch, digest: str | None
) -> None:
    assert find_integrators() is not None
    assert integrators.ffi.string(getattr(integrators.lib, DIGEST)()).decode() == sources_digest()
    monkeypatch.setitem(sys.modules, "kanegen._integrators", changed(integrators, **{DIGEST: digest}))
    assert find_integrators() is None
    with pytest.warns(RuntimeWarning, match="the compiled integrators are missing: simulating with NumPy"):
        motion = simulate(arms.double_pendulum, [0.1, 0.2], [0.0, 0.0], 0.1)
    assert not motion.statistics.compiled


@pytest.mark.parametrize("digest", ["0" * 64, None])
@pytest.mark.parametrize("of", ["manifest", "extension"])
def test_kernels_of_other_files_or_of_another_frame(of: str, digest: str | None) -> None:
    backend = robots.cart_pole()._backend
    module = backend._module
    CompiledBackend(backend._manifest, module)
    assert module.ffi.string(module.lib.kanegen_extension_digest()).decode() == (
        extension_source.extension_digest()
    )
    with pytest.raises(ManifestError, match="belong to another version of the generated files"):
        CompiledBackend(backend._manifest, changed(module, **{f"kanegen_{of}_digest": digest}))
