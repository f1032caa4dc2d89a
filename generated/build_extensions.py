"""Build script of the extensions ``kanegen.generated.<model>._kernels`` (cffi, API mode): one builder for each folder.

It reads only ``generated/`` and ``runtime/extension_source.py``, which it loads by path, because an isolated build can
import neither.  Paths stay relative to the project, where setuptools runs it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from cffi import FFI

_FOLDER = Path(__file__).parent
_WORK = _FOLDER.parent / "build" / "extensions"
_SOURCE = _FOLDER.parent / "runtime" / "extension_source.py"

_spec = importlib.util.spec_from_file_location("kanegen_extension_source", _SOURCE)
assert _spec is not None and _spec.loader is not None  # the file is part of every source distribution
_extension_source = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = _extension_source  # where its dataclasses look for their module
_spec.loader.exec_module(_extension_source)


def _builder(model: str) -> FFI:
    builder: FFI = _extension_source.extension_builder(
        f"kanegen.generated.{model}._kernels", _FOLDER / model, _WORK / model, optional=True
    )
    return builder


BUILDERS = {path.parent.name: _builder(path.parent.name) for path in sorted(_FOLDER.glob("*/manifest.json"))}
globals().update(BUILDERS)  # cffi_modules names each as a variable of this file
