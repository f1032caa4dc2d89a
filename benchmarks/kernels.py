"""How fast are inverse and forward dynamics, mass matrix and derivatives, one state a call and many, beside other engines?

Every machine's random states are the same for everybody; all contestants of a kernel take turns.  kanegen's C is compiled
as its extensions are, for each instruction set, the peers' for the processor at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.contestants import (
    DYNAMICS,
    FEW,
    LARGEST,
    MANY,
    PINOCCHIO_CPP,
    PINOCCHIO_CPP_WORLD,
    Field,
    own_name,
)
from benchmarks.course import Course, columns, ratio, say
from benchmarks.drivers.build import BuildFailed
from benchmarks.machines import machine
from benchmarks.own import CHECKED, CHECKED_OUT, Entry, rows_name
from benchmarks.peers.pinocchio_engine import NAME as PINOCCHIO_PYTHON
from benchmarks.protocol import Timing, measure
from benchmarks.published import earlier_counts, own_count
from benchmarks.robot_files import RobotMissing
from benchmarks.states import largest_difference
from kanegen.codegen.commands.benchmark_records import Cell, Claim, Column, Contents, Shown, Table

ROWS_GAIN = {
    ("stanford_arm", "inverse_dynamics"): {"avx2": 2.2, "avx512": 2.4},
    ("stanford_arm", "forward_dynamics"): {"avx2": 2.9, "avx512": 3.1},
    ("panda", "inverse_dynamics"): {"avx2": 2.4, "avx512": 3.0},
    ("panda", "forward_dynamics"): {"avx2": 2.4, "avx512": 3.0},
    ("panda", "inverse_dynamics_derivatives"): {"avx2": 1.6, "avx512": 2.0},
}
"""What rows of states are to gain over one state after another."""

OVER_PINOCCHIO = {
    ("stanford_arm", "inverse_dynamics"): 18.0,
    ("stanford_arm", "forward_dynamics"): 24.0,
    ("panda", "inverse_dynamics"): 8.0,
    ("panda", "forward_dynamics"): 6.0,
    ("panda", "inverse_dynamics_derivatives"): 4.0,
}
"""Pinocchio's time over kanegen's, C++ and C, one state a call."""

SINGLE_GAIN = 1.7
"""Single precision over double, in rows."""

ALIKE = 1e-2
"""Differences of results, relative to a state's largest component, beyond which something else was computed: single
precision, whose roundings the mass matrix of a humanoid enlarges, stays below."""

FEW_SHARE, LARGEST_SHARE = 0.85, 0.8
"""What few rows through NumPy reach of what rows are to gain; the largest batch of the rate in the cache."""


def section(course: Course) -> Contents:
    """All machines, all kernels."""
    claims: list[Claim] = []
    tables: list[Table] = []
    for name in course.machines:
        try:
            field = Field.of(machine(name), course)
        except (RobotMissing, BuildFailed) as reason:
            course.missing(reason)
            continue
        for kernel in field.machine.kernels[: 1 if course.quick else None]:
            if (kernel in DYNAMICS) and name == "stanford_arm":
                tables.append(_operations(kernel))
            say(f"{name}: timing {kernel}")
            entries = field.entries(kernel)
            timings = measure([entry.contestant for entry in entries], course.rounds).timings
            tables.append(_table(field, kernel, entries, timings))
            claims += _claims(field, kernel, {name: timing.minimum for name, timing in timings.items()})
    return Contents(tuple(claims), tuple(tables))


def _table(field: Field, kernel: str, entries: Sequence[Entry], timings: Mapping[str, Timing]) -> Table:
    expected = next(entry.results for entry in entries if entry.name == field.reference and entry.results)()
    parts = 3 if kernel.endswith("derivatives") else 1
    first = timings[field.reference].minimum
    rows: list[tuple[Cell, ...]] = []
    for entry in entries:
        timing = timings[entry.name]
        difference = entry.results and largest_difference(entry.results(), expected, parts)
        if difference is not None and not difference < ALIKE:
            field.course.missing(
                f"{field.machine.name}, {kernel}, {entry.name}: its results differ by {difference:.1e}"
            )
            continue
        rows.append((entry.name, timing.minimum, timing.median, timing.minimum / first, difference))
    heads = columns(
        "contestant", "min ns a state", "median ns a state", "over one state in C x", "difference"
    )
    return Table(f"{field.machine.name}, {kernel}", heads, tuple(rows))


def _operations(kernel: str) -> Table:
    """The Stanford Arm's operations, the oldest first."""
    heads = (Column("source", Shown.TEXT), *(Column(name, Shown.COUNT) for name in ("mult", "add", "div")))
    counts = [*earlier_counts(kernel), *filter(None, [own_count(kernel)])]
    rows = tuple((c.who, c.multiplications, c.additions, c.divisions) for c in counts)
    return Table(f"stanford_arm, {kernel}, operations of one call", heads, rows)


def _claims(field: Field, kernel: str, times: Mapping[str, float]) -> Iterator[Claim]:
    """What is to be reached, as ratios of the smallest times."""
    name = field.machine.name
    what = f"{name}, {kernel}"
    needed = ROWS_GAIN.get((name, kernel), {})
    for variant in field.own:
        loop, rows, soa, single = (
            times[own_name(way, variant, one)]
            for way, one in (("loop", False), ("rows", False), ("columns", False), ("rows", True))
        )
        if variant in needed:
            yield Claim(f"{what}, {variant}: one state / rows, C", loop / rows, needed[variant])
            yield Claim(f"{what}, {variant}: rows / structure of arrays, C", rows / soa, 1.0)
            if name == "panda":
                yield Claim(f"{what}, {variant}: double / single precision, rows", rows / single, SINGLE_GAIN)
    loop, rows = (times[own_name(way, field.best)] for way in ("loop", "rows"))
    if field.best in needed and not kernel.endswith("derivatives"):
        few, many = times.get(rows_name(FEW, 1)), times.get(rows_name(MANY, 1))
        need = needed[field.best]
        yield Claim(f"{what}: one state in C / {MANY:,} rows through NumPy", ratio(loop, many), need)
        yield Claim(
            f"{what}: one state in C / {FEW:,} rows through NumPy", ratio(loop, few), FEW_SHARE * need
        )
    if (largest := times.get(rows_name(LARGEST, 1))) is not None:
        yield Claim(
            f"{what}: {FEW:,} rows in C / {LARGEST:,} rows through NumPy", rows / largest, LARGEST_SHARE
        )
    if checked := times.get(CHECKED):
        if (with_out := times.get(CHECKED_OUT)) is not None:
            yield Claim(f"{what}: call / call with out=", checked / with_out, 1.0)
        if PINOCCHIO_PYTHON in times:
            yield Claim(f"{what}: {PINOCCHIO_PYTHON} / call", times[PINOCCHIO_PYTHON] / checked, 1.0)
    if need_over := OVER_PINOCCHIO.get((name, kernel)):
        yield Claim(f"{what}: {PINOCCHIO_CPP} / C", ratio(times.get(PINOCCHIO_CPP), loop), need_over)
        if kernel == "forward_dynamics":
            over = ratio(times.get(PINOCCHIO_CPP_WORLD), loop)
            yield Claim(f"{what}: {PINOCCHIO_CPP_WORLD} / C", over, need_over)
