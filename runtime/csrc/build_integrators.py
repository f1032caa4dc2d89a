"""Build script of the extension ``kanegen._integrators`` (cffi, API mode): ``ffibuilder``.

It reads only the files beside it, so that it also runs where the project cannot be imported. What Python sees is what
stands between the two marks in ``kanegen_integrators.h``, plus the functions by which C calls Python, and the digest of
the sources, by which Python knows an extension that was compiled from others.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from cffi import FFI

# Relative where setuptools runs this script, which wants its sources relative to the project.
_FOLDER = Path(__file__).parent

_spec = importlib.util.spec_from_file_location("kanegen_csrc_sources", _FOLDER / "sources.py")
assert _spec is not None and _spec.loader is not None  # the file is part of every source distribution
_sources = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_sources)

_HEADER = _FOLDER / _sources.HEADER


def _declarations(header: str) -> str:
    """The part of the header that cffi parses."""
    _, _, marked = header.partition("/* <declarations>")
    declarations, end, _ = marked.partition("/* </declarations> */")
    if not end:
        raise ValueError(f"{_HEADER.name}: the marks around the declarations are missing")
    return "/*" + declarations


ffibuilder = FFI()
ffibuilder.cdef(_declarations(_HEADER.read_text(encoding="ascii")) + _sources.PYTHON_FUNCTIONS)
ffibuilder.set_source(
    "kanegen._integrators",
    f"""#include "{_HEADER.name}"

static const char *{_sources.DIGEST}(void)
{{
    return "{_sources.sources_digest()}";
}}
""",
    sources=[str(_FOLDER / name) for name in _sources.SOURCES],
    include_dirs=[str(_FOLDER)],
    depends=[str(_FOLDER / name) for name in _sources.HEADERS],
    libraries=[] if sys.platform == "win32" else ["m"],
    extra_compile_args=["-O3", "-std=c99"],
    optional=True,  # a package without it still installs
)
