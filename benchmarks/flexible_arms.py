"""How many operations do arms with flexible links take, and how fast are they?

    python -m benchmarks.flexible_arms [--output NAME.json] [--rounds N] [--runs N] [--no-cpp]

One run, three answers: operations for mass matrix and right-hand side beside the formula of Book (1983, section 6) and
his own equations derived here; forward dynamics of the arm with six axes and six modes beside Pinocchio's C++
articulated-body algorithm of a rigid chain with twelve joints, same flags, the protocol of :mod:`benchmarks.protocol`,
times of the thread; the scenarios of the built-in arms in multiples of real time.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.drivers.build import BUILD_FOLDER, FLAGS, BuildFailed, build, compiler_command
from benchmarks.entries import OWN_C
from benchmarks.environment import environment
from benchmarks.flexible_counts import ArmCounts, count_arm, counted_arms
from benchmarks.flexible_motions import MotionTime, time_motions
from benchmarks.flexible_times import (
    ARM,
    LOCAL,
    OWN,
    RELATIVE_BOUND,
    WORLD,
    ForwardDynamics,
    time_forward_dynamics,
)
from benchmarks.peers.engines import PeerUnavailable
from benchmarks.pinocchio_cpp import program as pinocchio_program
from benchmarks.protocol import command_line
from benchmarks.report import number, table, write_json
from benchmarks.robot_times import say
from kanegen.codegen.mechanism.catalogue.flexible_arms import FLEXIBLE_ARMS
from kanegen.codegen.studies.book_1983 import KERNEL, SAYS

FEWER = (4.0, 6.0)
"""Book's multiplications over kanegen's: what is needed, and what is aimed at."""

NO_SLOWER = 1.0
"""Pinocchio's time over kanegen's."""

OVER_REAL_TIME = 50.0


@dataclass(frozen=True)
class FlexibleClaim:
    """Something measured and what it is to be: ``need`` or more.  ``measured`` None where a side could not take part."""

    what: str
    measured: float | None
    need: float

    @property
    def reached(self) -> bool | None:
        """Whether it is; None where it was not measured."""
        return None if self.measured is None else self.measured >= self.need


@dataclass(frozen=True)
class Found:
    """All that one run measured."""

    counts: Sequence[ArmCounts]
    dynamics: ForwardDynamics | None
    motions: Sequence[MotionTime]
    notes: Sequence[str]


def claims(found: Found) -> Iterator[FlexibleClaim]:
    """What the run is to show."""
    own = next(counts.own for counts in found.counts if counts.arm == ARM)
    for need in FEWER:
        what = f"{ARM}, {KERNEL}: Book's {SAYS:,} multiplications / kanegen's"
        yield FlexibleClaim(what, SAYS / own.multiplications, need)
    for peer in (LOCAL, WORLD):
        ratio = None if found.dynamics is None else found.dynamics.ratio(peer)
        yield FlexibleClaim(f"forward_dynamics: {peer} / {OWN}", ratio, NO_SLOWER)
    for motion in found.motions:
        what = f"{motion.arm}, {motion.scenario}: seconds of motion / second of simulation"
        yield FlexibleClaim(what, motion.over_real_time, OVER_REAL_TIME)


def count_table(found: Sequence[ArmCounts]) -> str:
    """One row for each arm and source."""
    rows = []
    for arm in found:
        size = arm.size
        for count in arm.counts:
            cells = [count.multiplications, count.additions, count.divisions]
            shown = ["-" if x is None else str(x) for x in cells]
            rows.append([f"{arm.arm}, {count.who}", str(size.n), str(size.n_f), str(size.m), *shown])
    return table([f"{KERNEL}: arm, source", "n", "n_f", "m", "×", "+", "÷"], rows)


def dynamics_table(found: ForwardDynamics) -> str:
    """One row for each contestant."""
    rows = []
    for name, timing in found.measurement.timings.items():
        over_own = timing.minimum / found.measurement.timings[OWN].minimum
        figures = [number(timing.minimum), number(timing.median), f"{number(over_own)} x"]
        rows.append([name, *figures, f"{found.differences[name]:.1e}"])
    return table(["forward dynamics, 12 coordinates", "min ns", "median ns", f"over {OWN_C}", "error"], rows)


def motion_table(found: Sequence[MotionTime]) -> str:
    """One row for each scenario."""
    rows = [
        [
            f"{motion.arm}, {motion.scenario}",
            number(motion.duration),
            number(motion.milliseconds),
            number(motion.median_milliseconds),
            str(motion.steps),
            f"{number(motion.over_real_time)} x",
        ]
        for motion in found
    ]
    return table(["scenario", "motion s", "min ms", "median ms", "steps", "real time"], rows)


def claim_table(found: Sequence[FlexibleClaim]) -> str:
    """The claims with what was measured."""
    rows = [
        [
            claim.what,
            "-" if claim.measured is None else number(claim.measured),
            number(claim.need),
            {None: "not measured", True: "yes", False: "NO"}[claim.reached],
        ]
        for claim in found
    ]
    return table(["claim", "measured", "need", "reached"], rows)


def document_of(
    found: Found, judged: Sequence[FlexibleClaim], protocol: dict[str, object]
) -> dict[str, object]:
    """Everything as plain values."""
    where = environment(compiler_command("CC", "cc"), compiler_command("CXX", "c++"), FLAGS)
    timings = {} if found.dynamics is None else found.dynamics.measurement.timings
    differences = {} if found.dynamics is None else found.dynamics.differences
    return {
        "benchmark": "flexible_arms",
        "environment": where.as_json(),
        "protocol": protocol,
        "left_out": list(found.notes),
        "claims": [{**asdict(claim), "reached": claim.reached} for claim in judged],
        "operations": {
            arm.arm: {
                "kernel": KERNEL,
                "size": asdict(arm.size),
                "operation_counts": [asdict(count) for count in arm.counts],
            }
            for arm in found.counts
        },
        "forward_dynamics": {
            "timings": {
                name: {**asdict(timing), "largest_relative_difference": differences[name]}
                for name, timing in timings.items()
            }
        },
        "scenarios": [
            {**asdict(motion), "over_real_time": motion.over_real_time} for motion in found.motions
        ],
    }


def measure_all(options: argparse.Namespace) -> Found:
    """Count, time, simulate; what cannot be had is noted."""
    notes: list[str] = []
    counts = []
    for mechanism in counted_arms():
        say(f"{mechanism.name}: counting")
        counts.append(count_arm(mechanism, BUILD_FOLDER / "flexible_arms"))
    pinocchio: Path | None = None
    if not options.no_cpp:
        say("Pinocchio's C++ is compiled if need be; that takes minutes, once.")
        try:
            pinocchio = build(pinocchio_program.robot_driver("aba"))
        except BuildFailed as reason:
            notes.append(str(reason))
    dynamics: ForwardDynamics | None = None
    with tempfile.TemporaryDirectory() as folder:
        try:
            dynamics = time_forward_dynamics(
                Path(folder), options.states, options.rounds, options.passes, pinocchio
            )
        except BuildFailed as reason:
            notes.append(str(reason))
    motions: list[MotionTime] = []
    for arm in FLEXIBLE_ARMS:
        try:
            motions += time_motions(arm, options.runs)
        except PeerUnavailable as reason:
            notes.append(str(reason))
    return Found(counts, dynamics, motions, notes)


def run(options: argparse.Namespace) -> int:
    """The whole benchmark: measure, print, write.  Returns 1 where accelerations are wrong."""
    found = measure_all(options)
    judged = list(claims(found))
    tables = [count_table(found.counts)]
    if found.dynamics is not None:
        tables.append(dynamics_table(found.dynamics))
    print(*tables, motion_table(found.motions), claim_table(judged), sep="\n\n", end="\n\n")
    for note in found.notes:
        print(f"left out: {note}")
    protocol: dict[str, object] = {
        "states": options.states,
        "rounds": options.rounds,
        "passes_per_turn": options.passes,
        "unit": "ns per call",
        "clock": "thread",
        "runs_of_each_scenario": options.runs,
    }
    print(f"written: {write_json(options.output, document_of(found, judged, protocol)).name}")
    worst = max(found.dynamics.differences.values()) if found.dynamics is not None else 0.0
    print(f"largest error of accelerations: {worst:.1e}; allowed {RELATIVE_BOUND:.0e}")
    return 0 if worst <= RELATIVE_BOUND else 1


def main() -> int:
    """The command line."""
    parser = command_line(__doc__, "flexible_arms.json", states=256, passes=20)
    parser.add_argument("--runs", type=int, default=10, help="runs of each scenario (default %(default)s)")
    return run(parser.parse_args())


if __name__ == "__main__":
    raise SystemExit(main())
