"""Derivatives of programs by complex steps: Im f(x + i h d) / h, without any differentiation of formulas.

Nothing is subtracted, so that h may be 10^-45 and the error h^2 is below every precision in use.  What is evaluated are the
program's own nodes, in complex arithmetic of 60 digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.graph import Program, evaluate_entries, multiprecision

Array = NDArray[np.float64]
Entries = Mapping[tuple[str, int], Any]

DIGITS = 60
STEP = 45


def entries_of(
    arguments: Mapping[str, Sequence[float] | Array], parameters: Mapping[str, float] | None = None
) -> Entries:
    """Exact entries for doubles."""
    found = {
        (name, i): mpmath.mpf(float(x)) for name, values in arguments.items() for i, x in enumerate(values)
    }
    return found | {(name, 0): mpmath.mpf(x) for name, x in (parameters or {}).items()}


def outputs(program: Program, entries: Entries) -> dict[str, Array]:
    """Outputs at 60 digits, rounded to doubles, by name and in their shapes."""
    with mpmath.workdps(DIGITS):
        results = evaluate_entries(program, entries, multiprecision())
    return {
        argument.name: np.array([float(x) for x in values]).reshape(argument.shape)
        for argument, values in zip(program.outputs, results, strict=True)
    }


def slope(program: Program, entries: Entries, direction: Entries) -> Array:
    """Derivative of the first output, flat, along a direction (by entries; what is missing stays)."""
    with mpmath.workdps(DIGITS):
        step = mpmath.mpf(10) ** -STEP
        moved = {
            key: mpmath.mpc(x, step * direction[key]) if key in direction else mpmath.mpc(x)
            for key, x in entries.items()
        }
        values = evaluate_entries(program, moved, multiprecision())[0]
        return np.array([float(mpmath.im(x) / step) for x in values])


def jacobian(program: Program, entries: Entries, directions: Sequence[Entries]) -> Array:
    """Derivatives of the first output along directions, one column each."""
    return np.array([slope(program, entries, direction) for direction in directions]).T


def units(name: str, count: int) -> list[Entries]:
    """Directions of the entries of an input."""
    return [{(name, i): mpmath.mpf(1)} for i in range(count)]


def along_speeds(rates: Program, entries: Entries, count: int) -> list[Entries]:
    """Directions dq = N e_j from a program of coordinate rates, dq/dt = N v + what does not depend on v."""
    with mpmath.workdps(DIGITS):
        still = {**entries, **{("v", i): mpmath.mpf(0) for i in range(count)}}
        drift = evaluate_entries(rates, still, multiprecision())[0]
        columns: list[Entries] = []
        for j in range(count):
            moving = evaluate_entries(rates, {**still, ("v", j): mpmath.mpf(1)}, multiprecision())[0]
            columns.append({("q", i): x - y for i, (x, y) in enumerate(zip(moving, drift, strict=True))})
        return columns


def relative(found: Array, expected: Array) -> float:
    """Error of the largest entry over the largest entry."""
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-300))
