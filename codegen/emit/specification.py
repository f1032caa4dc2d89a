"""The specification of every generated function: one for C, header, cffi declarations, stub and manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kanegen.codegen.emit.identifiers import FIELD_ENDING, NameTable, cleaned
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.naming import (
    PARAMETERS,
    PLACES,
    PREPARED,
    ROWS,
    STRIDE,
    VALUES,
    VARIED,
    argument_names,
)
from kanegen.codegen.emit.precision import Precision
from kanegen.codegen.graph.count import count
from kanegen.codegen.graph.schedule import Schedule, SineCosine
from kanegen.manifest import Argument, OperationCounts


@dataclass(frozen=True, slots=True)
class CArgument:
    """An argument and its name in C."""

    argument: Argument
    name: str

    @property
    def bounds(self) -> str:
        """Array bounds in C: scalars are arrays of length one, matrices are flat."""
        return f"[{self.argument.size}]"


@dataclass(frozen=True, slots=True)
class PartNames:
    """Names of the functions that a long body is cut into, none for a short one, and of the struct they hand on."""

    functions: tuple[str, ...] = ()
    carried: str = ""

    @property
    def all(self) -> tuple[str, ...]:
        """All of these names."""
        return (*self.functions, self.carried) if self.functions else ()


@dataclass(frozen=True, slots=True)
class LaneNames:
    """Names of static functions for many states: for both layouts, for a tile, for a row in each lane, for the sines and
    cosines that it begins with, and for its parts.
    """

    many: str
    tile: str
    body: str
    angles: str
    parts: PartNames

    @property
    def all(self) -> tuple[str, ...]:
        """All of these names."""
        return (self.many, self.tile, self.body, self.angles, *self.parts.all)


@dataclass(frozen=True)
class Kernel:
    """One kernel in one precision.

    ``name`` is its key in the manifest; ``function``, ``batch``, ``soa``, ``varied`` and ``body`` are C functions: for one
    state, for rows of states, for states as a structure of arrays, for states with live parameters of their own (else
    empty), and the static one that does the work.  ``parts`` names what a long body is cut into, ``lanes`` what takes many
    states at once.
    """

    name: str
    function: str
    batch: str
    soa: str
    varied: str
    body: str
    precision: Precision
    schedule: Schedule
    inputs: tuple[CArgument, ...]
    outputs: tuple[CArgument, ...]
    counts: OperationCounts
    parts: PartNames
    lanes: LaneNames

    @property
    def angle_counts(self) -> tuple[int, ...]:
        """Numbers of angles of its calls of the sine and cosine routine."""
        return tuple(len(s.angles) for s in self.schedule.statements if isinstance(s, SineCosine))


@dataclass(frozen=True)
class Specification:
    """All that a generated file defines.  Struct fields are given by the original name of their parameter."""

    model: Model
    kernels: tuple[Kernel, ...]
    parameter_fields: Mapping[str, str]
    prepared_fields: Mapping[str, str]
    coordinates: tuple[str, ...]
    reserved: frozenset[str]
    prepare_parts: PartNames
    prepare_lanes: LaneNames

    @property
    def live(self) -> bool:
        """Whether parameters stay live."""
        return self.model.prepare is not None

    @property
    def api(self) -> str:
        """The macro in front of every external function."""
        return _macros(self.model.prefix)[0]

    @property
    def part(self) -> str:
        """The macro in front of every function that is a part of a long one."""
        return _macros(self.model.prefix)[2]

    @property
    def in_parts(self) -> bool:
        """Whether any body is cut into parts."""
        return bool(self.prepare_parts.functions or any(kernel.parts.functions for kernel in self.kernels))

    @property
    def guard(self) -> str:
        """The macro that keeps the header from being read twice."""
        return _macros(self.model.prefix)[1]

    @property
    def parameters_type(self) -> str:
        """The struct of live parameters."""
        return f"{self.model.prefix}_parameters"

    @property
    def precisions(self) -> tuple[Precision, ...]:
        """Those of the kernels."""
        return _precisions(self.model)

    def prepared_type(self, precision: Precision) -> str:
        """The struct of prepared values for kernels of a precision."""
        return f"{self.model.prefix}_prepared{precision.ending}"

    def prepare_function(self, precision: Precision) -> str:
        """The function that fills it."""
        return f"{self.model.prefix}_prepare{precision.ending}"

    def prepare_batch(self, precision: Precision) -> str:
        """The function that prepares many sets of parameters, for states with parameters of their own."""
        return f"{self.model.prefix}_prepare_batch{precision.ending}"

    @property
    def defaults_function(self) -> str:
        """The function that gives the parameters the values of the model."""
        return f"{self.model.prefix}_default_parameters"


def specify(model: Model) -> Specification:
    """The specification of a model."""
    prefix = model.prefix
    precisions = _precisions(model)
    types = [f"{prefix}_prepared{p.ending}" for p in precisions]
    functions = _FunctionNames((prefix, f"{prefix}_parameters", *types))
    own = [
        functions.take(f"{prefix}_{name}")
        for name in ("default_parameters", *(f"prepare{p.ending}" for p in precisions))
    ]
    if model.prepare is not None:
        own += [functions.take(f"{prefix}_prepare_batch{p.ending}") for p in precisions]
    wanted = [(schedule, precision) for precision in precisions for schedule in model.kernels]
    named = [functions.take(f"{prefix}_{s.program.name}{p.ending}") for s, p in wanted]
    batches = [functions.take(f"{prefix}_{s.program.name}_batch{p.ending}") for s, p in wanted]
    bodies = [functions.take(f"{prefix}_{s.program.name}_body{p.ending}") for s, p in wanted]
    parts = [_part_names(functions, f"{prefix}_{s.program.name}", p.ending, s) for s, p in wanted]
    prepare_parts = _part_names(functions, f"{prefix}_prepare", "", model.prepare)
    columns = [functions.take(f"{prefix}_{s.program.name}_batch_soa{p.ending}") for s, p in wanted]
    lanes = [_lane_names(functions, f"{prefix}_{s.program.name}", p.ending, s) for s, p in wanted]
    prepare_lanes, varied = LaneNames("", "", "", "", PartNames()), [""] * len(wanted)
    if model.prepare is not None:
        prepare_lanes = _lane_names(functions, f"{prefix}_prepare", "", model.prepare)
        varied = [functions.take(f"{prefix}_{s.program.name}_batch_varied{p.ending}") for s, p in wanted]
    kernels = []
    for (schedule, precision), function, batch, soa, own_parameters, body, part, lane in zip(
        wanted, named, batches, columns, varied, bodies, parts, lanes, strict=True
    ):
        program = schedule.program
        arguments = program.inputs + program.outputs
        names = argument_names(arguments, prefix)
        c_arguments = tuple(CArgument(a, name) for a, name in zip(arguments, names, strict=True))
        kernels.append(
            Kernel(
                name=program.name + precision.ending,
                function=function,
                batch=batch,
                soa=soa,
                varied=own_parameters,
                body=body,
                precision=precision,
                schedule=schedule,
                inputs=c_arguments[: len(program.inputs)],
                outputs=c_arguments[len(program.inputs) :],
                counts=count(program),
                parts=part,
                lanes=lane,
            )
        )
    fields = _fields(tuple(parameter.name for parameter in model.parameters))
    prepared = () if model.prepare is None else tuple(o.name for o in model.prepare.program.outputs)
    return Specification(
        model=model,
        kernels=tuple(kernels),
        parameter_fields=fields,
        prepared_fields={name: fields.get(name, f"p{i}") for i, name in enumerate(prepared)},
        coordinates=_coordinates(model.coordinate_names),
        reserved=frozenset(
            (
                *own,
                *named,
                *batches,
                *columns,
                *filter(None, varied),
                *bodies,
                *(name for part in (prepare_parts, *parts) for name in part.all),
                *(name for lane in (prepare_lanes, *lanes) for name in lane.all if name),
                *_macros(prefix),
            )
        ),
        prepare_parts=prepare_parts,
        prepare_lanes=prepare_lanes,
    )


class _FunctionNames:
    """Unique names of functions and types, which begin with the prefix of the model."""

    def __init__(self, taken: tuple[str, ...]) -> None:
        self._table = NameTable(taken)

    def take(self, wanted: str) -> str:
        """The wanted name, of any length, numbered if it is taken."""
        return self._table.take(wanted, cleaned, longest=None)


def _precisions(model: Model) -> tuple[Precision, ...]:
    """Double, and single where it is wanted."""
    return (Precision.DOUBLE, Precision.SINGLE) if model.single_precision else (Precision.DOUBLE,)


def _part_names(functions: _FunctionNames, stem: str, ending: str, schedule: Schedule | None) -> PartNames:
    """Names for the parts of a schedule, where it is cut."""
    if schedule is None or not schedule.cuts:
        return PartNames()
    names = [functions.take(f"{stem}_part{i}{ending}") for i in range(1, len(schedule.parts) + 1)]
    return PartNames(tuple(names), functions.take(f"{stem}_carried{ending}"))


def _lane_names(functions: _FunctionNames, stem: str, ending: str, schedule: Schedule) -> LaneNames:
    """Names for what takes many states at once."""
    many, tile, body, angles = (
        functions.take(f"{stem}_{word}{ending}") for word in ("many", "tile", "lanes", "angles_of_lanes")
    )
    return LaneNames(many, tile, body, angles, _part_names(functions, f"{stem}_lanes", ending, schedule))


def _macros(prefix: str) -> tuple[str, str, str]:
    """The macros in front of functions, around the header, and in front of parts."""
    return f"{prefix.upper()}_API", f"{prefix.upper()}_H", f"{prefix.upper()}_PART"


def _fields(names: tuple[str, ...]) -> dict[str, str]:
    """The field of each live parameter, unique."""
    table = NameTable()
    return {name: table.take(name, cleaned, FIELD_ENDING) for name in names}


def _coordinates(names: tuple[str, ...]) -> tuple[str, ...]:
    """What each coordinate is called in comments, and within the names of its sine and cosine; unique."""
    table = NameTable()
    return tuple(table.take(name, cleaned) for name in names)


def parameter_list(spec: Specification, kernel: Kernel) -> str:
    """C parameters of the function for one state."""
    number = kernel.precision.c_type
    items = [f"const {spec.prepared_type(kernel.precision)} *{PREPARED}"] if spec.live else []
    items += [f"const {number} {a.name}{a.bounds}" for a in kernel.inputs]
    items += [f"{number} {a.name}{a.bounds}" for a in kernel.outputs]
    return ", ".join(items)


def batch_parameter_list(
    spec: Specification, kernel: Kernel, strided: bool = False, varied: bool = False
) -> str:
    """C parameters of the function for rows of states, or for a structure of arrays with a stride; ``varied``: of prepared
    values for each state.
    """
    number = kernel.precision.c_type
    prepared = number if varied else spec.prepared_type(kernel.precision)
    items = [f"const {prepared} *{PREPARED}"] if spec.live else []
    items += [f"size_t {ROWS}", *([f"size_t {STRIDE}"] if strided else [])]
    items += [f"const {number} *{a.name}" for a in kernel.inputs]
    items += [f"{number} *{a.name}" for a in kernel.outputs]
    return ", ".join(items)


def signatures(spec: Specification) -> dict[str, str]:
    """The C parameters of every function with external linkage, by name: of kernels, then those that fill the structs."""
    found: dict[str, str] = {}
    for kernel in spec.kernels:
        found[kernel.function] = parameter_list(spec, kernel)
        found[kernel.batch] = batch_parameter_list(spec, kernel)
        found[kernel.soa] = batch_parameter_list(spec, kernel, strided=True)
        if spec.live:
            found[kernel.varied] = batch_parameter_list(spec, kernel, strided=True, varied=True)
    return found | _prepare_signatures(spec)


def _prepare_signatures(spec: Specification) -> dict[str, str]:
    if not spec.live:
        return {}
    parameters = f"{spec.parameters_type} *{PARAMETERS}"
    found = {spec.defaults_function: parameters}
    for p in spec.precisions:
        found[spec.prepare_function(p)] = f"const {parameters}, {spec.prepared_type(p)} *{PREPARED}"
        found[spec.prepare_batch(p)] = (
            f"const {parameters}, size_t {VARIED}, const size_t *{PLACES}, const double *{VALUES}, "
            f"size_t {ROWS}, size_t {STRIDE}, {p.c_type} *{PREPARED}"
        )
    return found
