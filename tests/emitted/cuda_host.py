"""Generated CUDA on the host: its words as macros, one call after another for the threads of a grid."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cffi import FFI

from kanegen.codegen.emit import Model, cffi_declarations, generated_files

from .compilation import Library, compiler, run

SHIM = """
#include <math.h>
#include <stddef.h>
#define __host__
#define __device__
#define __global__
#define __noinline__ __attribute__((noinline))
struct Place { unsigned x; };
static Place blockIdx, blockDim, gridDim, threadIdx;
"""

BLOCKS, THREADS = 2, 3
"""Fewer threads than states in the tests: each takes several."""

_KERNEL = re.compile(r'extern "C" __global__ void (\w+)\(([^)]*)\)')
_FUNCTION = re.compile(r"^(?:__host__ )?__device__ inline void (\w+)\(([^)]*)\)", re.MULTILINE)


@dataclass(frozen=True)
class _Functions:
    """The functions and kernels of a header, by the names that they have there."""

    lib: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.lib, f"host_{name}")


def header(model: Model) -> str:
    """The CUDA header of a model."""
    (text,) = generated_files(model, "cuda").values()
    return text.decode("ascii")


def build_cuda(model: Model, folder: Path, *flags: str) -> Library:
    """Compile the header for the host, with strict warnings, and load it."""
    text = header(model)
    calls: list[str] = []
    declared: list[str] = []
    for pattern, loops in ((_FUNCTION, False), (_KERNEL, True)):
        for name, parameters in pattern.findall(text):
            if re.search(r"_body|_part\d|_sincos", name):
                continue
            names = ", ".join(re.findall(r"(\w+)(?:\[\d+\])?(?:,|$)", parameters))
            declared.append(f"void host_{name}({parameters});")
            call = f"{name}({names});"
            if loops:
                call = (
                    f"gridDim.x = {BLOCKS}; blockDim.x = {THREADS};\n"
                    "for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)\n"
                    f"for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++) {call}"
                )
            calls.append(f'extern "C" void host_{name}({parameters})\n{{ {call} }}')
    source, library = folder / "host.cpp", folder / "host.so"
    folder.mkdir(exist_ok=True)
    source.write_text("\n".join([SHIM, text, *calls]), encoding="ascii")
    strict = ("-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion", "-Werror")
    accepted = ("-Wno-unused-parameter", "-Wno-unused-function", "-Wno-unknown-pragmas")
    run(
        [
            compiler("g++"),
            *strict,
            *accepted,
            "-O1",
            "-ffp-contract=off",
            *flags,
            "-shared",
            "-fPIC",
            source,
            "-o",
            library,
        ]
    )
    ffi = FFI()
    structs = re.findall(r"typedef struct \{[^}]*\} \w+;", cffi_declarations(model))
    ffi.cdef("\n".join([*structs, *declared]))
    return Library(ffi, _Functions(ffi.dlopen(str(library))), model)
