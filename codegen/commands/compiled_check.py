"""Residuals of compiled kernels against the expression graph they were printed from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import kanegen
from kanegen.codegen.pipeline import Generated


def verify(directory: Path, generated: Generated) -> dict[str, dict[str, float]]:
    """Residuals of each kernel: of the graph from the plain derivation, and of the compiled C from the graph.

    They also go into the certificate beside the C.  Raises CertificateError where the C differs from its program by more
    than rounding.
    """
    robot = kanegen.load(directory).with_open_loops(
        "ignore"
    )  # states are beside those in which loops are closed

    def call(name: str, inputs: Sequence[Any]) -> Sequence[Any]:
        results = robot.call(name, *inputs)
        return results if isinstance(results, tuple) else (results,)

    compiled = generated.verify(directory, call)
    return {name: {"graph": generated.kernels[name].residual, "compiled": x} for name, x in compiled.items()}
