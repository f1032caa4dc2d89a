"""How fast are closed linkages, beside Pinocchio's constrained dynamics and MuJoCo's inverse dynamics?

    python -m benchmarks.closed_loops [--output NAME.json] [--rounds N] [--no-cpp]

The five-bar's forward dynamics beside Pinocchio's ``constraintDynamics`` of the same loop (one CONTACT_3D constraint,
ProximalSettings(1e-14, 1e-12, 30)), and the Stewart platform's inverse dynamics beside MuJoCo's ``mj_inverse`` of the open
tree and the projection of its forces on the legs.  One run, the same random states for everybody, the protocol of
:mod:`benchmarks.protocol`; a contestant that cannot take part is named with its reason.

The peers are given the rates (and MuJoCo the accelerations) of all joints, worked out beforehand; kanegen finds them from
those of the independent joints within the time.  Results are compared with one another and with multipliers.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.drivers.build import (
    FLAGS,
    BuildFailed,
    NativeProgram,
    build,
    compiler_command,
    kernel_driver,
)
from benchmarks.entries import GENERATED, OWN_C, Entry, third_input
from benchmarks.environment import environment
from benchmarks.kernels_stanford_arm import (
    Claim,
    KernelResult,
    measure_kernel,
    timing_tables,
    verdict_table,
    verdicts,
)
from benchmarks.loop_peers import mujoco_stewart, pinocchio_five_bar
from benchmarks.loop_states import (
    LoopStates,
    by_multipliers,
    closed_states,
    on_joints,
    speed_places,
    write_blocks,
)
from benchmarks.mujoco_c.program import stewart_driver
from benchmarks.mujoco_c.stewart_model import stewart_mjcf
from benchmarks.own import own_entries
from benchmarks.peers.engines import Array, Kernel, PeerUnavailable
from benchmarks.peers.verification import largest_relative_error
from benchmarks.pinocchio_cpp.program import five_bar_driver
from benchmarks.protocol import command_line, native_contestant
from benchmarks.report import write_json
from benchmarks.states import read_rows
from kanegen import Robot, generate, load

PINOCCHIO_CPP = "Pinocchio, C++, constraintDynamics"
MUJOCO_C = "MuJoCo, C, mj_inverse and projection"
MUJOCO_C_OPEN = "MuJoCo, C, mj_inverse alone"

CLAIMS = (
    Claim("forward_dynamics", PINOCCHIO_CPP, OWN_C, 10.0),
    Claim("inverse_dynamics", MUJOCO_C, OWN_C, 5.0),
)


@dataclass(frozen=True)
class Linkage:
    """A model, the kernel to be timed, and how far its states reach (``closed_states``)."""

    model: str
    kernel: Kernel
    spread: float
    force: float


LINKAGES = (
    Linkage("five_bar", "forward_dynamics", spread=0.3, force=10.0),
    Linkage("stewart_platform", "inverse_dynamics", spread=0.1, force=100.0),
)


@dataclass(frozen=True)
class NativeCall:
    """What a native program works on, and what of its results counts.

    Attributes:
        blocks: the states, (count, ...) each.
        columns: columns of the results.
        places: the columns that count; all of them by default.
        before: arguments before the file of states.
        mode: arguments between the number of states and that of passes.
    """

    blocks: Sequence[Array]
    columns: int
    places: list[int] | None = None
    before: tuple[str, ...] = ()
    mode: tuple[str, ...] = ()


@dataclass(frozen=True)
class Field:
    """What the contestants of one linkage share."""

    robot: Robot
    kernel: Kernel
    states: LoopStates
    passes: int
    folder: Path
    notes: list[str]

    def native(self, name: str, program: Callable[[], NativeProgram], call: NativeCall) -> list[Entry]:
        """A native contestant; none if it does not build."""
        try:
            executable = build(program())
        except BuildFailed as reason:
            self.notes.append(str(reason))
            return []
        stem = "".join(c if c.isalnum() else "_" for c in f"{self.robot.name} {name}")
        states, results = self.folder / f"{stem}.bin", self.folder / f"{stem}-results.bin"
        write_blocks(states, call.blocks)
        command: list[str | Path] = [executable, *call.before, states, str(self.states.free.count)]
        command += [*call.mode, str(self.passes), results]

        def read() -> Array:
            rows = read_rows(results, call.columns)
            return rows if call.places is None else rows[:, call.places]

        return [Entry("C", native_contestant(name, command), read)]

    def sources(self) -> Path:
        """Where the generated C lies: committed, or written here and now for the kernel to be timed."""
        name = self.robot.name
        if (GENERATED / name / f"{name}.c").exists():
            return GENERATED / name
        return generate(name, self.folder / name, kernels=[self.kernel])

    def own(self) -> list[Entry]:
        """The generated C, called from C and from Python."""
        free, name = self.states.free, self.robot.name
        blocks = (free.q, free.v, third_input(free, self.kernel))
        n = self.robot.nv

        def program() -> NativeProgram:
            return kernel_driver(self.sources(), name, self.kernel, (self.robot.nq, n, n, n))

        python, missing = own_entries(name, self.kernel, free, self.passes)
        self.notes.extend(missing)
        return self.native(OWN_C, program, NativeCall(blocks, n)) + python

    def peer(self, make: Callable[[Robot, LoopStates, int], Entry]) -> list[Entry]:
        """A peer called from Python."""
        try:
            return [make(self.robot, self.states, self.passes)]
        except PeerUnavailable as reason:
            self.notes.append(str(reason))
            return []


def five_bar_entries(field: Field, with_cpp: bool) -> list[Entry]:
    """Forward dynamics of the five-bar."""
    states, robot = field.states, field.robot
    entries = field.own()
    if with_cpp:
        print(
            "Pinocchio's C++ is compiled if need be; that takes minutes, once.", file=sys.stderr, flush=True
        )
        blocks = (states.free.q, states.qdot, on_joints(robot, states.free.tau))
        call = NativeCall(blocks, robot.nq, speed_places(robot))
        entries += field.native(PINOCCHIO_CPP, five_bar_driver, call)
    return entries + field.peer(pinocchio_five_bar)


def stewart_entries(field: Field) -> list[Entry]:
    """Inverse dynamics of the Stewart platform."""
    states = field.states
    model = field.folder / "stewart.xml"
    model.write_text(stewart_mjcf(), encoding="utf-8")
    blocks = (states.free.q, states.qdot, states.qddot)
    entries = field.own()
    for name, mode in ((MUJOCO_C, "projected"), (MUJOCO_C_OPEN, "open")):
        call = NativeCall(blocks, field.robot.nv, before=(str(model),), mode=(mode,))
        entries += field.native(name, stewart_driver, call)
    return entries + field.peer(mujoco_stewart)


def multiplier_errors(field: Field, entries: Sequence[Entry]) -> dict[str, float]:
    """How far each contestant's results are from the solution with multipliers, in accelerations of the joints."""
    robot, states = field.robot, field.states
    errors = {}
    for entry in entries:
        results = entry.results()
        if field.kernel == "forward_dynamics":
            found, expected = results, by_multipliers(robot, states, states.free.tau)[:, speed_places(robot)]
        else:
            found, expected = by_multipliers(robot, states, results), states.qddot
        errors[entry.name] = largest_relative_error(np.array(found), expected)
    return errors


def measure_linkage(
    field: Field, entries: Sequence[Entry], rounds: int
) -> tuple[KernelResult, dict[str, float]]:
    """Time, compare, print."""
    if not entries:
        sys.exit("nothing to measure:\n" + "\n".join(field.notes))
    result = measure_kernel(field.kernel, entries, entries[0].name, rounds)
    errors = multiplier_errors(field, entries)
    print(f"{field.robot.name}\n", timing_tables(result, entries), sep="\n", end="\n\n")
    print(
        f"largest relative difference from the solution with multipliers: {max(errors.values()):.1e}",
        end="\n\n",
    )
    return result, errors


def run(count: int, rounds: int, passes: int, with_cpp: bool, output: str) -> None:
    """The whole benchmark: measure, print, write."""
    results: dict[Kernel, KernelResult] = {}
    errors: dict[Kernel, dict[str, float]] = {}
    counts: dict[Kernel, dict[str, int]] = {}
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for linkage in LINKAGES:
            kernel = linkage.kernel
            robot = load(linkage.model)
            states = closed_states(robot, count, linkage.spread, linkage.force)
            field = Field(robot, kernel, states, passes, Path(folder), notes)
            entries = (
                five_bar_entries(field, with_cpp) if kernel == "forward_dynamics" else stewart_entries(field)
            )
            results[kernel], errors[kernel] = measure_linkage(field, entries, rounds)
            counts[kernel] = asdict(robot.operation_counts[kernel])
    found = verdicts(results, CLAIMS)
    print(verdict_table(found), end="\n\n")
    for note in notes:
        print(f"left out: {note}")
    where = environment(compiler_command("CC", "cc"), compiler_command("CXX", "c++"), FLAGS)
    document: dict[str, object] = {
        "benchmark": "closed_loops",
        "environment": where.as_json(),
        "protocol": {"states": count, "rounds": rounds, "passes_per_turn": passes, "unit": "ns per call"},
        "left_out": notes,
        "claims": [{**asdict(verdict), "reached": verdict.reached} for verdict in found],
        "linkages": {
            linkage.model: {
                "kernel": linkage.kernel,
                "operation_counts": counts[linkage.kernel],
                "reference": results[linkage.kernel].reference,
                "timings": {
                    name: {
                        **asdict(timing),
                        "largest_relative_difference": results[linkage.kernel].errors[name],
                        "difference_from_multipliers": errors[linkage.kernel][name],
                    }
                    for name, timing in results[linkage.kernel].measurement.timings.items()
                },
            }
            for linkage in LINKAGES
        },
    }
    print(f"written: {write_json(output, document).name}")


def main() -> None:
    """The command line."""
    options = command_line(__doc__, "closed_loops.json", states=256, passes=5).parse_args()
    run(options.states, options.rounds, options.passes, not options.no_cpp, options.output)


if __name__ == "__main__":
    main()
