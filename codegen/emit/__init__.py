"""Scheduled kernels to text: C source and header, cffi declarations, type stub and manifest."""

from kanegen.codegen.emit.languages.c99 import c_header, c_source, cffi_declarations
from kanegen.codegen.emit.model import LiveParameter, Model, SineCosineLibrary
from kanegen.codegen.emit.stub import type_stub
from kanegen.codegen.emit.writer import generated_files, write_model

__all__ = [
    "LiveParameter",
    "Model",
    "SineCosineLibrary",
    "c_header",
    "c_source",
    "cffi_declarations",
    "generated_files",
    "type_stub",
    "write_model",
]
