"""The result of ``python -m benchmarks.corpus``: what became of every robot file, in a few figures."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from kanegen.codegen.commands.against_report import BOUND
from kanegen.codegen.commands.benchmark_json import Node
from kanegen.codegen.commands.benchmark_records import Cell, Claim, Column, Contents, Shown, Table

_FAILED = "failed"
_LONGEST_REASON = 160
"""Characters of a reason that are shown."""


@dataclass(frozen=True)
class Case:
    """One file.  ``difference`` is the largest from Pinocchio's, ``of_kanegen`` what of it is no error of Pinocchio's, None
    where nothing was compared; dof and times are those of files with kernels.
    """

    package: str
    name: str
    outcome: str
    reason: str
    difference: float | None
    of_kanegen: float | None
    dof: int
    generation_seconds: float
    compile_seconds: float

    @property
    def contradicts(self) -> bool:
        """Whether something is other than promised."""
        return self.outcome == _FAILED or (self.of_kanegen is not None and not self.of_kanegen <= BOUND)


def corpus(document: Node) -> Contents:
    """The corpus by package and outcome, what the robots cost, and the files that contradict what is promised."""
    cases = [_case(node) for node in document["robots"].elements()]
    differences = [case.of_kanegen for case in cases if case.of_kanegen is not None]
    aside = ", its own errors aside" if any(case.of_kanegen != case.difference for case in cases) else ""
    failed = sum(case.outcome == _FAILED for case in cases)
    claims = (
        Claim("files that fail", float(failed), 0.0, at_most=True),
        Claim(
            f"largest difference from Pinocchio{aside}", max(differences, default=None), BOUND, at_most=True
        ),
    )
    tables = [_outcomes(cases)]
    if any(case.dof for case in cases):
        tables.append(_costs([case for case in cases if case.dof]))
    wrong = [case for case in cases if case.contradicts]
    if wrong:
        tables.append(_contradictions(wrong))
    return Contents(claims, tuple(tables))


def _case(node: Node) -> Case:
    """A file that was refused or failed has an outcome and a reason only."""

    def seconds(key: str) -> float:
        found = node.get(key)
        return 0.0 if found is None else found.number()

    def largest(key: str) -> float | None:
        found = node.get(key)
        return None if found is None else max((x.number() for _, x in found.items()), default=None)

    reason, dof, difference = node.get("reason"), node.get("dof"), largest("differences")
    return Case(
        package=node["package"].text(),
        name=node["name"].text(),
        outcome=node["outcome"].text(),
        reason="" if reason is None else reason.text(),
        difference=difference,
        of_kanegen=difference if node.get("of_kanegen") is None else largest("of_kanegen"),
        dof=0 if dof is None else dof.count(),
        generation_seconds=seconds("generation_seconds"),
        compile_seconds=seconds("compile_seconds"),
    )


def _outcomes(cases: Sequence[Case]) -> Table:
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.package, case.outcome), []).append(case)
    groups = dict(sorted(groups.items()))
    total = [("all", "", list(cases))]
    rows: list[tuple[Cell, ...]] = []
    for package, outcome, group in [*((*key, group) for key, group in groups.items()), *total]:
        differences = [case.difference for case in group if case.difference is not None]
        rows.append((package, outcome, len(group), len(differences), max(differences, default=None)))
    columns = (
        Column("package", Shown.TEXT),
        Column("outcome", Shown.TEXT),
        Column("files", Shown.COUNT),
        Column("compared", Shown.COUNT),
        Column("largest difference", Shown.DIFFERENCE),
    )
    return Table("robot files, and how far from Pinocchio they are", columns, tuple(rows))


def _costs(cases: Sequence[Case]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for what, values in (
        ("degrees of freedom", [float(case.dof) for case in cases]),
        ("seconds to generate", [case.generation_seconds for case in cases]),
        ("seconds to compile", [case.compile_seconds for case in cases]),
    ):
        largest = max(range(len(cases)), key=values.__getitem__)
        rows.append((what, statistics.median(values), values[largest], cases[largest].name))
    columns = (
        Column("of the robots that were read", Shown.TEXT),
        Column("median", Shown.NUMBER),
        Column("largest", Shown.NUMBER),
        Column("file of the largest", Shown.TEXT),
    )
    return Table("what they cost", columns, tuple(rows))


def _contradictions(cases: Sequence[Case]) -> Table:
    columns = (
        Column("package", Shown.TEXT),
        Column("file", Shown.TEXT),
        Column("outcome", Shown.TEXT),
        Column("difference", Shown.DIFFERENCE),
        Column("reason", Shown.TEXT),
    )
    rows = tuple((c.package, c.name, c.outcome, c.difference, c.reason[:_LONGEST_REASON]) for c in cases)
    return Table(f"files that fail, or differ by more than {BOUND:.0e}", columns, rows)
