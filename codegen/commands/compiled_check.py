"""Residuals of compiled kernels against the expression graph they were printed from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import kanegen
from kanegen.codegen.graph import evaluate
from kanegen.codegen.passes.verify import random_arguments, relative_difference
from kanegen.codegen.pipeline import CERTIFIED_STATES, Generated


@dataclass(frozen=True)
class Residuals:
    """Largest relative differences: graph from plain derivation, C from graph."""

    graph: float
    compiled: float


def compiled_residuals(directory: Path, generated: Generated) -> dict[str, Residuals]:
    """Compile the generated C and compare every kernel with its graph over random states."""
    robot = kanegen.load(directory)
    numbers = {parameter.name: float(parameter.value) for parameter in generated.model.parameters}
    found = {}
    for name, kernel in generated.kernels.items():
        program = kernel.program
        arguments = random_arguments(program, CERTIFIED_STATES)
        expected = evaluate(program, arguments, numbers)
        results = robot.call(name, *(arguments[argument.name] for argument in program.inputs))
        outputs = results if isinstance(results, tuple) else (results,)
        worst = max(
            relative_difference(np.asarray(value), expected[argument.name], CERTIFIED_STATES)
            for value, argument in zip(outputs, program.outputs, strict=True)
        )
        found[name] = Residuals(kernel.residual, worst)
    return found
