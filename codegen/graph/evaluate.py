"""The reference interpreter: evaluate a program directly, vectorised with NumPy or in any other arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kanegen.codegen.graph.functions import FUNCTIONS, SELECT, TABLES
from kanegen.codegen.graph.graph import Graph, Kind, Ref
from kanegen.codegen.graph.operations import OPERATIONS, Arithmetic, signed_value
from kanegen.codegen.graph.program import Program

DOUBLE = Arithmetic(float, np.sin, np.cos, np.sqrt, lambda name, operands: TABLES[name].double(*operands))

UNIT_ROUNDOFF = 2.0**-53
"""The largest relative error of a rounding to a double."""


class _Rounded:
    """A value, and a bound of its rounding error to first order, in units of 2^-53: running error analysis.

    Every operation adds its own rounding of half a unit in the last place, that is 2^-53 of the result at most, to what
    the errors of its arguments become; sines and cosines add twice that.  Source: Higham, Accuracy and Stability of
    Numerical Algorithms, 2nd ed., sec. 3.3.
    """

    __slots__ = ("error", "value")

    def __init__(self, value: Any, error: Any) -> None:
        self.value, self.error = value, error

    def __neg__(self) -> _Rounded:
        return _Rounded(-self.value, self.error)

    def __add__(self, other: _Rounded) -> _Rounded:
        value = self.value + other.value
        return _Rounded(value, self.error + other.error + np.abs(value))

    def __sub__(self, other: _Rounded) -> _Rounded:
        return self + -other

    def __mul__(self, other: _Rounded) -> _Rounded:
        value = self.value * other.value
        carried = np.abs(self.value) * other.error + self.error * np.abs(other.value)
        return _Rounded(value, carried + np.abs(value))

    def __truediv__(self, other: _Rounded) -> _Rounded:
        value = self.value / other.value
        carried = (self.error + np.abs(value) * other.error) / np.abs(other.value)
        return _Rounded(value, carried + np.abs(value))


def _rounded_root(x: _Rounded) -> _Rounded:
    """An error e of x is one of e / (2 sqrt(x)), and of sqrt(e) at most."""
    value = np.sqrt(x.value)
    most = np.sqrt(x.error / UNIT_ROUNDOFF)
    return _Rounded(value, np.where(value > 0, np.fmin(x.error / (2 * value), most), most) + value)


def _rounded_sine(x: _Rounded) -> _Rounded:
    value = np.sin(x.value)
    return _Rounded(value, np.abs(np.cos(x.value)) * x.error + 2 * np.abs(value))


def _rounded_cosine(x: _Rounded) -> _Rounded:
    value = np.cos(x.value)
    return _Rounded(value, np.abs(np.sin(x.value)) * x.error + 2 * np.abs(value))


def multiprecision(context: Any = mpmath.mp) -> Arithmetic:
    """mpmath arithmetic at the working precision of ``context``."""
    return Arithmetic(
        lambda value: context.mpf(value.numerator) / value.denominator,
        context.sin,
        context.cos,
        context.sqrt,
        lambda name, operands: TABLES[name].precise(context, *operands),
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
    given = parameters or {}

    def leaf(kind: Kind, payload: tuple[Any, ...]) -> Any:
        return given[payload[0]] if kind is Kind.PARAMETER and payload[0] in given else entries[payload]

    values = node_values(program.graph, program.roots, arithmetic, leaf)
    return [[signed_value(values, ref) for ref in refs] for refs in program.results]


def node_values(
    graph: Graph,
    roots: Iterable[Ref],
    arithmetic: Arithmetic,
    leaf: Callable[[Kind, tuple[Any, ...]], Any],
) -> dict[int, Any]:
    """Values of all nodes that the roots need, by index, with those of inputs and parameters from ``leaf``."""
    values: dict[int, Any] = {}
    for index in graph.reachable(roots):
        kind, payload = graph.kinds[index], graph.payloads[index]
        row = OPERATIONS.get(kind)
        if row is not None:
            values[index] = row.evaluate(arithmetic, values, payload, graph.names.get(index, ""))
        elif kind is Kind.CONSTANT:
            values[index] = arithmetic.constant(payload[0])
        else:
            values[index] = leaf(kind, payload)
    return values


def _rounded_constant(value: Fraction) -> _Rounded:
    number = float(value)
    return _Rounded(number, 0.0 if Fraction(number) == value else abs(number))


def _rounded_function(name: str, operands: Sequence[_Rounded]) -> _Rounded:
    """What moving each operand by its error does to the value, and two roundings of the value.

    Comparisons are 0 or 1, and selections one of their operands: these are not rounded.  Their conditions are turned round
    where that is within the errors.
    """
    compute, values = TABLES[name].double, [x.value for x in operands]
    value = compute(*values)
    error = 2 * np.abs(value) if name in FUNCTIONS else 0.0
    for k, x in enumerate(operands):
        reach = x.error * UNIT_ROUNDOFF
        if name == SELECT and k == 0:
            reach = np.where(reach < 0.5, 0.0, 1 - 2 * x.value)
        up, down = (
            compute(*values[:k], at, *values[k + 1 :]) for at in (values[k] + reach, values[k] - reach)
        )
        error = error + np.fmax(np.abs(up - value), np.abs(down - value)) / UNIT_ROUNDOFF
    return _Rounded(value, error)


_ROUNDED = Arithmetic(_rounded_constant, _rounded_sine, _rounded_cosine, _rounded_root, _rounded_function)


def evaluate(
    program: Program, arguments: Mapping[str, ArrayLike], parameters: Mapping[str, ArrayLike] | None = None
) -> dict[str, NDArray[np.float64]]:
    """Evaluate a program in double precision over any batch.

    Each argument has shape (..., *argument.shape); leading dimensions broadcast, and parameters are numbers or arrays of
    these dimensions.  Returns one array of shape
    (..., *shape) for each output, by name.
    """
    entries, batch = _entries(program, arguments)
    numbers = {
        name: value if isinstance(value, np.ndarray) else float(value)  # type: ignore[arg-type]  # one number
        for name, value in (parameters or {}).items()
    }
    batch = np.broadcast_shapes(batch, *(np.shape(value) for value in numbers.values()))
    with np.errstate(all="ignore"):
        results = evaluate_entries(program, entries, DOUBLE, numbers)
    return _stacked(program, results, batch)


def rounding_errors(
    program: Program, arguments: Mapping[str, ArrayLike], parameters: Mapping[str, float] | None = None
) -> dict[str, NDArray[np.float64]]:
    """Bounds of the rounding errors of ``evaluate``, to first order: for each output an array of its shape.

    They are relative to nothing: a difference of terms that nearly cancel has the errors of the terms.
    """
    entries, batch = _entries(program, arguments)
    given = {key: _Rounded(value, 0.0) for key, value in entries.items()}
    numbers = {name: _Rounded(float(value), 0.0) for name, value in (parameters or {}).items()}
    with np.errstate(all="ignore"):
        results = evaluate_entries(program, given, _ROUNDED, numbers)
    return _stacked(program, [[UNIT_ROUNDOFF * x.error for x in row] for row in results], batch)


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
