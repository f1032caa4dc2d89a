"""What the extension ``kanegen._integrators`` is compiled from, and by what digest the two know each other.

The build script beside this file loads it by path, in builds that cannot import the project: nothing but the standard
library is used here.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

FOLDER = Path(__file__).parent
HEADER = "kanegen_integrators.h"
"""What users include; the other headers are private."""
HEADERS = tuple(sorted(path.name for path in FOLDER.glob("kanegen_*.h")))
SOURCES = tuple(sorted(path.name for path in FOLDER.glob("kanegen_*.c")))

DIGEST = "kanegen_sources_digest"
"""The function of the extension that returns the digest of what it was compiled from."""

# data is the handle of the Python object that holds the controller, or that looks for interrupts.
PYTHON_FUNCTIONS = f"""
const char *{DIGEST}(void);
extern "Python" void kanegen_python_controller(
    double t, const double *q, const double *v, double *tau, void *data);
extern "Python" size_t kanegen_python_pause(void *data);
"""


def sources_digest() -> str:
    """SHA-256 of the C and of what Python sees of it, whatever the line ends.  Raises OSError where files are missing."""
    found = hashlib.sha256(PYTHON_FUNCTIONS.encode("ascii"))
    for name in (*HEADERS, *SOURCES):
        text = (FOLDER / name).read_text(encoding="ascii")
        found.update(f"{name}\0{text}\0".encode("ascii"))
    return found.hexdigest()
