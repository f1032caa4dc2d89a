"""Declarations: for the header, and for cffi, which reads the same without macros."""

from __future__ import annotations

from kanegen.codegen.emit.layout import comment_text, signature
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.specification import (
    Specification,
    prepare_prototypes,
    prototypes,
    specify,
    struct_definition,
)


def cffi_declarations(model: Model) -> str:
    """Declarations of all types and functions of a model, as cffi's ``cdef`` reads them."""
    return declarations(specify(model), api=False) + "\n"


def declarations(spec: Specification, api: bool) -> str:
    """Structs and prototypes; ``api``: with the macro in front and with comments."""
    macro = f"{spec.api} " if api else ""
    blocks: list[str] = []
    if spec.live:
        blocks += _structs(spec, comments=api)
        blocks.append("\n".join(_prototype(macro, text) for text in prepare_prototypes(spec)))
    for kernel, function, batch in prototypes(spec):
        lines = [f"/* {comment_text(kernel.schedule.program.title)} */"] if api else []
        blocks.append("\n".join([*lines, _prototype(macro, function), _prototype(macro, batch)]))
    return "\n\n".join(blocks)


def _structs(spec: Specification, comments: bool) -> list[str]:
    about = {
        p.name: f"[{comment_text(p.unit) or '-'}] {comment_text(p.description)}".rstrip()
        for p in spec.model.parameters
        if comments
    }
    return [
        struct_definition(spec.parameters_type, spec.parameter_fields, about),
        *(struct_definition(spec.prepared_type(p), spec.prepared_fields, {}, p) for p in spec.precisions),
    ]


def _prototype(macro: str, text: str) -> str:
    return signature(f"{macro}{text};")
