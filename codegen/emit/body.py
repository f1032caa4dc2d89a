"""The statements of one kernel, in plain C99."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kanegen.codegen.emit.carried import carried_nodes
from kanegen.codegen.emit.layout import statement
from kanegen.codegen.emit.naming import CARRIED, PARAMETERS, PREPARED, Names, name_nodes
from kanegen.codegen.emit.precision import Precision
from kanegen.codegen.emit.printer import Leaf, Printer
from kanegen.codegen.emit.routines import Routines
from kanegen.codegen.emit.specification import Kernel, Specification
from kanegen.codegen.graph.graph import Kind
from kanegen.codegen.graph.schedule import Assignment, Schedule, SineCosine, Statement, nodes_read

_WHY_COPIES = "/* inputs that are read after the first output is written: it may be the same array */"


@dataclass(frozen=True)
class Part:
    """Statements that become a function, and the names of the kernel's arguments that they use.

    ``carries``: whether they read or write the struct of values that live longer than one part; ``makes``: whether
    they write it.
    """

    lines: list[str]
    arguments: frozenset[str]
    carries: bool
    makes: bool


@dataclass(frozen=True)
class Body:
    """A kernel's statements, in one part or several, and the fields of the struct that these hand on."""

    unused: list[str]
    parts: tuple[Part, ...]
    fields: tuple[str, ...]


def kernel_body(spec: Specification, kernel: Kernel, routines: Routines) -> Body:
    """The statements of a kernel."""
    parameters = {name: f"{PREPARED}->{field}" for name, field in spec.prepared_fields.items()}
    arguments = tuple(a.name for a in kernel.inputs + kernel.outputs)
    names = name_nodes(
        kernel.schedule, arguments, spec.coordinates, parameters, spec.reserved | routines.words
    )
    writer = _Writer(
        schedule=kernel.schedule,
        names=names,
        inputs={a.argument.name: a.name for a in kernel.inputs},
        outputs=tuple(a.name for a in kernel.outputs),
        targets=tuple(f"{a.name}[{{}}]" for a in kernel.outputs),
        parameters=PREPARED,
        precision=kernel.precision,
        routines=routines,
    )
    return writer.body(_unused(spec, kernel))


def prepare_body(spec: Specification, schedule: Schedule, routines: Routines) -> Body:
    """The statements of the prepare step."""
    parameters = {name: f"{PARAMETERS}->{field}" for name, field in spec.parameter_fields.items()}
    fields = tuple(spec.prepared_fields[output.name] for output in schedule.program.outputs)
    writer = _Writer(
        schedule=schedule,
        names=name_nodes(schedule, fields, (), parameters, spec.reserved | routines.words),
        inputs={},
        outputs=(PREPARED,) * len(fields),
        targets=tuple(f"{PREPARED}->{field}" for field in fields),
        parameters=PARAMETERS,
        precision=Precision.DOUBLE,
        routines=routines,
    )
    read = any(schedule.program.graph.kinds[i] is Kind.PARAMETER for i in _read(schedule))
    return writer.body([] if read else [PARAMETERS])


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
    return unused


class _Writer:
    """Writes the statements of one schedule, part by part."""

    def __init__(
        self,
        schedule: Schedule,
        names: Names,
        inputs: Mapping[str, str],
        outputs: Sequence[str],
        targets: Sequence[str],
        parameters: str,
        precision: Precision,
        routines: Routines,
    ) -> None:
        """``inputs`` and ``outputs``: C names; ``parameters``: the struct in which parametric values are."""
        self.schedule, self.names, self.inputs, self.outputs = schedule, names, inputs, outputs
        self.targets, self.parameters, self.precision, self.routines = (
            targets,
            parameters,
            precision,
            routines,
        )
        self.leaves = dict(names.leaves)
        self.variables = schedule.variables
        self.carried = carried_nodes(schedule, self.variables)
        self.fields = tuple(self.leaves[node].name for node in self.carried)
        for node in self.carried:
            leaf = self.leaves[node]
            self.leaves[node] = Leaf(leaf.sign, f"{CARRIED}->{leaf.name}")
        self.printer = Printer(schedule.program.graph, self.leaves, precision, routines.functions[precision])
        self.number = f"const {precision.c_type}"
        self.used: dict[int, dict[Kind, int]] = {}  # sine and cosine nodes by their angle
        graph = schedule.program.graph
        for index in _read(schedule):
            if graph.kinds[index] in (Kind.SINE, Kind.COSINE):
                self.used.setdefault(graph.payloads[index][0], {})[graph.kinds[index]] = index

    def body(self, unused: Iterable[str]) -> Body:
        """All parts."""
        parts = tuple(self.part(i, statements) for i, statements in enumerate(self.schedule.parts))
        return Body([line for name in unused for line in statement(f"(void){name};")], parts, self.fields)

    def part(self, index: int, statements: Sequence[Statement]) -> Part:
        """The statements of one part; the first one begins with the copies of inputs."""
        program = self.schedule.program
        kinds, payloads = program.graph.kinds, program.graph.payloads
        copies = self.schedule.copies if index == 0 else ()
        made = {*copies, *(node for item in statements for node in self.made(item))}
        read = {node for item in statements for node in nodes_read(program, item, self.variables)}
        plain = (read - set(self.schedule.copies)) | set(copies)
        arguments = {self.inputs[payloads[i][0]] for i in plain if kinds[i] is Kind.INPUT}
        if any(kinds[i] is Kind.PARAMETER for i in read):
            arguments.add(self.parameters)
        stores = (item.output for item in statements if not isinstance(item, Assignment | SineCosine))
        arguments |= {self.outputs[output] for output in stores}
        kept = set(self.carried)
        lines = self.copied() if copies else []
        for item in statements:
            lines += self.lines(item)
        return Part(lines, frozenset(arguments), not kept.isdisjoint(read | made), not kept.isdisjoint(made))

    def made(self, item: Statement) -> list[int]:
        """Nodes that have their value from a statement."""
        if isinstance(item, Assignment):
            return [item.node]
        if isinstance(item, SineCosine):
            return [node for angle in item.angles for node in self.used[angle].values()]
        return []

    def lines(self, item: Statement) -> list[str]:
        """One statement."""
        if isinstance(item, SineCosine):
            return self.angles(item)
        if isinstance(item, Assignment):
            leaf = self.leaves[item.node]
            if item.node in self.names.temporaries:
                # a temporary holds the negative of its node where that saves a minus
                sign = -1 if self.printer.definition(item.node, 1).startswith("-") else 1
                leaf = self.leaves[item.node] = Leaf(sign, leaf.name)
            declared = "" if item.node in self.carried else f"{self.number} "
            return statement(f"{declared}{leaf.name} = {self.printer.definition(item.node, leaf.sign)};")
        return statement(f"{self.targets[item.output].format(item.entry)} = {self.printer.value(item.ref)};")

    def copied(self) -> list[str]:
        """The copies of inputs."""
        values = [(node, text) for node, text in self.names.copied.items()]
        return [*statement(_WHY_COPIES), *self.defined(values), ""]

    def defined(self, values: Sequence[tuple[int, str]]) -> list[str]:
        """Nodes and the texts of their values: one declaration, and an assignment for each that is carried."""
        texts = [(node, f"{self.leaves[node].name} = {text}") for node, text in values]
        local = ", ".join(text for node, text in texts if node not in self.carried)
        lines = statement(f"{self.number} {local};") if local else []
        return lines + [
            line for node, text in texts if node in self.carried for line in statement(f"{text};")
        ]

    def angles(self, item: SineCosine) -> list[str]:
        """All angles in one array, one call, and a name for each sine and cosine that is used."""
        size, number = len(item.angles), self.precision.c_type
        arrays = self.names.arrays[item]
        values = ", ".join(self.printer.value(angle) for angle in item.angles)
        lines = statement(f"{self.number} {arrays.angles}[{size}] = {{{values}}};")
        lines += statement(f"{number} {arrays.sines}[{size}], {arrays.cosines}[{size}];")
        routine = self.routines.names[size, self.precision]
        lines += statement(f"{routine}({arrays.angles}, {arrays.sines}, {arrays.cosines});")
        for place, angle in enumerate(item.angles):
            texts = ((Kind.SINE, arrays.sines), (Kind.COSINE, arrays.cosines))
            used = self.used[angle]
            lines += self.defined(
                [(used[kind], f"{array}[{place}]") for kind, array in texts if kind in used]
            )
        return [*lines, ""]
