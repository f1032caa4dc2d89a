"""How fast are the Stanford Arm's inverse and forward dynamics, beside Pinocchio, MuJoCo and dynibo?

    python -m benchmarks.kernels_stanford_arm [--output NAME.json] [--rounds N] [--no-cpp]

One run, the same random states for everybody (:mod:`benchmarks.states`), the protocol of :mod:`benchmarks.protocol`.
A contestant that cannot take part is named with its reason, and the others go on without it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from benchmarks.drivers.build import FLAGS, compiler_command
from benchmarks.entries import OWN_C, PINOCCHIO_CPP, PINOCCHIO_CPP_WORLD, Entry, NativeField, engine_entries
from benchmarks.environment import environment
from benchmarks.own import BOUND, CHECKED, RAW, own_entries
from benchmarks.peers.engines import KERNELS, Array, Kernel
from benchmarks.peers.pinocchio_engine import NAME as PINOCCHIO_PYTHON
from benchmarks.peers.stanford_arm_models import STANFORD_ARM, stanford_arm_engines
from benchmarks.peers.verification import largest_relative_error
from benchmarks.protocol import Measurement, command_line, measure
from benchmarks.published import earlier_counts, own_count
from benchmarks.report import number, table, write_json
from benchmarks.states import stanford_arm_states


@dataclass(frozen=True)
class Claim:
    """The time of one contestant over that of another in one run, and what is aimed at: ``aim`` or more."""

    kernel: Kernel
    time_of: str
    over_time_of: str
    aim: float


# Pinocchio's articulated-body algorithm has two conventions; both are measured, and both are to be beaten.
CLAIMS = (
    Claim("inverse_dynamics", PINOCCHIO_CPP, OWN_C, 18.0),
    Claim("forward_dynamics", PINOCCHIO_CPP, OWN_C, 24.0),
    Claim("forward_dynamics", PINOCCHIO_CPP_WORLD, OWN_C, 24.0),
    # A bound call costs at most 1.5 times the raw cffi call, a checked call no more than Pinocchio's from Python.
    Claim("inverse_dynamics", RAW, BOUND, 1 / 1.5),
    Claim("forward_dynamics", RAW, BOUND, 1 / 1.5),
    Claim("inverse_dynamics", PINOCCHIO_PYTHON, CHECKED, 1.0),
    Claim("forward_dynamics", PINOCCHIO_PYTHON, CHECKED, 1.0),
)


@dataclass(frozen=True)
class Verdict:
    """A claim with its ratios in this run; None where one of the two sides was not measured."""

    claim: Claim
    ratio_of_minima: float | None
    ratio_of_medians: float | None

    @property
    def reached(self) -> bool | None:
        """Whether the ratio of the minima reaches the aim; None where there is no ratio."""
        return None if self.ratio_of_minima is None else self.ratio_of_minima >= self.claim.aim


@dataclass(frozen=True)
class KernelResult:
    """Timings of one kernel, and each contestant's largest relative error against the reference."""

    kernel: Kernel
    reference: str
    measurement: Measurement
    errors: dict[str, float]


def measure_kernel(kernel: Kernel, entries: Sequence[Entry], reference: str, rounds: int) -> KernelResult:
    """Time all entries in turns, then compare their results with those of the entry named ``reference``."""
    measurement = measure([entry.contestant for entry in entries], rounds)
    results: dict[str, Array] = {entry.name: entry.results() for entry in entries}
    errors = {name: largest_relative_error(values, results[reference]) for name, values in results.items()}
    return KernelResult(kernel, reference, measurement, errors)


def timing_tables(result: KernelResult, entries: Sequence[Entry]) -> str:
    """One table for calls from C and C++, one for calls from Python, each with ratios to its first row."""
    texts = []
    for language, title in (("C", "from C and C++"), ("Python", "from Python")):
        names = [entry.name for entry in entries if entry.language == language]
        if not names:
            continue
        first = result.measurement.timings[names[0]].minimum
        rows = []
        for name in names:
            timing = result.measurement.timings[name]
            ratio, error = timing.minimum / first, result.errors[name]
            rows.append(
                [name, number(timing.minimum), number(timing.median), f"{number(ratio)} x", f"{error:.1e}"]
            )
        heading = [f"{result.kernel}, {title}", "min ns", "median ns", "over the first", "difference"]
        texts.append(table(heading, rows))
    return "\n\n".join(texts)


def count_table(kernel: Kernel) -> str:
    """Operation counts, the oldest first."""
    own = own_count(kernel)
    rows = []
    for count in [*earlier_counts(kernel), *([own] if own else [])]:
        divisions = "-" if count.divisions is None else str(count.divisions)
        rows.append([count.who, str(count.multiplications), str(count.additions), divisions])
    return table([f"{kernel}, operations", "multiplications", "additions", "divisions"], rows)


def verdicts(results: dict[Kernel, KernelResult], claims: Sequence[Claim] = CLAIMS) -> list[Verdict]:
    """Every claim with its ratios."""
    found = []
    for claim in claims:
        timings = results[claim.kernel].measurement.timings
        over, under = timings.get(claim.time_of), timings.get(claim.over_time_of)
        if over is None or under is None:
            found.append(Verdict(claim, None, None))
        else:
            found.append(Verdict(claim, over.minimum / under.minimum, over.median / under.median))
    return found


def verdict_table(found: Sequence[Verdict]) -> str:
    """The claims as a table."""
    rows = []
    for verdict in found:
        claim = verdict.claim
        ratios = [verdict.ratio_of_minima, verdict.ratio_of_medians]
        rows.append(
            [
                f"{claim.kernel}: {claim.time_of} / {claim.over_time_of}",
                *("-" if ratio is None else number(ratio) for ratio in ratios),
                number(claim.aim),
                {None: "not measured", True: "yes", False: "NO"}[verdict.reached],
            ]
        )
    return table(["ratio", "of minima", "of medians", "aim", "reached"], rows)


def run(count: int, rounds: int, passes: int, with_cpp: bool, output: str) -> None:
    """The whole benchmark: measure, print, write."""
    states = stanford_arm_states(count)
    engines, notes = stanford_arm_engines()
    results: dict[Kernel, KernelResult] = {}
    with NativeField(STANFORD_ARM, "stanford_arm", states, passes) as native:
        native.build_own()
        if with_cpp:
            print(
                "Pinocchio's C++ is compiled if need be; that takes minutes, once.",
                file=sys.stderr,
                flush=True,
            )
            native.build_pinocchio()
        notes += native.notes
        for kernel in KERNELS:
            entries = native.entries(kernel)
            own, missing = own_entries("stanford_arm", kernel, states, passes)
            entries += own
            notes += [note for note in missing if note not in notes]
            for engine in engines:
                entries += engine_entries(engine, kernel, states, passes)
            if not entries:
                sys.exit("nothing to measure:\n" + "\n".join(notes))
            reference = engines[0].name if engines else entries[0].name
            results[kernel] = measure_kernel(kernel, entries, reference, rounds)
            print(count_table(kernel), timing_tables(results[kernel], entries), sep="\n\n", end="\n\n")
    found = verdicts(results)
    print(verdict_table(found), end="\n\n")
    for note in notes:
        print(f"left out: {note}")
    where = environment(compiler_command("CC", "cc"), compiler_command("CXX", "c++"), FLAGS)
    document: dict[str, object] = {
        "benchmark": "kernels_stanford_arm",
        "environment": where.as_json(),
        "protocol": {"states": count, "rounds": rounds, "passes_per_turn": passes, "unit": "ns per call"},
        "left_out": notes,
        "claims": [{**asdict(verdict), "reached": verdict.reached} for verdict in found],
        "kernels": {
            kernel: {
                "operation_counts": [asdict(c) for c in [*earlier_counts(kernel), own_count(kernel)] if c],
                "reference": result.reference,
                "timings": {
                    name: {**asdict(timing), "largest_relative_difference": result.errors[name]}
                    for name, timing in result.measurement.timings.items()
                },
            }
            for kernel, result in results.items()
        },
    }
    print(f"written: {write_json(output, document).name}")


def main() -> None:
    """The command line."""
    options = command_line(__doc__, "kernels_stanford_arm.json", states=1024, passes=5).parse_args()
    run(options.states, options.rounds, options.passes, not options.no_cpp, options.output)


if __name__ == "__main__":
    main()
