"""How fast are the kernels of Panda, UR5, iiwa 14, Kinova and Talos, beside Pinocchio's C++ compiled with the same flags?

    python -m benchmarks.robots [--only NAME ...] [--output NAME.json] [--rounds N] [--no-cpp]

One run, the same random states for both sides, the protocol of :mod:`benchmarks.protocol`, one state a call from C and
from C++.  The robots are files of the packages rtb-data and example-robot-data (:mod:`benchmarks.robot_files`, which says
what is changed in them); kanegen and Pinocchio read the same text, each by its own reader.  Pinocchio runs rnea, crba,
aba in both of its conventions, computeRNEADerivatives and computeABADerivatives.  Times are those of the thread.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.drivers.build import FLAGS, BuildFailed, build, compiler_command
from benchmarks.entries import OWN_C, PINOCCHIO_CPP, PINOCCHIO_CPP_WORLD
from benchmarks.environment import environment
from benchmarks.pinocchio_cpp import program as pinocchio_program
from benchmarks.protocol import command_line
from benchmarks.report import number, table, write_json
from benchmarks.robot_files import ROBOTS, BenchmarkRobot, RobotKernel, RobotMissing
from benchmarks.robot_times import ALGORITHMS, Course, RobotTimes, say

BOUND = 1e-10
"""Largest difference from Pinocchio that is allowed, relative to the largest component of a state's vector or matrix."""


@dataclass(frozen=True)
class RobotClaim:
    """Pinocchio's time over kanegen's for one kernel of one robot, and what is needed: ``need`` or more."""

    robot: str
    kernel: RobotKernel
    over: str
    need: float


# Both conventions of Pinocchio's articulated-body algorithm are measured, and both are to be beaten.
CLAIMS = (
    RobotClaim("panda", "inverse_dynamics", PINOCCHIO_CPP, 8.0),
    RobotClaim("panda", "forward_dynamics", PINOCCHIO_CPP, 6.0),
    RobotClaim("panda", "forward_dynamics", PINOCCHIO_CPP_WORLD, 6.0),
    RobotClaim("panda", "inverse_dynamics_derivatives", PINOCCHIO_CPP, 4.0),
)


def times_table(found: Sequence[RobotTimes]) -> str:
    """One row for each kernel of each robot: operations, nanoseconds, ratios, difference."""
    rows = []
    for times in found:
        for kernel, result in times.kernels.items():
            counts, timings = result.operations, result.measurement.timings
            row = [f"{times.robot.name}, {kernel}", str(times.dof)]
            row += [str(counts.multiplications), str(counts.additions), str(counts.divisions)]
            row.append(number(timings[OWN_C].minimum))
            for peer in (PINOCCHIO_CPP, PINOCCHIO_CPP_WORLD):
                ratio = result.ratio(peer)
                row += ["-", "-"] if ratio is None else [number(timings[peer].minimum), f"{number(ratio)} x"]
            worst = max(result.differences.values(), default=None)
            rows.append([*row, "-" if worst is None else f"{worst:.1e}"])
    peers = ["Pinocchio ns", "ratio", "world ns", "ratio"]
    return table(["robot, kernel", "dof", "×", "+", "÷", "kanegen ns", *peers, "difference"], rows)


@dataclass(frozen=True)
class RobotVerdict:
    """A claim with its ratio in this run; None where one of the two sides was not measured."""

    claim: RobotClaim
    ratio: float | None

    @property
    def reached(self) -> bool | None:
        """Whether the ratio reaches the need; None where there is no ratio."""
        return None if self.ratio is None else self.ratio >= self.claim.need


def verdicts(found: Sequence[RobotTimes]) -> list[RobotVerdict]:
    """Every claim with its ratio."""
    kernels = {(times.robot.name, kernel): r for times in found for kernel, r in times.kernels.items()}
    results = [(claim, kernels.get((claim.robot, claim.kernel))) for claim in CLAIMS]
    return [
        RobotVerdict(claim, None if result is None else result.ratio(claim.over)) for claim, result in results
    ]


def verdict_table(found: Sequence[RobotVerdict]) -> str:
    """The claims as a table."""
    rows = []
    for verdict in found:
        claim = verdict.claim
        rows.append(
            [
                f"{claim.robot}, {claim.kernel}: {claim.over} / {OWN_C}",
                "-" if verdict.ratio is None else number(verdict.ratio),
                number(claim.need),
                {None: "not measured", True: "yes", False: "NO"}[verdict.reached],
            ]
        )
    return table(["ratio of minima", "measured", "need", "reached"], rows)


def pinocchio_drivers(notes: list[str]) -> dict[str, Path]:
    """Pinocchio's timing programs by algorithm, compiled if need be; a note for each one where that fails."""
    say("Pinocchio's C++ is compiled if need be; that takes many minutes, once.")
    programs = {}
    for algorithm in ALGORITHMS.values():
        try:
            programs[algorithm] = build(pinocchio_program.robot_driver(algorithm))
        except BuildFailed as reason:
            notes.append(str(reason))
    return programs


def document_of(
    found: Sequence[RobotTimes], judged: Sequence[RobotVerdict], notes: list[str], protocol: dict[str, object]
) -> dict[str, object]:
    """Everything as plain values."""
    where = environment(compiler_command("CC", "cc"), compiler_command("CXX", "c++"), FLAGS)
    return {
        "benchmark": "robots",
        "environment": where.as_json(),
        "protocol": protocol,
        "left_out": notes,
        "claims": [{**asdict(verdict), "reached": verdict.reached} for verdict in judged],
        "robots": {
            times.robot.name: {
                "package": times.robot.package,
                "file": times.robot.file,
                "dof": times.dof,
                "search_budget": times.robot.search_budget,
                "kernels": {
                    kernel: {
                        "operation_counts": asdict(result.operations),
                        "timings": {
                            name: asdict(timing) for name, timing in result.measurement.timings.items()
                        },
                        "ratios": {name: result.ratio(name) for name in result.differences},
                        "largest_relative_differences": result.differences,
                    }
                    for kernel, result in times.kernels.items()
                },
            }
            for times in found
        },
    }


def run(robots: Sequence[BenchmarkRobot], options: argparse.Namespace) -> int:
    """The whole benchmark: measure, print, write.  Returns 1 where a result differs by more than ``BOUND``."""
    notes: list[str] = []
    found: list[RobotTimes] = []
    peers = {} if options.no_cpp else pinocchio_drivers(notes)
    with tempfile.TemporaryDirectory() as folder:
        course = Course(Path(folder), options.states, options.rounds, options.passes, peers)
        for robot in robots:
            try:
                found.append(course.time(robot))
            except (RobotMissing, BuildFailed) as reason:
                notes.append(str(reason))
    judged = verdicts(found)
    print(times_table(found), verdict_table(judged), sep="\n\n", end="\n\n")
    for note in notes:
        print(f"left out: {note}")
    protocol: dict[str, object] = {
        "states": options.states,
        "rounds": options.rounds,
        "passes_per_turn": options.passes,
        "unit": "ns per call",
        "clock": "thread",
    }
    print(f"written: {write_json(options.output, document_of(found, judged, notes, protocol)).name}")
    differences = [x for t in found for result in t.kernels.values() for x in result.differences.values()]
    worst = max(differences, default=0.0)
    print(f"largest difference from Pinocchio: {worst:.1e}; allowed {BOUND:.0e}")
    return 0 if worst <= BOUND else 1


def main() -> int:
    """The command line."""
    parser = command_line(__doc__, "robots.json", states=256, passes=20)
    names = [robot.name for robot in ROBOTS]
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="some of the robots")
    options = parser.parse_args()
    logging.disable(logging.WARNING)  # the files' mended flaws are the corpus's business
    return run([robot for robot in ROBOTS if robot.name in options.only], options)


if __name__ == "__main__":
    raise SystemExit(main())
