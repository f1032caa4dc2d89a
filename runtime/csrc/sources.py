"""What the extensions of the runtime are compiled from, and by what digest the two know each other.

Build scripts load this file by path, in builds that cannot import the project: nothing but the standard
library is used here.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

FOLDER = Path(__file__).parent
PUBLIC_HEADERS = ("kanegen_integrators.h", "kanegen_threads.h", "kanegen_many.h", "kanegen_inertias.h")
"""What users include, and what Python sees; the other headers are private."""
HEADERS = tuple(sorted(path.name for path in FOLDER.glob("kanegen_*.h")))
SOURCES = tuple(sorted(path.name for path in FOLDER.glob("kanegen_*.c")))

DIGEST = "kanegen_sources_digest"
"""The function of the extension that returns the digest of what it was compiled from."""

KERNELS = {
    "forward_dynamics": ("dynamics", 3, 1),
    "coordinate_rates": ("rates", 2, 1),
    "forward_dynamics_derivatives": ("derivatives", 3, 3),
    "multiplier_dynamics": ("multipliers", 3, 2),
    "generalized_speeds": ("speeds", 2, 1),
    "constraint_projection": ("projection", 2, 2),
    "constraint_residual": ("residual", 1, 1),
    "frame_jacobian": ("jacobian", 1, 1),
    "kinetic_energy": ("kinetic", 2, 1),
    "potential_energy": ("potential", 1, 1),
}
"""The kernels that are integrated: what the header calls functions of their form, how many arrays they take and give."""


def _python_kernel(kernel: str, takes: int, gives: int) -> str:
    arrays = ", ".join(["const double *"] * takes + ["double *"] * gives)
    return f'extern "Python" void kanegen_python_{kernel}(const void *data, {arrays});\n'


# data is the handle of the Python object that has the controller or interpreted kernels, or that looks for interrupts.
PYTHON_FUNCTIONS = f"""
const char *{DIGEST}(void);
extern "Python" void kanegen_python_controller(
    double t, const double *q, const double *v, double *tau, void *data);
extern "Python" void kanegen_python_law(const void *data, const double *t, const double *q, const double *v,
    const double *x, const double *r, double *tau, double *xdot);
extern "Python" size_t kanegen_python_pause(void *data);
extern "Python" void kanegen_python_rows_full(void *data);
extern "Python" void kanegen_python_event_values(
    double t, const double *q, const double *v, double *g, void *data);
extern "Python" int kanegen_python_event_happened(
    double t, size_t i, double *q, const double *v, double *rates, void *data);
""" + "".join(_python_kernel(kernel, takes, gives) for kernel, (_, takes, gives) in KERNELS.items())


def sources_digest() -> str:
    """SHA-256 of the C and of what Python sees of it, whatever the line ends.  Raises OSError where files are missing."""
    found = hashlib.sha256(PYTHON_FUNCTIONS.encode("ascii"))
    for name in (*HEADERS, *SOURCES):
        text = (FOLDER / name).read_text(encoding="ascii")
        found.update(f"{name}\0{text}\0".encode("ascii"))
    return found.hexdigest()


CALLS = "python_calls.c"
"""What the extension ``kanegen._calls`` is compiled from; its attribute ``DIGEST`` is the digest."""


def calls_digest() -> str:
    """SHA-256 of that C, whatever the line ends.  Raises OSError where it is missing."""
    return hashlib.sha256((FOLDER / CALLS).read_text(encoding="ascii").encode("ascii")).hexdigest()
