"""Many states at once: the listing of a kernel over vectors that have a state in each lane.

The statements are those for one state; only the type of numbers is another one, and so are the routines that they call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kanegen.codegen.emit.expressions import SQUARE_ROOT
from kanegen.codegen.emit.language import Language
from kanegen.codegen.emit.listing import carried_nodes
from kanegen.codegen.emit.model import SineCosineLibrary
from kanegen.codegen.emit.precision import Precision
from kanegen.codegen.emit.routines import Routines, own_name
from kanegen.codegen.emit.sincos_numbers import sine_values
from kanegen.codegen.emit.skeletons import fill
from kanegen.codegen.emit.specification import Kernel, Specification
from kanegen.codegen.graph.functions import C_NAMES, TABLES
from kanegen.codegen.graph.schedule import Schedule, SineCosine, Statement, Store

LANES = "lanes"
"""What the names of all that belongs to vectors begin with, after the prefix: it is their type."""

LARGEST = 4000
"""Numbers of a state that a kernel in lanes may keep in memory: as vectors of 64 bytes they take 256 kB of the stack."""

_FEW = 1000
"""Numbers beyond which each value of a large result is kept once: as vectors they are more than a first cache holds."""

_MATRIX = 64
"""Numbers of a result from which on each of its values may be kept once."""


@dataclass(frozen=True)
class InLanes:
    """A kernel as it is computed in lanes, and for results whose values it keeps once, by name, which one each entry is."""

    kernel: Kernel
    places: Mapping[str, tuple[int, ...]]


def fits(spec: Specification, schedule: Schedule) -> bool:
    """Whether a kernel is computed in lanes: its arguments, what its parts hand on, and prepared values have room on any
    thread's stack.
    """
    few = _numbers(spec, schedule) <= _FEW
    return few or _numbers(spec, _with_values_once(schedule)[0]) <= LARGEST


def of_many(spec: Specification, kernel: Kernel) -> InLanes | None:
    """A kernel in lanes, if it fits.

    Where there are many numbers, each value of a large result is kept once.  Matrices of a tree have few: bodies on
    different branches have nothing to do with each other, and many matrices are symmetric.
    """
    if _numbers(spec, kernel.schedule) <= _FEW:
        return InLanes(kernel, {})
    schedule, places = _with_values_once(kernel.schedule)
    if _numbers(spec, schedule) > LARGEST:
        return None
    outputs = tuple(
        replace(a, argument=argument)
        for a, argument in zip(kernel.outputs, schedule.program.outputs, strict=True)
    )
    parts = kernel.lanes.parts
    functions = parts.functions[: len(schedule.parts)] if schedule.cuts else ()
    lanes = replace(kernel.lanes, parts=replace(parts, functions=functions))
    return InLanes(
        replace(kernel, schedule=schedule, outputs=outputs, lanes=lanes),
        {kernel.outputs[output].name: of for output, of in places.items()},
    )


def _numbers(spec: Specification, schedule: Schedule) -> int:
    """Numbers of a state: arguments, what parts hand on, and prepared values."""
    return _arguments(schedule) + len(carried_nodes(schedule)) + len(spec.prepared_fields)


def _with_values_once(schedule: Schedule) -> tuple[Schedule, dict[int, tuple[int, ...]]]:
    """The schedule without the stores of values that are stored already, and by result which value each entry is."""
    program = schedule.program
    values = {
        output: tuple(dict.fromkeys(refs))
        for output, refs in enumerate(program.results)
        if len(refs) >= _MATRIX
    }
    place = {output: {ref: i for i, ref in enumerate(refs)} for output, refs in values.items()}
    stored: set[tuple[int, int]] = set()
    statements: list[Statement] = []
    cuts: list[int] = []
    for index, statement in enumerate(schedule.statements):
        if index in schedule.cuts and len(statements) > (cuts[-1] if cuts else 0):
            cuts.append(len(statements))
        if isinstance(statement, Store) and statement.output in values:
            statement = replace(statement, entry=place[statement.output][statement.ref])
            if (statement.output, statement.entry) in stored:
                continue
            stored.add((statement.output, statement.entry))
        statements.append(statement)
    if cuts and cuts[-1] == len(statements):
        cuts.pop()
    outputs = tuple(
        replace(argument, shape=(len(values[output]),)) if output in values else argument
        for output, argument in enumerate(program.outputs)
    )
    results = tuple(values.get(output, refs) for output, refs in enumerate(program.results))
    return (
        replace(
            schedule,
            program=replace(program, outputs=outputs, results=results),
            statements=tuple(statements),
            cuts=tuple(cuts),
        ),
        {output: tuple(place[output][ref] for ref in program.results[output]) for output in values},
    )


def prepares(spec: Specification) -> bool:
    """Whether parameters are prepared in lanes."""
    prepare = spec.model.prepare
    return (
        prepare is not None
        and len(spec.parameter_fields) + len(spec.prepared_fields) + len(carried_nodes(prepare)) <= LARGEST
        and any(fits(spec, kernel.schedule) for kernel in spec.kernels)
    )


def _arguments(schedule: Schedule) -> int:
    return sum(argument.size for argument in schedule.program.inputs + schedule.program.outputs)


def lane_routines(spec: Specification, functions: Mapping[Precision, Mapping[str, str]]) -> Routines:
    """What kernels in lanes call, and what moves rows into lanes and back; ``functions``: those of one state."""
    texts: list[str] = []
    names: dict[Precision, Mapping[int, str]] = {}
    called: dict[Precision, Mapping[str, str]] = {}
    for precision in spec.precisions:
        found = [of_many(spec, k) for k in spec.kernels if k.precision is precision]
        placed = any(one.places for one in found if one is not None)
        kernels = [one.kernel for one in found if one is not None]
        lanes = own_name(spec, LANES, precision)
        schedules = [k.schedule for k in kernels]
        if precision is Precision.DOUBLE and spec.model.prepare is not None and prepares(spec):
            schedules.append(spec.model.prepare)
        sizes = {
            len(s.angles) for schedule in schedules for s in schedule.statements if isinstance(s, SineCosine)
        }
        names[precision] = dict.fromkeys(sizes, f"{lanes}_sincos")
        own = {name: C_NAMES.get(name, "sqrt") for name in functions[precision]}
        called[precision] = {name: f"{lanes}_{word}" for name, word in own.items()}
        if not kernels:
            continue
        values = sine_values(precision)
        texts.append(
            fill(
                "c99/lanes.c",
                lanes=lanes,
                macro=lanes.upper(),
                type=precision.c_type,
                math_ending=precision.math_ending,
                most=max(_arguments(k.schedule) for k in kernels),
                arrays=max(len(k.inputs + k.outputs) for k in kernels),
                placed=placed,
                sincos=bool(sizes),
                live=spec.live,
                library=spec.model.sincos is SineCosineLibrary.LIBM,
                polynomials=fill("shared/sincos", **values),
                **values,
                functions=[
                    (word, functions[precision][name], 1 if name == SQUARE_ROOT else TABLES[name].arity)
                    for name, word in own.items()
                ],
            )
        )
    return Routines("\n\n".join(texts), names, "", called)


def in_lanes(language: Language, spec: Specification) -> Language:
    """A language with vectors for numbers."""
    return replace(
        language,
        number=lambda precision: own_name(spec, LANES, precision),
        alike=lambda text, precision: f"({text}) - ({own_name(spec, LANES, precision)}){{0}}",
        sincos=lambda routine, count, *arrays: [f"{routine}({count}, {', '.join(arrays)});"],
    )
