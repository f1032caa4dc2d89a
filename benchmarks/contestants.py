"""Who takes part in the benchmark of a kernel of a machine: kanegen from C and from Python, and other engines."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import kanegen
from benchmarks.course import Course, say, without_paths
from benchmarks.drivers.build import BuildFailed, model_driver
from benchmarks.machines import Machine
from benchmarks.mujoco_c.program import KERNELS as MUJOCO_KERNELS
from benchmarks.mujoco_c.program import rigid_body_driver
from benchmarks.own import Entry, copy_entry, rows_calls, single_calls
from benchmarks.peers.dynibo_engine import DyniboEngine
from benchmarks.peers.engines import Engine, PeerUnavailable
from benchmarks.peers.mujoco_engine import MujocoEngine
from benchmarks.peers.pinocchio_engine import PinocchioEngine
from benchmarks.peers.rows import ROWS, RowsCall
from benchmarks.pinocchio_cpp.program import INPUTS as CASADI_KERNELS
from benchmarks.pinocchio_cpp.program import casadi_driver, robot_driver
from benchmarks.pinocchio_cpp.robot_text import model_text
from benchmarks.protocol import DriverFailed, native_contestant, python_contestant, run_driver
from benchmarks.states import States, read_rows
from kanegen.builds.compiler import usable_variants
from kanegen.extension_source import BASELINE

Kernels = tuple[str, ...]

ENGINES: tuple[Callable[[str, Sequence[str]], Engine], ...] = (PinocchioEngine, MujocoEngine, DyniboEngine)

ALGORITHMS = {
    "inverse_dynamics": "rnea",
    "mass_matrix": "crba",
    "forward_dynamics": "aba",
    "inverse_dynamics_derivatives": "rnea_derivatives",
    "forward_dynamics_derivatives": "aba_derivatives",
}
"""Which of Pinocchio's algorithms computes the same."""

PINOCCHIO_CPP = "Pinocchio, C++"
PINOCCHIO_CPP_WORLD = "Pinocchio, C++, world convention"
CASADI = "CasADi, C of Pinocchio's algorithm"
MUJOCO = "MuJoCo, C"

FEW, MANY, LARGEST = 1024, 16_384, 1 << 20
"""Rows in one call through NumPy: those that stay in the second cache, twice as many as that, more than any cache holds."""

WAYS = {"loop": "one state", "rows": "rows", "columns": "structure of arrays"}

TURN = 3e6
"""Nanoseconds that a turn of a native contestant takes about."""


def own_name(way: str, variant: str, single: bool = False) -> str:
    """How tables call kanegen's C."""
    return f"kanegen, C, {variant}, {'single precision, ' * single}{WAYS[way]}"


DYNAMICS = ("inverse_dynamics", "forward_dynamics")

SMALL = 6
"""Coordinates of the machines that more rows are timed of than a cache holds; of others it would take too long."""


@dataclass(frozen=True)
class Field:
    """A machine, its states, and the programs that compute with it.

    Attributes:
        own: kanegen's, by instruction set, the best first.
        peers: other engines', with the kernels that they have.
    """

    machine: Machine
    course: Course
    states: States
    file: Path
    robot: Any
    own: dict[str, Path]
    peers: dict[str, tuple[Path, Kernels]]

    @classmethod
    def of(cls, machine: Machine, course: Course) -> Field:
        """Generate and compile.  Raises BuildFailed without a C compiler."""
        say(f"{machine.name}: generating and compiling")
        folder, manifest = machine.sources(machine.kernels[: 1 if course.quick else None])
        variants = (usable_variants() or (BASELINE,))[: 1 if course.quick else None]
        programs = [
            (v.name, course.built(functools.partial(model_driver, folder, manifest, v))) for v in variants
        ]
        own = {name: program for name, program in programs if program}
        if not own:
            raise BuildFailed(f"{machine.name}: its C was not compiled")
        states, file = machine.states(course.states), course.folder / f"{machine.name}.bin"
        states.write(file)
        robot = kanegen.load(machine.model, kernels=list(machine.kernels))
        field = cls(machine, course, states, file, robot, own, {})
        for name, (program, kernels) in field._other_programs().items():
            if program:
                field.peers[name] = program, kernels
        return field

    def _other_programs(self) -> dict[str, tuple[Path | None, Kernels]]:
        machine, course, folder = self.machine, self.course, self.course.folder
        found: dict[str, tuple[Path | None, Kernels]] = {}
        found[MUJOCO] = (
            course.built(
                lambda: rigid_body_driver(machine.name, machine.urdf, machine.joints, machine.folder)
            ),
            tuple(MUJOCO_KERNELS),
        )
        try:
            text = model_text(machine.urdf, machine.joints)
        except BuildFailed as reason:
            course.missing(reason)
            return found
        (folder / f"{machine.name}.txt").write_text(text, encoding="utf-8")
        kernels = tuple(kernel for kernel in machine.kernels if kernel in CASADI_KERNELS)
        found[CASADI] = (
            course.built(
                lambda: casadi_driver(machine.name, text, machine.dof, kernels, machine.folder), slow=True
            ),
            kernels,
        )
        return found

    @property
    def best(self) -> str:
        """The best instruction set."""
        return next(iter(self.own))

    @property
    def reference(self) -> str:
        """The contestant with which the others are compared: one state a call, the best instruction set."""
        return own_name("loop", self.best)

    def entries(self, kernel: str) -> list[Entry]:
        """All contestants of a kernel."""
        found = [*self._own(kernel), *self._native_peers(kernel)]
        if kernel in DYNAMICS:
            found += self._python_peers(kernel)
        return found

    def _own(self, kernel: str) -> Iterator[Entry]:
        course = self.course
        for variant, program in self.own.items():
            for single in (False, True):
                for way in WAYS:
                    function = f"{kernel}_f32" if single else kernel
                    yield self._native(own_name(way, variant, single), [program], (function, way))
        try:
            yield from single_calls(self.robot, kernel, self.states, 3)
            counts = [(FEW, 1)] if course.quick else [(FEW, 1), (MANY, 1), (MANY, 2)]
            if not course.quick and self.machine.dof == SMALL and kernel in DYNAMICS:
                counts.append((LARGEST, 1))
                yield copy_entry(4 * self.machine.dof, LARGEST, 1)
            yield from rows_calls(self.robot, kernel, self.states, counts, 1)
        except PeerUnavailable as reason:
            course.missing(reason)

    def _native(
        self, name: str, program: Sequence[str | Path], call: tuple[str, ...], keep: bool = False
    ) -> Entry:
        """A native program; with ``keep`` it writes its results each time, else when they are asked for."""
        place = self.course.folder / f"{self.machine.name}-{len(list(self.course.folder.iterdir()))}.results"
        shared = [*program, self.file, str(self.states.count), *call]
        once = min(run_driver([*shared, "2", place]))
        passes = str(max(2, min(200, round(TURN / (once * self.states.count)))))
        contestant = native_contestant(name, [*shared, passes, place if keep else "-"])
        return Entry(contestant, lambda: read_rows(place, len(np.fromfile(place)) // self.states.count))

    def _tried(
        self, name: str, program: Sequence[str | Path], call: tuple[str, ...], keep: bool = False
    ) -> Iterator[Entry]:
        """The same for another engine, which is left out where it fails."""
        try:
            yield self._native(name, program, call, keep)
        except DriverFailed as reason:
            self.course.missing(f"{self.machine.name}, {name}: {without_paths(str(reason))}")

    def _native_peers(self, kernel: str) -> Iterator[Entry]:
        for name, (program, kernels) in self.peers.items():
            if kernel in kernels:
                yield from self._tried(name, [program], (kernel, "loop"))
        model = self.course.folder / f"{self.machine.name}.txt"
        program = (
            self.course.built(lambda: robot_driver(ALGORITHMS[kernel]), slow=True) if model.exists() else None
        )
        if program:
            yield from self._tried(PINOCCHIO_CPP, [program, model], (kernel,), keep=True)
            if kernel == "forward_dynamics":
                yield from self._tried(
                    PINOCCHIO_CPP_WORLD, [program, model], ("forward_dynamics_world",), keep=True
                )

    def _python_peers(self, kernel: Any) -> list[Entry]:
        machine, states = self.machine, self.states
        inputs = (states.q, states.v, states.a if kernel == "inverse_dynamics" else states.tau)
        found: list[Entry] = []

        def single(make: Callable[[str, Sequence[str]], Engine]) -> Iterator[Entry]:
            engine = make(machine.urdf, machine.joints)
            call, run = getattr(engine, kernel), engine.loop(kernel, *inputs)
            contestant = python_contestant(engine.name, run, states.count, 1)
            run()
            yield Entry(contestant, lambda: np.array([call(*row) for row in zip(*inputs, strict=True)]))

        def many(make: Callable[..., Iterator[RowsCall]]) -> Iterator[Entry]:
            for rows in make(machine.urdf, machine.joints, kernel, inputs):
                rows.run()
                contestant = python_contestant(rows.name, rows.run, states.count, 3, rows.clock)
                yield Entry(contestant, rows.results)

        for name, entries in [(make.__name__, single(make)) for make in ENGINES] + [
            (make.__name__, many(make)) for make in ROWS
        ]:
            try:
                found += entries
            except PeerUnavailable as reason:
                self.course.missing(reason)
            except Exception as reason:  # noqa: BLE001 - whatever another engine cannot do, the others are timed
                what = f"{machine.name}, {name.lower()}: {type(reason).__name__}"
                self.course.missing(f"{what}: {without_paths(str(reason))}")
        return found
