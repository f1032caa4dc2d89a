"""What every importer returns."""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.codegen.mechanism.findings import Finding
from kanegen.codegen.mechanism.records import Mechanism

ANGLE_TOLERANCE = 1e-11
"""Angles [rad] this near to a multiple of pi/2 are taken for it: what doubles and files of eleven decimals leave of pi."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A mechanism read from a file, and what was noticed or mended on the way (no errors: those are raised)."""

    mechanism: Mechanism
    findings: tuple[Finding, ...]
