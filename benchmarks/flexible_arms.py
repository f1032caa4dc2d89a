"""How many operations do arms with flexible links take, and how fast are they?

Operations for mass matrix and right-hand side beside the formula of Book (1983, section 6) and his own equations derived
here; forward dynamics of the arm with six axes and six modes beside Pinocchio's C++ articulated-body algorithm of a rigid
chain with twelve joints; the scenarios of the built-in arms in multiples of real time.
"""

from __future__ import annotations

from benchmarks.course import Course, columns, say
from benchmarks.drivers.build import BUILD_FOLDER, BuildFailed
from benchmarks.flexible_counts import count_arm, counted_arms
from benchmarks.flexible_motions import MotionTime, time_motions
from benchmarks.flexible_times import ARM, LOCAL, OWN, WORLD, time_forward_dynamics
from benchmarks.peers.engines import PeerUnavailable
from benchmarks.pinocchio_cpp.program import robot_driver
from kanegen.codegen.commands.benchmark_records import Cell, Claim, Column, Contents, Shown, Table
from kanegen.codegen.mechanism.catalogue.flexible_arms import FLEXIBLE_ARMS
from kanegen.codegen.studies.book_1983 import KERNEL, SAYS

FEWER = (4.0, 6.0)
"""Book's multiplications over kanegen's: what is needed, and what is aimed at."""

NO_SLOWER = 1.0
"""Pinocchio's time over kanegen's."""

OVER_REAL_TIME = 50.0

RUNS = 10
"""Simulations of each scenario."""


def section(course: Course) -> Contents:
    """Counts, times, motions."""
    parts = (_operations(course), _forward_dynamics(course), _scenarios(course))
    return Contents(sum((p.claims for p in parts), ()), sum((p.tables for p in parts), ()))


def _operations(course: Course) -> Contents:
    rows: list[tuple[Cell, ...]] = []
    claims: tuple[Claim, ...] = ()
    for mechanism in counted_arms()[: 1 if course.quick else None]:
        say(f"{mechanism.name}: counting")
        arm = count_arm(mechanism, BUILD_FOLDER / "flexible_arms")
        size = (arm.size.n, arm.size.n_f, arm.size.m)
        for count in arm.counts:
            rows.append((arm.arm, *size, count.who, count.multiplications, count.additions, count.divisions))
        if arm.arm == ARM:
            what = f"{ARM}, {KERNEL}: Book's {SAYS:,} multiplications / kanegen's"
            claims = tuple(Claim(what, SAYS / arm.own.multiplications, need) for need in FEWER)
    counts = ("joints", "flexible links", "modes of each")
    heads = (
        Column("arm", Shown.TEXT),
        *(Column(name, Shown.COUNT) for name in counts),
        Column("source", Shown.TEXT),
        *(Column(name, Shown.COUNT) for name in ("mult", "add", "div")),
    )
    return Contents(claims, (Table("operations for mass matrix and right-hand side", heads, tuple(rows)),))


def _forward_dynamics(course: Course) -> Contents:
    pinocchio = course.built(lambda: robot_driver("aba"), slow=True)
    try:
        found = time_forward_dynamics(course.folder, course.states, course.rounds, 20, pinocchio)
    except BuildFailed as reason:
        course.missing(reason)
        return Contents((), ())
    timings = found.measurement.timings
    rows = [
        (name, timing.minimum, timing.median, timing.minimum / timings[OWN].minimum, found.differences[name])
        for name, timing in timings.items()
    ]
    claims = tuple(Claim(f"forward_dynamics: {p} / {OWN}", found.ratio(p), NO_SLOWER) for p in (LOCAL, WORLD))
    heads = columns("contestant", "min ns", "median ns", f"over {OWN} x", "difference")
    return Contents(claims, (Table("forward dynamics, 12 coordinates", heads, tuple(rows)),))


def _scenarios(course: Course) -> Contents:
    motions: list[MotionTime] = []
    for arm in FLEXIBLE_ARMS[: 1 if course.quick else None]:
        try:
            motions += time_motions(arm, 1 if course.quick else RUNS)
        except PeerUnavailable as reason:
            course.missing(reason)
    rows = tuple(
        (
            f"{m.arm}, {m.scenario}",
            m.duration,
            m.milliseconds,
            m.median_milliseconds,
            m.steps,
            m.over_real_time,
        )
        for m in motions
    )
    claims = tuple(
        Claim(
            f"{m.arm}, {m.scenario}: seconds of motion / second of simulation",
            m.over_real_time,
            OVER_REAL_TIME,
        )
        for m in motions
    )
    heads = columns("scenario", "motion s", "min ms", "median ms", "steps", "over real time x")
    return Contents(claims, (Table("scenarios, simulated from beginning to end", heads, rows),))
