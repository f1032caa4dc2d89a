"""Compiling the emitted sine and cosine by itself, and calling it on arrays."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from cffi import FFI

from kanegen.codegen.emit.sincos import sincos_source

from .compilation import STRICT, run
from .sincos_points import TYPES, Precision, Reals

C_TYPES = {"double": "double", "single": "float"}

Library = Literal["vector", "libm"]
Routine = Callable[[Reals], tuple[Reals, Reals]]


def any_compiler() -> str:
    """A C compiler of this machine; the test is skipped where there is none."""
    for name in ("cc", "gcc", "clang"):
        found = shutil.which(name)
        if found is not None:
            return found
    pytest.skip("there is no C compiler")


def rows_source(prefix: str, count: int, precision: Precision, library: Library = "vector") -> str:
    """The routine and an external function that applies it to rows of so many angles."""
    real = C_TYPES[precision]
    return f"""{sincos_source(prefix, count, precision, library)}
void {prefix}_rows(int rows, const {real} *x, {real} *s, {real} *c);
void {prefix}_rows(int rows, const {real} *x, {real} *s, {real} *c)
{{
    for (int i = 0; i < rows; i++) {prefix}_sincos(&x[i * {count}], &s[i * {count}], &c[i * {count}]);
}}
"""


def build_counts(
    compiler: str,
    folder: Path,
    flags: tuple[str, ...],
    counts: Sequence[int],
    precision: Precision,
    library: Library = "vector",
) -> dict[int, Routine]:
    """Compile routines in one file; for each count a function from any number of angles to sines and cosines.

    Linked without the flags: some would change the floating-point state of the process that loads the file.
    """
    source, compiled, shared = folder / "rows.c", folder / "rows.o", folder / "rows.so"
    source.write_text("\n".join(rows_source(f"arm{count}", count, precision, library) for count in counts))
    run([compiler, *STRICT, *flags, "-fPIC", "-c", source, "-o", compiled])
    run([compiler, "-shared", compiled, "-o", shared, "-lm"])
    ffi = FFI()
    real = C_TYPES[precision]
    for count in counts:
        ffi.cdef(f"void arm{count}_rows(int rows, const {real} *x, {real} *s, {real} *c);")
    lib = ffi.dlopen(str(shared))

    def routine(count: int, x: Reals) -> tuple[Reals, Reals]:
        rows = -(-len(x) // count)
        padded = np.zeros(rows * count, dtype=TYPES[precision])
        padded[: len(x)] = x
        outputs = [np.full(rows * count, np.nan, dtype=TYPES[precision]) for _ in range(2)]
        arrays = (ffi.from_buffer(f"{real}[]", array) for array in (padded, *outputs))
        getattr(lib, f"arm{count}_rows")(rows, *arrays)
        return outputs[0][: len(x)], outputs[1][: len(x)]

    return {count: partial(routine, count) for count in counts}


def build(
    compiler: str,
    folder: Path,
    flags: tuple[str, ...],
    count: int,
    precision: Precision,
    library: Library = "vector",
) -> Routine:
    """Compile one routine."""
    return build_counts(compiler, folder, flags, [count], precision, library)[count]
