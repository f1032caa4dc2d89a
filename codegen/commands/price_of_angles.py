"""What angles that are nearly quarter turns cost: operations of inverse dynamics with them and without."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import OperationCounts, count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers import Imported
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.passes.optimize import optimize
from kanegen.options import Options

LARGEST = 30
"""Degrees of freedom up to which a note waits for two derivations, some 30 ms each for every one: two seconds."""

_KERNEL = "inverse_dynamics"


def price_of_angles(imported: Imported, better: Mechanism, tolerance: str) -> Iterator[Finding]:
    """A note where a mechanism needs fewer operations ``better``, with its angles taken for quarter turns."""
    if imported.mechanism.dof > LARGEST:
        return
    now, then = _operations(imported.mechanism), _operations(better)
    if (now.multiplications, now.additions) == (then.multiplications, then.additions):
        return
    several = len(imported.angles.near)
    yield Finding(
        Severity.NOTE,
        "angles",
        f"{several} {'is' if several == 1 else 'are'} nearly a quarter turn: {_KERNEL} takes {_shown(now)} operations, "
        f"without a search, and {_shown(then)} with quarter turns",
        "angles of ten digits or more, if quarter turns are meant",
        f"Write them in full, or read the file with angle_tolerance={tolerance} (--angle-tolerance {tolerance}).",
    )


def at_least(number: float) -> str:
    """A number of one digit that is not smaller."""
    power = math.floor(math.log10(number))
    return f"{math.ceil(number / 10.0**power)}e{power}"


def _operations(mechanism: Mechanism) -> OperationCounts:
    sources = KernelSources(mechanism, Options(search=1))
    trees, build = sources.trees, sources.build(_KERNEL)
    program, _ = Deriver(trees.mechanism, build, searched=False, trees=trees)({})
    return count(optimize(program)[0])


def _shown(counts: OperationCounts) -> str:
    return f"{counts.multiplications} / {counts.additions}"
