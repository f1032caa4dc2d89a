"""Programs evaluated at real or complex numbers, and their derivatives by complex steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.graph import Program, evaluate_entries
from kanegen.codegen.graph.evaluate import DOUBLE
from kanegen.codegen.graph.functions import COMPARISONS, SELECT, TABLES

STEP = 1e-30
"""Nothing is subtracted in Im f(x + i h d) / h, whose error is of the order h^2."""


def _angle(y: Array, x: Array) -> Array:
    step = (x.real * y.imag - y.real * x.imag) / (x.real**2 + y.real**2)
    return np.asarray(np.arctan2(y.real, x.real) + 1j * step)


_ALONG_STEPS: Mapping[str, Callable[..., Any]] = {
    "absolute": lambda x: np.where(x.real < 0, -x, x),
    "sign": lambda x: np.sign(x.real),
    "minimum": lambda a, b: np.where(a.real < b.real, a, b),
    "maximum": lambda a, b: np.where(a.real < b.real, b, a),
    "atan2": _angle,
    SELECT: lambda condition, a, b: np.where(condition.real == 1, a, b),
}
"""Functions that NumPy does not continue as analytic ones are: a step does not decide which side of a kink is taken."""


def _function(name: str, operands: Sequence[Any]) -> Array:
    """A function by table at real or complex numbers; NaN where it has no real value at the real parts."""
    numbers = [np.asarray(x) for x in operands]
    value = np.asarray(TABLES[name].double(*(x.real for x in numbers)))
    if name in COMPARISONS or not any(np.iscomplexobj(x) for x in numbers):
        return value
    along: Callable[..., Any] = _ALONG_STEPS.get(name, TABLES[name].double)
    found = along(*numbers)
    return np.where(np.isnan(value), complex(np.nan, np.nan), found)


_STEPPED = replace(DOUBLE, function=_function)


def values(
    program: Program, arguments: Mapping[str, Array], parameters: Mapping[str, Any]
) -> dict[str, Array]:
    """Outputs (*batch, *shape) by name, from inputs (*batch, *shape) whose batches broadcast; complex where they are."""
    entries: dict[tuple[str, int], Any] = {}
    batch: tuple[int, ...] = ()
    kind: Any = np.result_type(np.float64, *parameters.values())
    for argument in program.inputs:
        array = np.asarray(arguments[argument.name])
        lead = array.shape[: array.ndim - len(argument.shape)]
        batch, kind = np.broadcast_shapes(batch, lead), np.result_type(kind, array.dtype)
        flat = array.reshape((*lead, argument.size))
        entries |= {(argument.name, i): flat[..., i] for i in range(argument.size)}
    with np.errstate(all="ignore"):
        results = evaluate_entries(program, entries, _STEPPED, parameters)
    found = {}
    for argument, numbers in zip(program.outputs, results, strict=True):
        columns = [np.broadcast_to(np.asarray(x, dtype=kind), batch) for x in numbers]
        found[argument.name] = np.stack(columns, axis=-1).reshape((*batch, *argument.shape))
    return found


def stepped(x: Array, direction: Array) -> Array:
    """x with an infinitesimal step along a direction."""
    return x + 1j * STEP * direction


def slope(x: Array) -> Array:
    """The derivative that a stepped evaluation carries."""
    return np.asarray(x.imag / STEP)
