"""Reading a model file, and telling what was noticed about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kanegen.codegen.mechanism.findings import tell
from kanegen.codegen.mechanism.importers import ANGLE_TOLERANCE, read_file
from kanegen.codegen.mechanism.records import Mechanism


def read_model(
    path: Path,
    *,
    floating_base: bool,
    allow_unphysical: bool,
    angle_tolerance: float | None,
    arguments: Mapping[str, str] | None = None,
) -> Mechanism:
    """The mechanism of a file; what was noticed about it is told.  Raises ModelError."""
    found = read_file(
        path,
        floating_base=floating_base,
        allow_unphysical=allow_unphysical,
        angle_tolerance=ANGLE_TOLERANCE if angle_tolerance is None else angle_tolerance,
        arguments=arguments,
    )
    tell(found.findings)
    return found.mechanism
