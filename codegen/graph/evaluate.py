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


def multiprecision(context: Any = mpmath.mp) -> Arithmetic:
    """mpmath arithmetic at the working precision of ``context``."""
    return Arithmetic(
        lambda value: context.mpf(value.numerator) / value.denominator, context.sin, context.cos, context.sqrt
    )


def evaluate_entries(
    program: Program, entries: Mapping[tuple[str, int], Any], arithmetic: Arithmetic
) -> list[list[Any]]:
    """Evaluate with ``entries[name, i]`` for every input and ("parameter", 0) pair used; one list for each output.

    Raises KeyError naming the first input or parameter without a value.
    """
    graph = program.graph
    values: dict[int, Any] = {}

    def get(ref: int) -> Any:
        return values[ref] if ref > 0 else -values[-ref]

    for index in graph.reachable(program.roots):
        kind, payload = graph.kinds[index], graph.payloads[index]
        if kind is Kind.CONSTANT:
            result = arithmetic.constant(payload[0])
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
        elif kind is Kind.SINE:
            result = arithmetic.sine(values[payload[0]])
        else:
            result = arithmetic.cosine(values[payload[0]])
        values[index] = result
    return [[get(ref) for ref in refs] for refs in program.results]


def evaluate(
    program: Program, arguments: Mapping[str, ArrayLike], parameters: Mapping[str, float] | None = None
) -> dict[str, NDArray[np.float64]]:
    """Evaluate a program in double precision over any batch.

    Each argument has shape (..., *argument.shape); leading dimensions broadcast.  Returns one array of shape
    (..., *shape) for each output, by name.
    """
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
    for name, value in (parameters or {}).items():
        entries[name, 0] = float(value)
    with np.errstate(all="ignore"):
        results = evaluate_entries(program, entries, DOUBLE)
    out = {}
    for argument, values in zip(program.outputs, results, strict=True):
        entries_last = np.empty((*batch, argument.size))
        for i, value in enumerate(values):
            entries_last[..., i] = value  # which broadcasts constants
        out[argument.name] = entries_last.reshape((*batch, *argument.shape))
    return out
