"""Operations for mass matrix and right-hand side of arms with flexible links, beside the formula of Book (1983)."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mixed_modes import with_mixed_modes
from benchmarks.published import OperationCount
from kanegen.codegen import pipeline
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.catalogue.flexible_arms import FLEXIBLE_ARMS
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.studies import book_1983
from kanegen.codegen.studies.book_1983 import KERNEL, Size

FORMULATIONS = {"book_1983": "kanegen, Book's own equations", "recursive": "kanegen"}
"""How the rows are called, the best one last."""


@dataclass(frozen=True)
class ArmCounts:
    """An arm and the operations of one evaluation of M and R: Book's count where it applies, then those of his equations as
    derived here, then kanegen's.
    """

    arm: str
    size: Size
    counts: tuple[OperationCount, ...]

    @property
    def own(self) -> OperationCount:
        """kanegen's."""
        return self.counts[-1]


def count_arm(mechanism: Mechanism, folder: Path) -> ArmCounts:
    """Generate the kernel's C by both routes in ``folder`` and read what its manifest counts.

    Book's formula stands beside them where the last body is rigid, as it assumes.
    """
    size = Size.of(mechanism)
    counts = []
    if book_1983.applies(mechanism):
        his = book_1983.counts(size)
        counts.append(OperationCount("Book 1983, his formula", his.multiplications, his.additions))
    for formulation, who in FORMULATIONS.items():
        place = folder / f"{mechanism.name}_{formulation}"
        shutil.rmtree(place, ignore_errors=True)
        pipeline.generate(mechanism, place, pipeline.Options(kernels=(KERNEL,), formulation=formulation))
        manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
        found = manifest["kernels"][KERNEL]["operation_counts"]
        counts.append(OperationCount(who, found["multiplications"], found["additions"], found["divisions"]))
    return ArmCounts(mechanism.name, size, tuple(counts))


def counted_arms() -> tuple[Mechanism, ...]:
    """The built-in ones, and that with six axes in mixed modes, where each couples with each, as Book counts them."""
    arms = tuple(catalogue.mechanism(name) for name in FLEXIBLE_ARMS)
    return (*arms, with_mixed_modes(arms[-1], f"{arms[-1].name}_mixed"))
