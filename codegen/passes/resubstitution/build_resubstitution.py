"""Build script of the extension ``kanegen._resubstitution`` (cffi, API mode): ``ffibuilder``.

It reads only the files beside it, so that it also runs where the project cannot be imported.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from cffi import FFI

# Relative where setuptools runs this script, which wants its sources relative to the project.
_FOLDER = Path(__file__).parent
_HEADER, _SOURCE = _FOLDER / "resubstitution.h", _FOLDER / "resubstitution.c"
_SOURCES = sorted(_FOLDER.glob("*.[ch]"))

_declarations = _HEADER.read_text(encoding="ascii").partition("/* <declarations> */")[2]
_declarations = _declarations.partition("/* </declarations> */")[0]
_digest = hashlib.blake2b(b"".join(path.read_bytes() for path in _SOURCES), digest_size=8).hexdigest()

ffibuilder = FFI()
ffibuilder.cdef(_declarations + "const char *kanegen_resubstitution_sources(void);")
ffibuilder.set_source(
    "kanegen._resubstitution",
    f"""#include "{_HEADER.name}"

static const char *kanegen_resubstitution_sources(void)
{{
    return "{_digest}";
}}
""",
    sources=[str(_SOURCE)],
    include_dirs=[str(_FOLDER)],
    depends=[str(path) for path in _SOURCES],
    libraries=[] if sys.platform == "win32" else ["m"],
    # what is drawn depends on sums of doubles, which are to be the same everywhere
    extra_compile_args=["-O3", "-std=gnu99", "-ffp-contract=off"] if sys.platform != "win32" else [],
    optional=True,  # 128-bit integers are not everywhere; only a thorough search needs it
)
