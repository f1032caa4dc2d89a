"""What a description's numbers cost: operations of inverse dynamics with other angles, and with the frames as they are."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kanegen.codegen.commands.frames_in_use import in_frames_of_the_file, turns_frames
from kanegen.codegen.graph import OperationCounts, count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers import Imported
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.passes.optimize import optimize, with_equal_values_merged
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


def price_of_frames(imported: Imported) -> Iterator[Finding]:
    """A note where the frames of a file, and the rounding in its numbers, would cost operations that others do not."""
    mechanism = imported.mechanism
    if mechanism.dof > LARGEST:
        return
    sources = KernelSources(mechanism, Options(search=1))
    if mechanism.rounded is None and not turns_frames(sources, _KERNEL):
        return
    now, then = _operations(mechanism), in_frames_of_the_file(sources, _KERNEL)
    if now.multiplications + now.additions >= then.multiplications + then.additions:
        return
    yield Finding(
        Severity.NOTE,
        "frames",
        f"of its links lie off joint axes and common normals: {_KERNEL} would take {_shown(then)} operations in them, with "
        f"its numbers as they stand, and takes {_shown(now)} in frames of its own, without a search",
        "frames of any kind",
        "Nothing is to be done: calls and results are in the file's frames. generate --explain tells which are used.",
    )


def at_least(number: float) -> str:
    """A number of one digit that is not smaller."""
    power = math.floor(math.log10(number))
    return f"{math.ceil(number / 10.0**power)}e{power}"


def _operations(mechanism: Mechanism) -> OperationCounts:
    """Operations without a search."""
    deriver = KernelSources(mechanism, Options(search=1)).deriver(_KERNEL, searched=False)
    return count(with_equal_values_merged(*optimize(deriver({})[0]))[0])


def _shown(counts: OperationCounts) -> str:
    return f"{counts.multiplications} / {counts.additions}"
