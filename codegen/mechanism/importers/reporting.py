"""Findings about elements of a file, collected while it is read."""

from __future__ import annotations

from collections.abc import Iterable

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.xml_tree import Element


class Report:
    """Collects findings; each belongs to an element, whose file and line it takes."""

    def __init__(self) -> None:
        self._findings: list[Finding] = []

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything so far."""
        return tuple(self._findings)

    @property
    def failed(self) -> bool:
        """Whether there is an error among them."""
        return any(finding.severity is Severity.ERROR for finding in self._findings)

    def add(self, findings: Iterable[Finding]) -> None:
        """What was found elsewhere."""
        self._findings.extend(findings)

    def error(self, at: Element, where: str, what: str, expected: str, cure: str) -> None:
        """What makes the model wrong."""
        self._findings.append(Finding(Severity.ERROR, where, what, expected, cure, at.file, at.line))

    def warning(self, at: Element, where: str, what: str, expected: str, cure: str) -> None:
        """What is probably not as meant, or was mended."""
        self._findings.append(Finding(Severity.WARNING, where, what, expected, cure, at.file, at.line))

    def note(self, at: Element, where: str, what: str, expected: str, cure: str) -> None:
        """What is good to know."""
        self._findings.append(Finding(Severity.NOTE, where, what, expected, cure, at.file, at.line))
