"""Build script of the extension ``kanegen._integrators`` (cffi, API mode): ``ffibuilder``.

It reads only the files beside it, so that it also runs where the project cannot be imported. What Python sees is what
stands between the two marks in ``kanegen_integrators.h``, plus the functions by which C calls Python.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cffi import FFI

# Relative where setuptools runs this script, which wants its sources relative to the project.
_FOLDER = Path(__file__).parent
_HEADER = _FOLDER / "kanegen_integrators.h"
_SOURCES = (
    "kanegen_integrators.c",
    "kanegen_rows.c",
    "kanegen_constraints.c",
    "kanegen_linearisation.c",
    "kanegen_adaptive.c",
    "kanegen_rk4.c",
    "kanegen_dopri5.c",
    "kanegen_rodas4.c",
)

# data is the handle of the Python object that holds the controller, or that looks for interrupts.
_PYTHON_FUNCTIONS = """
extern "Python" void kanegen_python_controller(
    double t, const double *q, const double *v, double *tau, void *data);
extern "Python" size_t kanegen_python_pause(void *data);
"""


def _declarations(header: str) -> str:
    """The part of the header that cffi parses."""
    _, _, marked = header.partition("/* <declarations>")
    declarations, end, _ = marked.partition("/* </declarations> */")
    if not end:
        raise ValueError(f"{_HEADER.name}: the marks around the declarations are missing")
    return "/*" + declarations


ffibuilder = FFI()
ffibuilder.cdef(_declarations(_HEADER.read_text(encoding="ascii")) + _PYTHON_FUNCTIONS)
ffibuilder.set_source(
    "kanegen._integrators",
    f'#include "{_HEADER.name}"',
    sources=[str(_FOLDER / name) for name in _SOURCES],
    include_dirs=[str(_FOLDER)],
    depends=[str(_HEADER), str(_FOLDER / "kanegen_integration.h")],
    libraries=[] if sys.platform == "win32" else ["m"],
    extra_compile_args=["-O3", "-std=c99"],
    optional=True,  # a package without it still installs
)
