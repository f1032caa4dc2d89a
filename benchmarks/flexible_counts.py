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

KERNEL = "equations_of_motion"
"""M and R with M a = R, eq. 82: what Book's counts are of."""

BOOK_SAYS = 12_009
"""Multiplications for n = 6, n_f = 2, m = 3 in the text of Book's section 6.  His formula gives 11,361."""

FORMULATIONS = {"book_1983": "kanegen, Book's own equations", "recursive": "kanegen"}
"""How the rows are called, the best one last."""


@dataclass(frozen=True)
class Size:
    """n joints, n_f flexible links, m modes on each of these."""

    n: int
    n_f: int
    m: int

    @classmethod
    def of(cls, mechanism: Mechanism) -> Size:
        """That of an arm; where links differ, the one with the most modes counts."""
        links = mechanism.flexible
        return cls(
            n=len(mechanism.coordinates) - len(mechanism.modes),
            n_f=len(links),
            m=max(len(link.modes) for link in links),
        )


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


def book_formula(size: Size) -> OperationCount:
    """Book's count of his equations, section 6: any rotary joints, any modes, a first link that bends, a last one that does
    not.  Both numbers are whole whatever the size is.
    """
    n, n_f, m = size.n, size.n_f, size.m
    multiplications = 6 * n_f**2 * m**2 + 17.5 * n_f * m**2 + 118 * n_f**2 * m + 74 * n * n_f * m
    multiplications += 137.5 * n_f * m + 84 * n**2 + 86 * n * n_f + 279 * n + 126 * n_f - 57
    additions = 6.5 * n_f**2 * m**2 + 19 * n_f * m**2 + 115.5 * n_f**2 * m + 68 * n * n_f * m
    additions += 123 * n_f * m + 85 * n**2 + 80 * n * n_f + 329 * n + 111 * n_f - 91
    return OperationCount("Book 1983, his formula", int(multiplications), int(additions))


def count_arm(mechanism: Mechanism, folder: Path) -> ArmCounts:
    """Generate the kernel's C by both routes in ``folder`` and read what its manifest counts.

    Book's formula stands beside them where the last body is rigid, as it assumes.
    """
    size = Size.of(mechanism)
    rigid_end = mechanism.flexible_link(mechanism.bodies[-1].name) is None
    counts = [book_formula(size)] if rigid_end else []
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
