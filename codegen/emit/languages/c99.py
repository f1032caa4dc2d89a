"""C99: source, header, declarations for cffi and a type stub for Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanegen.codegen.emit.description import description
from kanegen.codegen.emit.expressions import Entry
from kanegen.codegen.emit.lanes import lane_routines
from kanegen.codegen.emit.language import Language
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.precision import Precision, literal
from kanegen.codegen.emit.routines import Routines, functions_by_table, own_name, sincos_by_count
from kanegen.codegen.emit.skeletons import fill
from kanegen.codegen.emit.specification import Specification, specify
from kanegen.codegen.emit.stub import type_stub
from kanegen.codegen.emit.written import written


def c_source(model: Model) -> str:
    """The C source file of a model: sine and cosine routines, then one static body and two functions for each kernel."""
    return _source(_values(model))


def c_header(model: Model) -> str:
    """The C header file of a model."""
    return _header(_values(model))


def cffi_declarations(model: Model) -> str:
    """Declarations of all types and functions of a model, as cffi's ``cdef`` reads them."""
    return _declarations(_values(model))


def files(model: Model) -> Mapping[str, str]:
    """All of these, and the stub."""
    values = _values(model)
    return {
        ".c": _source(values),
        ".h": _header(values),
        ".cdef": _declarations(values),
        ".pyi": type_stub(model),
    }


def _values(model: Model) -> dict[str, Any]:
    spec = specify(model)
    return written(spec, C99) | {"own": lambda word, precision: own_name(spec, word, precision)}


def _source(values: Mapping[str, Any]) -> str:
    return fill("c99/source.c", **values) + "\n"


def _header(values: Mapping[str, Any]) -> str:
    spec = values["spec"]
    conventions, example = fill("c99/conventions"), fill("c99/example.c", **values)
    return (
        fill(
            "c99/header.h",
            **values,
            description=description(spec, "C99", conventions, example),
            declarations=fill("c99/declarations.h", **values, macro=f"{spec.api} ", comments=True),
        )
        + "\n"
    )


def _declarations(values: Mapping[str, Any]) -> str:
    return fill("c99/declarations.h", **values, macro="", comments=False) + "\n"


def routines(spec: Specification) -> Routines:
    """Sines and cosines of all angles together, by their number, and functions by table."""
    source, names = sincos_by_count(spec)
    function_source, functions = functions_by_table(spec, function, "static inline")
    return Routines(source, names, function_source, functions, lane_routines(spec, functions))


def element(entry: Entry) -> str:
    """An entry of an array."""
    return f"{entry.argument}[{entry.entry}]"


def number(precision: Precision) -> str:
    """The type of numbers."""
    return precision.c_type


def function(name: str, precision: Precision) -> str:
    """A function of math.h."""
    return f"{name}{precision.math_ending}"


C99 = Language(
    files=files,
    routines=routines,
    number=number,
    literal=literal,
    function=function,
    load=element,
    store=lambda entry, value: f"{element(entry)} = {value};",
    sincos=lambda routine, count, *arrays: [f"{routine}({', '.join(arrays)});"],
)
