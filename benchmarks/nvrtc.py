"""NVRTC, NVIDIA's compiler of CUDA as a library, through ctypes: the package nvidia-cuda-nvrtc, or a CUDA toolkit's own."""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class NoNvrtcError(RuntimeError):
    """There is no NVRTC on this machine; the message says how to get it."""


class CompileError(RuntimeError):
    """NVRTC refused a source; the message is its log."""


@dataclass(frozen=True)
class Compiled:
    """Machine code for one architecture, and what the compiler said: nothing where it had no warning."""

    code: bytes
    log: str


def library() -> ctypes.CDLL:
    """The library.  Raises NoNvrtcError."""
    found = importlib.util.find_spec("nvidia")
    folders = [] if found is None else list(found.submodule_search_locations or ())
    paths = [
        str(path) for folder in folders for path in sorted(Path(folder).glob("*/lib/libnvrtc.so.*[0-9]"))
    ]
    for path in (*paths, ctypes.util.find_library("nvrtc")):
        if path is not None:
            return ctypes.CDLL(path)
    raise NoNvrtcError("there is no NVRTC here; python -m pip install nvidia-cuda-nvrtc brings it")


def compile_source(source: str, architecture: str = "sm_90") -> Compiled:
    """The machine code of a CUDA source that includes nothing.  Raises NoNvrtcError and CompileError."""
    nvrtc = library()
    program = ctypes.c_void_p()
    words = [f"--gpu-architecture={architecture}"]
    arguments = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
    _done(
        nvrtc, nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernels.cu", 0, None, None)
    )
    try:
        failed = nvrtc.nvrtcCompileProgram(program, len(words), arguments)
        log = _text(nvrtc, "ProgramLog", program).decode(errors="replace").strip("\0\n")
        if failed:
            raise CompileError(log)
        return Compiled(_text(nvrtc, "CUBIN", program), log)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _text(nvrtc: Any, what: str, program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    _done(nvrtc, getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _done(nvrtc, getattr(nvrtc, f"nvrtcGet{what}")(program, buffer))
    return buffer.raw


def _done(nvrtc: Any, code: int) -> None:
    if code:
        nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
        raise CompileError(f"NVRTC: {nvrtc.nvrtcGetErrorString(code).decode()}")
