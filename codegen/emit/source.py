"""The C source: sine and cosine routines, then one static body and two external functions for each kernel."""

from __future__ import annotations

from kanegen.codegen.emit.body import kernel_body, prepare_body
from kanegen.codegen.emit.layout import comment_block, comment_text, paragraph, signature, statement
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.precision import Precision, literal
from kanegen.codegen.emit.routines import Routines, sine_cosine_routines
from kanegen.codegen.emit.skeletons import fill
from kanegen.codegen.emit.specification import (
    Kernel,
    Specification,
    batch_parameter_list,
    call_arguments,
    parameter_list,
    prepare_prototypes,
    row_arguments,
    specify,
)
from kanegen.codegen.graph.count import OperationCounts
from kanegen.codegen.version import GENERATOR

KERNELS = "/* ---- kernels ---- */"
"""The line from which on the source is plain C99, without preprocessor, attributes and vector types."""


def c_source(model: Model) -> str:
    """The C source file of a model."""
    spec = specify(model)
    routines = sine_cosine_routines(spec)
    sections = []
    if routines.source:
        sections += ["/* ---- sine and cosine ---- */", routines.source]
    sections.append(KERNELS)
    if spec.live:
        sections.append(_prepare(spec, routines))
    sections += [_kernel(spec, kernel, routines) for kernel in spec.kernels]
    return fill("source.c", prefix=model.prefix, generator=GENERATOR, sections="\n\n".join(sections)) + "\n"


def _kernel(spec: Specification, kernel: Kernel, routines: Routines) -> str:
    program = kernel.schedule.program
    about = f"{comment_text(program.title)}; {comment_text(program.source)}; {operations(kernel.counts)}"
    parameters = parameter_list(spec, kernel)
    return fill(
        "function.c",
        comment=comment_block(paragraph(about)),
        body_signature=signature(f"static inline void {kernel.body}({parameters})"),
        function_signature=signature(f"{spec.api} void {kernel.function}({parameters})"),
        batch_signature=signature(f"{spec.api} void {kernel.batch}({batch_parameter_list(spec, kernel)})"),
        statements="\n".join(kernel_body(spec, kernel, routines)),
        body_call="\n".join(statement(f"{kernel.body}({call_arguments(spec, kernel)});")),
        row_call="\n".join(statement(f"{kernel.body}({row_arguments(spec, kernel)});", 2)),
    )


def _prepare(spec: Specification, routines: Routines) -> str:
    schedule = spec.model.prepare
    assert schedule is not None
    defaults, prepare = prepare_prototypes(spec)
    values = []
    for parameter in spec.model.parameters:
        sign = "-" if parameter.value < 0 else ""
        number = f"{sign}{literal(abs(parameter.value), Precision.DOUBLE)}"
        values += statement(f"parameters->{spec.parameter_fields[parameter.name]} = {number};")
    return fill(
        "prepare.c",
        title=comment_text(schedule.program.title),
        defaults_signature=signature(f"{spec.api} {defaults}"),
        defaults="\n".join(values),
        prepare_signature=signature(f"{spec.api} {prepare}"),
        statements="\n".join(prepare_body(spec, schedule, routines)),
    )


def operations(counts: OperationCounts) -> str:
    """Operation counts in words, without those that are zero."""
    numbers = (
        (counts.multiplications, "multiplication"),
        (counts.additions, "addition"),
        (counts.divisions, "division"),
        (counts.square_roots, "square root"),
        (counts.sincos, "sine-cosine pair"),
    )
    words = [f"{n} {word}{'s' if n > 1 else ''}" for n, word in numbers if n]
    return ", ".join(words) or "no operations"
