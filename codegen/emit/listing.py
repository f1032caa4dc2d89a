"""What one kernel computes, statement by statement, in no language yet: everything is named and has its sign."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kanegen.codegen.emit.expressions import Arrangement, Entry, Member, Signed, Variable
from kanegen.codegen.emit.naming import CARRIED, PARAMETERS, PREPARED, AngleArrays, Names, name_nodes
from kanegen.codegen.emit.specification import Kernel, Specification
from kanegen.codegen.graph.graph import Kind
from kanegen.codegen.graph.schedule import Assignment, Schedule, SineCosine, Statement, Store, nodes_read


@dataclass(frozen=True, slots=True)
class Definition:
    """A new variable, or a value that is carried to later parts."""

    target: Variable | Member
    value: Signed


@dataclass(frozen=True, slots=True)
class Angles:
    """All angles together, one call for their sines and cosines, and a name for each of these that is used, by angle."""

    arrays: AngleArrays
    values: tuple[Signed, ...]
    sines: tuple[Variable | Member | None, ...]
    cosines: tuple[Variable | Member | None, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """A value that is written where the caller finds it."""

    target: Entry | Member
    value: Signed


Item = Definition | Angles | Result


@dataclass(frozen=True, slots=True)
class Load:
    """An entry of an input is read where a part begins."""

    target: Variable | Member
    source: Entry


@dataclass(frozen=True)
class Part:
    """Statements that become a function where there are several parts: what they read first, and then do.

    ``arguments``: names of the kernel's arguments that they use.  ``carries``: whether they read or write the struct of
    values that live longer than one part; ``makes``: whether they write it.
    """

    loads: tuple[Load, ...]
    items: tuple[Item, ...]
    arguments: frozenset[str]
    carries: bool
    makes: bool


@dataclass(frozen=True)
class Listing:
    """The statements of a kernel, in one part or several, and the fields of the struct that these hand on.

    ``unused``: arguments that the kernel has for the sake of uniformity and does not read.
    """

    unused: tuple[str, ...]
    parts: tuple[Part, ...]
    fields: tuple[str, ...]


def list_kernel(
    spec: Specification, kernel: Kernel, reserved: frozenset[str], loads_first: bool = False
) -> Listing:
    """The statements of a kernel.

    ``reserved``: names that must not be hidden, beside those of the specification.  ``loads_first``: each part loads every
    entry that it reads, where it begins.  Otherwise only entries that are read after something was written are loaded,
    since an output may be the same array as an input; these are loaded first of all in either case.
    """
    parameters = {name: Member(PREPARED, field) for name, field in spec.prepared_fields.items()}
    arguments = tuple(a.name for a in kernel.inputs + kernel.outputs)
    loaded = _loaded(kernel.schedule, loads_first)
    names = name_nodes(
        kernel.schedule, loaded, arguments, spec.coordinates, parameters, spec.reserved | reserved
    )
    outputs = tuple(a.name for a in kernel.outputs)
    lister = _Lister(
        kernel.schedule,
        loaded,
        names,
        inputs={a.argument.name: a.name for a in kernel.inputs},
        target=lambda store: Entry(outputs[store.output], store.entry),
    )
    return lister.listing(_unused(spec, kernel))


def list_prepare(spec: Specification, schedule: Schedule, reserved: frozenset[str]) -> Listing:
    """The statements of the prepare step."""
    parameters = {name: Member(PARAMETERS, field) for name, field in spec.parameter_fields.items()}
    fields = tuple(spec.prepared_fields[output.name] for output in schedule.program.outputs)
    names = name_nodes(schedule, (), fields, (), parameters, spec.reserved | reserved)
    lister = _Lister(
        schedule, (), names, inputs={}, target=lambda store: Member(PREPARED, fields[store.output])
    )
    read = any(schedule.program.graph.kinds[i] is Kind.PARAMETER for i in _read(schedule))
    return lister.listing(() if read else (PARAMETERS,))


def _loaded(schedule: Schedule, loads_first: bool) -> tuple[int, ...]:
    """Input nodes that are loaded into variables, in order."""
    if not loads_first:
        return schedule.copies
    graph = schedule.program.graph
    position = {argument.name: place for place, argument in enumerate(schedule.program.inputs)}
    inputs = [i for i in _read(schedule) if graph.kinds[i] is Kind.INPUT and i not in schedule.copies]
    inputs.sort(key=lambda i: (position[graph.payloads[i][0]], graph.payloads[i][1]))
    return (*schedule.copies, *inputs)


def _read(schedule: Schedule) -> list[int]:
    return schedule.program.graph.reachable(schedule.program.roots)


def _unused(spec: Specification, kernel: Kernel) -> tuple[str, ...]:
    graph = kernel.schedule.program.graph
    leaves = [(graph.kinds[i], graph.payloads[i]) for i in _read(kernel.schedule)]
    inputs = {payload[0] for kind, payload in leaves if kind is Kind.INPUT}
    unused = [a.name for a in kernel.inputs if a.argument.name not in inputs]
    if spec.live and not any(kind is Kind.PARAMETER for kind, _ in leaves):
        unused.insert(0, PREPARED)
    return tuple(unused)


class _Lister:
    """Lists the statements of one schedule, part by part."""

    def __init__(
        self,
        schedule: Schedule,
        loaded: tuple[int, ...],
        names: Names,
        inputs: Mapping[str, str],
        target: Callable[[Store], Entry | Member],
    ) -> None:
        """Keep what everything is called.

        ``loaded``: inputs that have a variable; ``inputs``: what the program's inputs are called; ``target``: where outputs
        are written.
        """
        self.schedule, self.names, self.inputs, self.target = schedule, names, inputs, target
        self.loaded = loaded
        self.leaves = dict(names.leaves)
        self.variables = schedule.variables
        self.carried = carried_nodes(schedule)
        self.fields = tuple(_name(self.leaves[node].value) for node in self.carried)
        for node, field in zip(self.carried, self.fields, strict=True):
            self.leaves[node] = Signed(self.leaves[node].sign, Member(CARRIED, field))
        self.arrangement = Arrangement(schedule.program.graph, self.leaves)
        self.used: dict[int, dict[Kind, int]] = {}  # sine and cosine nodes by their angle
        graph = schedule.program.graph
        for index in _read(schedule):
            if graph.kinds[index] in (Kind.SINE, Kind.COSINE):
                self.used.setdefault(graph.payloads[index][0], {})[graph.kinds[index]] = index

    def listing(self, unused: tuple[str, ...]) -> Listing:
        """All parts."""
        parts = tuple(self.part(i, statements) for i, statements in enumerate(self.schedule.parts))
        return Listing(unused, parts, self.fields)

    def part(self, index: int, statements: Sequence[Statement]) -> Part:
        """The statements of one part, after what it loads."""
        program = self.schedule.program
        graph = program.graph
        copies = self.schedule.copies if index == 0 else ()
        made = {*copies, *(node for item in statements for node in self.made(item))}
        read = {node for item in statements for node in nodes_read(program, item, self.variables)}
        early = set(self.schedule.copies)
        inputs = {*copies, *(n for n in read - early if graph.kinds[n] is Kind.INPUT)}
        loads = tuple(Load(self.variable(n), self.entry(n)) for n in self.loaded if n in inputs)
        items = tuple(self.item(statement) for statement in statements)
        arguments = {self.entry(n).argument for n in inputs}
        arguments |= {
            leaf.struct
            for leaf in (self.leaves[n].value for n in read if graph.kinds[n] is Kind.PARAMETER)
            if isinstance(leaf, Member)
        }
        for item in items:
            if isinstance(item, Result):
                target = item.target
                arguments.add(target.argument if isinstance(target, Entry) else target.struct)
        kept = set(self.carried)
        return Part(
            loads,
            items,
            frozenset(arguments),
            carries=not kept.isdisjoint(read | made),
            makes=not kept.isdisjoint(made),
        )

    def entry(self, node: int) -> Entry:
        """Where an input is read from."""
        name, entry = self.schedule.program.graph.payloads[node]
        return Entry(self.inputs[name], entry)

    def variable(self, node: int) -> Variable | Member:
        """What has the value of a node that is computed or loaded."""
        place = self.leaves[node].value
        assert isinstance(place, Variable | Member)  # the names see to it
        return place

    def made(self, statement: Statement) -> list[int]:
        """Nodes that have their value from a statement."""
        if isinstance(statement, Assignment):
            return [statement.node]
        if isinstance(statement, SineCosine):
            return [node for angle in statement.angles for node in self.used[angle].values()]
        return []

    def item(self, statement: Statement) -> Item:
        """One statement."""
        if isinstance(statement, Assignment):
            return self.definition(statement.node)
        if isinstance(statement, Store):
            return Result(self.target(statement), self.arrangement.value(statement.ref))
        values = tuple(self.arrangement.value(angle) for angle in statement.angles)
        sines, cosines = (
            tuple(
                self.variable(self.used[angle][kind]) if kind in self.used[angle] else None
                for angle in statement.angles
            )
            for kind in (Kind.SINE, Kind.COSINE)
        )
        return Angles(self.names.arrays[statement], values, sines, cosines)

    def definition(self, node: int) -> Definition:
        """A variable; a temporary one holds the negative of its node where that saves a minus."""
        sign = self.leaves[node].sign
        value = self.arrangement.definition(node, sign)
        if node in self.names.temporaries and value.sign < 0:
            sign, value = -sign, value.negative()
        target = self.variable(node)
        self.leaves[node] = Signed(sign, target)
        return Definition(target, value)


def _name(place: object) -> str:
    assert isinstance(place, Variable)  # the names see to it
    return place.name


def carried_nodes(schedule: Schedule) -> dict[int, None]:
    """Nodes that are computed in one part and read in a later one, in the order in which they are computed.

    Copies of inputs are made at the beginning of the first part.
    """
    if not schedule.cuts:
        return {}
    kinds, payloads = schedule.program.graph.kinds, schedule.program.graph.payloads
    variables = schedule.variables
    made: dict[int, int] = dict.fromkeys(
        schedule.copies, 0
    )  # node, or angle of a sine and cosine -> its part
    crossing: set[int] = set()
    order: list[int] = list(schedule.copies)
    turned: dict[int, int] = {}
    for part, statements in enumerate(schedule.parts):
        for statement in statements:
            for node in nodes_read(schedule.program, statement, variables):
                if kinds[node] in (Kind.SINE, Kind.COSINE) and node not in made:
                    made[node] = turned[payloads[node][0]]
                    order.append(node)
                if made.get(node, part) < part:
                    crossing.add(node)
            if isinstance(statement, Assignment):
                made[statement.node] = part
                order.append(statement.node)
            elif isinstance(statement, SineCosine):
                turned |= dict.fromkeys(statement.angles, part)
    return {node: None for node in order if node in crossing}
