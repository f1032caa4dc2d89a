"""Findings about elements of a file, collected while it is read; one for a thing that occurs many times."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

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


Key = TypeVar("Key", bound=Hashable)

_LINES = 6  # that a message lists


@dataclass(slots=True)
class Places:
    """Where it occurs: the first element, and the lines of all."""

    first: Element
    lines: list[int | None] = field(default_factory=list)

    @property
    def text(self) -> str:
        """For a message: in 3 places (lines 4, 7, 9)."""
        count = len(self.lines)
        distinct = [line for line in dict.fromkeys(self.lines) if line is not None]
        shown = ", ".join(map(str, distinct[:_LINES])) + (", ..." if len(distinct) > _LINES else "")
        lines = f" (line{'' if len(distinct) == 1 else 's'} {shown})" if shown else ""
        return f"in {count} place{'' if count == 1 else 's'}{lines}"

    def finding(self, severity: Severity, where: str, what: str, expected: str, cure: str) -> Finding:
        """A finding at the first of them."""
        return Finding(severity, where, what, expected, cure, self.first.file, self.first.line)


def collect(found: dict[Key, Places], key: Key, element: Element) -> None:
    """Add a place to those of a key."""
    found.setdefault(key, Places(element)).lines.append(element.line)
