"""Compiling generated files, and calling what comes out through cffi with the generated declarations."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cffi import FFI
from numpy.typing import NDArray

from kanegen.codegen.emit import Model, cffi_declarations, write_model

STRICT = (
    "-std=c99",
    "-pedantic",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wshadow",
    "-Wdouble-promotion",
    "-Werror",
)


def compiler(name: str = "gcc") -> str:
    """Path of a compiler; the test is skipped where there is none."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def run(command: Sequence[str | Path]) -> str:
    """Standard output of a command that succeeds and prints no warning."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@dataclass(frozen=True)
class Library:
    """A compiled model."""

    ffi: Any
    lib: Any
    model: Model

    def __call__(
        self,
        function: str,
        arguments: Mapping[str, Any],
        outputs: Mapping[str, int],
        *first: Any,
        rows: int = 0,
    ) -> dict[str, NDArray[Any]]:
        """Call a function with copies of the arguments and outputs of the given sizes; ``rows``: a batch."""
        single = function.endswith("_f32")
        kind, c_type = (np.float32, "float[]") if single else (np.float64, "double[]")
        arrays = {name: np.array(value, dtype=kind) for name, value in arguments.items()}
        arrays |= {name: np.full(size * max(rows, 1), np.nan, dtype=kind) for name, size in outputs.items()}
        pointers = [self.ffi.from_buffer(c_type, array) for array in arrays.values()]
        before = (*first, rows) if rows else first
        getattr(self.lib, function)(*before, *pointers)
        return {name: arrays[name] for name in outputs}


def build(model: Model, folder: Path, *flags: str, cc: str = "gcc") -> Library:
    """Write, compile (optimised, with strict warnings) and load a model."""
    write_model(model, folder)
    library = folder / "model.so"
    source = folder / f"{model.prefix}.c"
    run([compiler(cc), *STRICT, "-O2", *flags, "-shared", "-fPIC", source, "-o", library, "-lm"])
    ffi = FFI()
    ffi.cdef(cffi_declarations(model))
    return Library(ffi, ffi.dlopen(str(library)), model)
