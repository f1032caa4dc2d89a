"""What every importer returns."""

from __future__ import annotations

from dataclasses import dataclass, field

from kanegen.codegen.mechanism.findings import Finding
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.rounded_angles import AngleRule


@dataclass(frozen=True, slots=True)
class Imported:
    """A mechanism read from a file, and what was noticed or mended on the way (no errors: those are raised).

    ``angles`` has what became of its angles.
    """

    mechanism: Mechanism
    findings: tuple[Finding, ...]
    angles: AngleRule = field(default_factory=AngleRule)
