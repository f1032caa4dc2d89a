"""How far programs are from a witness, in double precision and at 40 digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.graph import Program, evaluate_entries, multiprecision
from kanegen.codegen.mechanism import Mechanism

Array = NDArray[np.float64]

DIGITS = 40
EXACT = mpmath.mpf(10) ** -30
"""Two exact derivations agree to this at 40 digits: 1,000 roundings and a condition of 1e6 would cost ten digits."""

ROUNDING = 1e-13
"""A kernel of these mechanisms adds some 1,000 roundings of 1.1e-16 to the largest term."""


def derived(build: Build, mechanism: Mechanism, live_parameters: bool = False) -> Program:
    """The kernel with every decision at its default."""
    return build(place(mechanism, Choices(), live_parameters), mechanism, Choices())


def worst(found: Array, expected: Array) -> float:
    """Error of the largest component over the largest component, the worst over the states (first axis)."""
    count = len(expected)
    error = np.abs(found - expected).reshape(count, -1).max(axis=1)
    return float((error / np.abs(expected).reshape(count, -1).max(axis=1)).max())


def exactly(program: Program, **arguments: Sequence[Any]) -> list[Any]:
    """The first output, flat, in mpmath numbers at the precision in use."""
    entries = {(name, i): mpmath.mpf(x) for name, values in arguments.items() for i, x in enumerate(values)}
    results: list[Any] = evaluate_entries(program, entries, multiprecision())[0]
    return results


def difference(found: Sequence[Any], expected: Sequence[Any]) -> Any:
    """Error of the largest component over the largest component."""
    error = max(abs(x - y) for x, y in zip(found, expected, strict=True))
    return error / max(abs(y) for y in expected)


def numbers(mechanism: Mechanism) -> Mapping[str, float]:
    """The parameters' values."""
    return {parameter.name: float(parameter.value) for parameter in mechanism.parameters}
