"""What a comparison against another engine found, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

BOUND = 1e-10
"""Largest difference that passes, relative to the largest component of a result in its state."""


@dataclass(frozen=True)
class Difference:
    """The worst difference of a kernel: relative to the largest component, where it occurs, and both values there.

    ``entry`` is the index in the result, ``names`` the speeds that its rows and columns belong to, where they do.
    """

    kernel: str
    difference: float
    state: int
    entry: tuple[int, ...]
    names: tuple[str, ...]
    value: float
    expected: float


@dataclass(frozen=True)
class Report:
    """What a comparison found; ``skipped`` has kernels that kanegen cannot give, and why."""

    model: str
    peer: str
    states: int
    seed: int
    differences: tuple[Difference, ...]
    skipped: Mapping[str, str]

    @property
    def passes(self) -> bool:
        """Whether everything agrees within ``BOUND``."""
        return all(d.difference <= BOUND for d in self.differences)


def table(report: Report) -> str:
    """The report for people to read."""
    lines = [
        f"{report.model} against {report.peer}, {report.states} random states (seed {report.seed})",
        f"{'kernel':40} {'difference':>11}  where",
    ]
    for d in report.differences:
        mark = "" if d.difference <= BOUND else f"  > {BOUND:.0e}: {d.value!r}, expected {d.expected!r}"
        lines.append(f"{d.kernel:40} {d.difference:11.1e}  {_where(d)}{mark}")
    lines += [f"{name:40} {'-':>11}  {reason}" for name, reason in report.skipped.items()]
    return "\n".join(lines)


def document(report: Report) -> dict[str, Any]:
    """The report for a program to read."""
    return {
        "model": report.model,
        "against": report.peer,
        "states": report.states,
        "seed": report.seed,
        "bound": BOUND,
        "passes": report.passes,
        "kernels": [asdict(d) for d in report.differences],
        "skipped": dict(report.skipped),
    }


def _where(d: Difference) -> str:
    at = f" entry {list(d.entry)}" if d.entry else ""
    named = f" ({', '.join(d.names)})" if d.names else ""
    return f"state {d.state}{at}{named}"
