"""Programs evaluated at real or complex numbers, and their derivatives by complex steps; in doubles, or with many digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import mpmath
import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.graph import Program, evaluate_entries
from kanegen.codegen.graph.evaluate import DOUBLE, multiprecision
from kanegen.codegen.graph.functions import COMPARISONS, SELECT, TABLES
from kanegen.codegen.passes.verify import parted

STEP = 2.0**-100
"""Nothing is subtracted in Im f(x + i h d) / h, whose error is of the order h^2; a power of two leaves d its digits."""

_DIGITS = 100
"""Of numbers that have many."""

_DIFFERENCE = 1e-40
"""For slopes with many digits: a difference over this has 60 of them, less what cancels, and an error of its order."""

Evaluate = Callable[[Program, Mapping[str, Array], Mapping[str, Any]], dict[str, Array]]
"""``values``, or a ``Precisely``."""


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
    """Outputs (*batch, *shape) by name, from inputs (*batch, *shape) whose batches broadcast; complex where they are.

    Configurations may end with the time: see ``parted``.
    """
    arguments = parted(program, {name: np.asarray(x) for name, x in arguments.items()})
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


class Precisely:
    """As ``values``, but every operation has a hundred digits: results are right to the last digit of a double.

    What rounding leaves of a formula in doubles does not matter then, but whether it is right does.  Parameters are real.
    A direction that is a result itself, as dq/dt is, goes on with all its digits: dN/dt loses as many of it as N has lost.
    """

    def __init__(self) -> None:
        self._context = mpmath.mp.clone()
        self._context.dps = _DIGITS
        self._arithmetic = multiprecision(self._context)
        self._known: dict[tuple[int, bytes, bytes], list[Any]] = {}
        self._programs: dict[int, Program] = {}  # kept, so that no other has the same number
        self._unrounded: dict[bytes, list[Any]] = {}

    def __call__(
        self, program: Program, arguments: Mapping[str, Array], parameters: Mapping[str, Any]
    ) -> dict[str, Array]:
        """Outputs (*batch, *shape) by name."""
        arguments = parted(program, {name: np.asarray(x) for name, x in arguments.items()})
        given = [np.asarray(arguments[x.name]) for x in program.inputs]
        leads = [
            array.shape[: array.ndim - len(x.shape)] for array, x in zip(given, program.inputs, strict=True)
        ]
        batch = np.broadcast_shapes(*leads)
        flat = [
            np.broadcast_to(array, (*batch, *x.shape)).reshape(-1, x.size)
            for array, x in zip(given, program.inputs, strict=True)
        ]
        points = np.concatenate(flat, axis=1)
        found = [self._row(program, point, parameters) for point in points]
        rows = np.array(found).reshape(len(points), sum(x.size for x in program.outputs))
        rows = rows if np.iscomplexobj(points) else rows.real
        cuts = np.cumsum([x.size for x in program.outputs])[:-1]
        return {
            x.name: part.reshape((*batch, *x.shape))
            for x, part in zip(program.outputs, np.split(rows, cuts, axis=1), strict=True)
        }

    def _row(self, program: Program, point: Array, parameters: Mapping[str, Any]) -> Array:
        """All outputs at a point, complex where it is stepped."""
        real, direction = np.array(point.real), np.array(point.imag) / STEP
        try:
            here = self._numbers(program, real, np.zeros(real.shape), parameters)
            row = np.array([double(x) for x in here])
            self._unrounded[row.tobytes()] = here
            if not direction.any():
                return row.astype(complex)
            there = self._numbers(program, real, direction, parameters)
            slopes = [double((y - x) / _DIFFERENCE) for x, y in zip(here, there, strict=True)]
            return np.where(np.isnan(row), complex(np.nan, np.nan), row + 1j * STEP * np.array(slopes))
        except ArithmeticError:  # doubles know infinity
            return self._in_doubles(program, point, parameters)

    def _numbers(
        self, program: Program, real: Array, direction: Array, parameters: Mapping[str, Any]
    ) -> list[Any]:
        self._programs[id(program)] = program
        key = (id(program), real.tobytes(), direction.tobytes())
        if key not in self._known:
            self._known[key] = self._evaluated(program, real, direction, parameters)
        return self._known[key]

    def _evaluated(
        self, program: Program, real: Array, direction: Array, parameters: Mapping[str, Any]
    ) -> list[Any]:
        number, at, moved = self._context.mpf, 0, []
        for x in program.inputs:
            own = slice(at, at := at + x.size)
            step = self._unrounded.get(direction[own].tobytes(), direction[own].tolist())
            moved += [number(p) + _DIFFERENCE * d for p, d in zip(real[own].tolist(), step, strict=True)]
        names = [(x.name, i) for x in program.inputs for i in range(x.size)]
        numbers = {name: number(float(x)) for name, x in parameters.items()}
        found = evaluate_entries(program, dict(zip(names, moved, strict=True)), self._arithmetic, numbers)
        return [x for row in found for x in row]

    @staticmethod
    def _in_doubles(program: Program, point: Array, parameters: Mapping[str, Any]) -> Array:
        cuts = np.cumsum([x.size for x in program.inputs])[:-1]
        parts = np.split(point, cuts)
        given = {x.name: part.reshape(x.shape) for x, part in zip(program.inputs, parts, strict=True)}
        found = values(program, given, parameters)
        return np.concatenate([np.ravel(x) for x in found.values()]).astype(complex)


def double(x: Any) -> float:
    """A double of a number with many digits, NaN for the root of a negative number."""
    return float("nan") if mpmath.im(x) else float(mpmath.re(x))
