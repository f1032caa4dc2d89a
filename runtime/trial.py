"""A library that has just been made is loaded by another process first: one that crashes takes nobody with it."""

from __future__ import annotations

import importlib
import logging
import signal
import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
sys.path.extend(sys.argv[3:])
spec = spec_from_file_location(sys.argv[1], sys.argv[2])
module = module_from_spec(spec)
spec.loader.exec_module(module)
module.ffi, module.lib
"""

_MOST_SECONDS = 300.0

_log = logging.getLogger("kanegen")


def failure(library: Path) -> str | None:
    """Why an extension module cannot be loaded by this Python; None where it can, or where that cannot be tried.

    It cannot where kanegen runs inside a program that is no Python interpreter.  The process has the standard library and
    cffi alone, and no site packages.
    """
    if not Path(sys.executable or "").stem.lower().startswith(("python", "pypy")):
        _log.info("%s is no Python interpreter: %s is not tried elsewhere first", sys.executable, library)
        return None
    place = getattr(
        importlib.import_module("_cffi_backend"), "__file__", None
    )  # a part of the interpreter in PyPy
    folders = [] if place is None else [str(Path(place).parent)]
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        _PROGRAM,
        library.name.partition(".")[0],
        str(library),
        *folders,
    ]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_MOST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"loading it takes more than {_MOST_SECONDS:.0f} s"
    except OSError as error:
        _log.info("%s cannot be run (%s): %s is not tried elsewhere first", sys.executable, error, library)
        return None
    if done.returncode == 0:
        return None
    if done.returncode < 0:
        return f"loading it ends with {_signal_name(-done.returncode)}"
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"loading it ends with exit status {done.returncode}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
