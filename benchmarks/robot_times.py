"""One robot beside Pinocchio: generated, compiled, timed in turns, compared."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.drivers.build import BUILD_FOLDER, build, robot_driver
from benchmarks.entries import OWN_C, PINOCCHIO_CPP, PINOCCHIO_CPP_WORLD
from benchmarks.peers.engines import Array
from benchmarks.pinocchio_cpp.robot_text import model_text
from benchmarks.protocol import Contestant, Measurement, measure, native_contestant
from benchmarks.robot_files import DERIVATIVES, BenchmarkRobot, RobotKernel
from benchmarks.states import SEED, States, read_rows
from kanegen.codegen import pipeline
from kanegen.codegen.graph import OperationCounts
from kanegen.codegen.graph import count as operations_of
from kanegen.codegen.mechanism.importers import from_urdf

MATRICES: dict[RobotKernel, int] = {"mass_matrix": 1, **dict.fromkeys(DERIVATIVES, 3)}
"""How many n x n matrices a kernel gives; the others give a vector."""

ALGORITHMS: dict[RobotKernel, str] = {
    "inverse_dynamics": "rnea",
    "mass_matrix": "crba",
    "forward_dynamics": "aba",
    "inverse_dynamics_derivatives": "rnea_derivatives",
    "forward_dynamics_derivatives": "aba_derivatives",
}
"""Which of Pinocchio's algorithms computes the same, as ``pinocchio_cpp.program.robot_driver`` calls them."""


@dataclass(frozen=True)
class KernelTimes:
    """Operations and timings of one kernel of one robot, and the largest difference of each contestant from kanegen."""

    operations: OperationCounts
    measurement: Measurement
    differences: dict[str, float]

    def ratio(self, over: str) -> float | None:
        """The minimum of ``over`` over kanegen's; None where it was not measured."""
        timings = self.measurement.timings
        return timings[over].minimum / timings[OWN_C].minimum if over in timings else None


@dataclass(frozen=True)
class RobotTimes:
    """All that was measured of one robot."""

    robot: BenchmarkRobot
    dof: int
    kernels: dict[RobotKernel, KernelTimes]


def robot_states(dof: int, count: int) -> States:
    """Random states, the same in every run: angles over the full turn, v and a to 3 rad/s and rad/s^2, tau to 20 N m."""
    random = np.random.default_rng(SEED)
    q = random.uniform(-np.pi, np.pi, (count, dof))
    v, a = random.uniform(-3.0, 3.0, (2, count, dof))
    return States(q=q, v=v.copy(), a=a.copy(), tau=random.uniform(-20.0, 20.0, (count, dof)))


def largest_difference(results: Array, expected: Array, parts: int) -> float:
    """Over rows of ``parts`` vectors or matrices each: the largest error of one over its own largest component."""
    shape = (len(expected), parts, -1)
    errors = np.abs(results - expected).reshape(shape).max(axis=2)
    return float((errors / np.abs(expected).reshape(shape).max(axis=2)).max())


@dataclass(frozen=True)
class Course:
    """Where and how the contestants run: a folder for files, the protocol, Pinocchio's programs by algorithm."""

    folder: Path
    states: int
    rounds: int
    passes: int
    pinocchio: Mapping[str, Path]

    def time(self, robot: BenchmarkRobot) -> RobotTimes:
        """Generate, compile, time and compare one robot.  Raises RobotMissing and BuildFailed."""
        urdf = robot.urdf()
        mechanism = from_urdf(urdf)
        dof = mechanism.dof
        say(f"{robot.name}: generating")
        sources = BUILD_FOLDER / "robots" / robot.name  # it stays: C that did not change is compiled once
        shutil.rmtree(sources, ignore_errors=True)
        options = pipeline.Options(kernels=robot.kernels, search=robot.search_budget)
        generated = pipeline.generate(mechanism, sources, options)
        say(f"{robot.name}: compiling")
        own = build(
            robot_driver(sources, generated.model.prefix, dof, set(DERIVATIVES) <= set(robot.kernels))
        )
        robot_states(dof, self.states).write(self.folder / f"{robot.name}.bin")
        if self.pinocchio:
            text = model_text(urdf, mechanism.coordinates)
            (self.folder / f"{robot.name}.txt").write_text(text, encoding="utf-8")
        kernels = {}
        for kernel in robot.kernels:
            say(f"{robot.name}: timing {kernel}")
            operations = operations_of(generated.kernels[kernel].program)
            measurement, differences = self._measure(robot, kernel, own, dof)
            kernels[kernel] = KernelTimes(operations, measurement, differences)
        return RobotTimes(robot, dof, kernels)

    def _measure(
        self, robot: BenchmarkRobot, kernel: RobotKernel, own: Path, dof: int
    ) -> tuple[Measurement, dict[str, float]]:
        calls: dict[str, tuple[list[str | Path], str]] = {OWN_C: ([own], kernel)}
        peer = self.pinocchio.get(ALGORITHMS[kernel])
        if peer is not None:
            command: list[str | Path] = [peer, self.folder / f"{robot.name}.txt"]
            calls[PINOCCHIO_CPP] = (command, kernel)
            if kernel == "forward_dynamics":
                calls[PINOCCHIO_CPP_WORLD] = (command, "forward_dynamics_world")
        contestants: list[Contestant] = []
        files: dict[str, Path] = {}
        for name, (command, function) in calls.items():
            files[name] = self.folder / f"results-{len(files)}.bin"
            states = self.folder / f"{robot.name}.bin"
            full = [*command, states, str(self.states), function, str(self.passes), files[name]]
            contestants.append(native_contestant(name, full))
        measurement = measure(contestants, self.rounds)
        parts = MATRICES.get(kernel, 1)
        columns = parts * dof * dof if kernel in MATRICES else dof
        results = {name: read_rows(file, columns) for name, file in files.items()}
        expected = results.pop(OWN_C)
        differences = {name: largest_difference(expected, r, parts) for name, r in results.items()}
        return measurement, differences


def say(text: str) -> None:
    """Tell on standard error what takes its time."""
    print(text, file=sys.stderr, flush=True)
