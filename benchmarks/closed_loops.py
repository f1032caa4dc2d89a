"""How fast are closed linkages, beside Pinocchio's constrained dynamics and MuJoCo's inverse dynamics?

The five-bar's forward dynamics beside Pinocchio's ``constraintDynamics`` of the same loop (one CONTACT_3D constraint,
ProximalSettings(1e-14, 1e-12, 30)), and the Stewart platform's inverse dynamics beside MuJoCo's ``mj_inverse`` of the open
tree and the projection of its forces on the legs.

The peers are given the rates (and MuJoCo the accelerations) of all joints, worked out beforehand; kanegen finds them from
those of the independent joints within the time.  Results are compared with one another and with multipliers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.course import Course, columns, ratio, say
from benchmarks.drivers.build import NativeProgram, kernel_driver
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
from benchmarks.own import Entry, single_calls
from benchmarks.peers.engines import Array, Kernel, PeerUnavailable
from benchmarks.peers.verification import largest_relative_error
from benchmarks.pinocchio_cpp.program import five_bar_driver
from benchmarks.protocol import measure, native_contestant
from benchmarks.states import read_rows
from kanegen import Robot, generate, load
from kanegen.codegen.commands.benchmark_records import Claim, Contents, Table

OWN = "kanegen, C"
PINOCCHIO_CPP = "Pinocchio, C++, constraintDynamics"
MUJOCO_C = "MuJoCo, C, mj_inverse and projection"
MUJOCO_C_OPEN = "MuJoCo, C, mj_inverse alone"

NEEDED = {"five_bar": (PINOCCHIO_CPP, 10.0), "stewart_platform": (MUJOCO_C, 5.0)}
"""Whose time over kanegen's is to be so much."""

STATES = 256


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
    course: Course

    def native(
        self, name: str, program: Callable[[], NativeProgram], call: NativeCall, slow: bool = False
    ) -> list[Entry]:
        """A native contestant; none if it does not build."""
        executable = self.course.built(program, slow)
        if executable is None:
            return []
        stem = "".join(c if c.isalnum() else "_" for c in f"{self.robot.name} {name}")
        states, results = (self.course.folder / f"{stem}{end}.bin" for end in ("", "-results"))
        write_blocks(states, call.blocks)
        command: list[str | Path] = [executable, *call.before, states, str(self.states.free.count)]
        command += [*call.mode, str(self.passes), results]

        def read() -> Array:
            rows = read_rows(results, call.columns)
            return rows if call.places is None else rows[:, call.places]

        return [Entry(native_contestant(name, command), read)]

    def own(self) -> list[Entry]:
        """The generated C, called from C and from Python."""
        free, robot = self.states.free, self.robot
        third = free.a if self.kernel == "inverse_dynamics" else free.tau

        def program() -> NativeProgram:
            sources = generate(robot.name, self.course.folder / robot.name, kernels=[self.kernel])
            return kernel_driver(sources, robot.name, self.kernel, (robot.nq, *[robot.nv] * 3))

        native = self.native(OWN, program, NativeCall((free.q, free.v, third), robot.nv))
        return native + self.peer(lambda: single_calls(robot, self.kernel, free, self.passes))

    def peer(self, make: Callable[[], list[Entry]]) -> list[Entry]:
        """Contestants called from Python."""
        try:
            return make()
        except PeerUnavailable as reason:
            self.course.missing(reason)
            return []


def five_bar_entries(field: Field) -> list[Entry]:
    """Forward dynamics of the five-bar."""
    states, robot = field.states, field.robot
    blocks = (states.free.q, states.qdot, on_joints(robot, states.free.tau))
    call = NativeCall(blocks, robot.nq, speed_places(robot))
    return [
        *field.own(),
        *field.native(PINOCCHIO_CPP, five_bar_driver, call, slow=True),
        *field.peer(lambda: [pinocchio_five_bar(robot, states, field.passes)]),
    ]


def stewart_entries(field: Field) -> list[Entry]:
    """Inverse dynamics of the Stewart platform."""
    states, robot = field.states, field.robot
    model = field.course.folder / "stewart.xml"
    model.write_text(stewart_mjcf(), encoding="utf-8")
    blocks = (states.free.q, states.qdot, states.qddot)
    entries = field.own()
    for name, mode in ((MUJOCO_C, "projected"), (MUJOCO_C_OPEN, "open")):
        call = NativeCall(blocks, robot.nv, before=(str(model),), mode=(mode,))
        entries += field.native(name, stewart_driver, call)
    return entries + field.peer(lambda: [mujoco_stewart(robot, states, field.passes)])


def multiplier_errors(field: Field, entries: Sequence[Entry]) -> dict[str, float]:
    """How far each contestant's results are from the solution with multipliers, in accelerations of the joints."""
    robot, states = field.robot, field.states
    errors = {}
    for entry in entries:
        if entry.results is None:
            continue
        results = entry.results()
        if field.kernel == "forward_dynamics":
            found, expected = results, by_multipliers(robot, states, states.free.tau)[:, speed_places(robot)]
        else:
            found, expected = by_multipliers(robot, states, results), states.qddot
        errors[entry.name] = largest_relative_error(np.array(found), expected)
    return errors


def section(course: Course) -> Contents:
    """Both linkages."""
    claims, tables = [], []
    for linkage in LINKAGES:
        say(f"{linkage.model}: timing {linkage.kernel}")
        robot, count = load(linkage.model), 32 if course.quick else STATES
        states = closed_states(robot, count, linkage.spread, linkage.force)
        field = Field(robot, linkage.kernel, states, 5, course)
        forward = linkage.kernel == "forward_dynamics"
        entries = five_bar_entries(field) if forward else stewart_entries(field)
        timings = measure([entry.contestant for entry in entries], course.rounds).timings
        errors, first = multiplier_errors(field, entries), timings.get(OWN)
        rows = []
        for name, timing in timings.items():
            over = ratio(timing.minimum, first and first.minimum)
            rows.append((name, timing.minimum, timing.median, over, errors.get(name)))
        heads = columns("contestant", "min ns", "median ns", "over kanegen, C x", "difference")
        tables.append(Table(f"{linkage.model}, {linkage.kernel}", heads, tuple(rows)))
        peer, need = NEEDED[linkage.model]
        over = ratio(timings[peer].minimum, first and first.minimum) if peer in timings else None
        claims.append(Claim(f"{linkage.model}, {linkage.kernel}: {peer} / {OWN}", over, need))
    return Contents(tuple(claims), tuple(tables))
