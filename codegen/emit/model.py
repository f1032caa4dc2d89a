"""What emission is given: a model with its scheduled kernels, and all that the files say about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from kanegen.codegen.emit.identifiers import is_prefix
from kanegen.codegen.graph.graph import Kind
from kanegen.codegen.graph.program import Program
from kanegen.codegen.graph.schedule import Schedule
from kanegen.manifest import Argument, Certificate, GeneratedMechanism


class SineCosineLibrary(Enum):
    """Where sines and cosines come from: one vector evaluation of all angles, or the C library."""

    VECTOR = "vector"
    LIBM = "libm"


@dataclass(frozen=True, slots=True)
class LiveParameter:
    """A model parameter that stays a field of the C parameter struct: its default ``value``, and the ``least`` one."""

    name: str
    value: Fraction
    unit: str
    description: str
    least: Fraction | None = None


@dataclass(frozen=True, kw_only=True)
class Model(GeneratedMechanism):
    """A mechanism ready to be printed: what is known of it, and its kernels.

    ``regular`` are the kernels that mean something also where the speeds do not determine the motion.  With live
    parameters, the PARAMETER nodes of kernels name outputs of ``prepare``, and those of ``prepare`` name
    ``parameters``.

    Raises ValueError where these do not fit together.
    """

    kernels: tuple[Schedule, ...]
    parameters: tuple[LiveParameter, ...] = ()
    prepare: Schedule | None = None
    certificate: Certificate | None = None
    single_precision: bool = False
    regular: frozenset[str] = frozenset()
    sincos: SineCosineLibrary = SineCosineLibrary.VECTOR

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
        _require(is_prefix(self.prefix), f"prefix {self.prefix!r} cannot begin names in C")
        super().__post_init__()
        _require(bool(self.kernels), "a model needs at least one kernel")
        names = [kernel.program.name for kernel in self.kernels]
        _require(len(set(names)) == len(names), f"two kernels have the same name: {sorted(names)}")
        for frame, kernels in self.frames.items():
            for name in (kernels.pose, kernels.jacobian):
                _require(
                    name is None or name in names,
                    f"frame {frame!r} names kernel {name!r}, which is not there",
                )
        _require(
            (self.prepare is None) == (not self.parameters),
            "live parameters and a prepare step come together",
        )
        prepared = (
            () if self.prepare is None else tuple(output.name for output in self.prepare.program.outputs)
        )
        for kernel in self.kernels:
            _check_kernel(kernel.program, frozenset(prepared))
        if self.prepare is not None:
            _check_prepare(self.prepare.program, frozenset(parameter.name for parameter in self.parameters))

    @property
    def programs(self) -> tuple[Program, ...]:
        """The programs of the kernels."""
        return tuple(kernel.program for kernel in self.kernels)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


def _check_kernel(program: Program, prepared: frozenset[str]) -> None:
    """Arguments have entries, and whatever depends on parameters alone has been moved to the prepare step."""
    graph = program.graph
    _check_arguments(program, program.inputs + program.outputs)
    sizes = {argument.name: argument.size for argument in program.inputs}
    for index in graph.reachable(program.roots):
        kind, payload = graph.kinds[index], graph.payloads[index]
        if kind is Kind.PARAMETER:
            _require(payload[0] in prepared, f"{program.name}: the value {payload[0]!r} is not prepared")
        elif kind is Kind.INPUT:
            name, entry = payload
            _require(
                entry < sizes.get(name, 0),
                f"{program.name}: there is no input {name!r} with an entry {entry}",
            )
        elif kind >= Kind.SUM:
            parametric = sum(graph.parametric[abs(operand)] for operand in payload)
            allowed = 1 if kind in (Kind.SUM, Kind.PRODUCT, Kind.QUOTIENT) else 0
            if kind >= Kind.FUNCTION:
                allowed = len(payload)  # which varies as a whole
            _require(
                parametric <= allowed and not graph.parametric[index],
                f"{program.name}: work on parameters alone has not been moved to the prepare step",
            )


def _check_prepare(program: Program, parameters: frozenset[str]) -> None:
    """The prepare step reads parameters and makes scalars."""
    graph = program.graph
    _check_arguments(program, program.outputs)
    _require(not program.inputs, f"{program.name}: the prepare step has no inputs, only parameters")
    _require(
        all(output.shape == () for output in program.outputs), f"{program.name}: prepared values are scalars"
    )
    for index in graph.reachable(program.roots):
        if graph.kinds[index] is Kind.PARAMETER:
            name = graph.payloads[index][0]
            _require(name in parameters, f"{program.name}: there is no parameter {name!r}")


def _check_arguments(program: Program, arguments: tuple[Argument, ...]) -> None:
    names = [argument.name for argument in arguments]
    _require(len(set(names)) == len(names), f"{program.name}: two arguments have the same name: {names}")
    _require(bool(program.outputs), f"{program.name}: there is no output")
    for argument in arguments:
        _require(
            argument.size > 0,
            f"{program.name}: argument {argument.name!r} of shape {argument.shape} is empty",
        )
    sizes = [output.size for output in program.outputs]
    _require(
        [len(refs) for refs in program.results] == sizes, f"{program.name}: results do not fill the outputs"
    )
