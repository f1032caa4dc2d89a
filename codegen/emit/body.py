"""The statements of one kernel, in plain C99."""

from __future__ import annotations

from kanegen.codegen.emit.layout import statement
from kanegen.codegen.emit.naming import PARAMETERS, PREPARED, Names, name_nodes
from kanegen.codegen.emit.precision import Precision
from kanegen.codegen.emit.printer import Leaf, Printer
from kanegen.codegen.emit.routines import Routines
from kanegen.codegen.emit.specification import Kernel, Specification
from kanegen.codegen.graph.graph import Kind
from kanegen.codegen.graph.schedule import Assignment, Schedule, SineCosine

_WHY_COPIES = "/* inputs that are read after the first output is written: it may be the same array */"


def kernel_body(spec: Specification, kernel: Kernel, routines: Routines) -> list[str]:
    """The lines between the braces of a kernel."""
    cast = "" if kernel.precision is Precision.DOUBLE else f"({kernel.precision.c_type})"
    parameters = {name: f"{cast}{PREPARED}->{field}" for name, field in spec.prepared_fields.items()}
    arguments = tuple(a.name for a in kernel.inputs + kernel.outputs)
    names = name_nodes(
        kernel.schedule, arguments, spec.coordinates, parameters, spec.reserved | routines.words
    )
    targets = [f"{a.name}[{{}}]" for a in kernel.outputs]
    return _unused(spec, kernel) + _statements(kernel.schedule, names, targets, kernel.precision, routines)


def prepare_body(spec: Specification, schedule: Schedule, routines: Routines) -> list[str]:
    """The lines between the braces of the prepare step."""
    parameters = {name: f"{PARAMETERS}->{field}" for name, field in spec.parameter_fields.items()}
    fields = tuple(spec.prepared_fields[output.name] for output in schedule.program.outputs)
    names = name_nodes(schedule, fields, (), parameters, spec.reserved | routines.words)
    targets = [f"{PREPARED}->{field}" for field in fields]
    lines = _statements(schedule, names, targets, Precision.DOUBLE, routines)
    if any(schedule.program.graph.kinds[i] is Kind.PARAMETER for i in _read(schedule)):
        return lines
    return statement(f"(void){PARAMETERS};") + lines


def _read(schedule: Schedule) -> list[int]:
    return schedule.program.graph.reachable(schedule.program.roots)


def _unused(spec: Specification, kernel: Kernel) -> list[str]:
    """Arguments that this kernel has for the sake of uniformity and does not read."""
    graph = kernel.schedule.program.graph
    leaves = [(graph.kinds[i], graph.payloads[i]) for i in _read(kernel.schedule)]
    inputs = {payload[0] for kind, payload in leaves if kind is Kind.INPUT}
    unused = [a.name for a in kernel.inputs if a.argument.name not in inputs]
    if spec.live and not any(kind is Kind.PARAMETER for kind, _ in leaves):
        unused.insert(0, PREPARED)
    return [line for name in unused for line in statement(f"(void){name};")]


def _statements(
    schedule: Schedule, names: Names, targets: list[str], precision: Precision, routines: Routines
) -> list[str]:
    graph = schedule.program.graph
    leaves = dict(names.leaves)
    printer = Printer(graph, leaves, precision)
    number = f"const {precision.c_type}"
    lines: list[str] = []
    if schedule.copies:
        copies = ", ".join(f"{names.leaves[node].name} = {text}" for node, text in names.copied.items())
        lines += [*statement(_WHY_COPIES), *statement(f"{number} {copies};"), ""]
    for item in schedule.statements:
        if isinstance(item, SineCosine):
            lines += _angles(schedule, item, names, printer, precision, routines)
        elif isinstance(item, Assignment):
            if item.node in names.temporaries:
                # a temporary holds the negative of its node where that saves a minus
                sign = -1 if printer.definition(item.node, 1).startswith("-") else 1
                leaves[item.node] = Leaf(sign, leaves[item.node].name)
            name, sign = leaves[item.node].name, leaves[item.node].sign
            lines += statement(f"{number} {name} = {printer.definition(item.node, sign)};")
        else:
            lines += statement(f"{targets[item.output].format(item.entry)} = {printer.value(item.ref)};")
    return lines


def _angles(
    schedule: Schedule,
    item: SineCosine,
    names: Names,
    printer: Printer,
    precision: Precision,
    routines: Routines,
) -> list[str]:
    """All angles in one array, one call, and a name for each sine and cosine that is used."""
    program, size, number = schedule.program, len(item.angles), precision.c_type
    arrays = names.arrays[item]
    values = ", ".join(printer.value(angle) for angle in item.angles)
    lines = statement(f"const {number} {arrays.angles}[{size}] = {{{values}}};")
    lines += statement(f"{number} {arrays.sines}[{size}], {arrays.cosines}[{size}];")
    lines += statement(
        f"{routines.names[size, precision]}({arrays.angles}, {arrays.sines}, {arrays.cosines});"
    )
    used: dict[int, dict[Kind, str]] = {angle: {} for angle in item.angles}
    for index in _read(schedule):
        kind, payload = program.graph.kinds[index], program.graph.payloads[index]
        if kind in (Kind.SINE, Kind.COSINE) and payload[0] in used:
            array = arrays.sines if kind is Kind.SINE else arrays.cosines
            place = item.angles.index(payload[0])
            used[payload[0]][kind] = f"{names.leaves[index].name} = {array}[{place}]"
    for angle in item.angles:
        defined = [used[angle][kind] for kind in (Kind.SINE, Kind.COSINE) if kind in used[angle]]
        lines += statement(f"const {number} {', '.join(defined)};")
    return [*lines, ""]
