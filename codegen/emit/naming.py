"""Names of everything inside one kernel: arguments, variables, sines and cosines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.emit.expressions import Entry, Member, Signed, Variable
from kanegen.codegen.emit.identifiers import NameTable, identifier, is_variable, variable
from kanegen.codegen.graph.graph import Kind
from kanegen.codegen.graph.program import Program
from kanegen.codegen.graph.schedule import Assignment, Schedule, SineCosine
from kanegen.manifest import Argument

PREPARED = "prepared"
PARAMETERS = "parameters"
CARRIED = "carried"
ROWS = "count"
ROW = "row"
STRIDE = "stride"
VARIED, PLACES, VALUES = "varied", "places", "values"
"""Of the parameters that differ from state to state: how many, which, and their values."""
OF_MANY = ("groups", "columns", "group", "numbers", "arguments")
"""What the functions for many states have beside these."""
EXAMPLE_NAMES = ("values", "printf", "i")


@dataclass(frozen=True, slots=True)
class AngleArrays:
    """The arrays of one call of the sine and cosine routine."""

    angles: str
    sines: str
    cosines: str


@dataclass(frozen=True)
class Names:
    """What everything in a kernel is called.

    ``leaves``: inputs, parameters, variables, sines and cosines.  ``temporaries``: variables without a name from
    the source, whose sign is free.  ``arrays``: those of each call of a sine and cosine routine.
    """

    leaves: Mapping[int, Signed]
    temporaries: frozenset[int]
    arrays: Mapping[SineCosine, AngleArrays]


def argument_names(arguments: Sequence[Argument], prefix: str) -> tuple[str, ...]:
    """C names of the arguments of a kernel, in their order.

    None begins with the prefix, so that no function or macro is hidden.
    """
    table = NameTable((PREPARED, PARAMETERS, CARRIED, ROWS, ROW, STRIDE, *OF_MANY, *EXAMPLE_NAMES))
    names = []
    for argument in arguments:
        wanted = identifier(argument.name)
        hides = wanted.lower().startswith(f"{prefix.lower()}_")
        names.append(table.take(f"x_{wanted}" if hides else wanted))
    return tuple(names)


def name_nodes(
    schedule: Schedule,
    loaded: Sequence[int],
    arguments: Sequence[str],
    coordinates: Sequence[str],
    parameters: Mapping[str, Member],
    reserved: frozenset[str],
) -> Names:
    """Name all nodes of a kernel.

    ``loaded`` are inputs that have a variable, ``arguments`` the names of inputs and outputs, ``coordinates`` those of the
    entries of the input q, ``parameters`` what parameters are read from, ``reserved`` names that must not be hidden.
    """
    program = schedule.program
    table = NameTable((*reserved, *arguments, PREPARED, PARAMETERS, CARRIED, ROWS, ROW, STRIDE))
    of_input = {a.name: name for a, name in zip(program.inputs, arguments, strict=False)}
    leaves: dict[int, Signed] = {}
    graph = program.graph
    for index in graph.reachable(program.roots):
        kind, payload = graph.kinds[index], graph.payloads[index]
        if kind is Kind.INPUT:
            leaves[index] = Signed(1, Entry(of_input[payload[0]], payload[1]))
        elif kind is Kind.PARAMETER:
            leaves[index] = Signed(1, parameters[payload[0]])
    for index in loaded:
        name, entry = graph.payloads[index]
        leaves[index] = _variable(1, table.take(f"{of_input[name]}_{entry}", variable))
    arrays = _name_angles(schedule, coordinates, table, leaves)
    temporaries = _name_variables(schedule, arguments, table, leaves)
    return Names(leaves, temporaries, arrays)


def _variable(sign: int, name: str) -> Signed:
    return Signed(sign, Variable(name))


def _name_angles(
    schedule: Schedule, coordinates: Sequence[str], table: NameTable, leaves: dict[int, Signed]
) -> dict[SineCosine, AngleArrays]:
    """s_q2 and c_q2 for the sine and cosine of the coordinate q2, sin_elbow and cos_elbow of the coordinate elbow, s_angle1
    and c_angle1 for an angle without a name.
    """
    program, graph = schedule.program, schedule.program.graph
    arrays: dict[SineCosine, AngleArrays] = {}
    named: dict[int, str] = {}
    for statement in schedule.statements:
        if isinstance(statement, SineCosine):
            arrays[statement] = AngleArrays(table.take("angles"), table.take("sines"), table.take("cosines"))
            for angle in statement.angles:
                named[angle] = _angle_name(program, angle, coordinates) or f"angle{len(named) + 1}"
    for index in graph.reachable(program.roots):
        if graph.kinds[index] in (Kind.SINE, Kind.COSINE):
            word = "sin" if graph.kinds[index] is Kind.SINE else "cos"
            what = named[graph.payloads[index][0]]
            short = f"{word[0]}_{what}"
            wanted = short if is_variable(short) else f"{word}_{what}"
            leaves[index] = _variable(1, table.take(wanted, variable))
    return arrays


def _angle_name(program: Program, angle: int, coordinates: Sequence[str]) -> str | None:
    """q2, 2q2 (twice q2), q2_plus_q3, q2_minus_q3, the label of the angle; None for anything else."""
    graph = program.graph
    kind, payload = graph.kinds[angle], graph.payloads[angle]
    label = program.labels.get(angle, "-")
    if not label.startswith("-"):
        return label
    if kind is Kind.INPUT:
        name, entry = payload
        is_coordinate = name == "q" and entry < len(coordinates)
        return coordinates[entry] if is_coordinate else f"{name}_{entry}"
    if kind is Kind.PARAMETER:
        return str(payload[0])
    if kind is Kind.PRODUCT and len(payload) == 2 and graph.is_constant(payload[0]):
        factor: Fraction = graph.value(payload[0])
        part = _angle_name(program, payload[1], coordinates)
        return f"{factor.numerator}{part}" if part and factor.denominator == 1 and factor < 10 else None
    if kind is Kind.SUM and len(payload) <= 3 and payload[0] > 0:
        parts = [_angle_name(program, abs(operand), coordinates) for operand in payload]
        if all(parts):
            signs = ["plus" if operand > 0 else "minus" for operand in payload]
            return str(parts[0]) + "".join(f"_{s}_{p}" for s, p in zip(signs[1:], parts[1:], strict=True))
    return None


def _name_variables(
    schedule: Schedule, arguments: Sequence[str], table: NameTable, leaves: dict[int, Signed]
) -> frozenset[int]:
    """Variables after the quantity in the source, else after the output that they are, else t0, t1, ...

    Returns the last kind.
    """
    program = schedule.program
    outputs = _output_names(program, arguments[len(program.inputs) :])
    assigned = [statement.node for statement in schedule.statements if isinstance(statement, Assignment)]
    for node in assigned:
        label = program.labels.get(node)
        if label is not None:
            sign = -1 if label.startswith("-") else 1
            leaves[node] = _variable(sign, table.take(label.removeprefix("-"), variable))
        elif node in outputs:
            sign, name = outputs[node]
            leaves[node] = _variable(sign, table.take(name, variable))
    number = 0
    temporaries = [node for node in assigned if node not in leaves]
    for node in temporaries:
        name, number = table.number("t", number)
        leaves[node] = _variable(1, name)
    return frozenset(temporaries)


def _output_names(program: Program, names: Sequence[str]) -> dict[int, tuple[int, str]]:
    """For nodes that are outputs: the sign of the first one, and its argument and indices."""
    found: dict[int, tuple[int, str]] = {}
    for output, name, refs in zip(program.outputs, names, program.results, strict=True):
        for entry, ref in enumerate(refs):
            indices: list[int] = []
            for length in reversed(output.shape):
                entry, index = divmod(entry, length)
                indices.insert(0, index)
            text = "_".join([name, *map(str, indices or [0])])
            found.setdefault(abs(ref), (1 if ref > 0 else -1, text))
    return found
