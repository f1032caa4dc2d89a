"""What a comparison against another engine found, for people and for programs."""

from __future__ import annotations

import textwrap
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
    """What a comparison found.

    ``skipped`` has kernels that kanegen cannot give, and why; ``without_peer`` those that the engine has no answer for.
    """

    model: str
    peer: str
    states: int
    seed: int
    differences: tuple[Difference, ...]
    skipped: Mapping[str, str]
    without_peer: tuple[str, ...]

    @property
    def passes(self) -> bool:
        """Whether everything agrees within ``BOUND``."""
        return all(d.difference <= BOUND for d in self.differences)


def table(report: Report) -> str:
    """The report for people to read."""
    width = max((len(name) for name in (*(d.kernel for d in report.differences), *report.skipped)), default=6)
    lines = [
        f"{report.model} against {report.peer}, {report.states} random states (seed {report.seed})",
        f"{'kernel':{width}} {'difference':>11}  where",
    ]
    for d in report.differences:
        mark = "" if d.difference <= BOUND else f"  > {BOUND:.0e}: {d.value!r}, expected {d.expected!r}"
        lines.append(f"{d.kernel:{width}} {d.difference:11.1e}  {_where(d)}{mark}")
    lines += [f"{name:{width}} {'-':>11}  {reason}" for name, reason in report.skipped.items()]
    if report.without_peer:
        text = f"not compared, as {report.peer} has no such answer: {', '.join(report.without_peer)}"
        lines += textwrap.wrap(text, 110, subsequent_indent="    ")
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
        "without_peer": list(report.without_peer),
    }


def _where(d: Difference) -> str:
    at = f" entry {list(d.entry)}" if d.entry else ""
    named = f" ({', '.join(d.names)})" if d.names else ""
    return f"state {d.state}{at}{named}"
