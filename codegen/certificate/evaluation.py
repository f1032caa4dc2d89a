"""Programs evaluated at real or complex numbers, and their derivatives by complex steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.graph import Program, evaluate_entries
from kanegen.codegen.graph.evaluate import DOUBLE

STEP = 1e-30
"""Nothing is subtracted in Im f(x + i h d) / h, whose error is of the order h^2."""


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
        results = evaluate_entries(program, entries, DOUBLE, parameters)
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
