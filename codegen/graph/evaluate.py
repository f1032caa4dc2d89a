"""The reference interpreter: evaluate a program directly, vectorised with NumPy or in any other arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kanegen.codegen.graph.graph import Kind
from kanegen.codegen.graph.program import Program


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A number system: how to make a constant, and its elementary functions.  Operators come from the numbers."""

    constant: Callable[[Fraction], Any]
    sine: Callable[[Any], Any]
    cosine: Callable[[Any], Any]
    square_root: Callable[[Any], Any]


DOUBLE = Arithmetic(float, np.sin, np.cos, np.sqrt)


class _Magnitude:
    """A value and the sum of the magnitudes of what it was added up from; products multiply, quotients divide both."""

    __slots__ = ("size", "value")

    def __init__(self, value: Any, size: Any = None) -> None:
        self.value, self.size = value, np.abs(value) if size is None else size

    def __neg__(self) -> _Magnitude:
        return _Magnitude(-self.value, self.size)

    def __add__(self, other: _Magnitude) -> _Magnitude:
        return _Magnitude(self.value + other.value, self.size + other.size)

    def __sub__(self, other: _Magnitude) -> _Magnitude:
        return _Magnitude(self.value - other.value, self.size + other.size)

    def __mul__(self, other: _Magnitude) -> _Magnitude:
        return _Magnitude(self.value * other.value, self.size * other.size)

    def __truediv__(self, other: _Magnitude) -> _Magnitude:
        return _Magnitude(self.value / other.value, self.size / np.abs(other.value))


def multiprecision(context: Any = mpmath.mp) -> Arithmetic:
    """mpmath arithmetic at the working precision of ``context``."""
    return Arithmetic(
        lambda value: context.mpf(value.numerator) / value.denominator, context.sin, context.cos, context.sqrt
    )


def evaluate_entries(
    program: Program,
    entries: Mapping[tuple[str, int], Any],
    arithmetic: Arithmetic,
    parameters: Mapping[str, Any] | None = None,
) -> list[list[Any]]:
    """Evaluate with ``entries[name, i]`` for every input used and ``parameters``; one list for each output.

    A parameter that is not among these is ``entries[name, 0]``, where no input can have its name.

    Raises KeyError naming the first input or parameter without a value.
    """
    graph = program.graph
    given = parameters or {}
    values: dict[int, Any] = {}

    def get(ref: int) -> Any:
        return values[ref] if ref > 0 else -values[-ref]

    for index in graph.reachable(program.roots):
        kind, payload = graph.kinds[index], graph.payloads[index]
        if kind is Kind.CONSTANT:
            result = arithmetic.constant(payload[0])
        elif kind is Kind.PARAMETER and payload[0] in given:
            result = given[payload[0]]
        elif kind is Kind.INPUT or kind is Kind.PARAMETER:
            result = entries[payload]
        elif kind is Kind.SUM:
            result = get(payload[0])
            for ref in payload[1:]:
                result = result + values[ref] if ref > 0 else result - values[-ref]
        elif kind is Kind.PRODUCT:
            result = values[payload[0]]
            for ref in payload[1:]:
                result = result * values[ref]
        elif kind is Kind.QUOTIENT:
            result = values[payload[0]] / values[payload[1]]
        elif kind is Kind.SQUARE_ROOT:
            result = arithmetic.square_root(get(payload[0]))
        elif kind is Kind.WHOLE:
            result = values[payload[0]]
        elif kind is Kind.SINE:
            result = arithmetic.sine(values[payload[0]])
        else:
            result = arithmetic.cosine(values[payload[0]])
        values[index] = result
    return [[get(ref) for ref in refs] for refs in program.results]


_MAGNITUDE = Arithmetic(
    lambda value: _Magnitude(float(value)),
    lambda x: _Magnitude(np.sin(x.value)),
    lambda x: _Magnitude(np.cos(x.value)),
    lambda x: _Magnitude(np.sqrt(x.value)),
)


def evaluate(
    program: Program, arguments: Mapping[str, ArrayLike], parameters: Mapping[str, float] | None = None
) -> dict[str, NDArray[np.float64]]:
    """Evaluate a program in double precision over any batch.

    Each argument has shape (..., *argument.shape); leading dimensions broadcast.  Returns one array of shape
    (..., *shape) for each output, by name.
    """
    entries, batch = _entries(program, arguments)
    numbers = {name: float(value) for name, value in (parameters or {}).items()}
    with np.errstate(all="ignore"):
        results = evaluate_entries(program, entries, DOUBLE, numbers)
    return _stacked(program, results, batch)


def magnitudes(
    program: Program, arguments: Mapping[str, ArrayLike], parameters: Mapping[str, float] | None = None
) -> dict[str, NDArray[np.float64]]:
    """For each output, shaped as by ``evaluate``, how large its entries were if nothing cancelled in sums.

    Rounding errors of entries are some units in the last place of that.
    """
    entries, batch = _entries(program, arguments)
    given = {key: _Magnitude(value) for key, value in entries.items()}
    numbers = {name: _Magnitude(float(value)) for name, value in (parameters or {}).items()}
    with np.errstate(all="ignore"):
        results = evaluate_entries(program, given, _MAGNITUDE, numbers)
    return _stacked(program, [[x.size for x in row] for row in results], batch)


def _entries(
    program: Program, arguments: Mapping[str, ArrayLike]
) -> tuple[dict[tuple[str, int], Any], tuple[int, ...]]:
    """The entries of all inputs, and the batch that they have together."""
    entries: dict[tuple[str, int], Any] = {}
    batch: tuple[int, ...] = ()
    for argument in program.inputs:
        array = np.asarray(arguments[argument.name], dtype=np.float64)
        lead = array.shape[: array.ndim - len(argument.shape)]
        if array.shape[len(lead) :] != argument.shape:
            raise ValueError(
                f"{argument.name}: expected (..., {', '.join(map(str, argument.shape))}), got {array.shape}"
            )
        batch = np.broadcast_shapes(batch, lead)
        flat = array.reshape((*lead, argument.size))
        for i in range(argument.size):
            entries[argument.name, i] = flat[..., i]
    return entries, batch


def _stacked(
    program: Program, results: list[list[Any]], batch: tuple[int, ...]
) -> dict[str, NDArray[np.float64]]:
    out = {}
    for argument, values in zip(program.outputs, results, strict=True):
        entries_last = np.empty((*batch, argument.size))
        for i, value in enumerate(values):
            entries_last[..., i] = value  # which broadcasts constants
        out[argument.name] = entries_last.reshape((*batch, *argument.shape))
    return out
