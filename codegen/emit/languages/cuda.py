"""CUDA: one header, with a device function for one state and kernels for many, in two layouts, for every kernel."""

from __future__ import annotations

from collections.abc import Mapping

from kanegen.codegen.emit.description import description
from kanegen.codegen.emit.expressions import Entry
from kanegen.codegen.emit.language import Language
from kanegen.codegen.emit.languages.c99 import function, number
from kanegen.codegen.emit.model import Model, SineCosineLibrary
from kanegen.codegen.emit.precision import Precision, literal
from kanegen.codegen.emit.routines import Routines, angle_counts, free, functions_by_table
from kanegen.codegen.emit.sincos_numbers import sine_values
from kanegen.codegen.emit.skeletons import fill
from kanegen.codegen.emit.specification import Kernel, Specification, specify
from kanegen.codegen.emit.written import written

EITHER = "__host__ __device__ inline"
"""What stands before functions that a host may need to prepare parameters."""


def cuda_header(model: Model) -> str:
    """The CUDA header of a model."""
    spec = specify(model)
    values = written(spec, CUDA) | {"columns": lambda kernel: columns(spec, kernel), "either": EITHER}
    example = fill("cuda/example.cu", **values)
    said = description(spec, "CUDA", fill("cuda/conventions"), example)
    return fill("cuda/header.cuh", **values, description=said) + "\n"


def columns(spec: Specification, kernel: Kernel) -> str:
    """The name of a kernel over structures of arrays."""
    ending = kernel.precision.ending
    return free(f"{kernel.function.removesuffix(ending)}_soa", spec.reserved, ending) + ending


def files(model: Model) -> Mapping[str, str]:
    """The header."""
    return {".cuh": cuda_header(model)}


def routines(spec: Specification) -> Routines:
    """Sine and cosine of one angle in each precision, and functions by table."""
    texts: list[str] = []
    names: dict[Precision, dict[int, str]] = {precision: {} for precision in Precision}
    for precision, sizes in angle_counts(spec).items():
        if not sizes:
            continue
        name = free(f"{spec.model.prefix}_sincos{precision.ending}", spec.reserved)
        texts.append(
            fill(
                "cuda/sincos.cuh",
                name=name,
                either=EITHER,
                type=precision.c_type,
                ending=precision.math_ending,
                **sine_values(precision),
                library=spec.model.sincos is SineCosineLibrary.LIBM,
            )
        )
        names[precision] = dict.fromkeys(sizes, name)
    function_source, functions = functions_by_table(spec, function, EITHER)
    return Routines("\n\n".join(texts), names, function_source, functions)


def element(entry: Entry) -> str:
    """An entry of an argument whose entries are a stride apart."""
    steps = {0: "0", 1: "stride"}.get(entry.entry, f"{entry.entry}*stride")
    return f"{entry.argument}[{steps}]"


def sincos(routine: str, count: int, angles: str, sines: str, cosines: str) -> list[str]:
    """One call for each angle."""
    return [f"{routine}({angles}[{i}], &{sines}[{i}], &{cosines}[{i}]);" for i in range(count)]


CUDA = Language(
    files=files,
    routines=routines,
    number=number,
    literal=literal,
    function=function,
    load=element,
    store=lambda entry, value: f"{element(entry)} = {value};",
    sincos=sincos,
    loads_first=True,
    manifest=False,
)
