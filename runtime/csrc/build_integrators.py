"""Build script of the extension ``kanegen._integrators`` (cffi, API mode): ``ffibuilder``.

It reads only the files beside it, so that it also runs where the project cannot be imported. What Python sees is what
stands between the two marks in each public header, plus the functions by which C calls Python, and the digest of
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

_POSIX = sys.platform != "win32"


def _declarations(name: str) -> str:
    """The part of a header that cffi parses."""
    _, _, marked = (_FOLDER / name).read_text(encoding="ascii").partition("/* <declarations>")
    declarations, end, _ = marked.partition("/* </declarations> */")
    if not end:
        raise ValueError(f"{name}: the marks around the declarations are missing")
    return "/*" + declarations


ffibuilder = FFI()
ffibuilder.cdef("".join(map(_declarations, _sources.PUBLIC_HEADERS)) + _sources.PYTHON_FUNCTIONS)
ffibuilder.set_source(
    "kanegen._integrators",
    "".join(f'#include "{name}"\n' for name in _sources.PUBLIC_HEADERS)
    + f"""
static const char *{_sources.DIGEST}(void)
{{
    return "{_sources.sources_digest()}";
}}
""",
    sources=[str(_FOLDER / name) for name in _sources.SOURCES],
    include_dirs=[str(_FOLDER)],
    depends=[str(_FOLDER / name) for name in _sources.HEADERS],
    libraries=["m"] if _POSIX else [],
    extra_compile_args=["-O3", "-std=c99", *(["-pthread"] if _POSIX else [])],
    extra_link_args=["-pthread"] if _POSIX else [],
    optional=True,  # a package without it still installs
)
