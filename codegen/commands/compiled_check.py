"""Residuals of compiled kernels against the expression graph they were printed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import kanegen
from kanegen.codegen.certificate.certify import FILE_NAME
from kanegen.codegen.emit.writer import write_files
from kanegen.codegen.pipeline import Generated


@dataclass(frozen=True)
class Residuals:
    """Largest relative differences: graph from plain derivation, C from graph."""

    graph: float
    compiled: float


def verify(directory: Path, generated: Generated) -> dict[str, dict[str, float]]:
    """Residuals of each kernel, that of the compiled C included; they also go into the certificate beside the C.

    Raises CertificateError where the C differs from its program by more than rounding.
    """
    found = compiled_residuals(directory, generated)
    compiled = {name: residuals.compiled for name, residuals in found.items()}
    text = replace(generated.certificate, compiled=compiled).text()
    write_files({FILE_NAME: text.encode("ascii")}, directory)
    return {name: asdict(residuals) for name, residuals in found.items()}


def compiled_residuals(directory: Path, generated: Generated) -> dict[str, Residuals]:
    """Compile the generated C and compare every kernel with its graph over random states."""
    robot = kanegen.load(directory)

    def call(name: str, inputs: Sequence[Any]) -> Sequence[Any]:
        results = robot.call(name, *inputs)
        return results if isinstance(results, tuple) else (results,)

    found = generated.compiled_residuals(call)
    return {name: Residuals(generated.kernels[name].residual, x) for name, x in found.items()}
