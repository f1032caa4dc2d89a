"""The C source: sine and cosine routines, then one static body and two external functions for each kernel."""

from __future__ import annotations

from kanegen.codegen.emit.languages.c99 import C99
from kanegen.codegen.emit.layout import comment_block, comment_text, paragraph, signature, statement
from kanegen.codegen.emit.listing import Listing, list_kernel, list_prepare
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.naming import PARAMETERS, PREPARED
from kanegen.codegen.emit.parts import Arguments, calls_of_parts, definitions_of_parts
from kanegen.codegen.emit.precision import Precision, literal
from kanegen.codegen.emit.printer import Printer
from kanegen.codegen.emit.routines import Routines, routines_of
from kanegen.codegen.emit.skeletons import fill
from kanegen.codegen.emit.specification import (
    Kernel,
    PartNames,
    Specification,
    batch_parameter_list,
    call_arguments,
    parameter_list,
    prepare_prototypes,
    row_arguments,
    specify,
)
from kanegen.codegen.version import GENERATOR
from kanegen.manifest import OperationCounts

KERNELS = "/* ---- kernels ---- */"
"""The line from which on the source is plain C99, without preprocessor, attributes and vector types."""


def c_source(model: Model) -> str:
    """The C source file of a model."""
    spec = specify(model)
    routines = routines_of(spec)
    sections = []
    if routines.source:
        sections += ["/* ---- sine and cosine ---- */", routines.source]
    if routines.function_source:
        sections += [
            "/* ---- functions: a NaN among the operands gives NaN ---- */",
            routines.function_source,
        ]
    if spec.in_parts:
        sections.append(fill("part_macro.c", macro=spec.part))
    sections.append(KERNELS)
    if spec.live:
        sections.append(_prepare(spec, routines))
    listings: dict[int, Listing] = {}  # by schedule, which both precisions share
    for kernel in spec.kernels:
        if id(kernel.schedule) not in listings:
            listings[id(kernel.schedule)] = list_kernel(spec, kernel, routines.words)
    sections += [_kernel(spec, kernel, routines, listings[id(kernel.schedule)]) for kernel in spec.kernels]
    return fill("source.c", prefix=model.prefix, generator=GENERATOR, sections="\n\n".join(sections)) + "\n"


def _kernel(spec: Specification, kernel: Kernel, routines: Routines, listing: Listing) -> str:
    program = kernel.schedule.program
    about = f"{comment_text(program.title)}; {comment_text(program.source)}; {operations(kernel.counts)}"
    parameters = parameter_list(spec, kernel)
    number = kernel.precision.c_type
    arguments = {PREPARED: f"const {spec.prepared_type(kernel.precision)} *{PREPARED}"} if spec.live else {}
    arguments |= {a.name: f"const {number} {a.name}{a.bounds}" for a in kernel.inputs}
    arguments |= {a.name: f"{number} {a.name}{a.bounds}" for a in kernel.outputs}
    printer = _printer(routines, kernel.precision)
    parts, statements = _divided(spec, listing, printer, kernel.parts, arguments, number, about)
    return parts + fill(
        "function.c",
        comment=comment_block(
            paragraph(f"{comment_text(program.title)}: its parts one after another" if parts else about)
        ),
        body_signature=signature(f"static inline void {kernel.body}({parameters})"),
        function_signature=signature(f"{spec.api} void {kernel.function}({parameters})"),
        batch_signature=signature(f"{spec.api} void {kernel.batch}({batch_parameter_list(spec, kernel)})"),
        statements="\n".join(statements),
        body_call="\n".join(statement(f"{kernel.body}({call_arguments(spec, kernel)});")),
        row_call="\n".join(statement(f"{kernel.body}({row_arguments(spec, kernel)});", 2)),
    )


def _prepare(spec: Specification, routines: Routines) -> str:
    schedule = spec.model.prepare
    assert schedule is not None
    defaults, prepare, *others = prepare_prototypes(spec)
    values = []
    for parameter in spec.model.parameters:
        sign = "-" if parameter.value < 0 else ""
        number = f"{sign}{literal(abs(parameter.value), Precision.DOUBLE)}"
        values += statement(f"parameters->{spec.parameter_fields[parameter.name]} = {number};")
    title = comment_text(schedule.program.title)
    arguments = {
        PARAMETERS: f"const {spec.parameters_type} *{PARAMETERS}",
        PREPARED: f"{spec.prepared_type(Precision.DOUBLE)} *{PREPARED}",
    }
    listing = list_prepare(spec, schedule, routines.words)
    printer = _printer(routines, Precision.DOUBLE)
    parts, statements = _divided(spec, listing, printer, spec.prepare_parts, arguments, "double", title)
    return (
        parts
        + fill(
            "prepare.c",
            title=title,
            defaults_signature=signature(f"{spec.api} {defaults}"),
            defaults="\n".join(values),
            prepare_signature=signature(f"{spec.api} {prepare}"),
            statements="\n".join(statements),
        )
        + "".join(f"\n\n{_rounded(spec, prototype)}" for prototype in others)
    )


def _rounded(spec: Specification, prototype: str) -> str:
    """The function that prepares values in single precision."""
    fields = spec.prepared_fields.values()
    return fill(
        "prepare_single.c",
        signature=signature(f"{spec.api} {prototype}"),
        type=spec.prepared_type(Precision.DOUBLE),
        prepare=spec.prepare_function(Precision.DOUBLE),
        statements="\n".join(
            line for field in fields for line in statement(f"{PREPARED}->{field} = (float)values.{field};")
        ),
    )


def _printer(routines: Routines, precision: Precision) -> Printer:
    return Printer(C99, precision, routines.functions[precision], routines.names[precision])


def _divided(
    spec: Specification,
    listing: Listing,
    printer: Printer,
    names: PartNames,
    arguments: Arguments,
    number: str,
    about: str,
) -> tuple[str, list[str]]:
    """The functions that a long body is cut into, if it is, and the statements of the one that does it all."""
    unused = [line for name in listing.unused for line in statement(f"(void){name};")]
    if not names.functions:
        return "", unused + printer.part(listing.parts[0])
    parts = definitions_of_parts(spec, listing, printer, names, arguments, number, about)
    return parts + "\n\n", unused + calls_of_parts(listing, names, arguments)


def operations(counts: OperationCounts) -> str:
    """Operation counts in words, without those that are zero."""
    numbers = (
        (counts.multiplications, "multiplication"),
        (counts.additions, "addition"),
        (counts.divisions, "division"),
        (counts.square_roots, "square root"),
        (counts.sincos, "sine-cosine pair"),
        (counts.functions, "function"),
        (counts.selections, "selection"),
    )
    words = [f"{n} {word}{'s' if n > 1 else ''}" for n, word in numbers if n]
    return ", ".join(words) or "no operations"
